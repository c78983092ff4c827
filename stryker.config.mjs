/** Changes the pure rules, one small change after another: `npx stryker run` (docs/testing.md). */
export default {
  mutate: ['src/domain/**/*.ts'],
  testRunner: 'jest',
  jest: {
    configFile: 'jest.unit.config.cjs',
    config: { roots: ['<rootDir>/test/domain'], testMatch: ['<rootDir>/test/domain/together.ts'] },
    enableFindRelatedTests: false,
  },
  concurrency: 1,
  // The report names every test that fails.
  disableBail: true,
  // A change of a constant of a module would need all tests.
  ignoreStatic: true,
  // Endless loops are found by counting. On a busy machine the usual five seconds end tests that are only slow.
  timeoutMS: 60_000,
  tempDirName: '.cache/stryker',
  ignorePatterns: ['**', '!src/**', '!test/**', '!workflows/**', '!jest.*', '!package.json'],
  incremental: true,
  incrementalFile: '.cache/stryker-incremental.json',
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  htmlReporter: { fileName: '.cache/mutation.html' },
  jsonReporter: { fileName: '.cache/mutation.json' },
};
