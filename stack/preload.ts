/**
 * Loaded by `node --require` into the service and the sandbox that `npm start` runs: when the parent is gone, however it
 * went, its end of the IPC channel closes, and the process stops as it would on SIGTERM, by force if need be.
 */
const FORCE_AFTER_MS = 100_000; // a worker may be in a wallet call, see STOP_TIMEOUTS_MS

if (process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), FORCE_AFTER_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening must not keep a process alive that has nothing else to do.
  process.channel.unref();
}
