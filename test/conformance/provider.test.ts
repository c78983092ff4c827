import type * as sandboxGame from '../../sandbox/game/game';
import { run } from '../../conformance/cli';
import { PROVIDER_REPLY_RULES, PROVIDER_RULES } from '../../conformance/provider/rules';
import { TestedProvider } from '../../conformance/provider/tested-provider';
import { runRules } from '../../conformance/run';
import { FakeService, PROVIDER } from '../sandbox/fake-service';
import { loadPatched, type Patches } from './patched';

/* The tester of a provider's callbacks against the sandbox's game: as it is, and with a mistake in it. */

interface Fault {
  name: string;
  patches: Patches;
  breaks: readonly string[];
}

const callbacks = (...replacements: [string, string][]): Patches => ({
  'sandbox/game/callbacks.ts': replacements,
});

const FAULTS: readonly Fault[] = [
  {
    name: 'signatures are not checked',
    patches: callbacks([
      'return verifyFields({ secrets: provider.secrets, authId, timestamp, signature }, fields);',
      'return verifyFields !== undefined && fields.length > 0;',
    ]),
    breaks: ['signature'],
  },
  {
    name: 'eight bytes of a signature are compared',
    patches: {
      'sdk/signing.ts': [
        [
          'sameText(signature, expected(secret))',
          'sameText(signature.slice(0, 10), expected(secret).slice(0, 10))',
        ],
      ],
    },
    breaks: ['signature'],
  },
  {
    name: 'the provider id is not checked',
    patches: callbacks(['if (authId !== provider.providerId ||', 'if (authId === undefined ||']),
    breaks: ['provider-id'],
  },
  {
    name: 'doAutoClose is taken from anybody',
    patches: callbacks(
      ['!== callbacks.provider.providerId) return', '=== undefined) return'],
      ['failure(502, 5_101, error.message)', '{ status: 500, body: {} }'],
    ),
    breaks: ['auto-close-provider-id'],
  },
  {
    name: 'timestamps are ignored',
    patches: callbacks([
      'if (!(age <= (timestampToleranceMs || Number.MAX_VALUE))) return false;',
      'void age;',
    ]),
    breaks: ['timestamp'],
  },
  {
    name: 'a stake is no integer',
    patches: callbacks([
      'stakes: stakeLadder(currencyMultiplier)',
      'stakes: stakeLadder(currencyMultiplier).map(String)',
    ]),
    breaks: ['configuration'],
  },
  {
    name: 'the multiplier is not applied',
    patches: callbacks(['stakeLadder(currencyMultiplier)', 'stakeLadder(1)']),
    breaks: ['multiplier'],
  },
  {
    name: 'a round that is told has numbers',
    patches: callbacks(["{ reels: 'not remembered' }", '{ reels: 3 }']),
    breaks: ['history'],
  },
  {
    name: 'a round that is told is a list',
    patches: callbacks(["{ reels: 'not remembered' }", '[]']),
    breaks: ['history', 'result', 'not-json'],
  },
  {
    name: 'doAutoClose answers 200 though nothing was closed',
    patches: callbacks(['failure(502, 5_101, error.message)', '{ status: 200, body: {} }']),
    breaks: ['auto-close-unknown-round'],
  },
  {
    name: 'doAutoClose does not end the round',
    patches: {
      'sandbox/game/table.ts': [
        [
          'const reply = await client.endGameRound({ token, gameRound });\n    return reply.gameRoundInfo',
          'const reply = await client.getGameRoundInfo({ token, gameRound });\n    if (reply) return true;\n    return reply.gameRoundInfo',
        ],
      ],
    },
    breaks: ['auto-close'],
  },
  {
    name: 'doAutoClose answers 204',
    patches: callbacks(['? { status: 200, body: {} }', '? { status: 204, body: {} }']),
    breaks: ['auto-close', 'wrong-status'],
  },
  {
    name: 'the history is never answered',
    patches: callbacks([
      'if (!isSigned(callbacks, ctx, fieldsOf(body.data))) return send(ctx, UNAUTHORIZED);',
      "if (!isSigned(callbacks, ctx, fieldsOf(body.data))) return send(ctx, UNAUTHORIZED);\n  if (ctx.path === '/doGetGameHistory') await new Promise(() => undefined);",
    ]),
    breaks: ['history', 'no-reply'],
  },
];

const ROUND = { stake: 100, open: 50, won: 50, paid: 0, keys: [] };

async function withGame<Value>(
  patches: Patches,
  use: (urls: { gameUrl: string; serviceUrl: string; service: FakeService }) => Promise<Value>,
): Promise<Value> {
  const { createGameApp } = loadPatched<typeof sandboxGame>('sandbox/game/game.ts', patches);
  const service = new FakeService();
  const serviceUrl = await service.start();
  const game = await createGameApp({ provider: PROVIDER, serviceUrl, timeoutMs: 2_000 }).start();
  try {
    return await use({ gameUrl: game.url, serviceUrl, service });
  } finally {
    await game.close();
    await service.close();
  }
}

const rulesOf = (patches: Patches, timeoutMs = 20_000): Promise<string[]> =>
  withGame(patches, async ({ gameUrl, serviceUrl, service }) => {
    const provider = new TestedProvider({
      url: gameUrl,
      authId: PROVIDER.providerId,
      secret: PROVIDER.secrets[0]!,
      gameCode: 'demo-slot',
      currency: 'JPY',
      multiplier: 100,
      playerId: 'alice',
      closedRound: 'closed',
      openRound: 'open',
      serviceUrl,
      timeoutMs,
      timestampToleranceMs: 300_000,
    });
    // The fake service has one round at a time: the open one is there when doAutoClose of it comes.
    const rules = PROVIDER_RULES.map((rule) =>
      rule.name === 'auto-close'
        ? {
            ...rule,
            check: (subject: TestedProvider) => {
              service.round = { ...ROUND, hash: 'open', status: 'open' };
              return rule.check(subject);
            },
          }
        : rule,
    );
    const results = await runRules(provider, rules, PROVIDER_REPLY_RULES, { only: [], skip: [] });
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([]);
    return results.filter(({ outcome }) => outcome === 'broken').map(({ name }) => name);
  });

test('the sandbox’s game passes', async () => {
  expect(await rulesOf({})).toEqual([]);
});

test.each(FAULTS)('$name: it names these rules and no others', async ({ patches, breaks }) => {
  const timeoutMs = breaks.includes('no-reply') ? 1_000 : undefined;
  expect((await rulesOf(patches, timeoutMs)).sort()).toEqual([...breaks].sort());
});

test('each rule is broken by a mistake', () => {
  const names = [...PROVIDER_RULES, ...PROVIDER_REPLY_RULES].map(({ name }) => name);
  expect(names.filter((name) => !FAULTS.some(({ breaks }) => breaks.includes(name)))).toEqual([]);
});

test('the command says what it needs for the rules that it skips', async () => {
  await withGame({}, async ({ gameUrl }) => {
    const printed: string[] = [];
    const who = ['--provider-id', PROVIDER.providerId, '--game', 'demo-slot', '--secret'];
    const command = (secret: string) =>
      run(['provider', '--game-url', gameUrl, ...who, secret], {}, (text) => printed.push(text));
    expect(await command(PROVIDER.secrets[0]!)).toBe(0);
    expect(printed.join('\n')).toContain('skipped  auto-close: --open-round and --service-url are not given');
    expect(printed.join('\n')).toMatch(/^10 rules hold, 0 broken, 3 skipped$/m);
    expect(await command('other')).toBe(2);
    expect(printed.at(-1)).toMatch(
      /401.*\nSigned was: <secret>#gp1#.*#EUR\nCheck URL, provider id and secret/,
    );
  });
});
