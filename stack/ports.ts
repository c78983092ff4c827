import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { UserError } from './user-error';

/** Whether a server could listen there now. */
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

/** Else a server would fail to listen while whoever holds the port is taken for it. */
export async function requireFree(port: number, host: string, what: string): Promise<void> {
  if (!(await isPortFree(port, host))) throw new UserError(`Port ${port}, needed for ${what}, is in use.`);
}

/**
 * Systems take the ports of outgoing connections from 32768 upwards (Linux) or from higher ones. A port from there can be
 * taken by a connection before its server listens, or while the server is restarted.
 */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isPortFree(port, host)) ports.add(port);
  }
  return [...ports];
}
