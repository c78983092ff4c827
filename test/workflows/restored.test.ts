import { COMMANDS } from '../../src/contracts/gameround';
import { gameroundHash, roundName } from '../../src/domain/hashes';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRestorable, type RestorableTemporal } from '../support/restorable';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * Temporal is restored from a copy that is older than the records (docs/interface#restored-temporal): its database file
 * is really copied, and put back after the rounds went on.
 */
jest.setTimeout(60_000);

const WIN = 500;

let temporal: RestorableTemporal;
let harness: RoundsHarness;
let worker: { stop(): Promise<void> } | undefined;
let sentBefore: Map<string, string[]>;
/** Calls that nobody waits for; the client must not be closed under them. */
const calls: Promise<unknown>[] = [];

interface Scene {
  player: Player;
  hash: string;
}
const scenes = {} as Record<
  'ended' | 'byHand' | 'won' | 'voided' | 'reconciled' | 'collected' | 'wonMore' | 'untouched' | 'begun',
  Scene
>;

async function opened(): Promise<Scene> {
  const player = playerOf(harness);
  return { player, hash: await player.open({ winAmount: WIN, roundId: 'r' }) };
}

/** A round whose workflow is in the copy, and whose bet isn't sent yet. */
async function begun(): Promise<Scene> {
  const player = playerOf(harness);
  const { operatorId, playerId, gameCode } = player.session;
  const name = roundName({ externalGameProviderRoundId: 'r', rngCallId: undefined, requestId: '' });
  const hash = gameroundHash(operatorId, playerId, gameCode, name);
  calls.push(player.start({ roundId: 'r', endGame: true }).catch(() => undefined));
  const status = (): Promise<string> =>
    harness
      .handle(hash)
      .describe()
      .then((described) => described.status.name)
      .catch(() => 'none');
  await until(status, (name) => name === 'RUNNING');
  return { player, hash };
}

beforeAll(async () => {
  temporal = await startRestorable();
  harness = await startRounds({ worker: 'none', temporalAddress: temporal.address });
  worker = await harness.startWorker();
  for (const name of [
    ...(['ended', 'byHand', 'won', 'voided', 'reconciled'] as const),
    ...(['collected', 'wonMore', 'untouched'] as const),
  ]) {
    scenes[name] = await opened();
  }
  await worker.stop();
  scenes.begun = await begun();
  await temporal.copy();
  await temporal.start();
  worker = await harness.startWorker();
  for (const { player, hash } of [
    scenes.ended,
    scenes.byHand,
    scenes.won,
    scenes.voided,
    scenes.reconciled,
  ]) {
    expect(await player.end(hash, 'first')).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  }
  await scenes.collected.player.collect(scenes.collected.hash, 200);
  await scenes.wonMore.player.win(scenes.wonMore.hash, { winAmount: 70 });
  await finished(harness, scenes.begun.hash);
  await worker.stop();
  await temporal.putBack();
  await temporal.start();
  sentBefore = new Map();
  for (const { hash } of Object.values(scenes)) sentBefore.set(hash, await harness.sent(hash));
  worker = await harness.startWorker();
});

afterAll(async () => {
  await Promise.all(calls);
  await worker?.stop();
  await harness?.stop();
  await temporal?.remove();
});

/** Nothing was sent since Temporal was put back, and the record is still the one of before. */
async function stillClosed({ hash }: Scene, net = WIN - STAKE): Promise<void> {
  await finished(harness, hash);
  expect(await harness.sent(hash)).toEqual(sentBefore.get(hash));
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record).toMatchObject({ status: 'closed', crashed: false, amountToCollect: 0, attention: [] });
  expect(ledger.net).toBe(net);
}

describe('a round whose record is over carries out nothing', () => {
  test('endGameRound under another key', async () => {
    const { player, hash } = scenes.ended;
    expect(await refused(player.end(hash, 'second'))).toBe('400 GAMEROUNDNOTACTIVE');
    await stillClosed(scenes.ended);
  });

  test('the signal end of a person', async () => {
    await harness
      .handle(scenes.byHand.hash)
      .signal(COMMANDS.end.signal, { type: 'end', key: 'k', reason: 'by hand' });
    await stillClosed(scenes.byHand);
  });

  test('addWin, which calls no wallet', async () => {
    const { player, hash } = scenes.won;
    expect(await refused(player.win(hash, { winAmount: 1 }))).toBe('400 GAMEROUNDNOTACTIVE');
    await stillClosed(scenes.won);
  });

  test('voidGameRound: nothing is voided', async () => {
    const { player, hash } = scenes.voided;
    expect(await refused(player.void(hash))).toBe('400 GAMEROUNDNOTACTIVE');
    await stillClosed(scenes.voided);
  });

  test('a reconciliation sends again what was sent, and nothing else', async () => {
    const { hash } = scenes.reconciled;
    const { round, outcome } = await harness.reconcile('op1', hash);
    expect([round.status, outcome.kind]).toEqual(['closed', 'accepted']);
    expect(await harness.sent(hash)).toEqual([...sentBefore.get(hash)!, 'debit+credit+end']);
    expect((await harness.ledger(hash)).net).toBe(WIN - STAKE);
  });

  test('a first bet that the older copy was still to send', async () => {
    await stillClosed(scenes.begun, -STAKE);
  });
});

describe('a round whose record is ahead of it is crashed, as the record says, and sends nothing', () => {
  test('endGameRound; a reconciliation then pays what is left', async () => {
    const { player, hash } = scenes.collected;
    expect(await refused(player.end(hash))).toBe('400 GAMEROUNDCRASHED');
    expect(await harness.sent(hash)).toEqual(sentBefore.get(hash));
    expect(await harness.rounds.find(hash)).toMatchObject({
      ...{ status: 'open', crashed: true, amountToCollect: WIN - 200, attention: ['crashed', 'restored'] },
    });
    expect(await harness.attention(hash)).toEqual(['crashed', 'restored']);
    const { round } = await harness.reconcile('op1', hash);
    expect(round.status).toBe('closed');
    await finished(harness, hash);
    const { record, ledger } = await agreedBooks(harness, hash);
    expect(record).toMatchObject({ status: 'closed', attention: [] });
    expect(ledger.net).toBe(WIN - STAKE);
  });

  test('addWin', async () => {
    const { player, hash } = scenes.wonMore;
    expect(await refused(player.win(hash, { winAmount: 1 }))).toBe('400 GAMEROUNDCRASHED');
    expect(await harness.rounds.find(hash)).toMatchObject({
      ...{ status: 'open', crashed: true, amountToCollect: WIN + 70 },
    });
  });

  test('its player starts another one', async () => {
    const { player } = scenes.wonMore;
    expect((await player.start({ roundId: 'next' })).gameRoundInfo.status).toBe('open');
  });
});

test('a round that did nothing since the copy goes on', async () => {
  const { player, hash } = scenes.untouched;
  expect(await player.end(hash)).toMatchObject({ amountCredited: WIN, gameRoundInfo: { status: 'closed' } });
  await finished(harness, hash);
  const { ledger } = await agreedBooks(harness, hash);
  expect(ledger.net).toBe(WIN - STAKE);
});
