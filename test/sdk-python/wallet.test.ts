import type { AddressInfo } from 'node:net';
import { run } from '../../conformance/cli';
import { pythonTest, withPython } from './python';
import type * as pythonKit from './python-kit';

/* The tests of the wallet of sdk/README.md, with that of sdk-python/README.md in its place. */

jest.mock('../sdk/readme', () => jest.requireActual<object>('./python-kit'));

withPython(() => jest.requireActual<object>('../sdk/wallet.test'));

pythonTest('gameround-conformance passes it; it has no tickets and no discounts', async () => {
  const { readmeWallet } = jest.requireActual<typeof pythonKit>('./python-kit');
  const server = await readmeWallet();
  const printed: string[] = [];
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const where = [
      '--operator-url',
      url,
      '--operator-id',
      'op1',
      '--secret',
      'sandbox-only-operator-secret-op1',
    ];
    const who = ['--player', 'alice', '--game', 'demo-slot'];
    const status = await run(['wallet', ...where, ...who], {}, (text) => printed.push(text));
    expect(printed.join('\n')).toContain(' 0 broken, ');
    expect(status).toBe(0);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});
