import { defaultPayloadConverter } from '@temporalio/common';
import { resumeRounds } from '../../src/commands/resume-rounds';
import { stateQuery } from '../../src/contracts/gameround';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* Every state in which a round waits has an exit for somebody (docs/operations.md, "Every way out"). */

const WIN = 700;
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;
let player: Player;

beforeAll(async () => {
  harness = await startRounds();
});

beforeEach(() => {
  player = playerOf(harness);
  harness.live.secrets = undefined;
  harness.live.walletTimeoutMs = 2_000;
});

afterAll(async () => {
  await harness?.stop();
});

const isMarked = (hash: string, mark: string): Promise<unknown> =>
  until(
    () => harness.attention(hash),
    (marks) => marks.includes(mark),
  );

const faulty = (type: string, ...faults: object[]): Promise<unknown> =>
  Promise.all(
    faults.map((fault) => harness.fault({ ...fault, match: { type, playerId: player.session.playerId } })),
  );

const settle = (hash: string, accepted: string[], declined: string[] = []): Promise<unknown> =>
  harness.handle(hash).signal('settle', { key: 's-1', reason: 'by hand', accepted, declined });

test('a change of the operator’s secrets resumes its credits, the same ones, paid once', async () => {
  const hash = await player.open({ winAmount: WIN });
  harness.live.secrets = ['not-the-operators'];
  const ending = player.end(hash, 'end');
  await isMarked(hash, 'credit-unauthorised');
  // Still another wrong one: refused once more, and it waits again.
  harness.live.secrets = ['another-wrong-one'];
  await until(
    () => harness.sent(hash),
    (sent) => sent.length === 3,
    30_000,
  );
  harness.live.secrets = undefined;
  expect(await refused(ending)).toBe('503 OPERATIONBEINGPROCESSED');
  await finished(harness, hash);
  const { ledger } = await agreedBooks(harness, hash);
  expect(ledger).toMatchObject({ status: 'closed', net: WIN - STAKE });
  const calls = (await harness.calls(hash)).filter(({ body }) => body.transactions[0]?.type === 'credit');
  expect(new Set(calls.map(({ body }) => body.transactions[0]?.hash)).size).toBe(1);
});

test('one action resumes all waiting rounds of an operator, voids and credits, and no other’s', async () => {
  const own = await player.open({ winAmount: WIN });
  const voided = playerOf(harness);
  const bet = await voided.open();
  const other = playerOf(harness, { operatorId: 'op2' });
  const others = await other.open({ winAmount: WIN });
  const refusing = { fault: 'status', status: 401 };
  for (const { session } of [player, voided, other]) {
    const { playerId } = session;
    for (const type of ['credit', 'void']) await harness.fault({ ...refusing, match: { type, playerId } });
  }
  const calls = [player.end(own), voided.void(bet), other.end(others)].map((call) =>
    call.catch(() => undefined),
  );
  await Promise.all([
    isMarked(own, 'credit-unauthorised'),
    isMarked(bet, 'void-refused'),
    isMarked(others, 'credit-unauthorised'),
  ]);
  // A round is found a moment after its mark is there.
  let asked = 0;
  await until(
    async () => (asked += await resumeRounds(harness.client, 'op1')),
    () => asked >= 2,
  );
  await Promise.all([finished(harness, own), finished(harness, bet)]);
  expect((await agreedBooks(harness, own)).ledger).toMatchObject({ status: 'closed', net: WIN - STAKE });
  expect((await agreedBooks(harness, bet)).ledger).toMatchObject({ status: 'voided', net: 0 });
  expect(await harness.attention(others)).toEqual(['credit-unauthorised']);
  await harness.handle(others).signal('resume');
  await finished(harness, others);
  await Promise.all(calls);
});

test('a wallet that never takes a credit: a settle ends the retries, and the player plays on', async () => {
  const hash = await player.open({ winAmount: WIN });
  await faulty('credit', { fault: 'status', status: 503, times: 500 });
  const ending = player.end(hash, 'end').catch((error: unknown) => error);
  await isMarked(hash, 'credit-pending');
  await settle(hash, []);
  await isMarked(hash, 'crashed');
  expect(await refused(player.end(hash, 'end'))).toBe('400 GAMEROUNDCRASHED');
  expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  const sent = (await harness.sent(hash)).length;
  const owed = (await harness.handle(hash).query(stateQuery)).transactions.filter(
    ({ outcome }) => outcome === 'pending',
  );
  await harness.handle(hash).signal('settle', {
    ...{ key: 's-2', reason: 'paid by hand', accepted: owed.map(({ hash: one }) => one.toUpperCase()) },
  });
  await finished(harness, hash);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'closed', settled: { key: 's-2' } });
  expect(await harness.sent(hash)).toHaveLength(sent);
  await ending;
});

test('a wallet that never answers a void: a person who gave the bet back ends the waiting', async () => {
  const hash = await player.open();
  await faulty('void', { fault: 'status', status: 503, times: 500 });
  const voiding = player.void(hash);
  await isMarked(hash, 'void-pending');
  const { transactions } = await harness.handle(hash).query(stateQuery);
  await settle(hash, [transactions[0]!.hash]);
  expect(await voiding).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
  await finished(harness, hash);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'cancel', attention: [] });
});

test('reconciling a round that the operator closed itself: its error, crashed, and the player plays on', async () => {
  const hash = await player.open({ winAmount: WIN });
  await faulty('credit', { fault: 'status', status: 400, errorCode: OWN, times: 500 });
  const { outcome, round } = await harness.reconcile('op1', hash);
  expect(outcome).toMatchObject({ kind: 'rejected', errorCode: OWN });
  expect(round).toMatchObject({ status: 'open', crashed: true });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  // Again: everything is sent again, and the answer is told.
  expect((await harness.reconcile('op1', hash)).outcome).toMatchObject({ kind: 'rejected', errorCode: OWN });
  const owed = round.transactions.filter(({ outcome: known }) => known === 'pending');
  await settle(
    hash,
    [],
    owed.map(({ hash: one }) => one),
  );
  await finished(harness, hash);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'closed', crashed: false });
  expect(await harness.sent(hash)).not.toContain('void');
});

test('a walletTimeout that is raised in mid-round holds for the open round’s win', async () => {
  harness.live.walletTimeoutMs = 500;
  const hash = await player.open({ winAmount: WIN });
  harness.live.walletTimeoutMs = 20_000;
  await faulty('credit', { fault: 'slow', delayMs: 5_000 });
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: WIN });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  await finished(harness, hash);
});

test.each([
  ['null', null],
  ['{}', {}],
  ['"ok"', 'ok'],
  ['of another purpose', { kind: 'declined' }],
  ['a record ahead, without the record', { kind: 'ahead' }],
  ['a record ahead that is none', { kind: 'ahead', record: { version: 5, snapshot: { transactions: 5 } } }],
  ['a reason that is none', { kind: 'retryable', reason: 5 }],
  ['a balance that is none', { kind: 'accepted', balance: 7 }],
])(
  'an activity that a person completes by hand with %s counts as one without an answer',
  async (_, result) => {
    const hash = await player.open({ winAmount: WIN });
    const away = { fault: 'status', status: 503 };
    await faulty('credit', away, away, away, away);
    player.end(hash, 'end').catch(() => undefined);
    const handle = harness.handle(hash);
    const { raw } = await until(
      () => handle.describe(),
      ({ raw: { pendingActivities } }) =>
        pendingActivities?.[0]?.activityType?.name === 'deliverUntilDefinite',
    );
    await harness.client.workflowService.respondActivityTaskCompletedById({
      namespace: 'default',
      workflowId: handle.workflowId,
      activityId: raw.pendingActivities?.[0]?.activityId ?? null,
      result: { payloads: [defaultPayloadConverter.toPayload(result)] },
    });
    expect(await harness.attention(hash)).toEqual(['credit-pending']);
    // The same exits as before: a person ends the waiting.
    await settle(hash, []);
    expect(
      await until(
        () => harness.attention(hash),
        (marks) => marks.includes('crashed'),
      ),
    ).toEqual(['crashed']);
  },
);
