import type { Socket } from 'node:net';

/**
 * Ends a connection with a reset. One whose end was sent already is only closed: Node can't reset it (EINVAL), never
 * lets go of it then, and the process never ends.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
