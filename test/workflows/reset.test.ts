import type { RoundSnapshot } from '../../src/domain/round/types';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { resetRound } from '../support/reset';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A person resets a round's workflow while a wallet call of it is out: what it delivers from then on may be a repeat. */

const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };
const REFUSED = { fault: 'status', status: 400, errorCode: OWN };
/** The wallet takes it and doesn't answer. */
const HANG_AFTER = { fault: 'hang', when: 'after' };

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

/** The wallet's next answers to this player's transactions of the type. */
async function answers({ session }: Player, type: string, ...faults: object[]): Promise<void> {
  for (const fault of faults) await harness.fault({ ...fault, match: { type, playerId: session.playerId } });
}

async function whileItHangs({ session }: Player): Promise<string> {
  const calls = await until(
    () => harness.callsOfPlayer(session.playerId),
    (seen) => seen.some(({ fault }) => fault === 'hang'),
  );
  return calls[0]!.body.gameRound;
}

function settled(hash: string, isSettled: (record: RoundSnapshot) => boolean): Promise<unknown> {
  return until(
    () => harness.rounds.find(hash),
    (record) => record !== undefined && isSettled(record),
    30_000,
  );
}

const isDecided = ({ transactions }: RoundSnapshot): boolean =>
  transactions.every(({ outcome }) => outcome !== 'pending');

test('during a credit that was paid, and is refused then: crashed, never voided', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 700 });
  await answers(player, 'credit', HANG_AFTER, REFUSED);
  player.end(hash, 'e').catch(() => undefined);
  await whileItHangs(player);
  await resetRound(harness, hash);
  await settled(hash, ({ crashed }) => crashed);
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', 'credit+end']);
});

test('during a follow-up debit that was taken, and is refused then: voided', async () => {
  const player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
  const hash = await player.open({ rngCallId: 'one', roundId: 'r' });
  await answers(player, 'debit', HANG_AFTER, REFUSED);
  player.start({ rngCallId: 'two', roundId: 'r' }).catch(() => undefined);
  await whileItHangs(player);
  await resetRound(harness, hash);
  await settled(hash, (record) => record.transactions.length > 2 && isDecided(record));
  expect((await harness.ledger(hash)).net).toBe(-STAKE);
});

test('during the bet that was taken, and is refused then: voided', async () => {
  const player = playerOf(harness);
  await answers(player, 'debit', HANG_AFTER, REFUSED);
  player.start({ roundId: 'r' }).catch(() => undefined);
  const hash = await whileItHangs(player);
  await resetRound(harness, hash);
  await settled(hash, (record) => record.status === 'cancel' && isDecided(record));
  const { ledger } = await agreedBooks(harness, hash);
  expect(ledger.net).toBe(0);
});

test('before all commands: they are carried out again in the order in which they came, with the same hashes', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 5 });
  await player.win(hash, { winAmount: 300 });
  await player.collect(hash, 100);
  await player.win(hash, { winAmount: 20, collect: true });
  await player.end(hash);
  await finished(harness, hash);
  const { ledger } = await agreedBooks(harness, hash);
  await resetRound(harness, hash, 'first');
  await finished(harness, hash);
  const after = await agreedBooks(harness, hash);
  expect(after.record.transactions.map(({ type, amount }) => [type, amount])).toEqual([
    ['debit', STAKE],
    ['credit', 100],
    ['credit', 225],
    ['end', undefined],
  ]);
  expect(after.ledger).toEqual(ledger);
});

test('of a crashed round to its first call: no bet is voided, the paid win stays, and it is crashed again', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 700 });
  await answers(player, 'credit', { fault: 'status', status: 503, when: 'after' }, REFUSED);
  await refused(player.end(hash));
  await settled(hash, ({ crashed }) => crashed);
  const { movements } = await harness.ledger(hash, player.session.operatorId);
  const { version } = (await harness.rounds.collection.findOne({ _id: hash }))!;
  await answers(player, 'credit', REFUSED);
  await resetRound(harness, hash, 'first');
  await until(
    () => harness.rounds.collection.findOne({ _id: hash }),
    (found) => found!.version > version && found!.attention.includes('crashed'),
  );
  const record = (await harness.rounds.find(hash))!;
  expect(record).toMatchObject({ status: 'open', crashed: true });
  expect(record.transactions.map(({ type, outcome }) => [type, outcome])).toEqual([
    ['debit', 'accepted'],
    ['credit', 'pending'],
    ['end', 'pending'],
  ]);
  expect((await harness.ledger(hash, player.session.operatorId)).movements).toEqual(movements);
});
