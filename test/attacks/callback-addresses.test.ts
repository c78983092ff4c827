import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { isPublicAddress, type CallbackAddresses } from '../../src/clients/addresses';
import { createProviderClient } from '../../src/clients/game-provider';
import { createHttpClient, type HttpAnswer } from '../../src/clients/http';
import { createOperatorWallet } from '../../src/clients/operator-wallet';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { parseTenants, warningsOf } from '../../src/tenants/file';
import { callOf, FIRST_DELIVERY } from '../domain/wallet-reply-support';
import { finished, playerOf, refused } from '../support/player';
import { startRounds } from '../support/rounds-harness';

/* Tenants' URLs that lead into this machine or an inner network (CALLBACK_ADDRESSES). */

describe('an address is called only when it is public', () => {
  it.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    [
      'link-local, metadata services among them',
      '169.254.0.1',
      '169.254.169.254',
      'fe80::1',
      'febf::1',
      'fe80::1%eth0',
    ],
    ['unique-local and site-local', 'fc00::1', 'fd00:ec2::254', 'fec0::1'],
    ['shared (CGNAT)', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    [
      'documentation, benchmarks, reserved',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '240.0.0.1',
      '192.0.0.8',
      '2001:db8::1',
      '100::1',
      '4000::1',
    ],
    [
      'IPv4 in IPv6',
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      '::ffff:0:7f00:1',
      '::7f00:1',
      '64:ff9b::10.0.0.1',
      '2002:7f00:1::',
      '2001:0:1::',
    ],
    ['no address at all', '', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5', '8.8.8.8/32'],
  ])('%s is not called', (_what, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it.each([
    ['IPv4', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '223.255.255.254'],
    ['IPv6', '2606:4700::1111', '2a00:1450:4001:81b::200e'],
    ['IPv4 in IPv6', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  ])('%s may be called', (_what, ...addresses) => {
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

/** A name server that gives these answers one after another, and then repeats the last one. */
function namesAre(...answers: string[][]): LookupFunction & { asked: number } {
  const lookup = (
    _name: string,
    options: { all?: boolean | undefined },
    callback: Parameters<LookupFunction>[2],
  ): void => {
    const addresses = answers[Math.min(lookup.asked, answers.length - 1)]!;
    lookup.asked += 1;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
  lookup.asked = 0;
  return lookup;
}

describe('a connection', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('{}'));
    server.on('connection', () => (connections += 1));
    // Of both families where the machine has both.
    await new Promise<void>((resolve) => server.listen(0, resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => (connections = 0));

  async function call(
    host: string,
    addresses: CallbackAddresses,
    lookup?: LookupFunction,
    times = 1,
  ): Promise<HttpAnswer[]> {
    const http = createHttpClient({ addresses, lookup });
    const answers: HttpAnswer[] = [];
    for (let time = 0; time < times; time += 1) {
      // Tenants don't share connections: each call makes one of its own.
      const tenant = `tenant-${time}`;
      answers.push(
        await http.send({
          tenant,
          method: 'POST',
          url: `http://${host}:${port}/x`,
          headers: {},
          body: '{}',
          timeoutMs: 5_000,
        }),
      );
    }
    await http.close();
    return answers;
  }

  const REFUSED = { kind: 'no-response', reason: 'ADDRESSREFUSED', unsent: true };

  it.each([
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '[::]',
  ])('to %s is not made', async (host) => {
    expect(await call(host, 'public')).toEqual([REFUSED]);
    expect(connections).toBe(0);
  });

  it('to a name with such an address is not made either', async () => {
    for (const answer of [['127.0.0.1'], ['::1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      expect(await call('wallet.example', 'public', namesAre(answer))).toEqual([REFUSED]);
    }
    expect(connections).toBe(0);
  });

  it('is checked each time it is made, also if the name was public before', async () => {
    const rebinding = namesAre(['127.0.0.1']);
    expect(await call('wallet.example', 'public', rebinding, 2)).toEqual([REFUSED, REFUSED]);
    expect(rebinding.asked).toBe(2);
    expect(connections).toBe(0);
  });

  it('is made to this machine, and nowhere else that is not public, with CALLBACK_ADDRESSES=loopback', async () => {
    const [byAddress] = await call('127.0.0.1', 'loopback');
    const [byName] = await call('wallet.example', 'loopback', namesAre(['127.0.0.1']));
    expect([byAddress?.kind, byName?.kind, connections]).toEqual(['answer', 'answer', 2]);
    for (const host of ['0.0.0.0', '[::]', '10.0.0.1', '169.254.169.254', '[fe80::1]', '[fd00::1]']) {
      expect(await call(host, 'loopback')).toEqual([REFUSED]);
    }
    for (const answer of [['127.0.0.1', '10.0.0.1'], ['169.254.169.254']]) {
      expect(await call('wallet.example', 'loopback', namesAre(answer))).toEqual([REFUSED]);
    }
  });

  it('is made to anywhere with CALLBACK_ADDRESSES=any', async () => {
    const answers = [
      ...(await call('127.0.0.1', 'any')),
      ...(await call('wallet.example', 'any', namesAre(['127.0.0.1']))),
    ];
    expect(answers).toEqual(Array(2).fill({ kind: 'answer', status: 200, body: {} }));
  });

  it('that is refused counts as no answer of wallet or game', async () => {
    const http = createHttpClient({ addresses: 'public' });
    const url = `http://127.0.0.1:${port}`;
    const operator = { operatorId: 'op1', operatorUrl: url, secrets: ['s'], walletTimeoutMs: 1_000 };
    const provider = { providerId: 'gp1', gameUrl: url, secrets: ['s'] };
    const wallet = createOperatorWallet(http);
    expect(await wallet.getBalance(operator, { playerId: 'p', currency: 'EUR' })).toEqual({
      kind: 'unavailable',
      reason: 'ADDRESSREFUSED',
    });
    await expect(wallet.doGameRoundReport(operator, { hash: 'r' })).rejects.toThrow('ADDRESSREFUSED');
    const game = createProviderClient(http);
    const query = { currency: 'EUR', currencyMultiplier: 1, gameCode: 'g' };
    await expect(game.getGameConfiguration(provider, query)).rejects.toThrow('ADDRESSREFUSED');
    await expect(game.getGameResult(provider, { gameRound: 'r' })).rejects.toThrow('ADDRESSREFUSED');
    await expect(game.doAutoClose(provider, { gameRound: 'r', gameSettings: {} })).rejects.toThrow(
      'ADDRESSREFUSED',
    );
    expect(connections).toBe(0);
    await http.close();
  });
});

describe('a wallet at a refused address', () => {
  const unsent = { kind: 'no-response', reason: 'ADDRESSREFUSED', unsent: true } as const;
  const again = { ...FIRST_DELIVERY, redelivered: true };

  it('did not take a bet that was never sent, and may have taken one that was sent before', () => {
    const call = callOf('debit', 'debit');
    expect(classifyWalletReply(call, unsent, FIRST_DELIVERY)).toEqual({
      notSent: 'ADDRESSREFUSED',
      kind: 'declined',
      unauthorised: true,
      processed: false,
    });
    expect(classifyWalletReply(call, unsent, again)).toEqual({ kind: 'unknown', reason: 'ADDRESSREFUSED' });
  });

  it('is sent its win and its void until it accepts them', () => {
    const repeat = { kind: 'retryable', reason: 'ADDRESSREFUSED', notSent: true, creditAccepted: false };
    const credit = callOf('credit', 'credit', 'end');
    expect(classifyWalletReply(credit, unsent, FIRST_DELIVERY)).toEqual({ ...repeat, maybePaid: false });
    expect(classifyWalletReply(credit, unsent, again)).toEqual({ ...repeat, maybePaid: true });
    expect(classifyWalletReply(credit, unsent, { ...FIRST_DELIVERY, maybePaid: true })).toEqual({
      ...repeat,
      maybePaid: true,
    });
    expect(classifyWalletReply(callOf('void', 'void'), unsent, FIRST_DELIVERY)).toEqual({
      ...repeat,
      maybePaid: false,
    });
  });

  it('cancels a round at once: nothing is sent, and nothing is owed', async () => {
    const harness = await startRounds({ addresses: 'public' });
    try {
      const player = playerOf(harness);
      const reply = await player.start();
      expect(reply.refusal).toMatchObject({ status: 502, errorCode: { id: 3000, msg: 'WALLETUNAVAILABLE' } });
      expect(reply.gameRoundInfo.status).toBe('cancel');
      const { hash } = reply.gameRoundInfo;
      await finished(harness, hash);
      expect(await harness.rounds.find(hash)).toMatchObject({
        status: 'cancel',
        attention: [],
        transactions: [{ type: 'debit', outcome: 'declined' }],
      });
      expect(await harness.calls(hash)).toEqual([]);
      // The next one is a round of its own: nothing of this one stands in its way.
      expect(await refused(player.start())).toBe('502 WALLETUNAVAILABLE');
    } finally {
      await harness.stop();
    }
  });
});

it('a start names the tenants whose URLs will not be called', () => {
  const entries = parseTenants(
    't.json',
    JSON.stringify({
      operators: [
        { operatorId: 'inner', operatorUrl: 'http://10.1.2.3/', secrets: ['s'], currencies: { EUR: 1 } },
        {
          operatorId: 'outer',
          operatorUrl: 'https://wallet.example/',
          secrets: ['s'],
          currencies: { EUR: 1 },
        },
      ],
      providers: [{ providerId: 'here', gameUrl: 'http://localhost:9002', secrets: ['s'] }],
    }),
  );
  expect(warningsOf(entries, 'any')).toEqual([]);
  expect(warningsOf(entries, 'public')).toEqual([
    expect.stringMatching(/^operator inner: .* its URL: CALLBACK_ADDRESSES/),
    expect.stringMatching(/^provider here: .* its URL: CALLBACK_ADDRESSES/),
  ]);
});
