import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Front } from '../../bench/front';
import { exchange, NoAnswer } from '../support/e2e-http';

let front: Front;
let servers: Server[];
let ports: number[];

beforeEach(async () => {
  front = await Front.open();
  servers = ['a', 'b', 'c'].map((name) => createServer((_, reply) => reply.end(JSON.stringify({ name }))));
  await Promise.all(
    servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))),
  );
  ports = servers.map((server) => (server.address() as AddressInfo).port);
});
afterEach(() => {
  front.close();
  servers.forEach((server) => server.close());
});

/** Each call has a connection of its own. */
async function answers(count: number): Promise<unknown[]> {
  const names: unknown[] = [];
  for (let at = 0; at < count; at += 1) names.push((await exchange({ url: front.url })).body.name);
  return names;
}

test('connections go to the ports in turn', async () => {
  front.ports = ports;
  expect(await answers(6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  front.ports = ports.slice(0, 1);
  expect(await answers(2)).toEqual(['a', 'a']);
});

test('a connection that a port refuses goes to the next one', async () => {
  front.ports = ports;
  await new Promise((done) => servers[1]!.close(done));
  expect(await answers(4)).toEqual(['a', 'c', 'a', 'c']);
});

test('a connection is closed if no port takes it', async () => {
  await expect(exchange({ url: front.url })).rejects.toThrow(NoAnswer);
  front.ports = ports;
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  await expect(exchange({ url: front.url })).rejects.toThrow(NoAnswer);
});
