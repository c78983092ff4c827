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

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const probes = await Promise.all(Array.from({ length: count }, () => listenAnywhere(host)));
  await Promise.all(probes.map(({ close }) => close()));
  return probes.map(({ port }) => port);
}

function listenAnywhere(host: string): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen({ port: 0, host }, () => {
      const address = probe.address();
      if (address === null || typeof address === 'string') return fail(new Error('no port was given'));
      done({ port: address.port, close: () => new Promise((closed) => probe.close(() => closed())) });
    });
  });
}
