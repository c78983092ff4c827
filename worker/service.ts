import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../src/metrics';

/** What a worker tells about itself over HTTP: health and metrics, for those who run it. */
export interface WorkerService {
  readonly port: number;
  close(): Promise<void>;
}

export interface WorkerServiceOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  metrics: Pick<Metrics, 'exposition'>;
  /** Whether the worker takes work. */
  isPolling: () => boolean;
  /** Where the Temporal SDK tells its own measures, for example `http://127.0.0.1:9464/metrics`. */
  temporalMetricsUrl?: string;
}

const TEMPORAL_METRICS_TIMEOUT_MS = 2_000;
const MAX_HEADER_BYTES = 8_192;

/** `GET /health/live`, `GET /health/ready` (503 until it polls, and from when it stops), `GET /metrics` (Prometheus). */
export async function startWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 },
    (request, response) => {
      answer(options, request, response).catch(() => reply(response, 500, { status: 'failed' }));
    },
  );
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

async function answer(
  { metrics, isPolling, temporalMetricsUrl }: WorkerServiceOptions,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return reply(response, 405, { status: 'GET only' });
  switch (url) {
    case '/health/live':
      return reply(response, 200, { status: 'live' });
    case '/health/ready': {
      const ready = isPolling();
      return reply(response, ready ? 200 : 503, { status: ready ? 'ready' : 'unavailable' });
    }
    case '/metrics': {
      const { contentType, text } = await metrics.exposition();
      response.writeHead(200, { 'content-type': contentType });
      response.end(text + (await temporalMetrics(temporalMetricsUrl)));
      return;
    }
    default:
      return reply(response, 404, { status: 'not found' });
  }
}

/** The SDK's own measures, `temporal_…`; without them ours are worth telling all the same. */
async function temporalMetrics(url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TEMPORAL_METRICS_TIMEOUT_MS) });
    return reply.ok ? await reply.text() : '';
  } catch {
    return '';
  }
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

/** For the SDK's own exporter, which can't choose a port itself; only we ask it. */
export async function freeLocalAddress(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await closed(probe);
  return `127.0.0.1:${port}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
