import { randomUUID } from 'node:crypto';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A slow or dead operator never slows the others, and loses no money of its own (docs/interface#slow-operator, `src/clients/guarded-wallet.ts`). */

const SLOTS = { activities: 6 };
const SHARE = 4;
/** More than this worker could have at the wallet at a time, were there no share. */
const PLAYERS = 10;
const OTHERS = 3;

let harness: RoundsHarness;

afterEach(async () => {
  await harness?.stop();
});

async function held(): Promise<number> {
  const reply = await fetch(`${harness.walletUrl}/sandbox/faults`);
  return ((await reply.json()) as { held: number }).held;
}

test('while an operator’s wallet hangs, another’s rounds complete, retries included', async () => {
  harness = await startRounds({
    walletTimeoutMs: 60_000,
    workerSlots: SLOTS,
    guard: { callsPerOperator: SHARE },
  });
  await harness.fault({ fault: 'hold', times: 1_000, match: { tenantId: 'op1' } });
  const waiting: Promise<string>[] = [];
  const withheld: Player[] = [];
  for (let at = 0; at < PLAYERS; at += 1) {
    const player = playerOf(harness, { operatorId: 'op1' });
    const answer = refused(player.start({ roundId: randomUUID() })).catch(() => 'taken late');
    let told: string | undefined;
    void answer.then((given) => (told = given));
    await until(held, (count) => told !== undefined || count > waiting.length);
    if (told === undefined) waiting.push(answer);
    else expect([told, withheld.push(player)]).toEqual(['502 WALLETUNAVAILABLE', withheld.length]);
  }
  expect(waiting).toHaveLength(SHARE);

  const others = Array.from({ length: OTHERS }, async () => {
    const player = playerOf(harness, { operatorId: 'op2' });
    const { playerId } = player.session;
    // Its retry needs a slot of the worker that waiting calls could hold.
    await harness.fault({ fault: 'status', status: 500, match: { playerId, type: 'credit' } });
    const hash = await player.open({ winAmount: 700 });
    await player.end(hash).catch(() => undefined);
    await finished(harness, hash);
    return agreedBooks(harness, hash);
  });
  for (const { ledger } of await Promise.all(others)) expect(ledger.net).toBe(700 - STAKE);
  expect(await held()).toBe(SHARE);

  await harness.clearFaults();
  await harness.release();
  await Promise.all(waiting);
  for (const { session } of withheld) expect(await harness.callsOfPlayer(session.playerId)).toEqual([]);
});

test('a wallet that gives no answers: bets are not sent, wins are until they are taken, and then bets go again', async () => {
  // No bet tries again by itself here: the way is open once the win was taken.
  harness = await startRounds({ guard: { failuresInARow: 3, firstPauseMs: 600_000, maxPauseMs: 600_000 } });
  const winner = playerOf(harness);
  const owed = await winner.open({ winAmount: 700 });
  const fault = await harness.fault({ fault: 'reset', times: 10_000, match: { tenantId: 'op1' } });
  const ending = winner.end(owed).catch(() => undefined);
  for (let at = 0; at < 3; at += 1) {
    expect(await refused(playerOf(harness).start())).toBe('502 WALLETUNAVAILABLE');
  }

  const player = playerOf(harness);
  const off = await player.start({ endGame: true });
  expect(off).toMatchObject({ gameRoundInfo: { status: 'cancel' }, refusal: { status: 502 } });
  expect(off.refusal?.errorCode.msg).toBe('WALLETUNAVAILABLE');
  await finished(harness, off.gameRoundInfo.hash);
  expect(await harness.callsOfPlayer(player.session.playerId)).toEqual([]);
  expect((await agreedBooks(harness, off.gameRoundInfo.hash)).record).toMatchObject({ status: 'cancel' });

  await fetch(`${harness.walletUrl}/sandbox/faults/${fault}`, { method: 'DELETE' });
  await ending;
  await finished(harness, owed);
  expect((await agreedBooks(harness, owed)).ledger.net).toBe(700 - STAKE);
  const spin = await player.start({ endGame: true });
  expect(spin).toMatchObject({ gameRoundInfo: { status: 'closed' } });
});
