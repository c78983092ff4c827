import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { errorObject } from '../domain/errors';

/** How much time and room one connection may take; milliseconds and bytes. */
export interface ServerBounds {
  /** For a request's head, and for all of it. */
  headMs: number;
  requestMs: number;
  /** Without a byte in either direction, also while an answer is waited for: longer than a command's 10 s. */
  silenceMs: number;
  /** For what still comes of a call that was answered before its body had come. */
  lingerMs: number;
  /** Between two requests. */
  idleMs: number;
  /** How often the first two are looked after. */
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

/** The server of the API, not listening yet. What is no HTTP, too large or too late is answered like any refusal. */
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
  // The head's size bounds their number; beyond a number of its own Node would leave some out without a word.
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
    // An answer now would be taken for that of a call which came before and is still being carried out.
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
