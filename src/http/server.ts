import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { errorObject } from '../domain/errors';

/** Limits of the connections; milliseconds and bytes. */
export interface ServerBounds {
  /** Time to receive the headers, and the whole request. */
  headMs: number;
  requestMs: number;
  /** Time without a byte in either direction. It also runs while a call is handled, so it is longer than a command's 10 s. */
  silenceMs: number;
  /** Time to receive the rest of a body after its call was answered. */
  lingerMs: number;
  /** Time between two requests. */
  idleMs: number;
  /** How often headMs and requestMs are checked. */
  checkMs: number;
  headBytes: number;
  connections: number;
  requestsPerConnection: number;
}

export const DEFAULT_BOUNDS: ServerBounds = {
  headMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  lingerMs: 2_000,
  idleMs: 65_000,
  checkMs: 5_000,
  headBytes: 16_384,
  connections: 10_000,
  requestsPerConnection: 10_000,
};

/** The server of the API; it does not listen yet. Malformed, too large or too slow requests get an errorCode as well. */
export function createHttpServer(answer: RequestListener, change: Partial<ServerBounds> = {}): Server {
  const bounds = { ...DEFAULT_BOUNDS, ...change };
  const server = createServer({
    headersTimeout: bounds.headMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.idleMs,
    connectionsCheckingInterval: bounds.checkMs,
    maxHeaderSize: bounds.headBytes,
  });
  server.timeout = bounds.silenceMs;
  server.maxConnections = bounds.connections;
  server.maxRequestsPerSocket = bounds.requestsPerConnection;
  // No limit on the number of headers: headBytes already limits them, and Node would silently drop those above its limit.
  server.maxHeadersCount = 0;

  const unanswered = new WeakMap<Duplex, Set<IncomingMessage>>();
  server.on('request', (request, response) => {
    const calls = unanswered.get(request.socket) ?? new Set();
    unanswered.set(request.socket, calls.add(request));
    response.once('close', () => calls.delete(request));
    response.once('finish', () => {
      if (request.complete) return;
      setTimeout(() => request.complete || request.socket.destroy(), bounds.lingerMs).unref();
    });
    answer(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A response now would be read as the response of an earlier call on this connection that is still in progress.
    const isBusy = [...(unanswered.get(socket) ?? [])].some(({ complete }) => complete);
    if (isBusy || !socket.writable) socket.destroy();
    else socket.end(refusalOf(error.code), () => socket.destroy());
  });
  return server;
}

function refusalOf(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusalText(431, errorObject('REQUESTTOOLARGE'));
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusalText(408, errorObject('INVALIDREQUEST', 'the request did not arrive in time'));
    default:
      return refusalText(400, errorObject('INVALIDREQUEST', 'the request is not well-formed HTTP'));
  }
}

function refusalText(status: number, errorCode: object): string {
  const body = JSON.stringify({ errorCode });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
