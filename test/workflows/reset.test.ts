import { Worker } from '@temporalio/worker';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { resetRound } from '../support/reset';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/*
 * A person resets a round's workflow. If the record or the run before says more than the new run has done, the new run sends
 * nothing: it takes that state over.
 */

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

/** Waits for such a record. */
async function recorded(hash: string, isIt: (record: RoundSnapshot) => boolean): Promise<RoundSnapshot> {
  const found = await until(
    () => harness.rounds.find(hash),
    (record) => record !== undefined && isIt(record),
  );
  return found!;
}

const crashed = (hash: string): Promise<RoundSnapshot> => recorded(hash, (record) => record.crashed);

/** Waits until the round has taken over what the run before had come to. */
const marked = (hash: string): Promise<RoundSnapshot> =>
  recorded(hash, ({ attention }) => attention.includes('restored'));

/** Reconciles the round, which is over then. Returns the player's gain in the operator's books, which agree with the record. */
async function reconciled({ session }: Player, hash: string): Promise<number> {
  await harness.reconcile(session.operatorId, hash);
  return gain(hash);
}

async function gain(hash: string): Promise<number> {
  await finished(harness, hash);
  return (await agreedBooks(harness, hash)).ledger.net;
}

const shown = ({ transactions }: RoundSnapshot): unknown =>
  transactions.map(({ type, amount, outcome }) => [type, amount, outcome]);

describe.each(['first', 'newest'] as const)(
  'to its %s wallet call while the newest one is in flight',
  (to) => {
    /** Lets the newest call hang in the wallet, which has processed it, and resets the round. */
    async function resetDuring(player: Player, type: string, call: () => Promise<unknown>): Promise<string> {
      await answers(player, type, HANG_AFTER);
      void call().catch(() => undefined);
      const hash = await whileItHangs(player);
      await resetRound(harness, hash, to);
      return hash;
    }

    test.each<[string, (player: Player, hash: string) => Promise<unknown>]>([
      ['a collect', (player, hash) => player.collect(hash, 300)],
      ['an end', (player, hash) => player.end(hash)],
    ])('%s that was paid: crashed, and a reconciliation sends it again with its hash', async (_, call) => {
      const player = playerOf(harness);
      const hash = await player.open({ winAmount: 305 });
      await resetDuring(player, 'credit', () => call(player, hash));
      await marked(hash);
      expect(await harness.sent(hash)).toHaveLength(2);
      expect(await reconciled(player, hash)).toBe(305 - STAKE);
    });

    test('a void: it is sent again', async () => {
      const player = playerOf(harness);
      const hash = await player.open();
      await resetDuring(player, 'void', () => player.void(hash));
      expect(await gain(hash)).toBe(0);
    });

    test('the first bet: crashed, and it is unknown until a person settles it', async () => {
      const player = playerOf(harness);
      const hash = await resetDuring(player, 'debit', () => player.start({ roundId: 'r' }));
      expect(shown(await marked(hash))).toEqual([['debit', STAKE, 'unknown']]);
      expect(await harness.sent(hash)).toEqual(['debit']);
    });

    test('a follow-up debit: crashed, and a person settles it by the books', async () => {
      const player = playerOf(harness, { gameCode: FOLLOW_UP_GAME });
      const hash = await player.open({ rngCallId: 'one', roundId: 'r' });
      await resetDuring(player, 'debit', () => player.start({ rngCallId: 'two', roundId: 'r' }));
      const record = await marked(hash);
      expect(shown(record)).toEqual([
        ['debit', STAKE, 'accepted'],
        ['debit', STAKE, 'unknown'],
      ]);
      const accepted = record.transactions.slice(1).map((one) => one.hash);
      const settle = { key: 'ticket', reason: 'in the books', accepted, declined: [] };
      await harness.handle(hash).executeUpdate('settle', { args: [settle] });
      expect(await reconciled(player, hash)).toBe(-2 * STAKE);
    });
  },
);

test('without the later commands, while a collect is in flight: the next command crashes the round, and it is paid once', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 5 });
  await player.win(hash, { winAmount: 300 });
  await answers(player, 'credit', HANG_AFTER);
  void player.collect(hash, 300).catch(() => undefined);
  await whileItHangs(player);
  await resetRound(harness, hash, 'before newest', { withCommands: false });
  await refused(player.end(hash));
  await marked(hash);
  expect(await reconciled(player, hash)).toBe(305 - STAKE);
});

test('of an earlier run that continues as new at once, while an end is in flight: the next command crashes the round', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 300 });
  const newRun = async (before: string): Promise<void> => {
    await until(
      () => harness.handle(hash).describe(),
      ({ runId }) => runId !== before,
    );
  };
  const { runId } = await harness.handle(hash).describe();
  // Updates fill a run long before its events do.
  const win = (count: number): Promise<unknown> =>
    harness
      .handle(hash)
      .executeUpdate('addWin', { args: [{ key: `win ${count}`, winAmount: 1, collect: false }] });
  for (let count = 0; count < 105; count += 1) await win(count);
  await newRun(runId);
  await answers(player, 'credit', HANG_AFTER);
  void player.end(hash, 'e').catch(() => undefined);
  await whileItHangs(player);
  await newRun(await resetRound(harness, hash, 'end', { withCommands: false, runId }));
  await refused(player.end(hash, 'e'));
  await marked(hash);
  expect(await reconciled(player, hash)).toBe(405 - STAKE);
});

test('of a round that is over and has lost its record: the round stays over, and has its record again', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 300 });
  await player.end(hash);
  await finished(harness, hash);
  const [sent, record] = [await harness.sent(hash), await harness.rounds.find(hash)];
  await harness.rounds.collection.deleteOne({ _id: hash });
  await resetRound(harness, hash, 'first');
  await recorded(hash, () => true);
  await finished(harness, hash);
  expect(await harness.rounds.find(hash)).toEqual(record);
  expect(await harness.sent(hash)).toEqual(sent);
});

describe.each(['first', 'newest'] as const)('to its %s wallet call, which the record knows', (to) => {
  /** The round sends nothing after the reset, the books stay, and the new history replays. */
  async function unchanged(
    player: Player,
    hash: string,
    isTaken: () => Promise<unknown>,
  ): Promise<RoundSnapshot> {
    const { operatorId } = player.session;
    const [sent, ledger] = [await harness.sent(hash), await harness.ledger(hash, operatorId)];
    await resetRound(harness, hash, to);
    await isTaken();
    expect(await harness.sent(hash)).toEqual(sent);
    expect(await harness.ledger(hash, operatorId)).toEqual(ledger);
    const bundle = { codePath: await workflowBundle() };
    await Worker.runReplayHistory({ workflowBundle: bundle }, await harness.handle(hash).fetchHistory());
    return (await harness.rounds.find(hash))!;
  }
  /** Waits until a run after the current one is over. */
  async function overAgain(hash: string): Promise<() => Promise<void>> {
    const { runId } = await harness.handle(hash).describe();
    return async () => {
      await until(
        () => harness.handle(hash).describe(),
        (run) => run.runId !== runId,
      );
      await finished(harness, hash);
    };
  }
  test('a round that is over: the new run ends as it was recorded, and sends nothing', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: 5 });
    await player.win(hash, { winAmount: 300 });
    await player.collect(hash, 100);
    await player.win(hash, { winAmount: 20, collect: true });
    await player.end(hash);
    await finished(harness, hash);
    const before = await harness.rounds.find(hash);
    const after = await unchanged(player, hash, await overAgain(hash));
    expect(after).toEqual(before);
    await agreedBooks(harness, hash);
  });

  test('an open round is crashed with its mark, and a reconciliation closes it', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: 5 });
    await player.win(hash, { winAmount: 300 });
    await player.collect(hash, 305);
    const after = await unchanged(player, hash, () => marked(hash));
    expect(after).toMatchObject({ status: 'open', crashed: true });
    expect(shown(after)).toEqual([
      ['debit', STAKE, 'accepted'],
      ['credit', 305, 'accepted'],
    ]);
    expect(await refused(player.end(hash))).toBe('400 GAMEROUNDCRASHED');
    expect(await reconciled(player, hash)).toBe(305 - STAKE);
  });

  test('a crashed round: no bet is voided, the paid win stays, and it is crashed again', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: 700 });
    await answers(player, 'credit', { fault: 'status', status: 503, when: 'after' }, REFUSED);
    await refused(player.end(hash));
    await crashed(hash);
    const after = await unchanged(player, hash, () => marked(hash));
    expect(after).toMatchObject({ status: 'open', crashed: true });
    expect(shown(after)).toEqual([
      ['debit', STAKE, 'accepted'],
      ['credit', 700, 'pending'],
      ['end', undefined, 'pending'],
    ]);
  });

  test('wins by hand are not collected again in another order', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: 5 });
    const byHand = async (name: string, input: object): Promise<unknown> =>
      harness.handle(hash).executeUpdate(name, { args: [{ key: name, ...input }] });
    await byHand('addWin', { winAmount: 30, collect: false });
    await player.win(hash, { winAmount: 3 });
    await player.collect(hash, 10);
    await byHand('addWin', { key: 'more', winAmount: 7, collect: false });
    await byHand('end', {});
    await finished(harness, hash);
    const after = await unchanged(player, hash, await overAgain(hash));
    expect(after.status).toBe('closed');
    await agreedBooks(harness, hash);
  });

  test('what a person has settled stays settled', async () => {
    const player = playerOf(harness);
    const hash = await player.open({ winAmount: 700 });
    await answers(player, 'credit', { fault: 'status', status: 503, when: 'after' }, REFUSED);
    await refused(player.end(hash));
    const { transactions } = await crashed(hash);
    const declined = transactions.filter(({ outcome }) => outcome === 'pending').map((one) => one.hash);
    await harness.handle(hash).executeUpdate('settle', {
      args: [{ key: 'ticket', reason: 'not in the books', accepted: [], declined }],
    });
    await finished(harness, hash);
    await unchanged(player, hash, await overAgain(hash));
  });
});
