import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  host?: string | undefined;
  /** With 0 the system chooses the port. */
  port?: number | undefined;
}

/** The time that calls in progress have to end when the server stops. */
const DRAIN_MS = 1_000;

/** The default host is loopback, since the sandbox is not a public server and its admin calls are not signed. */
export async function listen(
  callback: (request: IncomingMessage, response: ServerResponse) => void,
  { host = '127.0.0.1', port = 0 }: ListenOptions,
  onClose: () => void | Promise<void> = () => undefined,
): Promise<RunningServer> {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, callback);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const drain = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(drain);
    await onClose();
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close };
}
