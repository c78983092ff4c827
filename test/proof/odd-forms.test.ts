import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit, type Document } from '../../proof/audit';
import { quietRuntime } from '../../proof/command';
import { rebuild } from '../../proof/rebuild';
import { recordIn } from '../../src/histories/record';
import { runsInArchive, type Run } from '../../proof/runs';
import { openArchive } from '../../src/archive';
import { createPayloadCodec } from '../../src/payloads/codec';
import { toDocument } from '../../src/read-model/rounds';
import { workflowBundle } from '../support/workflow-bundle';
import { inFirstPayload, recorded } from './support';

/* One record or history of an odd form, as after a change by hand: it is named, and the others are examined. */

let folder: string;
let codePath: string;

beforeAll(async () => {
  quietRuntime();
  codePath = await workflowBundle('plain', undefined, 'replay');
  folder = await mkdtemp(join(tmpdir(), 'gameround-odd-'));
  for (const name of ['spin-won', 'spin-lost'])
    await writeFile(join(folder, `${name}.json`), await recorded(name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const runs = async (): Promise<AsyncIterable<Run>> =>
  runsInArchive(await openArchive(folder), createPayloadCodec({ keys: [], readKeys: [] }), '');

/** The records that the histories say. */
async function records(): Promise<Map<string, Document>> {
  const all = new Map<string, Document>();
  for await (const { facts } of await runs()) {
    const { snapshot, version } = recordIn(facts)!.written!;
    all.set(snapshot.identity.gameround, toDocument(snapshot, version, 'test'));
  }
  return all;
}

/** The findings of an audit, by round. */
async function audited(documents: Map<string, Document>): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  await audit({
    ...{ runs: await runs(), replay: { codePath }, environment: 'test', keptSince: new Date(0) },
    find: (gameround) => Promise.resolve(documents.get(gameround)),
    guardOf: () => Promise.resolve('moved'),
    undecidedBets: async function* () {},
    records: async function* () {},
    runsOf: () => Promise.resolve([]),
    found: ({ gameround, kind, reasons }) => (found[gameround] ??= []).push(kind, ...reasons),
    step: () => undefined,
  });
  return found;
}

const text = (part: string): string => expect.stringContaining(part) as string;

test.each<[string, (document: Document) => object, string]>([
  [
    'an object as its snapshot',
    ({ snapshot }) => ({ snapshot: JSON.parse(snapshot) as unknown }),
    'snapshot: history {',
  ],
  ['a list as its snapshot', ({ snapshot }) => ({ snapshot: [snapshot] }), 'snapshot: history {'],
  ['a number as its snapshot', () => ({ snapshot: 7 }), 'snapshot: history {'],
  ['the text null as its snapshot', () => ({ snapshot: 'null' }), 'snapshot: history {'],
  ['an empty object in its snapshot', () => ({ snapshot: '{}' }), 'absent'],
  ['null in a mark', () => ({ waiting: [null] }), 'waiting: history absent, MongoDB [null]'],
  ['a text as its marks', () => ({ waiting: 'x' }), 'waiting: history absent, MongoDB "x"'],
])('a record with %s is named, and no other one', async (_, change, reason) => {
  const documents = await records();
  expect(await audited(documents)).toEqual({});
  const [odd, document] = [...documents][0]!;
  documents.set(odd, { ...document, ...change(document) });
  expect(await audited(documents)).toEqual({
    [odd]: expect.arrayContaining(['differs', text(reason)]) as unknown,
  });
});

test('a history with an odd start is named by an audit and a rebuild, and the others are examined', async () => {
  const documents = await records();
  const start = await recorded('start-win-collect-end');
  const odd = inFirstPayload(start, '{"identity":', '{"continued":{},"identity":');
  await writeFile(join(folder, 'a-odd.json'), odd);
  const whole = documents.size;
  const found = await audited(documents);
  expect(Object.keys(found)).toHaveLength(1);
  expect(Object.values(found)[0]).toEqual(
    expect.arrayContaining(['replay', text('another form than the service writes')]),
  );
  const named: string[] = [];
  const rebuilt = await rebuild({
    runs: await runs(),
    rounds: { write: () => Promise.resolve(true), collection: undefined as never },
    environment: 'test',
    guards: { restore: () => Promise.resolve(true), holder: () => Promise.resolve(undefined) },
    found: ({ reasons }) => named.push(...reasons),
    step: () => undefined,
  });
  expect([rebuilt.records, named]).toEqual([whole, [text('another form than the service writes')]]);
});
