import { randomUUID } from 'node:crypto';
import type { RoundReply } from '../../src/contracts/gameround';
import { gameroundHash, roundName } from '../../src/domain/hashes';
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
import { sideBySide } from '../support/side-by-side';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** What names a round, what is a repeat, and that a player has one open round in a game (docs/interface#round-name, #repeat, #one-open-round). */

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

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

test('the same start, twice in series and twenty at once: one debit, every caller gets the same reply', async () => {
  const first = await player.start({ roundId: 'r', rngCallId: 'd' });
  expect(await player.start({ roundId: 'r', rngCallId: 'd' })).toEqual(first);
  expect(await harness.sent(first.gameRoundInfo.hash)).toEqual(['debit']);

  const other = playerOf(harness);
  const replies = await times(20, () => other.start({ roundId: 'r', rngCallId: 'd' }));
  expect(replies).toEqual(replies.map(() => replies[0]));
  expect(replies[0]?.gameRoundInfo.status).toBe('open');
  expect(await harness.sent(replies[0]?.gameRoundInfo.hash ?? '')).toEqual(['debit']);
});

test('twenty at once of a start that ends the game: one debit, every caller is told of the one round', async () => {
  const replies = await times(20, () => player.start({ roundId: 'r', endGame: true, winAmount: 40 }));
  const hashes = new Set(replies.map(({ gameRoundInfo }) => gameRoundInfo.hash));
  expect(hashes.size).toBe(1);
  const [hash = ''] = hashes;
  const answered = replies.filter(({ refusal }) => refusal === undefined);
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.map(({ amountCredited }) => amountCredited)).toEqual(answered.map(() => 40));
  for (const { refusal, gameRoundInfo } of replies) {
    if (refusal === undefined) continue;
    expect([refusal.errorCode.msg, gameRoundInfo.status]).toEqual(['GAMEROUNDNOTACTIVE', 'closed']);
  }
  await finished(harness, hash);
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  await agreedBooks(harness, hash);
});

test('a token in another currency reaches none of the rounds: its amounts would be taken for others', async () => {
  const hash = await player.open({ winAmount: 40 });
  const { playerId } = player.session;
  const abroad = playerOf(harness, { playerId, currency: 'JPY' });
  for (const call of [
    abroad.win(hash, { winAmount: 1_000 }),
    abroad.collect(hash, 10),
    abroad.end(hash),
    abroad.void(hash),
  ])
    expect(await refused(call)).toBe('404 GAMEROUNDNOTFOUND');
  expect(await harness.sent(hash)).toEqual(['debit']);
  // The way on: the game may have it closed, in its own currency.
  expect(await refused(abroad.start())).toBe('400 GAMEROUNDALREADYSTARTED');
  const next = await abroad.start({ closeOpenGame: true });
  expect(next.gameRoundInfo).toMatchObject({ status: 'open', currency: 'JPY' });
  expect((await harness.ledger(hash)).net).toBe(40 - STAKE);
});

test('one name, two stakes at once: one debit, the other call is a mismatch', async () => {
  const replies = await times(4, (index) => player.start({ roundId: 'r', debitAmount: 100 + (index % 2) }));
  const stake = replies.find(({ refusal }) => refusal === undefined)?.gameRoundInfo.stake;
  const refusals = replies.flatMap(({ refusal }) => refusal?.errorCode.msg ?? []);
  expect(refusals).toEqual(['IDEMPOTENCYMISMATCH', 'IDEMPOTENCYMISMATCH']);
  const hash = replies[0]?.gameRoundInfo.hash ?? '';
  const calls = await harness.calls(hash);
  expect(calls.map(({ body }) => body.transactions[0]?.amount)).toEqual([stake]);
});

test.each<[string, Parameters<Player['start']>[0]]>([
  ['the external id', { roundId: 'r', rngCallId: 'd' }],
  ['the draw', { rngCallId: 'd' }],
  ['the request', { requestId: 'q' }],
])('%s names the round', async (_name, naming) => {
  const first = await player.start({ ...naming, debitAmount: 10 });
  const again = { ...naming, requestId: naming?.requestId ?? randomUUID() };
  expect(await player.start({ ...again, debitAmount: 10 })).toEqual(first);
  expect(await refused(player.start({ ...again, debitAmount: 11 }))).toBe('400 IDEMPOTENCYMISMATCH');
  expect(await refused(player.start({ ...again, debitAmount: 10, winAmount: 1 }))).toBe(
    '400 IDEMPOTENCYMISMATCH',
  );
  expect(await harness.sent(first.gameRoundInfo.hash)).toEqual(['debit']);
});

test('a round that is over keeps its name', async () => {
  const { gameRoundInfo } = await player.start({ roundId: 'r', endGame: true });
  const { hash } = gameRoundInfo;
  expect(await player.start({ roundId: 'r', endGame: true })).toMatchObject(isOver(hash));
  await finished(harness, hash);
  expect(await player.start({ roundId: 'r' })).toMatchObject(isOver(hash));
  expect(await harness.sent(hash)).toEqual(['debit+end']);
});

test('… also past retention, when nothing but its record is left', async () => {
  const { gameRoundInfo } = await player.start({ endGame: true });
  await finished(harness, gameRoundInfo.hash);
  const { operatorId, playerId, gameCode } = player.session;
  const name = roundName({ externalGameProviderRoundId: 'past', requestId: '' });
  const hash = gameroundHash(operatorId, playerId, gameCode, name);
  const record = await harness.rounds.find(gameRoundInfo.hash);
  if (record === undefined) throw new Error('no record');
  await harness.rounds.write({ ...record, identity: { ...record.identity, gameround: hash } }, 1);
  expect(await player.start({ roundId: 'past' })).toMatchObject(isOver(hash));
  expect(await player.win(hash, { winAmount: 5 })).toMatchObject(isOver(hash));
  expect(await player.end(hash)).toMatchObject(isOver(hash));
  expect(await harness.sent(hash)).toEqual([]);
});

function isOver(hash: string): object {
  const refusal = { status: 400, errorCode: { id: 2000, msg: 'GAMEROUNDNOTACTIVE' } };
  return { gameRoundInfo: { hash, status: 'closed' }, refusal };
}

test('two operators and two players use one external id: four rounds, and none is seen by another', async () => {
  const [playerA, playerB] = [`a-${randomUUID()}`, `b-${randomUUID()}`];
  const players = ['op1', 'op2'].flatMap((operatorId) =>
    [playerA, playerB].map((playerId) => playerOf(harness, { operatorId, playerId })),
  );
  const hashes = await Promise.all(players.map((one) => one.open({ roundId: 'shared', winAmount: 10 })));
  expect(new Set(hashes).size).toBe(4);
  for (const [index, hash] of hashes.entries()) {
    const stranger = players[(index + 1) % 4]!;
    expect(await refused(stranger.end(hash))).toBe('404 GAMEROUNDNOTFOUND');
    expect(await refused(stranger.win(hash, { winAmount: 1_000 }))).toBe('404 GAMEROUNDNOTFOUND');
    expect(await refused(stranger.void(hash))).toBe('404 GAMEROUNDNOTFOUND');
  }
  for (const [index, hash] of hashes.entries()) {
    expect(await players[index]!.end(hash)).toMatchObject({ amountCredited: 10 });
    await finished(harness, hash);
    expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 10 - STAKE } });
  }
});

test('an unknown round is not found', async () => {
  expect(await refused(player.end(randomUUID()))).toBe('404 GAMEROUNDNOTFOUND');
});

test('another start while a round is open: refused with that round, and its name stays unused', async () => {
  const open = await player.open({ roundId: 'one', winAmount: 15 });
  const reply = await player.start({ roundId: 'two' });
  expect(reply).toMatchObject({
    gameRoundInfo: { hash: open, status: 'open', stake: STAKE },
    amountToCollect: 15,
    refusal: { status: 400, errorCode: { id: 12, msg: 'GAMEROUNDALREADYSTARTED' } },
  });
  expect(await harness.callsOfPlayer(player.session.playerId)).toHaveLength(1);
  await player.end(open);
  const second = await player.start({ roundId: 'two' });
  expect(second).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 0 });
  expect(await harness.sent(second.gameRoundInfo.hash)).toEqual(['debit']);
});

test('five different starts at once: one of them opens, the others are refused', async () => {
  const replies = await times(5, (index) => player.start({ roundId: `r${index}` }));
  const opened = replies.filter(({ refusal }) => refusal === undefined);
  expect(opened).toHaveLength(1);
  const calls = await harness.callsOfPlayer(player.session.playerId);
  expect(calls.map(({ body }) => body.gameRound)).toEqual([opened[0]?.gameRoundInfo.hash]);
  for (const { refusal } of replies.filter((reply) => reply !== opened[0])) {
    expect(['GAMEROUNDALREADYSTARTED', 'OPERATIONBEINGPROCESSED']).toContain(refusal?.errorCode.msg);
  }
});

test('a start in the middle of a spin waits for its end, and is not told of it', async () => {
  const { playerId } = player.session;
  await harness.fault({ fault: 'slow', delayMs: 1_000, match: { type: 'credit', playerId } });
  const spin = player.start({ roundId: 'spin', winAmount: 40, endGame: true });
  const begun = await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length === 2,
  );
  expect(begun[1]?.body.transactions[0]?.type).toBe('credit');
  const next = await player.start({ roundId: 'next' });
  expect(next.refusal).toBeUndefined();
  expect(next.gameRoundInfo.status).toBe('open');
  expect(await spin).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 40 });
});

test('another game, and another player, have a round of their own', async () => {
  await player.open();
  const { playerId } = player.session;
  await playerOf(harness, { playerId, gameCode: 'other-slot' }).open();
  await playerOf(harness).open();
  expect(await harness.callsOfPlayer(playerId)).toHaveLength(2);
});

test('closeOpenGame collects and closes the open round, then the new one starts', async () => {
  const old = await player.open({ roundId: 'old', winAmount: 60 });
  const reply = await player.start({ roundId: 'new', closeOpenGame: true });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 0 });
  expect(reply.gameRoundInfo.hash).not.toBe(old);
  await finished(harness, old);
  expect(await agreedBooks(harness, old)).toMatchObject({
    record: { status: 'closed' },
    ledger: { net: 60 - STAKE },
  });
  const order = (await harness.callsOfPlayer(player.session.playerId)).map(
    ({ body }) => `${body.gameRound === old ? 'old' : 'new'} ${body.transactions[0]?.type}`,
  );
  expect(order).toEqual(['old debit', 'old credit', 'new debit']);
});

test('closeOpenGame of a start that names the open round itself is a repeat', async () => {
  const first = await player.start({ roundId: 'r', winAmount: 60 });
  expect(await player.start({ roundId: 'r', winAmount: 60, closeOpenGame: true })).toEqual(first);
  expect(await harness.sent(first.gameRoundInfo.hash)).toEqual(['debit']);
});

test('closeOpenGame of a round whose credit is refused: that one is cancelled, the new one starts', async () => {
  const old = await player.open({ winAmount: 60 });
  const { playerId } = player.session;
  const errorCode = { id: 4711 };
  await harness.fault({ fault: 'status', status: 400, errorCode, match: { type: 'credit', playerId } });
  const reply = await player.start({ closeOpenGame: true });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'open' } });
  expect(reply.refusal).toBeUndefined();
  await finished(harness, old);
  expect(await agreedBooks(harness, old)).toMatchObject({ record: { status: 'cancel' }, ledger: { net: 0 } });
});

test('a win repeated under its key counts once, and gets its first reply again', async () => {
  const hash = await player.open();
  for (const naming of [{ transactionId: 't' }, { rngCallId: 'd' }, { requestId: 'q' }]) {
    const first = await player.win(hash, { ...naming, winAmount: 10 });
    expect(first.refusal).toBeUndefined();
    await player.win(hash, { winAmount: 1 });
    expect(await player.win(hash, { ...naming, winAmount: 10 })).toEqual(first);
    expect(await refused(player.win(hash, { ...naming, winAmount: 11 }))).toBe('400 IDEMPOTENCYMISMATCH');
    expect(await refused(player.win(hash, { ...naming, winAmount: 10, collect: true }))).toBe(
      '400 IDEMPOTENCYMISMATCH',
    );
  }
  expect(await player.end(hash)).toMatchObject({ amountCredited: 33 });
});

test('twenty wins of one key at once count once', async () => {
  const hash = await player.open();
  const replies = await times(20, () => player.win(hash, { transactionId: 't', winAmount: 10 }));
  expect(replies).toEqual(replies.map(() => replies[0]));
  expect(await player.end(hash)).toMatchObject({ amountCredited: 10 });
});

test('a collect repeated under its key is paid once', async () => {
  const hash = await player.open({ winAmount: 100 });
  const first = await player.collect(hash, 40, 't');
  expect(await player.collect(hash, 40, 't')).toEqual(first);
  expect(await refused(player.collect(hash, 41, 't'))).toBe('400 IDEMPOTENCYMISMATCH');
  expect(await harness.sent(hash)).toEqual(['debit', 'credit']);
});

test('repeats after the end are told that the round is over', async () => {
  const hash = await player.open();
  await player.win(hash, { transactionId: 'w', winAmount: 10 });
  await player.end(hash, 'e');
  const over: Promise<RoundReply>[] = [
    player.end(hash, 'e'),
    player.win(hash, { transactionId: 'w', winAmount: 10 }),
    player.collect(hash),
    player.void(hash),
  ];
  for (const call of over) {
    expect(await refusalOf(call)).toMatchObject({
      status: 400,
      errorCode: { id: 2000, msg: 'GAMEROUNDNOTACTIVE' },
    });
  }
});

test('twenty ends and collecting wins at once: the open winnings are paid once', async () => {
  const hash = await player.open({ winAmount: 500 });
  const replies = await times(20, (index) =>
    index % 2 === 0 ? player.end(hash) : player.win(hash, { winAmount: 7, collect: true }),
  );
  const paid = replies.filter(({ refusal }) => refusal === undefined);
  expect(paid).toHaveLength(1);
  expect([500, 507]).toContain(paid[0]?.amountCredited);
  await finished(harness, hash);
  const { ledger } = await agreedBooks(harness, hash);
  expect(ledger.net).toBe((paid[0]?.amountCredited ?? 0) - STAKE);
  expect(ledger.movements.filter(({ type }) => type === 'credit')).toHaveLength(1);
});

sideBySide(
  () => harness,
  (scenario) => {
    scenario(
      'closeOpenGame of a round that cannot be closed now: 503, no new debit; the same call again joins',
      async ({ player, on }) => {
        const old = await player.open({ winAmount: 60 });
        await on('credit', { fault: 'status', status: 500, times: 4 });
        const again = { roundId: 'new', closeOpenGame: true };
        expect(await refused(player.start(again))).toBe('503 OPERATIONBEINGPROCESSED');
        expect((await harness.sent(old)).filter((call) => call === 'debit')).toHaveLength(1);
        const reply = await player.start(again);
        expect(reply).toMatchObject({ gameRoundInfo: { status: 'open' }, amountToCollect: 0 });
        expect(await harness.sent(reply.gameRoundInfo.hash)).toEqual(['debit']);
        await finished(harness, old);
        expect(await agreedBooks(harness, old)).toMatchObject({ ledger: { net: 60 - STAKE } });
      },
    );
  },
);

test('an expired session finishes what it opened and nothing else of its player', async () => {
  const hash = await player.open();
  const expired: Player = playerOf(harness, { ...player.session, expired: true });
  const another = playerOf(harness, { ...player.session, sessionId: 'another', expired: true });
  expect(await refused(another.win(hash, { winAmount: 5 }))).toBe('401 TOKENEXPIRED');
  expect(await refused(another.end(hash))).toBe('401 TOKENEXPIRED');
  expect(await refused(another.void(hash))).toBe('401 TOKENEXPIRED');
  expect(await refused(expired.end(randomUUID()))).toBe('404 GAMEROUNDNOTFOUND');
  expect((await expired.win(hash, { winAmount: 5 })).amountToCollect).toBe(5);
  expect((await expired.end(hash)).amountCredited).toBe(5);
});

test("a round's own token finishes that round, also when expired, and reaches no other", async () => {
  const hash = await player.open();
  const own = playerOf(harness, {
    ...player.session,
    sessionId: 'of this round',
    onlyGameround: hash,
    expired: true,
  });
  const other = playerOf(harness, { ...player.session, onlyGameround: randomUUID() });
  expect(await refused(other.win(hash, { winAmount: 5 }))).toBe('404 GAMEROUNDNOTFOUND');
  expect(await refused(other.end(hash))).toBe('404 GAMEROUNDNOTFOUND');
  expect((await own.end(hash)).gameRoundInfo.status).toBe('closed');
});
