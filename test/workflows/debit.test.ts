import { randomUUID } from 'node:crypto';
import { gameroundHash, roundName, transactionHash } from '../../src/domain/hashes';
import {
  agreedBooks,
  finished,
  playerOf,
  refusalOf,
  refused,
  STAKE,
  until,
  type Player,
} from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** What becomes of a round's first debit, by every kind of answer that the wallet can give (docs/interface#outcomes). */

let harness: RoundsHarness;
let player: Player;
let roundId: string;

beforeAll(async () => {
  harness = await startRounds({ walletTimeoutMs: 3_000 });
});

beforeEach(() => {
  player = playerOf(harness);
  roundId = randomUUID();
});

afterAll(async () => {
  await harness?.stop();
});

function onDebit(fault: object): Promise<number> {
  return harness.fault({ ...fault, match: { type: 'debit', playerId: player.session.playerId } });
}

/** Starts a round whose debit fails and answers how it was refused, with the round's hash. */
async function failedStart(more: { endGame?: boolean; winAmount?: number } = {}) {
  const reply = await player.start({ roundId, ...more });
  expect(reply.gameRoundInfo.status).toBe('cancel');
  expect(reply.amountCredited).toBe(0);
  await finished(harness, reply.gameRoundInfo.hash);
  return { hash: reply.gameRoundInfo.hash, refusal: reply.refusal };
}

/** The round is over for everybody, and the player may start another one. */
async function isOver(hash: string): Promise<void> {
  expect(await refused(player.start({ roundId }))).toBe('400 GAMEROUNDNOTACTIVE');
  expect(await refused(player.win(hash, { winAmount: 10 }))).toBe('400 GAMEROUNDNOTACTIVE');
  expect(await refused(player.end(hash))).toBe('400 GAMEROUNDNOTACTIVE');
  expect(await refused(player.void(hash))).toBe('400 GAMEROUNDNOTACTIVE');
  expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
}

const FUNDS = { id: 5001, msg: 'INSUFFICIENTFUNDS', clientmsg: 'Your balance is too low.' };
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };
const DECLINED = expect.objectContaining({ id: 3004, msg: 'DEBITDECLINED' }) as unknown;
const UNAVAILABLE = expect.objectContaining({ id: 3000, msg: 'WALLETUNAVAILABLE' }) as unknown;

test.each<[string, object, number, unknown]>([
  ["400 with the operator's error", { fault: 'status', status: 400, errorCode: OWN }, 400, OWN],
  ["402 with the operator's error", { fault: 'status', status: 402, errorCode: OWN }, 400, OWN],
  ['error for the hash alone', { fault: 'status', status: 400, errorCode: OWN, where: 'hash' }, 400, OWN],
  ['400 without an errorCode', { fault: 'status', status: 400 }, 400, DECLINED],
  ['404 with a body of its own', { fault: 'status', status: 404, body: { oops: 1 } }, 400, DECLINED],
  ['429', { fault: 'status', status: 429, retryAfter: '1' }, 400, DECLINED],
  ['401', { fault: 'status', status: 401 }, 502, UNAVAILABLE],
  ['error 1001', { fault: 'status', status: 400, errorCode: { id: 1001 } }, 502, UNAVAILABLE],
])('declined by %s: cancel, no void, nothing sent again', async (_name, fault, status, errorCode) => {
  await onDebit(fault);
  const { hash, refusal } = await failedStart();
  expect(refusal).toEqual({ status, errorCode });
  expect(await harness.sent(hash)).toEqual(['debit']);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'cancel', attention: [], transactions: [{ type: 'debit', outcome: 'declined' }] },
    ledger: { net: 0, movements: [] },
  });
  await isOver(hash);
});

test("too little money: the operator's own refusal reaches the provider", async () => {
  const reply = await player.start({ debitAmount: 100_001, roundId, endGame: true, winAmount: 5 });
  expect(reply.refusal).toEqual({ status: 400, errorCode: FUNDS });
  expect(reply.gameRoundInfo.status).toBe('cancel');
  expect(await harness.sent(reply.gameRoundInfo.hash)).toEqual(['debit']);
  await isOver(reply.gameRoundInfo.hash);
});

test('declined although it was processed: it is taken back', async () => {
  // The hash of the debit is known beforehand: it comes from what the round is.
  const body = { errorCode: OWN, hashesProcessed: [{ hash: debitHash() }] };
  await onDebit({ fault: 'status', status: 400, body, when: 'after' });
  const { hash, refusal } = await failedStart();
  expect(refusal).toEqual({ status: 400, errorCode: OWN });
  expect(await harness.sent(hash)).toEqual(['debit', 'void']);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 0, status: 'voided' } });
});

/** The debit hash of the round that `roundId` names for this player. */
function debitHash(): string {
  const { operatorId, playerId, gameCode } = player.session;
  const name = roundName({ externalGameProviderRoundId: roundId, requestId: '' });
  return transactionHash(gameroundHash(operatorId, playerId, gameCode, name), 'debit', 'start');
}

const WAYS_TO_BE_UNKNOWN: [name: string, fault: object][] = [
  ['500 before it was processed', { fault: 'status', status: 500 }],
  ['500 after it was processed', { fault: 'status', status: 500, when: 'after' }],
  ['500 with an errorCode', { fault: 'status', status: 500, errorCode: OWN }],
  ['503', { fault: 'status', status: 503, when: 'after' }],
  ['408', { fault: 'status', status: 408 }],
  ['202', { fault: 'status', status: 202, body: {} }],
  ['a hanging call that was not processed', { fault: 'hang' }],
  ['a hanging call that was processed', { fault: 'hang', when: 'after' }],
  ['a dropped reply', { fault: 'dropReply' }],
  ['a cut reply', { fault: 'cutReply' }],
  ['a reset connection', { fault: 'reset' }],
  ['200 with garbage', { fault: 'garbage' }],
  ['200 with an array', { fault: 'array' }],
  ['200 with an errorCode', { fault: 'errorOn200', errorCode: OWN }],
  [
    '200 with an errorCode for the hash',
    { fault: 'errorOn200', errorCode: OWN, where: 'hash', when: 'after' },
  ],
  ['a redirect', { fault: 'redirect' }],
  ['a huge reply', { fault: 'huge', bytes: 3 * 1024 * 1024 }],
  ['a small reply that unpacks to a huge one', { fault: 'huge', bytes: 3 * 1024 * 1024, compressed: true }],
  ['a reply that never ends', { fault: 'endless' }],
];

test.each(WAYS_TO_BE_UNKNOWN)('unknown by %s: cancel and one void', async (_name, fault) => {
  await onDebit(fault);
  const { hash, refusal } = await failedStart();
  expect(refusal).toEqual({ status: 502, errorCode: UNAVAILABLE });
  expect(await harness.sent(hash)).toEqual(['debit', 'void']);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record).toMatchObject({
    status: 'cancel',
    amountToCollect: 0,
    transactions: [
      { type: 'debit', outcome: 'unknown' },
      { type: 'void', outcome: 'accepted' },
    ],
  });
  expect(record.transactions[1]?.hash).toBe(record.transactions[0]?.hash);
  expect(ledger).toMatchObject({ status: 'voided', net: 0 });
  expect(ledger.movements.filter(({ type }) => type === 'void')).toHaveLength(1);
  expect(await harness.balance(player.session.playerId)).toBe(100_000);
});

test('after an unknown debit the round is over, with its true status', async () => {
  await onDebit({ fault: 'dropReply' });
  const { hash } = await failedStart({ winAmount: 1_000, endGame: true });
  await isOver(hash);
  expect(await harness.sent(hash)).toEqual(['debit', 'void']);
});

test('a debit and end in one call, unknown: the round is voided, ended or not', async () => {
  await onDebit({ fault: 'dropReply' });
  const { hash } = await failedStart({ endGame: true });
  expect(await harness.sent(hash)).toEqual(['debit+end', 'void']);
  expect(await harness.ledger(hash)).toMatchObject({ status: 'voided', net: 0 });
});

test('a void overtakes its debit: held beyond the time-out, applied after the void, net zero', async () => {
  await onDebit({ fault: 'hold' });
  const { hash } = await failedStart();
  expect(await harness.ledger(hash)).toMatchObject({ net: 0 });
  await harness.release();
  const { movements, net, status } = await harness.ledger(hash);
  expect({ net, status }).toEqual({ net: 0, status: 'voided' });
  expect(movements.map(({ type }) => type)).toEqual(['void']);
  expect(await harness.balance(player.session.playerId)).toBe(100_000);
  await agreedBooks(harness, hash);
});

test('a debit is never sent twice for one round, however often its failed start is repeated', async () => {
  await onDebit({ fault: 'status', status: 500, when: 'after' });
  const { hash } = await failedStart();
  for (let again = 0; again < 3; again += 1) {
    const reply = await player.start({ roundId });
    expect(reply).toMatchObject({ gameRoundInfo: { hash, status: 'cancel' } });
    expect((await refusalOf(Promise.resolve(reply))).errorCode.msg).toBe('GAMEROUNDNOTACTIVE');
  }
  expect(await harness.sent(hash)).toEqual(['debit', 'void']);
});

test('a signal that comes while a debit is being declined: no money moves', async () => {
  const { playerId } = player.session;
  await onDebit({ fault: 'slow', delayMs: 400 });
  const starting = refused(player.start({ roundId, debitAmount: 100_001 }));
  const [call] = await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length > 0,
  );
  const hash = call?.body.gameRound ?? '';
  await harness.handle(hash).signal('end', {});
  // The server repeats the task because of the signal, so the debit too: that one can only be unknown now.
  expect(await starting).toMatch(/^(400 INSUFFICIENTFUNDS|502 WALLETUNAVAILABLE|503 .*)$/);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'cancel' },
    ledger: { net: 0 },
  });
  expect(await player.start({ roundId })).toMatchObject({ gameRoundInfo: { hash, status: 'cancel' } });
  expect(await harness.balance(playerId)).toBe(100_000);
});

test('[debit, end] with only the end refused: the bet was taken, the round is crashed', async () => {
  const { playerId } = player.session;
  await harness.fault({
    fault: 'errorOn200',
    errorCode: OWN,
    where: 'hash',
    match: { type: 'end', playerId },
  });
  const reply = await player.start({ roundId, endGame: true });
  expect(reply).toMatchObject({
    gameRoundInfo: { status: 'open', stake: STAKE },
    refusal: { status: 400, errorCode: OWN },
  });
  const { hash } = reply.gameRoundInfo;
  expect(await harness.sent(hash)).toEqual(['debit+end']);
  expect(await harness.attention(hash)).toEqual(['crashed']);
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'open', crashed: true });
  expect(await refused(player.end(hash))).toBe('400 GAMEROUNDCRASHED');
  expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
});
