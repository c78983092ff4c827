import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { UserError } from './user-error';

/** Whether a server can listen on the port now. @throws UserError if this machine can't listen on the host */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') done(false);
      else fail(new UserError(`This machine cannot listen on ${host}:${port} (${error.code}); check HOST.`));
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => done(true)));
  });
}

/** Without this check, another program on the port could be mistaken for the new server. @throws UserError */
export async function requireFree(port: number, host: string, what: string): Promise<void> {
  if (!(await isPortFree(port, host))) throw new UserError(`Port ${port}, needed for ${what}, is in use.`);
}

/**
 * Systems use ports from 32768 (Linux) or higher for outgoing connections. A connection could take such a port before the
 * server listens, or while the server restarts.
 */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

/** Returns different ports that were free when they were checked. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isPortFree(port, host)) ports.add(port);
  }
  return [...ports];
}
