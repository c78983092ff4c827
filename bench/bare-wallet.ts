import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* A wallet that accepts everything at once and stores nothing, so that it adds little time. bench/stack.ts starts it. */

const REPLY = JSON.stringify({ balances: [{ type: 'real', amount: 1_000_000_000, currency: 'EUR' }] });

const server = createServer((asked, reply) => {
  asked.resume().on('end', () => reply.setHeader('content-type', 'application/json').end(REPLY));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.once('disconnect', () => process.exit(0));
