import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import {
  stateQuery,
  transactionsQuery,
  workflowIdOf,
  type RoundStateView,
} from '../../src/contracts/gameround';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED: COMPLETED } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;

/** What a person may do to a round from Temporal Web, and what a mistake there must not do. */

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

async function stateOf(gameround: string): Promise<RoundStateView> {
  await harness.taken(gameround);
  return harness.handle(gameround).query(stateQuery);
}

async function refusalsOf(gameround: string): Promise<string[]> {
  return (await stateOf(gameround)).refusals.map(({ command, errorCode }) => `${command}: ${errorCode.msg}`);
}

async function eventsOf(handle: WorkflowHandle): Promise<number> {
  return (await handle.describe()).historyLength;
}

test('an end without key and reason closes the round', async () => {
  const hash = await player.open({ winAmount: 40 });
  await harness.handle(hash).signal('end', {});
  await finished(harness, hash);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record).toMatchObject({ status: 'closed', transactions: [{}, { type: 'credit' }, { type: 'end' }] });
  expect(record.transactions[1]?.reason).toBe('by hand');
  expect(ledger.net).toBe(40 - STAKE);
});

test('an end without any argument closes the round, and so does one sent twice', async () => {
  const hash = await player.open();
  await harness.handle(hash).signal('end');
  await harness
    .handle(hash)
    .signal('end')
    .catch(() => undefined);
  await finished(harness, hash);
  // The second one made the server repeat the task, and with it the call: the same hash has one effect.
  const { ledger } = await agreedBooks(harness, hash);
  expect(ledger.movements.map(({ type }) => type)).toEqual(['debit', 'end']);
});

test('a void without any argument takes the bet back', async () => {
  const hash = await player.open();
  await harness.handle(hash).signal('void', null);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'cancel' },
    ledger: { status: 'voided', net: 0 },
  });
});

test('an end sent as an update answers', async () => {
  const hash = await player.open({ winAmount: 10 });
  const reply: unknown = await harness.handle(hash).executeUpdate('end', { args: [{}] });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 10 });
  expect(await harness.ledger(hash)).toMatchObject({ status: 'closed', net: 10 - STAKE });
});

const MALFORMED: [signal: string, args: unknown[]][] = [
  ['addWin', []],
  ['addWin', [null]],
  ['addWin', ['ten']],
  ['addWin', [[1, 2]]],
  ['addWin', [{ winAmount: -1, collect: false }]],
  ['addWin', [{ winAmount: 0.5, collect: false }]],
  ['addWin', [{ winAmount: '10', collect: false }]],
  ['addWin', [{ winAmount: 2 ** 53, collect: false }]],
  ['addWin', [{ key: '', winAmount: 1, collect: false }]],
  ['addWin', [{ key: 'x'.repeat(500), winAmount: 1, collect: false }]],
  ['end', ['text']],
  ['end', [[1, 2]]],
  ['end', [{ key: 5 }]],
  ['end', [{ reason: {} }]],
  ['void', [7]],
  ['void', [{ reason: '' }]],
  ['collectWin', [{ key: 'k', amount: -1 }]],
  ['start', [{}]],
  ['start', [{ stake: 1e21, currency: 'EUR', useTicket: false, endGame: false, winAmount: 0 }]],
  ['addSpinCounter', [{ key: 'k', counterType: 'customspin', awarded: 1 }]],
];

test('malformed signals are recorded and change nothing', async () => {
  const hash = await player.open();
  for (const [signal, args] of MALFORMED) await harness.handle(hash).signal(signal, ...args);
  const refusals = await until(
    () => refusalsOf(hash),
    (seen) => seen.length >= MALFORMED.length,
  );
  expect(refusals).toEqual(
    MALFORMED.map(([signal]) => expect.stringContaining(`${signal}: INVALIDREQUEST`) as string),
  );
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 0 });
  expect(await harness.sent(hash)).toEqual(['debit', 'end']);
});

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');
/** What the forms of Temporal Web and the CLI's `--input-meta` can send. */
const UNREADABLE: Payload[] = [
  { metadata: { encoding: text('json/protobuf') }, data: text('{}') },
  { metadata: { encoding: text('binary/protobuf') }, data: text('') },
  { metadata: { encoding: text('binary/plain') }, data: text('{}') },
  { metadata: { encoding: text('json/plain') }, data: text('{"key":') },
  { metadata: { encoding: text('json/plain') } },
  { metadata: {}, data: text('{}') },
  { data: text('{}') },
];

test('signals and updates that can not be read are refused, and the round goes on', async () => {
  const hash = await player.open({ winAmount: 40 });
  const { workflowService } = harness.client;
  const workflowExecution = { workflowId: workflowIdOf(hash) };
  const to = { namespace: 'default', workflowExecution };
  for (const payload of UNREADABLE) {
    const input = { payloads: [payload] };
    await workflowService.signalWorkflowExecution({ ...to, signalName: 'end', input });
    const { outcome } = await workflowService.updateWorkflowExecution({
      ...to,
      request: { meta: { updateId: randomUUID() }, input: { name: 'void', args: input } },
      waitPolicy: { lifecycleStage: COMPLETED },
    });
    expect(outcome?.failure?.message).toBe('INVALIDREQUEST: input');
  }
  expect(await refusalsOf(hash)).toEqual(UNREADABLE.map(() => 'end: INVALIDREQUEST: input'));
  expect(await player.win(hash, { winAmount: 5 })).toMatchObject({ amountToCollect: 45 });
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 45 });
  await finished(harness, hash);
  await agreedBooks(harness, hash);
});

const START = { stake: 10, currency: 'EUR', useTicket: false, endGame: false, winAmount: 0 };
/** Shapes that the checked fields don't tell: the round has to bear them. */
const ODD: [signal: string, args: unknown[]][] = [
  ['addWin', [{ key: 'a', winAmount: 1, collect: false, betData: null, result: 5, jackpotPayout: null }]],
  ['addWin', [{ key: 'b', winAmount: 1, collect: false, betData: 'text', jackpotPayout: 5 }]],
  [
    'addWin',
    [{ key: 'c', winAmount: 1, collect: false, betData: { 'a\u0000b': 'x', $set: 'y', 'p.q': 'z' } }],
  ],
  ['addWin', [{ key: 'd', winAmount: 1, collect: false, result: { deep: [1] }, jackpotPayout: 'all' }]],
  ['addWin', [JSON.parse('{"key":"__proto__","winAmount":1,"collect":false,"betData":{"__proto__":"x"}}')]],
  ['addSpinCounter', [{ key: 'e', counterType: 'a\u0000b', awarded: 1, used: 0, gameStateResult: null }]],
  ['addSpinCounter', [{ key: 'f', counterType: '__proto__', awarded: 1, used: 0, gameStateResult: 'x' }]],
  ['start', [{ ...START, rngCallId: 'second', ticket: null, discount: null }]],
  ['start', [{ ...START, rngCallId: 'third', ticket: {}, discount: {} }]],
  ['start', [{ ...START, rngCallId: 'fourth', ticket: 7, discount: 7 }]],
  ['end', [{}, 'somebody']],
  ['end', [{}, {}]],
  ['resume', [{ of: 'what' }]],
  ['resume', []],
];

test('oddly shaped signals never stop a round, and its record is written', async () => {
  player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
  const hash = await player.open({ rngCallId: 'first', roundId: 'odd' });
  for (const [signal, args] of ODD) await harness.handle(hash).signal(signal, ...args);
  await until(
    () => harness.attention(hash),
    (marks) => marks.length === 0,
  );
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  await agreedBooks(harness, hash);
});

test('a command of somebody else is refused as if the round did not exist', async () => {
  const hash = await player.open();
  const { operatorId, playerId, gameCode, providerId } = player.session;
  const actors = [
    { operatorId: 'op2', playerId, gameCode, providerId },
    { operatorId, playerId: 'other', gameCode, providerId },
    { operatorId, playerId, gameCode: 'other', providerId },
    { operatorId, playerId, gameCode, providerId: 'gp2' },
  ];
  for (const actor of actors) await harness.handle(hash).signal('end', {}, actor);
  const refusals = await until(
    () => refusalsOf(hash),
    (seen) => seen.length >= actors.length,
  );
  expect(refusals).toEqual(actors.map(() => 'end: GAMEROUNDNOTFOUND'));
  expect(await stateOf(hash)).toMatchObject({ status: 'open', phase: 'idle' });
  // What a stranger is told shows nothing of the round, whoever asks the workflow.
  const told: unknown = await harness
    .handle(hash)
    .executeUpdate('end', { args: [{}, actors[0]] })
    .catch((error: { cause?: { message?: string; details?: unknown } }) => [
      error.cause?.message,
      error.cause?.details,
    ]);
  expect(JSON.stringify(told)).toContain('GAMEROUNDNOTFOUND');
  expect(JSON.stringify(told)).not.toContain(hash);
  expect(await refused(playerOf(harness).end(hash))).toBe('404 GAMEROUNDNOTFOUND');
});

test('the queries state and transactions tell how the round stands', async () => {
  const hash = await player.open({ winAmount: 70 });
  await player.collect(hash, 20);
  const state = await stateOf(hash);
  expect(state).toMatchObject({
    phase: 'idle',
    status: 'open',
    crashed: false,
    stake: STAKE,
    amountToCollect: 50,
    attention: [],
    refusals: [],
    identity: { gameround: hash, playerId: player.session.playerId },
  });
  const transactions = await harness.handle(hash).query(transactionsQuery);
  expect(transactions).toMatchObject([
    { type: 'debit', amount: STAKE, outcome: 'accepted', isFirstDebit: true },
    { type: 'credit', amount: 20, outcome: 'accepted' },
  ]);
  const { movements } = await harness.ledger(hash);
  expect(transactions.map(({ hash: one }) => one)).toEqual(movements.map(({ hash: one }) => one));
});

test('what operations search for stands on the workflow', async () => {
  const hash = await player.open();
  const { playerId } = player.session;
  const query = `OperatorId = 'op1' AND PlayerId = '${playerId}' AND GameCode = 'demo-slot' AND ProviderId = 'gp1'`;
  const search = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { workflowId } of harness.client.workflow.list({ query })) found.push(workflowId);
    return found;
  };
  expect(await until(search, (found) => found.length > 0)).toEqual([workflowIdOf(hash)]);
  const { raw } = await harness.handle(hash).describe();
  expect(JSON.stringify(raw.executionConfig?.userMetadata ?? {})).not.toBe('{}');
});

test('a cancel request is ignored: the round goes on, and its callers are answered', async () => {
  const hash = await player.open({ winAmount: 30 });
  await harness.handle(hash).cancel();
  expect(await player.win(hash, { winAmount: 5 })).toMatchObject({ amountToCollect: 35 });
  expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 35 });
  await finished(harness, hash);
  await agreedBooks(harness, hash);
  expect((await harness.handle(hash).describe()).status.name).toBe('COMPLETED');
});

test('a cancel request while a call is on its way changes nothing', async () => {
  const roundId = randomUUID();
  await harness.fault({ fault: 'slow', delayMs: 600, match: { playerId: player.session.playerId } });
  const starting = player.start({ roundId, winAmount: 9 });
  const [call] = await until(
    async () => await harness.callsOfPlayer(player.session.playerId),
    (calls) => calls.length > 0,
  );
  const hash = call?.body.gameRound ?? '';
  await harness.handle(hash).cancel();
  expect(await starting).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 9 });
  expect(await player.end(hash)).toMatchObject({ amountCredited: 9 });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
});

test('an update that is refused at once leaves no trace in the history', async () => {
  const hash = await player.open();
  const handle = harness.handle(hash);
  expect(await harness.attention(hash)).toEqual([]);
  const before = await eventsOf(handle);
  for (const [update, args] of MALFORMED) {
    await expect(handle.executeUpdate(update, { args: args as [object] })).rejects.toThrow();
  }
  await expect(handle.executeUpdate('collectWin', { args: [{ key: 'k' }] })).rejects.toMatchObject({
    cause: { type: 'CommandRefused', message: 'UNCOLLECTEDAMOUNTTOOLOW (key k)' },
  });
  expect(await eventsOf(handle)).toBe(before);
});
