const all = require('./jest.config.cjs');

const FOLDERS = [
  'archive',
  'bench',
  'clients',
  'config',
  'conformance',
  'coverage',
  'domain',
  'sdk',
  'sdk-python',
  'signing-recipes',
  'tickets',
];

/** Tests that need no server: seconds, for everyday work. */
module.exports = {
  ...all,
  roots: FOLDERS.map((folder) => `<rootDir>/test/${folder}`),
  globalSetup: undefined,
  globalTeardown: undefined,
};
