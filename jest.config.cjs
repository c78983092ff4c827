/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // A busy machine is several times slower. Only a test that fails takes so long.
  testTimeout: 180_000,
  // On two cores jest would take one, but most tests wait for something. `npm test` runs the heaviest
  // files alone (scripts/test.ts).
  maxWorkers: 3,
};
