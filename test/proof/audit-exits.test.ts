import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counted } from '../../proof/command';
import { roundsIn } from '../../proof/evidence';
import { openArchive } from '../../src/archive';
import { finished, playerOf, refused, until } from '../support/player';
import type { RoundsHarness } from '../support/rounds-harness';
import { startProof, type ProofHarness } from './proof-harness';

/* What an audit says of rounds that need a person, and of those that a person has reset. */

let proof: ProofHarness;
let harness: RoundsHarness;

beforeAll(async () => {
  proof = await startProof(5_000);
  harness = proof.harness;
}, 60_000);

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
  60_000,
);

test('a round that a person has reset is no difference, open or over, once or twice, also while it waits', async () => {
  const player = playerOf(harness);
  const open = await player.open({ winAmount: 5 });
  await player.win(open, { winAmount: 300 });
  await player.collect(open, 100);
  const over = (await playerOf(harness).start({ endGame: true, winAmount: 7 })).gameRoundInfo.hash;
  await finished(harness, over);
  for (let times = 1; times <= 2; times += 1) {
    await proof.reset(over);
    await finished(harness, over);
    await proof.reset(open);
    await until(
      () => harness.handle(open).query<{ phase: string }>('state'),
      ({ phase }) => phase === 'idle',
    );
    expect((await proof.audited()).all).toEqual({});
  }
  const { playerId } = player.session;
  await harness.fault({ fault: 'hang', when: 'after', match: { playerId } });
  await proof.reset(open);
  await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.some(({ fault }) => fault === 'hang'),
  );
  expect((await proof.audited()).all).toEqual({});
  // Without the run that the reset has ended.
  expect((await proof.audited({ since: new Date().toISOString() })).all).toEqual({});
  await harness.clearFaults();
  await until(
    () => harness.handle(open).query<{ phase: string }>('state'),
    ({ phase }) => phase === 'idle',
  );
  await player.win(open, { winAmount: 1 });
  await player.end(open);
  await finished(harness, open);
  expect((await proof.audited()).all).toEqual({});
}, 60_000);

test('a run that is on the server and in the folder is read once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const onServer = await proof.exported(folder);
  let both = 0;
  const evidence = { ...proof.evidence(), archive: await openArchive(folder) };
  for await (const _run of roundsIn(evidence, {})) both += 1;
  expect(both).toBe(onServer);
  await rm(folder, { recursive: true });
});

test('one is written in the singular', () => {
  expect([0, 1, 2].map((count) => counted(count, 'round'))).toEqual(['0 rounds', '1 round', '2 rounds']);
  expect(counted(1, 'history', 'histories')).toBe('1 history');
});
