import { randomUUID } from 'node:crypto';
import { stateQuery } from '../../src/contracts/gameround';
import { createGuards } from '../../src/read-model/guards';
import type { RoundDocument } from '../../src/read-model/rounds';
import { finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * MongoDB is restored from a copy that is older than the rounds (docs/interface#restored-mongodb): records and guards are
 * really put back as they were, or taken away.
 */

const WIN = 500;

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

type Restored = 'an older record' | 'no record';

/** A round that was closed after the copy was made, or opened after it. */
async function closedSince(
  restored: Restored,
): Promise<{ player: Player; hash: string; last: RoundDocument }> {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: WIN, roundId: 'r' });
  const record = await recordOf(hash);
  await player.end(hash, 'e');
  await finished(harness, hash);
  const last = await recordOf(hash);
  if (restored === 'no record') await harness.rounds.collection.deleteOne({ _id: hash });
  else await harness.rounds.collection.replaceOne({ _id: hash }, record);
  return { player, hash, last };
}

/** Without what only activities write: the outcome for a repeated attempt, and the length of the history. */
async function recordOf(hash: string): Promise<RoundDocument> {
  const found = (await harness.rounds.collection.findOne({ _id: hash }))!;
  const { delivery: _delivery, idleAt: _idleAt, ...record } = found;
  return record;
}

describe.each<Restored>(['an older record', 'no record'])('a round that is over, with %s', (restored) => {
  test.each<[string, (player: Player, hash: string) => Promise<string>]>([
    ['endGameRound', (player, hash) => refused(player.end(hash, 'other'))],
    ['addWin', (player, hash) => refused(player.win(hash, { winAmount: 1 }))],
    ['voidGameRound', (player, hash) => refused(player.void(hash))],
    ['startGameRound under its name', (player) => refused(player.start({ roundId: 'r' }))],
  ])('%s: GAMEROUNDNOTACTIVE at once, and the record is what it was', async (_, call) => {
    const { player, hash, last } = await closedSince(restored);
    expect(await call(player, hash)).toBe('400 GAMEROUNDNOTACTIVE');
    expect(await recordOf(hash)).toEqual(last);
    const next = await player.start({ roundId: 'next' });
    expect(next.gameRoundInfo.status).toBe('open');
  });

  test('is told as closed to who asks for it, and the record is what it was', async () => {
    const { hash, last } = await closedSince(restored);
    expect(await harness.commands.describeRound(hash)).toMatchObject({ status: 'closed' });
    expect(await recordOf(hash)).toEqual(last);
  });
});

test('its name closes no other round', async () => {
  const { player } = await closedSince('no record');
  const next = await player.open({ roundId: 'next' });
  expect(await refused(player.start({ roundId: 'r', closeOpenGame: true }))).toBe('400 GAMEROUNDNOTACTIVE');
  expect(await harness.commands.describeRound(next)).toMatchObject({ status: 'open' });
});

describe('repaired all at once', () => {
  test('records of rounds that closed or run, and guards of open ones', async () => {
    const since = new Date(Date.now() - 1_000);
    const closed = [await closedSince('an older record'), await closedSince('no record')];
    const player = playerOf(harness);
    const open = await player.open({ winAmount: WIN });
    const before = await recordOf(open);
    await harness.rounds.collection.deleteOne({ _id: open });
    expect(await harness.repair(since)).toMatchObject({ records: 3, guards: 1, rounds: 0 });
    for (const { hash, last } of closed) expect(await recordOf(hash)).toEqual(last);
    expect(await recordOf(open)).toEqual(before);
    expect(await refused(player.start())).toBe('400 GAMEROUNDALREADYSTARTED');
    expect(await harness.repair(since)).toMatchObject({ records: 0, guards: 0, rounds: 0 });
  });

  test.each<[string, (player: Player) => Promise<unknown>]>([
    [
      'a round that sent nothing',
      async ({ session }) => createGuards(harness.db).take({ ...session, mode: 'real' }, randomUUID()),
    ],
    [
      'a round that has crashed since',
      async (player) => {
        const crashed = await player.open({ roundId: 'old', winAmount: WIN });
        const open = await recordOf(crashed);
        const match = { type: 'credit', gameRound: crashed };
        await harness.fault({ fault: 'status', status: 503, when: 'after', match });
        await harness.fault({ fault: 'status', status: 400, errorCode: { id: 4711, msg: 'NO' }, match });
        await refused(player.end(crashed));
        return open;
      },
    ],
  ])('an open round gets the guard that %s has in the copy', async (_, other) => {
    const since = new Date(Date.now() - 1_000);
    const player = playerOf(harness);
    const isFirst = _ === 'a round that has crashed since';
    const copied = isFirst ? ((await other(player)) as RoundDocument) : undefined;
    const open = await player.open({ roundId: 'new' });
    await harness.rounds.collection.deleteOne({ _id: open });
    if (copied === undefined) await other(player);
    else await harness.rounds.collection.replaceOne({ _id: copied._id }, copied);
    await harness.repair(since);
    expect((await createGuards(harness.db).holder({ ...player.session, mode: 'real' }))?.gameround).toBe(
      open,
    );
    expect(await refused(player.start({ roundId: 'third' }))).toBe('400 GAMEROUNDALREADYSTARTED');
  });

  test('a record that is ahead of its workflow stays, also while the workflow has given its record a newer version', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: WIN });
    await harness.fault({ fault: 'slow', delayMs: 1_500, match: { type: 'credit', gameRound: hash } });
    const ending = player.end(hash).catch(() => undefined);
    // The delivery has compared the record before it sends the credit.
    await until(
      () => harness.sent(hash),
      (sent) => sent.includes('credit+end'),
    );
    const { version } = await harness.handle(hash).query(stateQuery);
    // As it was written before Temporal was put back: by a run that this one does not know.
    const ahead = { ...(await recordOf(hash)), status: 'closed' as const, version: version - 1 };
    await harness.rounds.collection.replaceOne({ _id: hash }, ahead);
    await harness.repair(new Date());
    expect(await recordOf(hash)).toEqual(ahead);
    await ending;
  });

  test('a workflow that a person has terminated: crashed again, and can be reconciled', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: WIN });
    await harness.attention(hash);
    await harness.handle(hash).terminate('by hand');
    expect(await refused(player.end(hash))).toBe('503 SERVICEUNAVAILABLE');
    expect(await harness.repair(new Date())).toMatchObject({ rounds: 1, failed: [] });
    await until(
      () => harness.attention(hash),
      (marks) => marks.join() === 'crashed,restored',
    );
    const { round } = await harness.reconcile('op1', hash);
    expect([round.status, (await harness.ledger(hash)).net]).toEqual(['closed', WIN - STAKE]);
  });

  test('a record that can not be read is named, and the others are repaired', async () => {
    const hash = await playerOf(harness).open();
    const { holds: _holds, ...record } = (await recordOf(hash)) as RoundDocument & { holds?: true };
    const broken = { ...record, _id: randomUUID(), hash: randomUUID(), snapshot: 'none' };
    await harness.rounds.collection.insertOne(broken);
    const fine = { ...record, _id: randomUUID() };
    const { snapshot } = (await harness.rounds.recorded(hash))!;
    fine.snapshot = JSON.stringify({ ...snapshot, identity: { ...snapshot.identity, gameround: fine._id } });
    await harness.rounds.collection.insertOne(fine);
    const { rounds, failed } = await harness.repair(new Date());
    expect([rounds, failed.map(({ gameround }) => gameround)]).toEqual([1, [broken._id]]);
    await harness.rounds.collection.deleteMany({ _id: { $in: [broken._id, fine._id] } });
  });

  test('an open record whose workflow Temporal does not know is a crashed round again, and can be reconciled', async () => {
    const player = playerOf(harness);
    const { snapshot, version } = (await harness.rounds.recorded(await player.open({ winAmount: WIN })))!;
    const hash = randomUUID();
    const identity = { ...snapshot.identity, gameround: hash };
    const transactions = snapshot.transactions.map((bet) => ({ ...bet, hash: randomUUID() }));
    await harness.rounds.write({ ...snapshot, identity, transactions }, version);
    expect(await harness.repair(new Date())).toMatchObject({ rounds: 1 });
    expect(await refused(player.end(hash))).toBe('400 GAMEROUNDCRASHED');
    expect(await harness.attention(hash)).toEqual(['crashed', 'restored']);
    const shown = (): Promise<RoundDocument> => recordOf(hash);
    await until(shown, ({ attention }) => attention.includes('restored'));
    const { round } = await harness.reconcile('op1', hash);
    expect(round.status).toBe('closed');
    await finished(harness, hash);
    expect(await harness.sent(hash)).toEqual(['debit+credit+end']);
    expect(await recordOf(hash)).toMatchObject({ status: 'closed', attention: [] });
  });
});
