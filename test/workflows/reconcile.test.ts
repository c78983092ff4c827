import { randomUUID } from 'node:crypto';
import { stateQuery } from '../../src/contracts/gameround';
import { RefusedError } from '../../src/domain/errors';
import { reconcileWorkflowIdOf, type ReconcileResult } from '../../src/contracts/reconcile';
import { totals } from '../../src/domain/round/replies';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** reconcileTransactions (docs/interface#reconcile-transactions): everything sent once more, in one call, and nothing moves twice. */

const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;
let player: Player;

beforeAll(async () => {
  harness = await startRounds();
});
beforeEach(() => {
  player = playerOf(harness);
});
afterAll(async () => {
  await harness?.stop();
});

const reconcile = (hash: string): Promise<ReconcileResult> => harness.reconcile('op1', hash);
const fault = (type: string, more: object): Promise<number> =>
  harness.fault({ ...more, match: { type, playerId: player.session.playerId } });

async function lastCall(hash: string): Promise<string[]> {
  const { body } = (await harness.calls(hash)).at(-1)!;
  expect(body.transactionCount).toBe(body.transactions.length);
  return body.transactions.map(({ type, hash: one, amount }) => `${type} ${one} ${amount}`);
}

async function sentBefore(hash: string): Promise<string[]> {
  const calls = await harness.calls(hash);
  return calls.flatMap(({ body }) =>
    body.transactions.map(({ type, hash: one, amount }) => `${type} ${one} ${amount}`),
  );
}

test('a closed round: all of it again in its order, with its hashes and amounts, in one call', async () => {
  const hash = await player.open({ winAmount: 30 });
  await player.collect(hash, 10);
  await player.end(hash);
  await finished(harness, hash);
  const before = await sentBefore(hash);
  const { outcome, round } = await reconcile(hash);
  expect(await lastCall(hash)).toEqual(before);
  expect(round.status).toBe('closed');
  expect(outcome).toMatchObject({ kind: 'accepted' });
  expect(outcome.hashesProcessed.map((each) => each.hash)).toEqual(before.map((one) => one.split(' ')[1]));
  const told = harness.deliveries.filter(({ gameround }) => gameround === hash);
  expect(told.at(-1)).toMatchObject({ purpose: 'reconcile', attempt: 1, outcome: 'accepted' });
  expect(told.at(-1)!.transactions.map(({ type, hash: one, amount }) => `${type} ${one} ${amount}`)).toEqual(
    before,
  );
  expect(told.flatMap(({ brokenRules }) => brokenRules)).toEqual([]);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(30 - STAKE);
});

test('an open round is closed first, its open winnings credited', async () => {
  const hash = await player.open({ winAmount: 30 });
  const { round } = await reconcile(hash);
  expect(round.status).toBe('closed');
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'closed' },
    ledger: { net: 30 - STAKE },
  });
  expect(await refused(player.end(hash))).toBe('400 GAMEROUNDNOTACTIVE');
});

test('a crashed round is settled to closed once the operator takes what is owed', async () => {
  const hash = await player.open({ winAmount: 30 });
  await fault('credit', { fault: 'status', status: 503 });
  await fault('credit', { fault: 'status', status: 400, errorCode: OWN });
  expect(await refused(player.end(hash))).toBe(`400 ${OWN.msg}`);
  expect(await harness.attention(hash)).toContain('crashed');
  expect(await refused(player.win(hash, { winAmount: 1 }))).toBe('400 GAMEROUNDCRASHED');
  const { round } = await reconcile(hash);
  expect(round).toMatchObject({ status: 'closed', crashed: false });
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(30 - STAKE);
  expect(await harness.attention(hash)).toEqual([]);
});

test('a void that nothing had confirmed waits for nobody once a reconciliation confirms it', async () => {
  const hash = await player.open();
  await fault('void', { fault: 'status', status: 400, errorCode: OWN, when: 'after' });
  await player.void(hash);
  await finished(harness, hash);
  const waits = async (): Promise<string[]> => {
    const found = await harness.rounds.collection.findOne({ _id: hash });
    return (found?.waiting ?? []).map(({ mark }) => mark);
  };
  expect(await waits()).toEqual(['void-unconfirmed']);
  await fault('debit', { fault: 'status', status: 400, errorCode: OWN });
  expect((await reconcile(hash)).outcome.kind).toBe('rejected');
  expect(await waits()).toEqual(['void-unconfirmed']);
  // The sandbox refuses the debit of a voided round, as the interface says, and lists the void without an error.
  await reconcile(hash);
  expect(await waits()).toEqual([]);
  expect((await agreedBooks(harness, hash)).record).toMatchObject({ status: 'cancel' });
});

test('a person’s word that has no list, or a wrong hash in it, leaves the round as it is', async () => {
  const hash = await player.open({ winAmount: 30 });
  await fault('credit', { fault: 'status', status: 503 });
  await fault('credit', { fault: 'status', status: 400, errorCode: OWN });
  await refused(player.end(hash));
  await harness.taken(hash);
  const settle = (input: object): Promise<void> =>
    harness.handle(hash).signal('settle', { key: 'ticket-4711', reason: 'paid in cash', ...input });
  await settle({});
  await settle({ acepted: [] });
  await settle({ accepted: ['nonsense'] });
  const { refusals, status, crashed, transactions } = await until(
    () => harness.handle(hash).query(stateQuery),
    (state) => state.refusals.length >= 4,
  );
  expect({ status, crashed }).toEqual({ status: 'open', crashed: true });
  expect(refusals.map(({ errorCode }) => errorCode)).toEqual([
    { id: OWN.id, msg: OWN.msg },
    ...Array<unknown>(2).fill({ id: 1000, msg: 'INVALIDREQUEST: accepted' }),
    { id: 1000, msg: 'INVALIDREQUEST: accepted: no transaction nonsense' },
  ]);
  await settle({
    accepted: transactions.filter(({ outcome }) => outcome === 'pending').map((one) => one.hash),
  });
  await finished(harness, hash);
  const record = await harness.rounds.find(hash);
  expect(record).toMatchObject({
    status: 'closed',
    settled: { key: 'ticket-4711', reason: 'paid in cash' },
  });
  expect(totals(record!).totalWinAmount).toBe(30);
});

/** 30 won, 10 of it paid, and 5 refused: 15 are in no call yet. */
async function partlyPaid(): Promise<{ hash: string; settle: (lists: object) => Promise<unknown> }> {
  const hash = await player.open({ winAmount: 30 });
  await player.collect(hash, 10);
  await fault('credit', { fault: 'status', status: 400, errorCode: OWN });
  expect(await refused(player.collect(hash, 5))).toBe(`400 ${OWN.msg}`);
  const settling = { key: 'ticket-4712', reason: 'by the books' };
  const settle = (lists: object): Promise<unknown> =>
    harness.handle(hash).executeUpdate('settle', { args: [{ ...settling, ...lists }] });
  return { hash, settle };
}

async function pendingOf(hash: string): Promise<string[]> {
  await harness.taken(hash);
  const { transactions } = await harness.handle(hash).query(stateQuery);
  return transactions.filter(({ outcome }) => outcome === 'pending').map((one) => one.hash);
}

test('winnings that were in no call when a person settled the round are owed: reconciliation pays them', async () => {
  const { hash, settle } = await partlyPaid();
  const reply = await settle({ accepted: [], declined: await pendingOf(hash) });
  expect(reply).toMatchObject({ refusal: { errorCode: { msg: 'GAMEROUNDCRASHED' } } });
  expect(await harness.attention(hash)).toEqual(['crashed']);
  const { round } = await reconcile(hash);
  expect(round).toMatchObject({ status: 'closed', crashed: false });
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger).toMatchObject({ status: 'closed', net: 10 + 15 - STAKE });
});

test('a person who looked before a reconciliation made them owed does not give them up', async () => {
  const { hash, settle } = await partlyPaid();
  const seen = await pendingOf(hash);
  await fault('credit', { fault: 'status', status: 503 });
  expect((await reconcile(hash)).outcome.kind).toBe('unreachable');
  const reply = await settle({ accepted: [], declined: seen });
  expect(reply).toMatchObject({ refusal: { errorCode: { msg: 'GAMEROUNDCRASHED' } } });
  await reconcile(hash);
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger).toMatchObject({ status: 'closed', net: 10 + 15 - STAKE });
});

test('the key of reconciliations is refused from a person, by signal and by update; a reconciliation still settles the round', async () => {
  const hash = await player.open({ winAmount: 30 });
  await fault('credit', { fault: 'status', status: 503 });
  await fault('credit', { fault: 'status', status: 400, errorCode: OWN });
  await refused(player.end(hash));
  const as = { key: 'reconcile', reason: 'reconcile', accepted: await pendingOf(hash) };
  const msg = 'INVALIDREQUEST: key: reconcile is the key of reconciliations';
  // A call id that is null is none.
  const inputs: [object, ...unknown[]][] = [[as], [as, null, null], [as, { providerId: 'gp1' }]];
  for (const args of inputs)
    await expect(harness.handle(hash).executeUpdate('settle', { args })).rejects.toMatchObject({
      cause: { message: `${msg} (key reconcile)` },
    });
  await harness.handle(hash).signal('settle', as);
  await harness.handle(hash).signal('end', { key: 'reconcile', forReconciliation: true });
  const { status, crashed, refusals } = await until(
    () => harness.handle(hash).query(stateQuery),
    (state) => state.refusals.length >= 3,
  );
  expect({ status, crashed }).toEqual({ status: 'open', crashed: true });
  expect(refusals.slice(1)).toMatchObject(
    ['settle', 'end'].map((command) => ({ command, key: 'reconcile', errorCode: { id: 1000, msg } })),
  );
  expect((await reconcile(hash)).round).toMatchObject({ status: 'closed', settled: { key: 'reconcile' } });
  await finished(harness, hash);
});

test('a credit that is being retried does not stand in its way', async () => {
  const hash = await player.open({ winAmount: 30 });
  await fault('credit', { fault: 'status', status: 500, times: 2 });
  const ending = player.end(hash);
  await until(
    () => harness.sent(hash),
    (sent) => sent.length > 1,
  );
  const { round } = await reconcile(hash);
  expect(round.status).toBe('closed');
  expect((await ending).gameRoundInfo.status).toBe('closed');
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(30 - STAKE);
});

test('the operator’s refusal and silence are told; neither voids, cancels or crashes', async () => {
  const hash = await player.open({ winAmount: 30 });
  await player.end(hash);
  await finished(harness, hash);
  await fault('debit', { fault: 'status', status: 400, errorCode: OWN });
  expect((await reconcile(hash)).outcome).toMatchObject({ kind: 'rejected', errorCode: OWN });
  await fault('debit', { fault: 'status', status: 503 });
  expect((await reconcile(hash)).outcome).toMatchObject({ kind: 'unreachable', hashesProcessed: [] });
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'closed', crashed: false },
    ledger: { net: 30 - STAKE },
  });
});

test('nothing was ever accepted: no call, an empty list', async () => {
  await fault('debit', { fault: 'status', status: 400, errorCode: OWN });
  const { gameRoundInfo } = await player.start();
  await finished(harness, gameRoundInfo.hash);
  const calls = (await harness.calls(gameRoundInfo.hash)).length;
  const { outcome, round } = await reconcile(gameRoundInfo.hash);
  expect([outcome, round.status]).toEqual([{ kind: 'nothing', hashesProcessed: [] }, 'cancel']);
  expect(await harness.calls(gameRoundInfo.hash)).toHaveLength(calls);
});

test('repeats at once join one workflow of its own; later ones are harmless', async () => {
  const hash = await player.open({ winAmount: 30 });
  await player.end(hash);
  await finished(harness, hash);
  await fault('debit', { fault: 'slow', delayMs: 1_000 });
  const results = await Promise.all([reconcile(hash), reconcile(hash), reconcile(hash)]);
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', 'debit+credit+end']);
  expect(reconcileWorkflowIdOf(hash)).toBe(`reconcile-${hash}`);
  await reconcile(hash);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(30 - STAKE);
});

test('its task, too, is missed well within a caller’s ten seconds when a worker never brings it back', async () => {
  const hash = await player.open();
  await reconcile(hash);
  const { raw } = await harness.client.workflow.getHandle(reconcileWorkflowIdOf(hash)).describe();
  expect(Number(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds)).toBe(6);
});

test('past retention the record tells what is to be sent again', async () => {
  const hash = await player.open({ winAmount: 30 });
  await player.end(hash);
  await finished(harness, hash);
  const before = await sentBefore(hash);
  const record = (await harness.rounds.find(hash))!;
  // A record of which Temporal knows nothing; the wallet knows its hashes from another round, and says so.
  const forgotten = randomUUID();
  await harness.rounds.write({ ...record, identity: { ...record.identity, gameround: forgotten } }, 1);
  const { outcome, round } = await reconcile(forgotten);
  expect([outcome.kind, round.identity.gameround]).toEqual(['rejected', forgotten]);
  expect(await lastCall(forgotten)).toEqual(before);
});

test('another operator’s round does not exist', async () => {
  const hash = await player.open();
  const error: unknown = await harness.reconcile('op2', hash).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  expect((error as RefusedError).refusal).toMatchObject({ status: 404, errorCode: { id: 2001 } });
  expect(await harness.sent(hash)).toEqual(['debit']);
});
