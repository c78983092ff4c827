/** The entry of the workflow bundle. Every export is a workflow type. */
export { gameround } from './gameround';
export { reconcile } from './reconcile';
export { exportHistories } from './export';
