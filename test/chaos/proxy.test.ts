import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Link } from '../../chaos/proxy';
import { until } from '../../stack/until';

const heard: string[] = [];
let server: Server;
let link: Link;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('data', (data) => heard.push(data.toString()));
    // The link ends its connections with a reset.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  link = await Link.open('test', () => server.address() as AddressInfo);
});
afterAll(async () => {
  await link.close();
  await new Promise((resolve) => server.close(resolve));
});

const call = async (): Promise<Socket> => {
  const socket = connect({ port: link.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
};

test('a straggler is overtaken by what is asked on another connection, and arrives though nobody waits for it', async () => {
  const [first, second] = [await call(), await call()];
  link.break({ kind: 'straggler', ms: 400 });
  first.write('tried first'.padEnd(1_000));
  await until(() => Promise.resolve(expect(link.affected).toBe(1)), { what: 'the fault', timeoutMs: 5_000 });
  first.destroy();
  second.write('tried again'.padEnd(1_000));
  link.mend();
  await until(() => Promise.resolve(expect(heard).toHaveLength(2)), { what: 'both', timeoutMs: 5_000 });
  expect(heard.map((text) => text.trim())).toEqual(['tried again', 'tried first']);
  second.destroy();
});
