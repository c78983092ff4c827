/** The same modules for ESM: one InterfaceError in a process, however it was imported. */
export * from './index.js';
