import type { RoundReply } from '../../src/contracts/gameround';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

/** More debits in an open round, for games that have them (docs/interface#follow-up-debit, #follow-up-failed). */

const FIRST = 'draw-1';
const SECOND = 'draw-2';
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;
let player: Player;
let hash: string;

beforeAll(async () => {
  harness = await startRounds();
});

beforeEach(async () => {
  await open({ gameCode: FOLLOW_UP_GAME });
});

afterAll(async () => {
  await harness?.stop();
});

async function open(change: { gameCode?: string; operatorId?: string }): Promise<void> {
  player = playerOf(harness, change);
  hash = await player.open({ roundId: 'r', rngCallId: FIRST });
}

function followUp(
  more: { debitAmount?: number; winAmount?: number; endGame?: boolean } = {},
): Promise<RoundReply> {
  return player.start({ roundId: 'r', rngCallId: SECOND, debitAmount: 100, ...more });
}

async function onNext(type: 'debit' | 'void' | 'credit', fault: object): Promise<void> {
  await harness.fault({ ...fault, match: { type, playerId: player.session.playerId } });
}

test('a second draw of the open round is a follow-up debit of it', async () => {
  expect(await followUp({ winAmount: 30 })).toMatchObject({
    gameRoundInfo: { hash, status: 'open', stake: STAKE + 100 },
    amountToCollect: 30,
    gameState: [{ amountWagered: STAKE }, { amountWagered: 100 }],
  });
  const debits = (await harness.calls(hash)).map(({ body }) => body.transactions[0]);
  expect(debits).toMatchObject([
    { type: 'debit', isFirstDebit: true, amount: STAKE },
    { type: 'debit', isFirstDebit: false, amount: 100 },
  ]);
  expect(debits[0]?.hash).not.toBe(debits[1]?.hash);
  expect(await player.end(hash)).toMatchObject({ amountCredited: 30, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 30 - STAKE - 100 } });
});

test('its repeat gets its reply again; another amount under the same draw is a mismatch', async () => {
  const first = await followUp();
  expect(await followUp()).toEqual(first);
  expect(await refused(followUp({ debitAmount: 101 }))).toBe('400 IDEMPOTENCYMISMATCH');
  expect(await player.start({ roundId: 'r', rngCallId: FIRST })).toMatchObject({
    gameRoundInfo: { hash },
    gameState: [{ amountWagered: STAKE }],
  });
  expect(await harness.sent(hash)).toEqual(['debit', 'debit']);
});

test('twenty follow-ups of one draw at once: one debit', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => followUp()));
  expect(replies).toEqual(replies.map(() => replies[0]));
  expect(await harness.sent(hash)).toEqual(['debit', 'debit']);
});

test('without both draws it can only be a repeat, or a mismatch', async () => {
  expect(await player.start({ roundId: 'r' })).toMatchObject({ gameRoundInfo: { hash, stake: STAKE } });
  expect(await refused(player.start({ roundId: 'r', debitAmount: 100 }))).toBe('400 IDEMPOTENCYMISMATCH');
  expect(await harness.sent(hash)).toEqual(['debit']);
});

test('a game without follow-up debits: a call that names the open round is a repeat, whatever its draw', async () => {
  await open({});
  const repeat = await player.start({ roundId: 'r', rngCallId: SECOND });
  expect(repeat).toMatchObject({ gameRoundInfo: { hash, stake: STAKE }, gameState: [{}] });
  expect(await refused(followUp())).toBe('400 IDEMPOTENCYMISMATCH');
  expect(await harness.sent(hash)).toEqual(['debit']);
});

test('a declined follow-up leaves the round open, and it can be collected', async () => {
  await player.win(hash, { winAmount: 70 });
  await onNext('debit', { fault: 'status', status: 400, errorCode: OWN });
  expect(await followUp()).toMatchObject({
    gameRoundInfo: { status: 'open', stake: STAKE },
    amountToCollect: 70,
    refusal: { status: 400, errorCode: OWN },
  });
  expect(await player.end(hash)).toMatchObject({ amountCredited: 70 });
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'credit+end']);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 70 - STAKE } });
});

test('a follow-up without an answer is voided alone, and the round stays open', async () => {
  await onNext('debit', { fault: 'dropReply' });
  expect(await followUp()).toMatchObject({
    gameRoundInfo: { status: 'open', stake: STAKE },
    refusal: { status: 502, errorCode: { msg: 'WALLETUNAVAILABLE' } },
  });
  await until(
    () => harness.sent(hash),
    (sent) => sent.length === 3,
  );
  await player.win(hash, { winAmount: 40 });
  const ended = await until(
    () => player.end(hash),
    ({ refusal }) => refusal?.status !== 503,
  );
  expect(ended).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'void', 'credit+end']);
  const [, second, taken] = (await harness.calls(hash)).map(({ body }) => body.transactions[0]?.hash);
  expect(taken).toBe(second);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 40 - STAKE, status: 'closed' } });
});

test('while the void of a follow-up is pending no credit is sent', async () => {
  await player.win(hash, { winAmount: 40 });
  await onNext('debit', { fault: 'dropReply' });
  await harness.fault({
    fault: 'status',
    status: 500,
    times: 2,
    match: { type: 'void', playerId: player.session.playerId },
  });
  expect((await followUp()).refusal?.status).toBe(502);
  await until(
    () => harness.attention(hash),
    (marks) => marks.includes('void-pending'),
  );
  const busy = '503 OPERATIONBEINGPROCESSED';
  expect(await refused(player.end(hash))).toBe(busy);
  expect(await refused(player.collect(hash))).toBe(busy);
  expect(await refused(player.win(hash, { winAmount: 1 }))).toBe(busy);
  await until(
    () => harness.attention(hash),
    (marks) => marks.length === 0,
  );
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'void', 'void', 'void']);
  expect(await player.end(hash)).toMatchObject({ amountCredited: 40 });
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 40 - STAKE } });
});

test('voidGameRound takes every debit back, the first one first', async () => {
  await followUp();
  expect(await player.void(hash)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
  const calls = (await harness.calls(hash)).map(({ body }) => body.transactions[0]);
  expect(calls.map((one) => one?.type)).toEqual(['debit', 'debit', 'void', 'void']);
  expect(calls.slice(2).map((one) => one?.hash)).toEqual(calls.slice(0, 2).map((one) => one?.hash));
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 0, status: 'voided' } });
});

test('a follow-up that ends the game: its debit alone, then the credit and end', async () => {
  expect(await followUp({ endGame: true, winAmount: 9 })).toMatchObject({
    gameRoundInfo: { status: 'closed', stake: STAKE + 100 },
    amountCredited: 9,
  });
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'credit+end']);
});

test('a follow-up that ends the game without a win: never its debit and the end in one call', async () => {
  expect(await followUp({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'end']);
});

test('an operator that can void whole rounds only: an unknown follow-up cancels the round', async () => {
  await open({ gameCode: FOLLOW_UP_GAME, operatorId: 'op-whole' });
  await onNext('debit', { fault: 'dropReply' });
  expect(await followUp()).toMatchObject({ gameRoundInfo: { status: 'cancel' }, refusal: { status: 502 } });
  await finished(harness, hash);
  expect(await harness.sent(hash)).toEqual(['debit', 'debit', 'void', 'void']);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'cancel' },
    ledger: { net: 0, status: 'voided' },
  });
});

test('… and crashes it where a credit was paid', async () => {
  await open({ gameCode: FOLLOW_UP_GAME, operatorId: 'op-whole' });
  await player.win(hash, { winAmount: 40 });
  await player.collect(hash, 10);
  await onNext('debit', { fault: 'dropReply' });
  expect(await followUp()).toMatchObject({ gameRoundInfo: { status: 'open' }, refusal: { status: 502 } });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit', 'debit']);
  expect(await harness.attention(hash)).toEqual(['crashed']);
  expect(await refused(player.end(hash))).toBe('400 GAMEROUNDCRASHED');
});
