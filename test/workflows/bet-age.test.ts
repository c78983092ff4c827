import { setTimeout as sleep } from 'node:timers/promises';
import { gameroundHash, roundName } from '../../src/domain/hashes';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A bet that no worker could send within the command's time is not sent any more (docs/interface#bet-age). */

/** The command's time, and a little more. */
const TOO_LATE_MS = 11_000;

let harness: RoundsHarness;
let worker: { stop(): Promise<void> };
let first: Player;
let followingUp: Player;
let cancelled: string;
let open: string;
let told: string[];

beforeAll(async () => {
  harness = await startRounds({ worker: 'none' });
  worker = await harness.startWorker();
  first = playerOf(harness);
  followingUp = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
  open = await followingUp.open({ rngCallId: 'one', roundId: 'r' });
  await worker.stop();
  const { operatorId, playerId, gameCode } = first.session;
  const name = roundName({ externalGameProviderRoundId: 'late', rngCallId: undefined, requestId: '' });
  cancelled = gameroundHash(operatorId, playerId, gameCode, name);
  const calls = [first.start({ roundId: 'late' }), followingUp.start({ rngCallId: 'two', roundId: 'r' })];
  told = await Promise.all(calls.map(refused));
  await sleep(TOO_LATE_MS - 10_000);
  worker = await harness.startWorker();
});

afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

test('the caller has an answer in its time', () => {
  expect(told).toEqual(['503 OPERATIONBEINGPROCESSED', '503 OPERATIONBEINGPROCESSED']);
});

test('the first bet is not sent: its round is cancelled, and nothing is owed', async () => {
  await finished(harness, cancelled);
  expect(await harness.sent(cancelled)).toEqual([]);
  const { record, ledger } = await agreedBooks(harness, cancelled);
  expect(record).toMatchObject({ status: 'cancel', attention: [] });
  expect(record.transactions.map(({ type, outcome }) => `${type} ${outcome}`)).toEqual(['debit declined']);
  expect(ledger.net).toBe(0);
  expect(await refused(first.start({ roundId: 'late' }))).toBe('400 GAMEROUNDNOTACTIVE');
});

test('its guard is given back: the player starts another round', async () => {
  const { gameRoundInfo } = await first.start({ roundId: 'next' });
  expect(gameRoundInfo.status).toBe('open');
});

test('a follow-up debit is not sent: its caller gets 502, and the round stays open', async () => {
  const again = (): Promise<string> => refused(followingUp.start({ rngCallId: 'two', roundId: 'r' }));
  expect(await until(again, (answer) => !answer.startsWith('503'))).toBe('502 WALLETUNAVAILABLE');
  expect(await harness.sent(open)).toEqual(['debit']);
  const { record, ledger } = await agreedBooks(harness, open);
  expect(record).toMatchObject({ status: 'open', stake: STAKE });
  expect(ledger.net).toBe(-STAKE);
  const next = await followingUp.start({ rngCallId: 'three', roundId: 'r' });
  expect(next.refusal).toBeUndefined();
  expect(await harness.sent(open)).toEqual(['debit', 'debit']);
});
