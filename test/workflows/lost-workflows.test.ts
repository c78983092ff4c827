import { setTimeout as sleep } from 'node:timers/promises';
import { finished, playerOf, refused, STAKE, until, type Player, type StartOptions } from '../support/player';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * Rounds whose workflow does not run any more: a person has terminated it, or Temporal was restored from a copy that is
 * older than its start (docs/interface#restored-temporal). Nothing stays owed without a way out.
 */

const WIN = 500;
const LONG_AGO = new Date(0);

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ walletTimeoutMs: 5_000 });
});

afterEach(() => harness.clearFaults());

afterAll(async () => {
  await harness?.stop();
});

const terminate = async (hash: string): Promise<void> => {
  await harness.handle(hash).terminate('by hand');
};

/** Starts a round whose bet meets the fault, and terminates its workflow meanwhile. Returns the hash of the round. */
async function terminatedWithItsBet(player: Player, fault: object, options: StartOptions): Promise<string> {
  const { playerId } = player.session;
  await harness.fault({ ...fault, match: { type: 'debit', playerId } });
  const starting = refused(player.start(options));
  const [bet] = await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length > 0,
  );
  const hash = bet!.body.gameRound;
  // Its update waits by then. An update that comes later would start the round anew.
  await sleep(1_000);
  await terminate(hash);
  expect(await starting).toMatch(/^503 /);
  return hash;
}

/** As after a restored copy: Temporal has never heard of the round. */
const forget = async (hash: string): Promise<void> => {
  const { workflowService, options } = harness.client;
  const { workflowId, runId } = await harness.handle(hash).describe();
  const { namespace } = options;
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
  const isThere = (): Promise<boolean> =>
    harness
      .handle(hash)
      .describe()
      .then(
        () => true,
        () => false,
      );
  await until(isThere, (there) => !there);
};

test.each([
  ['repair-records runs before the next start', false],
  ['another round has started', true],
])(
  'a workflow that is terminated while its first bet is under way, and the answer is lost; %s: the bet is given back',
  async (_, isNext) => {
    const player = playerOf(harness);
    const hash = await terminatedWithItsBet(player, { fault: 'hang', when: 'after' }, { roundId: 'lost' });
    if (isNext) await player.open({ roundId: 'next' });
    await harness.repair(LONG_AGO);
    await finished(harness, hash);
    expect(await harness.sent(hash)).toEqual(['debit', 'void']);
    expect((await harness.ledger(hash)).net).toBe(0);
    expect(await harness.commands.describeRound(hash)).toMatchObject({ status: 'cancel' });
    const last = await player.start({ roundId: 'last', closeOpenGame: true });
    expect(last.gameRoundInfo.status).toBe('open');
  },
);

describe.each([
  ['terminated', terminate],
  ['unknown to Temporal', forget],
])('a workflow that is %s', (_, end) => {
  test('a voided round with two bets and no void answered: repair-records has both given back', async () => {
    const player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
    const hash = await player.open({ roundId: 'r', rngCallId: 'd-1' });
    await player.start({ roundId: 'r', rngCallId: 'd-2' });
    await harness.fault({
      fault: 'status',
      status: 503,
      when: 'before',
      times: 1_000,
      match: { type: 'void' },
    });
    expect((await player.void(hash)).gameRoundInfo.status).toBe('cancel');
    await until(
      async () => (await harness.rounds.find(hash))?.attention ?? [],
      (marks) => marks.includes('void-pending'),
    );
    await end(hash);
    await harness.clearFaults();
    expect(await harness.repair(LONG_AGO)).toMatchObject({ rounds: 1, failed: [] });
    await finished(harness, hash);
    expect((await harness.ledger(hash)).net).toBe(0);
    const voids = (await harness.ledger(hash)).movements.filter(({ type }) => type === 'void');
    expect(voids).toHaveLength(2);
    expect((await harness.rounds.find(hash))?.attention).toEqual([]);
    // What is right already is not touched.
    expect(await harness.repair(LONG_AGO)).toMatchObject({ rounds: 0, failed: [] });
  });

  test('a reconciliation waits until an open round is repaired, and then pays its open winnings', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: WIN });
    await end(hash);
    await expect(harness.reconcile('op1', hash)).rejects.toThrow('OPERATIONBEINGPROCESSED');
    expect(await harness.sent(hash)).toEqual(['debit']);
    expect(await harness.repair(LONG_AGO)).toMatchObject({ rounds: 1, failed: [] });
    const { round, outcome } = await until(
      () => harness.reconcile('op1', hash).catch(() => undefined),
      (result) => result !== undefined,
    ).then((result) => result!);
    expect([outcome.kind, round.status]).toEqual(['accepted', 'closed']);
    expect((await harness.ledger(hash)).net).toBe(WIN - STAKE);
  });
});

test.each([
  ['a credit', 'credit'],
  ['a follow-up debit', 'debit'],
] as const)(
  'terminated while %s is at the wallet, and the answer is lost: repair-records finds it in the workflow, whatever --since says',
  async (_, type) => {
    const player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
    const hash = await player.open({ roundId: 'r', rngCallId: 'd-1', winAmount: WIN });
    const before = (await harness.calls(hash)).length;
    await harness.fault({ fault: 'hang', when: 'after', match: { type, gameRound: hash } });
    const call = refused(
      type === 'credit' ? player.collect(hash, WIN, 'c') : player.start({ roundId: 'r', rngCallId: 'd-2' }),
    ).catch(() => undefined);
    await until(
      () => harness.calls(hash),
      (calls) => calls.length > before,
    );
    await sleep(500);
    await terminate(hash);
    await call;
    await harness.clearFaults();
    expect(await harness.repair(new Date())).toMatchObject({ rounds: 1, failed: [] });
    const sent = (await harness.calls(hash)).at(-1)!.body.transactions.map(({ hash: one }) => one);
    const known = (await harness.rounds.find(hash))!.transactions.map(({ hash: one }) => one);
    expect(known).toEqual(expect.arrayContaining(sent));
    // A person decides about the debit, whose outcome is unknown. The credit is sent again.
    if (type === 'debit') return;
    await until(
      () => harness.reconcile('op1', hash).catch(() => undefined),
      (result) => result !== undefined,
    );
    const { net, movements } = await harness.ledger(hash);
    expect(net).toBe(WIN - STAKE);
    expect(movements.filter(({ type: one }) => one === 'credit')).toHaveLength(1);
  },
);

test('terminated while its last call is at the wallet: the record is closed, and a reconciliation goes by it', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: WIN });
  const { playerId } = player.session;
  await harness.fault({ fault: 'slow', delayMs: 2_000, when: 'after', match: { type: 'credit', playerId } });
  const ended = refused(player.end(hash)).catch(() => undefined);
  await until(
    () => harness.sent(hash),
    (sent) => sent.includes('credit+end'),
  );
  await terminate(hash);
  await ended;
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.status === 'closed',
  );
  const { round, outcome } = await harness.reconcile('op1', hash);
  expect([outcome.kind, round.status, round.transactions.map(({ outcome: one }) => one)]).toEqual([
    'accepted',
    'closed',
    ['accepted', 'accepted', 'accepted'],
  ]);
  expect((await harness.ledger(hash)).net).toBe(WIN - STAKE);
});

test('terminated while a start waits for its bet: 503, never an internal error', async () => {
  await terminatedWithItsBet(
    playerOf(harness),
    { fault: 'slow', delayMs: 3_000, when: 'after' },
    { roundId: 'r' },
  );
});

test('terminated while its bet is at the wallet: the win that follows is not sent', async () => {
  const spin = { endGame: true, winAmount: WIN };
  const hash = await terminatedWithItsBet(playerOf(harness), { fault: 'hold' }, spin);
  await harness.release();
  // The activity has written the record of the bet, and the server has told it that its run is over.
  await until(
    () => harness.rounds.find(hash),
    (record) => record !== undefined,
  );
  await sleep(1_000);
  expect(await harness.sent(hash)).toEqual(['debit']);
});
