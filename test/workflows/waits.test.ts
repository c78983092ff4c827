import { randomUUID } from 'node:crypto';
import { COMMANDS, FAILURES } from '../../src/contracts/gameround';
import type { EndCommand } from '../../src/domain/round/types';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A round whose win is owed for long: whoever calls is answered in time, and what is refused leaves nothing behind. */

const WIN = 700;
const BUSY = '503 OPERATIONBEINGPROCESSED';

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

interface Waiting {
  player: Player;
  hash: string;
  /** The end that is being carried out. */
  transactionId: string;
}

async function waitingRound(): Promise<Waiting> {
  const player = playerOf(harness);
  const [hash, transactionId] = [await player.open({ winAmount: WIN }), randomUUID()];
  await harness.fault({
    fault: 'status',
    status: 500,
    times: 1_000,
    match: { type: 'credit', playerId: player.session.playerId },
  });
  void player.end(hash, transactionId).catch(() => undefined);
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.attention.includes('credit-pending') === true,
  );
  return { player, hash, transactionId };
}

async function timed<T>(call: Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  return { result: await call, ms: performance.now() - begun };
}

async function eventsOf(hash: string): Promise<number> {
  return Number((await harness.handle(hash).describe()).historyLength);
}

async function heal(hash: string, { player }: Waiting): Promise<void> {
  await harness.clearFaults();
  expect(
    await until(
      () => harness.rounds.find(hash),
      (record) => record?.status === 'closed',
      60_000,
    ),
  ).toBeDefined();
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(WIN - STAKE);
  expect(player.session.playerId).toBeDefined();
}

test('repeats of a call that is being carried out: each is answered in time, and reads get through', async () => {
  const waiting = await waitingRound();
  const { player, hash, transactionId } = waiting;
  const repeats = Array.from({ length: 12 }, () => timed(refused(player.end(hash, transactionId))));
  for (let reads = 0; reads < 5; reads += 1) {
    const read = await timed(harness.commands.describeRound(hash));
    expect(read.result).toMatchObject({ amountToCollect: WIN });
    expect(read.ms).toBeLessThan(3_000);
  }
  const other = await timed(refused(player.win(hash, { winAmount: 1 })));
  expect(other.result).toBe(BUSY);
  expect(other.ms).toBeLessThan(3_000);
  for (const { result, ms } of await Promise.all(repeats)) {
    expect(result).toBe(BUSY);
    expect(ms).toBeLessThan(10_000);
  }
  // Nor does a reconciliation, which asks for as long as the round waits, keep others out.
  await expect(harness.reconcile('op1', hash)).rejects.toMatchObject({ refusal: { status: 503 } });
  expect((await timed(harness.commands.describeRound(hash))).ms).toBeLessThan(3_000);
  await heal(hash, waiting);
});

test('what a waiting round refuses leaves nothing in its history', async () => {
  const waiting = await waitingRound();
  const { player, hash, transactionId } = waiting;
  const before = await eventsOf(hash);
  for (let call = 0; call < 100; call += 1) {
    expect(await refused(player.win(hash, { winAmount: 1, requestId: randomUUID() }))).toBe(BUSY);
  }
  await Promise.all(Array.from({ length: 10 }, () => refused(player.end(hash, transactionId))));
  expect((await eventsOf(hash)) - before).toBeLessThan(30);
  await heal(hash, waiting);
});

test('an update ends when the wallet call that it waits for has to be retried', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: WIN });
  const match = { type: 'credit', playerId: player.session.playerId };
  await harness.fault({ fault: 'hang', match });
  await harness.fault({ fault: 'status', status: 500, times: 1_000, match });
  const update = harness
    .handle(hash)
    .executeUpdate(COMMANDS.end.update, { args: [{ key: 'by-hand' } as EndCommand] });
  await expect(update).rejects.toMatchObject({ cause: { type: FAILURES.held } });
  await heal(hash, { player, hash, transactionId: 'by-hand' });
});
