import type { Socket } from 'node:net';

/**
 * Ends a connection with a reset. A connection whose end was already sent is closed instead: Node fails to reset it
 * (EINVAL), keeps it open, and the process does not end.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
