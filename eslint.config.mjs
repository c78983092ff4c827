import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const MONEY_OPERATORS = ['Identifier[name=/MONEY/i]', 'MemberExpression[property.name=/MONEY/i]'].map(
  (operand) => ({
    selector: `BinaryExpression[operator=/^[*/]$/] > ${operand.replace('MONEY', '(amount|stake|balance|multiplier|win)$')}`,
    message: 'Money is multiplied and divided in src/domain/money.ts, exactly.',
  }),
);

/** An error is logged with its cause, or passed on, if only as another error that names no secret. */
const SWALLOWED_ERRORS = [
  'CatchClause[param=null]:not(:has(ThrowStatement))',
  'CallExpression[callee.property.name="catch"] > ArrowFunctionExpression[params.length=0]',
].map((selector) => ({ selector, message: 'An error is logged with its cause, or passed on.' }));

export default tseslint.config(
  { ignores: ['**/dist/**', 'coverage/**', '.data/**', '.cache/**', 'node_modules/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['workflows/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@temporalio/workflow',
              importNames: ['proxyLocalActivities', 'scheduleLocalActivity'],
              message: 'A history with local activities may not replay: docs/decisions.md.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**', 'workflows/**', 'activities/**', 'worker/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'Date',
          property: 'parse',
          message: 'It reads a time without a zone in that of the process.',
        },
      ],
    },
  },
  {
    files: ['src/**', 'workflows/**', 'activities/**', 'worker/**', 'proof/**'],
    ignores: ['src/domain/money.ts'],
    rules: { 'no-restricted-syntax': ['error', ...MONEY_OPERATORS, ...SWALLOWED_ERRORS] },
  },
  {
    files: ['workflows/**', 'src/domain/**', 'src/contracts/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind!="const"]',
          message:
            'All rounds of a worker share these modules: a module keeps nothing that changes (worker/bundle.ts).',
        },
        {
          selector:
            ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|WeakMap|WeakSet)$/]',
          message:
            'All rounds of a worker share these modules: a module keeps nothing that changes (worker/bundle.ts).',
        },
      ],
    },
  },
  { files: ['**/*.{js,cjs,mjs}'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: {
        module: 'writable',
        require: 'readonly',
        process: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
      },
    },
    // A .cjs file has no other way.
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  // The stack and the command-line tools talk to a person at a terminal.
  { files: ['stack/**', 'bench/**', 'scripts/**', 'chaos/**'], rules: { 'no-console': 'off' } },
);
