import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tableOf } from '../../proof/report';
import { agreedBooks, finished, playerOf, refused, until } from '../support/player';
import type { RoundsHarness } from '../support/rounds-harness';
import { resetRound } from '../support/reset';
import { startProof, type ProofHarness } from './proof-harness';
import { recorded } from './support';

/* `npm run audit` and `npm run rebuild` over rounds on a real Temporal, whose payloads are encrypted. */

let proof: ProofHarness;
let harness: RoundsHarness;

beforeAll(async () => {
  proof = await startProof();
  harness = proof.harness;
});

afterAll(() => proof?.stop());

test('rounds of every kind: the audit is clean, names each changed record, and is clean again after a rebuild; play goes on', async () => {
  const hashes = await proof.playAll();
  const player = playerOf(harness);
  const open = await player.open({ winAmount: 12 });
  await until(
    () => harness.rounds.find(hashes['crashed']!),
    (record) => record?.crashed === true,
  );
  await resetRound(harness, hashes['collected']!);
  await finished(harness, hashes['collected']!);
  const clean = await proof.audited();
  expect(clean.all).toEqual({});
  expect(clean).toMatchObject({ rounds: 10, findings: 0, inProgress: 0, expired: 0 });
  // Debits: lost, won, collected, retried, voided, crashed, open: 250 each; followed: 500. The unknown debit's reply was lost.
  const total = {
    operator: 'op1',
    currency: 'EUR',
    debits: 2_250n,
    voids: 250n,
    credits: 700n + 305n + 40n + 3n + 10n,
  };
  expect(clean.histories.get('op1#EUR')).toMatchObject(total);
  expect(clean.records).toEqual(clean.histories);
  expect(tableOf(clean)).toContain('2250');
  expect((await proof.audited({ operator: 'op2' })).rounds).toBe(0);

  const { collection } = harness.rounds;
  const { snapshot } = (await collection.findOne({ _id: hashes['won']! }))!;
  await collection.updateOne({ _id: hashes['lost']! }, { $set: { status: 'open' } });
  await collection.updateOne(
    { _id: hashes['won']! },
    { $set: { snapshot: snapshot.replace('"amount":700', '"amount":70') } },
  );
  await collection.deleteOne({ _id: hashes['voided']! });
  const other = (await collection.findOne({ _id: hashes['retried']! }))!;
  await collection.insertOne({ ...other, _id: 'invented' });
  const changed = await proof.audited();
  expect(changed.all).toEqual({
    [hashes['lost']!]: {
      ...{
        gameround: hashes['lost'],
        kind: 'differs',
        reasons: ['status: history "closed", MongoDB "open"'],
      },
      fields: [{ path: 'status', expected: 'closed', found: 'open' }],
    },
    [hashes['won']!]: expect.objectContaining({
      kind: 'differs',
      reasons: ['snapshot.transactions[1].amount: history 700, MongoDB 70'],
    }) as object,
    [hashes['voided']!]: {
      ...{ gameround: hashes['voided'], kind: 'no-record' },
      reasons: ['MongoDB has no record, and the history has written one'],
    },
    invented: expect.objectContaining({ kind: 'no-workflow' }) as object,
  });
  expect(changed.findings).toBe(4);
  expect(changed.records.get('op1#EUR')).toMatchObject({ credits: total.credits - 630n });

  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  await proof.exported(folder);
  await harness.db.dropDatabase();
  // From the files alone.
  const elsewhere = proof.evidence('a server without these rounds');
  expect(await proof.rebuilt({ dir: folder }, elsewhere)).toMatchObject({ guards: 1, findings: 0 });
  expect(await proof.audited({ dir: folder }, elsewhere)).toMatchObject({ rounds: 10, all: {} });
  await rm(folder, { recursive: true });
  await harness.db.dropDatabase();
  const all = { ...hashes, open };
  const first = await proof.rebuilt();
  expect(first).toEqual({ records: 10, guards: 1, findings: 0 });
  expect((await proof.audited()).all).toEqual({});
  // What is missing is written, what is there stays.
  await collection.deleteMany({ _id: { $in: [hashes['won']!, open] } });
  expect(await proof.rebuilt()).toEqual({ records: 2, guards: 1, findings: 0 });
  expect(await collection.countDocuments()).toBe(Object.keys(all).length);

  expect(await refused(player.start())).toBe('400 GAMEROUNDALREADYSTARTED');
  await player.win(open, { winAmount: 30 });
  const { gameRoundInfo, amountCredited } = await player.end(open);
  expect([gameRoundInfo.status, amountCredited]).toEqual(['closed', 42]);
  await finished(harness, open);
  await agreedBooks(harness, open);
  const after = await proof.audited();
  expect(after.all).toEqual({});
  expect(after.histories.get('op1#EUR')).toMatchObject({ credits: total.credits + 42n });
});

test('a round that Temporal has deleted is rebuilt and audited from its exported history', async () => {
  await harness.db.dropDatabase();
  const elsewhere = proof.evidence('a server without this round');
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const file = join(folder, 'spin.json.gz');
  const zipped = gzipSync(await recorded('spin-won'));
  await writeFile(file, zipped);
  const options = { dir: folder };
  expect(await proof.rebuilt(options, elsewhere)).toEqual({ records: 1, guards: 0, findings: 0 });
  const { _id } = (await harness.rounds.collection.findOne({}))!;
  expect(await proof.audited(options, elsewhere)).toMatchObject({ rounds: 1, all: {} });
  expect((await proof.audited({}, elsewhere, { keptSince: new Date(0) })).all[_id]?.kind).toBe('no-workflow');
  expect(await proof.audited({}, elsewhere, { keptSince: new Date() })).toMatchObject({
    expired: 1,
    findings: 0,
  });
  await writeFile(file, zipped.subarray(0, -9));
  const damaged = await proof.audited(options, elsewhere, { keptSince: new Date() });
  expect(damaged.all['spin.json.gz']?.reasons.join()).toContain("can't be read");
  await rm(folder, { recursive: true });
});
