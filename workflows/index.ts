/** The workflow bundle's entry: every export is a workflow type. */
export { gameround } from './gameround';
export { reconcile } from './reconcile';
