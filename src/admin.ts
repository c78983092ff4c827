import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readinessReply, type Health, type HealthReport } from './http/health';
import { goOnWith, type Logger } from './logging';
import type { Metrics } from './metrics';
import { listen } from './lifecycle';

/** Health and metrics of one process, on a separate port that partners can't reach. */
export interface Admin {
  readonly port: number;
  /** Adds a part. The process is ready if it has at least one part and all parts are ready. */
  add(part: AdminPart): void;
  close(): Promise<void>;
}

export interface AdminPart {
  health: Health;
  /** Additional metrics in the Prometheus format. If it rejects, they are left out. */
  measures?: () => Promise<string>;
}

export interface AdminOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  metrics: Pick<Metrics, 'exposition' | 'wallets'>;
  logger: Pick<Logger, 'error' | 'warn'>;
}

const MAX_HEADER_BYTES = 8_192;

/**
 * Serves `GET /health/live`, `GET /health/ready` (503 with what is missing), `GET /health/wallets` (what was seen of each
 * operator's wallet) and `GET /metrics` (Prometheus).
 * @throws ConfigError if the address is in use
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const parts: AdminPart[] = [];
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 },
    (request, response) => {
      answer(options, parts, request, response).catch((error: unknown) => {
        options.logger.error({ error }, 'a request to the admin port failed');
        reply(response, 500, { status: 'failed' });
      });
    },
  );
  server.maxConnections = 64;
  await listen(server, options, 'ADMIN_PORT');
  return {
    port: (server.address() as AddressInfo).port,
    add: (part) => void parts.push(part),
    close: () => closed(server),
  };
}

async function answer(
  { metrics, logger }: AdminOptions,
  parts: readonly AdminPart[],
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return reply(response, 405, { status: 'GET only' });
  switch (url) {
    case '/health/live':
      return reply(response, 200, { status: 'live' });
    case '/health/ready': {
      const { status, body } = readinessReply(together(await all(parts, ({ health }) => health.check())));
      return reply(response, status, body);
    }
    case '/health/wallets':
      return reply(response, 200, { wallets: await metrics.wallets() });
    case '/metrics': {
      const { contentType, text } = await metrics.exposition();
      const leftOut = goOnWith(logger, '', 'the metrics of a part are left out');
      const more = await all(parts, ({ measures }) =>
        measures === undefined ? Promise.resolve('') : measures().catch(leftOut),
      );
      response.writeHead(200, { 'content-type': contentType });
      response.end(text + more.join(''));
      return;
    }
    default:
      return reply(response, 404, { status: 'not found' });
  }
}

function all<T>(parts: readonly AdminPart[], ask: (part: AdminPart) => Promise<T>): Promise<T[]> {
  return Promise.all(parts.map((part) => ask(part)));
}

function together(reports: readonly HealthReport[]): HealthReport {
  return {
    ready: reports.length > 0 && reports.every(({ ready }) => ready),
    degraded: reports.some(({ degraded }) => degraded),
    missing: [...new Set(reports.flatMap(({ missing }) => missing))],
  };
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  });
  response.end(JSON.stringify(body));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
