import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from '../../sandbox/http/server';

/** One recorded exchange. */
export interface Seen {
  method: string;
  path: string;
  /** The body of a POST, the query of a GET. */
  request: Record<string, unknown>;
  status: number;
  reply: unknown;
}

/** Starts a proxy before a partner's server that adds each exchange to `seen`. `close` closes both. */
export async function recorded(server: RunningServer, seen: Seen[]): Promise<RunningServer> {
  const proxy = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const { method = 'GET', url = '/' } = request;
      const headers = new Headers();
      const own = ['connection', 'content-length', 'expect', 'host', 'transfer-encoding'];
      for (const [name, value] of Object.entries(request.headers)) {
        if (!own.includes(name)) headers.set(name, String(value));
      }
      const reply = await fetch(server.url + url, { method, headers, ...(body.length > 0 ? { body } : {}) });
      const text = await reply.text();
      const { pathname, searchParams } = new URL(url, server.url);
      seen.push({
        method,
        path: pathname,
        request: (body.length > 0
          ? JSON.parse(body.toString())
          : Object.fromEntries(searchParams)) as Seen['request'],
        status: reply.status,
        reply: text === '' ? {} : (JSON.parse(text) as unknown),
      });
      response.writeHead(reply.status, {
        'content-type': reply.headers.get('content-type') ?? 'application/json',
      });
      response.end(text);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
    },
  };
}
