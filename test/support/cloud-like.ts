import { connect, constants, createServer, type Http2Session, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';

const PERMISSION_DENIED = 7;

export interface CloudLike {
  /** `host:port`. */
  address: string;
  /** Paths of the calls that were refused. */
  refused: string[];
  close(): Promise<void>;
}

/** A proxy of a Temporal server that refuses the calls of OperatorService, as Temporal Cloud does. */
export async function startCloudLike(target: string): Promise<CloudLike> {
  const refused: string[] = [];
  const sessions = new Set<Http2Session>();
  const upstream = connect(`http://${target}`);
  upstream.on('error', () => undefined);
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const path = String(headers[':path']);
    if (path.includes('.OperatorService/')) {
      refused.push(path);
      const trailersOnly = { ':status': 200, 'content-type': 'application/grpc' };
      stream.respond(
        { ...trailersOnly, 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Request unauthorized.' },
        { endStream: true },
      );
      return;
    }
    const onward = upstream.request(withoutConnection(headers));
    onward.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    stream.on('close', () => onward.close(constants.NGHTTP2_CANCEL));
    let trailers: IncomingHttpHeaders = {};
    onward.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
    onward.on('response', (received, flags) => {
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (stream.closed) return;
      stream.respond(received, { endStream, waitForTrailers: !endStream });
      if (endStream) return;
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      onward.pipe(stream);
    });
    stream.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    close: async () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, host: _host, ...onward } = headers;
  return onward;
}
