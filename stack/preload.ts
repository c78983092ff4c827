/**
 * `npm start` loads this file into its Node processes with `node --require`. When the parent ends for any reason, the IPC
 * channel closes. The process then stops as on SIGTERM, and exits after FORCE_AFTER_MS at the latest.
 */
const FORCE_AFTER_MS = 100_000; // the worker finishes its wallet calls, see STOP_TIMEOUTS_MS

if (process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), FORCE_AFTER_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // The listener alone must not keep the process alive.
  process.channel.unref();
}
