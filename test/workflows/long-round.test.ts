import { setTimeout as sleep } from 'node:timers/promises';
import type { RoundReply } from '../../src/contracts/gameround';
import { GAME_CODE, OPERATOR_ID, PLAYER_ID, PROVIDER_ID } from '../../src/contracts/search-attributes';
import { RefusedError } from '../../src/domain/errors';
import { decide } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { applyWalletOutcome } from '../../src/domain/round/apply-wallet-outcome';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** Rounds with many steps and much data: they go on as new runs, and stay below what the server takes. */

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

/** Some of it in every step, so that a run is full after some dozen steps instead of hundreds. */
const BET_DATA = { reel: 'x'.repeat(4_000) };
const WINS_WITH_DATA = 100;
/** A run that is full ends in a pause, so there are some; the server may be a second late with a timer. */
const WINS_WITHOUT_PAUSE = 25;
const PAUSE_MS = 1_500;

/** Wins `w<from>` to `w<to - 1>` of one unit each; a caller awaits each answer, and comes again when told so. */
async function winMany(hash: string, from: number, to: number, callers: number): Promise<void> {
  const steps = Array.from({ length: to - from }, (_, index) => from + index).values();
  const work = async (): Promise<void> => {
    for (const step of steps) {
      const betData = step < WINS_WITH_DATA ? BET_DATA : undefined;
      await until(
        () => outcomeOf(player.win(hash, { transactionId: `w${step}`, winAmount: 1, betData })),
        (outcome) => outcome !== '503 OPERATIONBEINGPROCESSED',
        60_000,
      );
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
}

/** Plays until the round has gone on as new, and answers how many wins that took. */
async function winUntilNewRun(hash: string, callers: number): Promise<number> {
  const { runId } = await harness.handle(hash).describe();
  for (let won = 0; won < 1_500; won += WINS_WITHOUT_PAUSE) {
    await winMany(hash, won, won + WINS_WITHOUT_PAUSE, callers);
    await sleep(PAUSE_MS);
    if ((await harness.handle(hash).describe()).runId !== runId) return won + WINS_WITHOUT_PAUSE;
  }
  throw new Error('the round never went on as new');
}

async function outcomeOf(call: Promise<RoundReply>): Promise<string> {
  try {
    const { refusal } = await call;
    if (refusal === undefined) return 'taken';
    throw new Error(refusal.errorCode.msg);
  } catch (error) {
    if (error instanceof RefusedError) return `${error.refusal.status} ${error.refusal.errorCode.msg}`;
    throw error;
  }
}

/** The timer with which a run begins; milliseconds since the epoch. */
async function firstTimer(hash: string): Promise<{ startedAt: number; firesAt: number }> {
  const { events } = await harness.handle(hash).fetchHistory();
  const started = events?.find((event) => event.timerStartedEventAttributes);
  const seconds = Number(started?.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? 0);
  const startedAt = Number(started?.eventTime?.seconds ?? 0) * 1_000;
  return { startedAt, firesAt: startedAt + seconds * 1_000 };
}

test('a long round goes on as new under several callers at once: nothing is lost or counted twice', async () => {
  const openedAt = Date.now();
  const first = await player.start({ roundId: 'long' });
  const { hash } = first.gameRoundInfo;
  const early = await player.win(hash, { transactionId: 'early', winAmount: 5 });
  const wins = await winUntilNewRun(hash, 4);

  expect(await player.win(hash, { transactionId: 'early', winAmount: 5 })).toEqual(early);
  expect(await refused(player.win(hash, { transactionId: 'early', winAmount: 6 }))).toBe(
    '400 IDEMPOTENCYMISMATCH',
  );
  expect(await player.start({ roundId: 'long' })).toEqual(first);
  expect(await harness.sent(hash)).toEqual(['debit']);
  const { typedSearchAttributes } = await harness.handle(hash).describe();
  const found = [OPERATOR_ID, PLAYER_ID, GAME_CODE, PROVIDER_ID].map((key) => typedSearchAttributes.get(key));
  expect(found).toEqual(['op1', player.session.playerId, 'demo-slot', 'gp1']);

  // A forgotten round is still closed when its time is up, counted from its opening.
  const { startedAt, firesAt } = await firstTimer(hash);
  expect(startedAt - openedAt).toBeGreaterThan(2_000);
  expect(Math.abs(firesAt - openedAt - harness.roundSettings.autoCloseAfterMs)).toBeLessThan(2_000);

  expect(await player.end(hash)).toMatchObject({
    amountCredited: wins + 5,
    gameRoundInfo: { status: 'closed' },
  });
  await finished(harness, hash);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record.gameState).toHaveLength(wins + 2);
  expect(ledger.net).toBe(wins + 5 - STAKE);
});

test('three hundred wins by signals alone are each counted once', async () => {
  const hash = await player.open();
  const signals = Array.from({ length: 300 }, (_, index) => index).values();
  const work = async (): Promise<void> => {
    for (const index of signals) {
      // Every fifth is sent twice.
      const win = { key: `k${index - (index % 5 === 4 ? 1 : 0)}`, winAmount: 1, collect: false };
      await harness.handle(hash).signal('addWin', win);
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  const ended = await until(
    () => player.end(hash, 'end').catch(() => undefined),
    (reply) => reply !== undefined,
    60_000,
  );
  expect(ended).toMatchObject({ amountCredited: 240, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  await agreedBooks(harness, hash);
});

test('a round takes so much data and no more, and ends as completed with all of it', async () => {
  const hash = await player.open();
  const betData = { reel: 'x'.repeat(16_000) };
  for (let step = 0; step < 32; step += 1) await player.win(hash, { winAmount: 1, betData });
  expect(await refused(player.win(hash, { winAmount: 1, betData }))).toBe(
    '400 INVALIDREQUEST: the round holds too much data',
  );
  // Several large answers at once still reach their callers.
  await Promise.all(Array.from({ length: 8 }, () => player.win(hash, { winAmount: 1 })));
  expect(await player.end(hash)).toMatchObject({ amountCredited: 40, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  const { record } = await agreedBooks(harness, hash);
  expect(record.gameState).toHaveLength(41);
  expect((await harness.handle(hash).describe()).status.name).toBe('COMPLETED');
});

test('the answers that a round keeps for late callers fit into its result', async () => {
  const hash = await player.open();
  const betData = { reel: 'x'.repeat(12_000) };
  for (let step = 0; step < 26; step += 1) await player.win(hash, { winAmount: 1, betData });
  expect(await player.end(hash)).toMatchObject({ amountCredited: 26, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  expect((await harness.handle(hash).describe()).status.name).toBe('COMPLETED');
});

test('a round with large wins has answers and a result that fit, and tells all of it', async () => {
  const hash = await player.open();
  const betData = { reel: 'x'.repeat(16_000) };
  const jackpotPayout = Array.from({ length: 64 }, () => ({
    jackpotId: 'j'.repeat(128),
    jackpotMode: 'pot',
  }));
  const won = await harness.commands.addWin({
    ...{ session: player.session, requestId: 'large', gameRound: hash, collect: false, jackpotPayout },
    rngResult: { winAmount: 10, betData },
  });
  expect(won.gameState).toMatchObject([{ result: { winAmount: 10, info: {} } }]);
  for (let step = 0; step < 9; step += 1) await player.win(hash, { winAmount: 1, betData });
  for (let step = 0; step < 4; step += 1) await player.collect(hash, 1);
  // More than updates may carry: asked by a query.
  const { gameState } = (await harness.commands.describeRound(hash))!;
  expect(gameState[1]?.result.info).toMatchObject(betData);
  expect(await player.end(hash)).toMatchObject({ amountCredited: 15, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  expect((await harness.handle(hash).describe()).status.name).toBe('COMPLETED');
});

/** A workflow's arguments, and so its state when it goes on as new, may have 2 MiB. */
test('the fullest round that its rules allow can go on as new', () => {
  const at = new Date(0).toISOString();
  const { sessionId, operatorId, playerId, gameCode, providerId } = player.session;
  const gameround = '3a2f1c00-0000-8000-8000-000000000001';
  let state = createRound(
    {
      gameround,
      operatorId,
      playerId,
      gameCode,
      providerId,
      sessionId,
      mode: 'real',
      currency: 'EUR',
      currencyMultiplier: 1,
      language: 'en',
    },
    harness.roundSettings,
    { type: 'start', stake: 1, currency: 'EUR', useTicket: false, endGame: false, winAmount: 0 },
    at,
  );
  state = applyWalletOutcome(state, { kind: 'accepted' }, at);
  for (let step = 0; ; step += 1) {
    const key = `transaction:${String(step).padStart(128, 'k')}`;
    const rngCallId = `draw-${String(step).padStart(36, '0')}`;
    const decision = decide(state, { type: 'addWin', key, winAmount: 1_000, collect: false, rngCallId }, at);
    if (decision.kind !== 'accept') break;
    state = decision.state;
  }
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(1_900_000);
});
