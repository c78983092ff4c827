/** The same modules for ESM, so that `import` and `require` get the same InterfaceError class. */
export * from './index.js';
