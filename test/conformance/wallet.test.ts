import type { AddressInfo } from 'node:net';
import type * as sandboxWallet from '../../sandbox/wallet/wallet';
import { REPLY_RULES } from '../../conformance/wallet/reply-rules';
import type { Result } from '../../conformance/rule';
import { runRules } from '../../conformance/run';
import { TestedWallet, type WalletSettings } from '../../conformance/wallet/tested-wallet';
import { WALLET_RULES } from '../../conformance/wallet/rules';
import { readmeWallet } from '../sdk/readme';
import { CAUSES, MORE_FAULTS, SANDBOX_FAULTS, TEN_FAULTS } from './faults';
import { loadPatched, type Patches } from './patched';
import { type atomic, kitWallet, OPERATOR, torn, tornWithIncrement } from './support';

/* The tester against our two wallets: as they are, and with a mistake in them. */

const ALL = [...WALLET_RULES, ...REPLY_RULES].map(({ name }) => name);

async function conform(
  url: string,
  names: readonly string[],
  more: Partial<WalletSettings> = {},
): Promise<{ results: Result[]; left: number | undefined }> {
  const wallet = await TestedWallet.open({
    url,
    authId: 'op1',
    secret: OPERATOR.secrets[0]!,
    playerId: 'alice',
    gameCode: 'demo-slot',
    currency: 'EUR',
    stake: 10,
    // Only a mistake of this rule waits for so long.
    timeoutMs: names.includes('no-reply') && names.length < ALL.length ? 1_000 : 20_000,
    timestampToleranceMs: 300_000,
    secondSecret: OPERATOR.secrets[1],
    voidsWholeRound: false,
    ...more,
  });
  const selected = WALLET_RULES.filter(({ name }) => names.includes(name));
  const results = await runRules(wallet, selected, REPLY_RULES, { only: [], skip: [] });
  return { results, left: await wallet.restoreBalance() };
}

const named = (results: Result[], outcome: Result['outcome']): string[] =>
  results.filter((one) => one.outcome === outcome).map(({ name }) => name);

interface Kit {
  patches?: Patches;
  transact?: typeof atomic;
  names?: readonly string[];
}

async function testKit({ patches, transact, names = ALL }: Kit = {}) {
  const wallet = await kitWallet(patches, transact);
  try {
    return await conform(wallet.url, names);
  } finally {
    wallet.close();
  }
}

/** The sandbox's wallet; the player has tickets and a discount. */
async function testSandbox(
  patches: Patches,
  names = ALL,
  voidsWholeRound = false,
  discounts = [{ stake: 10, absoluteDiscountAmount: 4, spinsRemaining: 3 }],
) {
  const { createWalletApp } = loadPatched<typeof sandboxWallet>('sandbox/wallet/wallet.ts', patches);
  const server = await createWalletApp({
    operators: [{ ...OPERATOR, voidsWholeRound }],
    defaultBalance: 10_000,
  }).start();
  const grant = (path: string, body: object) =>
    fetch(`${server.url}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
  try {
    const ticket = { playerId: 'alice', gameCode: 'demo-slot', currency: 'EUR', stake: 20, count: 3 };
    await grant('tickets', ticket);
    await grant('discounts', { playerId: 'alice', currency: 'EUR', discounts });
    return await conform(server.url, names, { voidsWholeRound });
  } finally {
    await server.close();
  }
}

test('the wallet of sdk/README.md passes; it has no tickets and no discounts', async () => {
  const server = await readmeWallet();
  const { port } = server.address() as AddressInfo;
  const { results, left } = await conform(`http://127.0.0.1:${port}`, ALL, { secondSecret: undefined });
  server.closeAllConnections();
  server.close();
  expect(named(results, 'broken')).toEqual([]);
  expect(named(results, 'skipped')).toEqual(['secret-rotation', 'ticket', 'ticket-at-once', 'discount']);
  expect(results).toHaveLength(ALL.length);
  expect(left).toBe(0);
});

test('the sandbox’s wallet passes; it has an account for each player who asks', async () => {
  const { results, left } = await testSandbox({});
  expect(named(results, 'broken')).toEqual([]);
  expect(named(results, 'skipped')).toEqual(['get-balance-error']);
  expect(left).toBe(0);
});

test('discounts on --stake and its double, told with gameCode only: they disturb no rule but their own', async () => {
  const discounts = [10, 22].map((stake) => ({ stake, absoluteDiscountAmount: 4, spinsRemaining: 3 }));
  const { results, left } = await testSandbox(
    {
      'sandbox/wallet/operator-api.ts': [
        [
          'body: await api.books.balance(operatorId, query, api.kit.now().toISOString()),',
          `body: {
            ...(await api.books.balance(operatorId, query, api.kit.now().toISOString())),
            ...(query.gameCode === undefined ? { discountInfo: undefined } : {}),
          },`,
        ],
      ],
    },
    ['round', 'follow-up-debit', 'discount'],
    false,
    discounts,
  );
  expect(named(results, 'broken')).toEqual([]);
  expect(named(results, 'skipped')).toEqual([]);
  expect(left).toBe(0);
});

test('a wallet that voids whole rounds passes if the tester knows it', async () => {
  const { results } = await testSandbox(
    {},
    ['void-follow-up', 'void-before-follow-up', 'voided-round'],
    true,
  );
  expect(named(results, 'broken')).toEqual([]);
  expect(named(results, 'skipped')).toEqual(['void-before-follow-up']);
});

test.each(TEN_FAULTS)('$name: it names these rules and no others', async ({ patches, breaks }) => {
  const { results } = await testKit({ patches });
  expect(named(results, 'broken').sort()).toEqual([...breaks].sort());
});

test.each(MORE_FAULTS)('$name: it names these rules', async ({ patches, breaks }) => {
  const { results } = await testKit({ patches, names: ['round', 'closed-round', ...breaks] });
  expect(named(results, 'broken').sort()).toEqual([...breaks].sort());
});

const NOT_GIVEN = ['ticket', 'ticket-at-once', 'discount'];

test.each(CAUSES)(
  '$name: it names these rules first, and says which others they hide',
  async ({ patches, breaks, cause = '', hides = [] }) => {
    const { results, left } = await testKit({ patches });
    expect(named(results, 'broken').sort()).toEqual([...breaks].sort());
    const skipped = results.filter(({ outcome, name }) => outcome === 'skipped' && !NOT_GIVEN.includes(name));
    expect(skipped.map(({ name }) => name)).toEqual(expect.arrayContaining([...hides]));
    expect(skipped.filter(({ why }) => !why.includes(`since ${cause} is broken`))).toEqual([]);
    expect(skipped.length > 0).toBe(hides.length > 0);
    const names = results.map(({ name }) => name);
    for (const { name } of skipped) expect(names.indexOf(cause)).toBeLessThan(names.indexOf(name));
    expect(new Set(names).size).toBe(ALL.length);
    expect(left ?? 0).toBe(0);
  },
);

test.each(SANDBOX_FAULTS)('$name: it names these rules', async ({ patches, breaks }) => {
  const { results } = await testSandbox(patches, ['void', ...breaks]);
  expect(named(results, 'broken').sort()).toEqual([...breaks].sort());
});

const STORAGES = [
  {
    name: 'lost updates',
    transact: torn,
    breaks: ['rounds-at-once', 'second-initial-debit-at-once'],
  },
  {
    name: 'a check of the hash before the transaction',
    transact: tornWithIncrement,
    breaks: ['idempotency-at-once', 'debit-and-void-at-once', 'second-initial-debit-at-once'],
  },
];

test.each(STORAGES)('a storage with $name: it names these rules', async ({ transact, breaks }) => {
  const { results } = await testKit({ transact, names: breaks });
  expect(named(results, 'broken').sort()).toEqual([...breaks].sort());
});

test('each rule is broken by a mistake', () => {
  const broken = [...TEN_FAULTS, ...MORE_FAULTS, ...CAUSES, ...SANDBOX_FAULTS, ...STORAGES].flatMap(
    ({ breaks }) => breaks,
  );
  expect(ALL.filter((name) => !broken.includes(name))).toEqual([]);
});
