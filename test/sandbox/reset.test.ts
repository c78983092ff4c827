import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { resetConnection } from '../../sandbox/http/reset';

test.each([
  ['open', false],
  ['ended already, which Node can’t reset', true],
])('a connection that is %s is gone after a reset, without an error here', async (_what, isEnded) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  far.on('error', () => undefined);
  const farIsGone = new Promise((resolve) => far.once('close', resolve));
  const [near] = await accepted;
  const errors: Error[] = [];
  near.on('error', (error) => errors.push(error));
  const isGone = new Promise((resolve) => near.once('close', resolve));
  if (isEnded) near.end();
  resetConnection(near);
  await isGone;
  far.resume();
  await farIsGone;
  expect(errors).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});
