import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEmpty, type Finding } from '../../proof/audit';
import { counted, type Options } from '../../proof/command';
import { missingRounds, roundsIn } from '../../proof/evidence';
import { openArchive } from '../../src/archive';
import type { RoundDocument } from '../../src/read-model/rounds';
import { finished, playerOf, refused, until } from '../support/player';
import type { RoundsHarness } from '../support/rounds-harness';
import { resetRound } from '../support/reset';
import { startProof, type ProofHarness } from './proof-harness';

/* What an audit says of rounds that need a person, and of those that a person has reset. */

let proof: ProofHarness;
let harness: RoundsHarness;

beforeAll(async () => {
  proof = await startProof();
  harness = proof.harness;
});

afterEach(() => harness.clearFaults());

afterAll(() => proof?.stop());

const forget = async (hash: string): Promise<void> => {
  const { workflowService, options } = harness.client;
  const { workflowId, runId } = await harness.handle(hash).describe();
  const workflowExecution = { workflowId, runId };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  const isThere = (): Promise<boolean> =>
    harness
      .handle(hash)
      .describe()
      .then(
        () => true,
        () => false,
      );
  await until(isThere, (there) => !there);
};

test('an open round without the guard is named, unless its game has moved to another provider', async () => {
  const { collection } = harness.rounds;
  const before = playerOf(harness, { providerId: 'gp1' });
  const moved = await before.open();
  const after = playerOf(harness, { providerId: 'gp2', playerId: before.session.playerId });
  const next = await after.open();
  const lost = await playerOf(harness).open();
  expect((await proof.audited()).all).toEqual({});
  await after.end(next);
  await finished(harness, next);
  await collection.updateOne({ _id: lost }, { $unset: { holds: '' } });
  expect((await proof.audited()).all).toEqual({
    [lost]: {
      ...{ gameround: lost, kind: 'no-guard' },
      reasons: ['the round is open and no round of its player has the guard'],
    },
  });
  expect((await proof.rebuilt({ hash: lost })).guards).toBe(1);
  expect((await proof.audited()).all).toEqual({});
  for (const hash of [moved, lost])
    await before.end(hash).catch(() => harness.handle(hash).signal('end', {}));
});

test.each([
  ['terminated', 'not-running', (hash: string) => harness.handle(hash).terminate('by hand')],
  ['unknown to Temporal', 'no-workflow', forget],
])(
  'a first bet without a record, whose workflow is %s, is named until repair-records has given it back',
  async (_, kind, end) => {
    const player = playerOf(harness);
    const { playerId } = player.session;
    await harness.fault({ fault: 'hang', when: 'after', match: { type: 'debit', playerId } });
    const starting = refused(player.start());
    const [bet] = await until(
      () => harness.callsOfPlayer(playerId),
      (calls) => calls.length > 0,
    );
    const hash = bet!.body.gameRound;
    // Its update waits by then. An update that comes later would start the round anew.
    await sleep(1_000);
    expect((await proof.audited()).all).toEqual({});
    await end(hash);
    await starting;
    const { all } = await proof.audited();
    expect(all[hash]).toEqual({
      ...{ gameround: hash, kind },
      reasons: [expect.stringContaining('its first bet may have been taken')],
    });
    await harness.repair(new Date(0));
    await finished(harness, hash);
    expect((await proof.audited()).all).toEqual({});
  },
);

test.each(['bet', 'win'])(
  'a round whose %s is answered after its workflow is terminated is named until repair-records has given it a workflow',
  async (what) => {
    const player = playerOf(harness);
    const { playerId } = player.session;
    const before = what === 'win' ? await player.open({ winAmount: 300 }) : undefined;
    const isWin = before !== undefined;
    const match = { type: isWin ? 'credit' : 'debit', playerId };
    await harness.fault({ fault: 'slow', delayMs: 2_500, when: 'after', match });
    const calling = refused(isWin ? player.collect(before, 300) : player.start());
    const calls = await until(
      () => harness.callsOfPlayer(playerId),
      (all) => all.length > (isWin ? 1 : 0),
    );
    const hash = calls[0]!.body.gameRound;
    await sleep(700);
    const { version = 0 } = (await harness.rounds.collection.findOne({ _id: hash })) ?? {};
    await harness.handle(hash).terminate('by hand');
    await calling;
    await until(
      () => harness.rounds.collection.findOne({ _id: hash }),
      (record) => (record?.version ?? 0) > version,
    );
    expect((await proof.audited()).all).toEqual({
      [hash]: { gameround: hash, kind: 'not-running', reasons: ['its workflow is terminated'] },
    });
    await harness.repair(new Date(0));
    await until(
      () => harness.rounds.collection.findOne({ _id: hash }),
      (record) => record?.attention.includes('crashed') === true,
    );
    expect((await proof.audited()).all).toEqual({});
  },
);

test.each<[string, (record: RoundDocument) => object, string]>([
  ['', () => ({ won: 70 }), 'won: history 7, MongoDB 70'],
  [', its version with another form,', ({ version }) => ({ version: `${version}` }), 'version: history '],
])(
  'a record that differs%s is named by audit and rebuild, and not written over',
  async (_, change, reason) => {
    const { collection } = harness.rounds;
    const { hash } = (await playerOf(harness).start({ endGame: true, winAmount: 7 })).gameRoundInfo;
    await finished(harness, hash);
    const found: Finding[] = [];
    const rebuilt = () => proof.rebuilt({ hash }, undefined, (finding) => found.push(finding));
    expect([await rebuilt(), found]).toEqual([{ records: 0, guards: 0, findings: 0 }, []]);
    await collection.updateOne({ _id: hash }, [{ $set: change((await collection.findOne({ _id: hash }))!) }]);
    expect((await rebuilt()).findings).toBe(1);
    const why = 'the record is there and differs; delete it to have it written again: ';
    expect(found).toMatchObject([
      { gameround: hash, kind: 'differs', reasons: [expect.stringContaining(why + reason)] },
    ]);
    expect((await proof.audited()).all).toMatchObject({ [hash]: { kind: 'differs' } });
    await collection.deleteOne({ _id: hash });
    expect((await rebuilt()).records).toBe(1);
    expect((await proof.audited()).all).toEqual({});
  },
);

test('a round that a person has reset is no difference, open or over, once or twice, also during a call', async () => {
  const player = playerOf(harness);
  const open = await player.open({ winAmount: 5 });
  await player.win(open, { winAmount: 300 });
  await player.collect(open, 100);
  const over = (await playerOf(harness).start({ endGame: true, winAmount: 7 })).gameRoundInfo.hash;
  await finished(harness, over);
  for (let times = 1; times <= 2; times += 1) {
    await resetRound(harness, over);
    await finished(harness, over);
    const { version } = (await harness.rounds.collection.findOne({ _id: open }))!;
    await resetRound(harness, open);
    await until(
      () => harness.rounds.collection.findOne({ _id: open }),
      (record) => record!.version > version && record!.attention.includes('restored'),
    );
    expect((await proof.audited()).all).toEqual({});
  }
  const other = playerOf(harness);
  const { playerId } = other.session;
  const waiting = await other.open({ winAmount: 5 });
  await harness.fault({ fault: 'hang', when: 'after', match: { type: 'credit', playerId } });
  void other.end(waiting).catch(() => undefined);
  await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.some(({ fault }) => fault === 'hang'),
  );
  await resetRound(harness, waiting);
  await until(
    () => harness.rounds.find(waiting),
    (record) => record?.attention.includes('restored') === true,
  );
  expect((await proof.audited()).all).toEqual({});
  // Without the run that the reset has ended.
  expect((await proof.audited({ since: new Date().toISOString() })).all).toEqual({});
  await harness.clearFaults();
  await harness.reconcile(other.session.operatorId, waiting);
  await finished(harness, waiting);
  expect((await proof.audited()).all).toEqual({});
});

test('a run that is on the server and in the folder is read once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const onServer = await proof.exported(folder);
  let both = 0;
  const evidence = { ...proof.evidence(), archive: await openArchive(folder) };
  for await (const _run of roundsIn(evidence, {})) both += 1;
  expect(both).toBe(onServer);
  await rm(folder, { recursive: true });
});

test('nothing to examine is known as such, and differs from nothing to do', async () => {
  const { hash } = (await playerOf(harness).start({ endGame: true, winAmount: 7 })).gameRoundInfo;
  await finished(harness, hash);
  expect(isEmpty(await proof.audited({ operator: 'nosuch' }))).toBe(true);
  expect(isEmpty(await proof.audited())).toBe(false);
  const found = async (options: Options): Promise<number> => {
    let count = 0;
    for await (const _run of missingRounds(proof.evidence(), options, () => (count += 1))) continue;
    return count;
  };
  expect(await found({ hash: 'nosuch' })).toBe(0);
  expect(await found({})).toBeGreaterThan(0);
});

test('one is written in the singular', () => {
  expect([0, 1, 2].map((count) => counted(count, 'round'))).toEqual(['0 rounds', '1 round', '2 rounds']);
  expect(counted(1, 'history', 'histories')).toBe('1 history');
});
