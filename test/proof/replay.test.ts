import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { quietRuntime } from '../../proof/command';
import { replay, type Replayed } from '../../proof/replay';
import { runsInArchive } from '../../proof/runs';
import { openArchive } from '../../src/archive';
import { createPayloadCodec } from '../../src/payloads/codec';
import { dataConverterOf } from '../../src/payloads/data-converter';
import type { PayloadKeys } from '../../src/payloads/keys';
import { workflowBundle } from '../support/workflow-bundle';
import { encrypted, inFirstPayload, recorded } from './support';

/* `npm run replay` on exported histories. */

const NO_KEYS: PayloadKeys = { keys: [], readKeys: [] };
const ONE_KEY: PayloadKeys = { keys: [], readKeys: [{ id: 'k1', secret: Buffer.alloc(32, 7) }] };

let folder: string;
let codePath: string;

beforeAll(async () => {
  quietRuntime();
  codePath = await workflowBundle('plain', undefined, 'replay');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gameround-replay-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (name: string, text: string | Buffer): Promise<void> => writeFile(join(folder, name), text);

/** What is wrong with the histories in the folder, by the name of the file; '' if one replays. */
async function problems(code = codePath, keys = NO_KEYS, limitMs?: number): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  const runs = runsInArchive(await openArchive(folder), createPayloadCodec(keys), '');
  const reason = ({ problem }: Replayed): string =>
    problem === undefined ? '' : `${problem.eventId ?? '-'} ${problem.reason}`;
  const options = { codePath: code, dataConverter: dataConverterOf(keys), limitMs };
  for await (const replayed of replay(runs, options)) found.push([replayed.run.file ?? '', reason(replayed)]);
  return Object.fromEntries(found);
}

/** The number of the event depends on when the recorded signals came. */
const CHANGED = expect.stringMatching(
  /^\d+ project\[0\]\.snapshot\.amountToCollect: history 305, today 306$/,
) as string;

test('a changed amount, a damaged file and a file that is no history are named, and the others replay', async () => {
  const history = await recorded('start-win-collect-end');
  const spin = await recorded('spin-won');
  const zipped = gzipSync(spin);
  zipped[Math.floor(zipped.length / 2)]! ^= 1;
  await put('a-damaged.json.gz', zipped);
  await put('b-won.json', inFirstPayload(history, '"winAmount":300,', '"winAmount":301,'));
  await put('c-no-history.json', '{"events":[]}');
  await put('d-spin.json', spin);
  await put('e-otherwise.json', history.replace('"signalName":"addWin"', '"signalName":"end"'));
  await put('f-whole.json.gz', gzipSync(history));
  expect(await problems()).toEqual({
    'a-damaged.json.gz': expect.stringContaining("the history can't be read") as string,
    'b-won.json': CHANGED,
    'c-no-history.json': expect.stringContaining('does not begin with the start') as string,
    'd-spin.json': '',
    'e-otherwise.json': expect.stringMatching(/^\d+ .*/s) as string,
    'f-whole.json.gz': '',
  });
});

test('a history that the SDK gives no result for is named, and the next ones replay', async () => {
  const spin = await recorded('spin-won');
  await put('a-no-type.json', spin.replace('"workflowType":', '"workflXwType":'));
  await put('b-no-queue.json', spin.replace('"taskQueue":', '"taskQueXe":'));
  await put('c-no-event.json', spin.replace('"eventId":"2"', '"eventId":"3"'));
  await put('d-whole.json', spin);
  expect(await problems(codePath, NO_KEYS, 3_000)).toEqual({
    'a-no-type.json':
      "- the history can't be read: the history does not begin with the start of a workflow and its type",
    'b-no-queue.json': '- no result after 3 s',
    'c-no-event.json': "- the history can't be read: event 3 is in the place of event 2",
    'd-whole.json': '',
  });
});

test('a workflow that sends another amount is found, though its events are the same', async () => {
  const changed = join(folder, 'workflows.js');
  const code = await readFile(codePath, 'utf8');
  const rule = 'state.amountToCollect + command.winAmount';
  expect(code.split(rule)).toHaveLength(2);
  await writeFile(changed, code.replace(rule, `${rule} + 1`));
  await put('won.json', await recorded('start-win-collect-end'));
  await put('lost.json', await recorded('spin-lost'));
  expect(await problems(changed)).toEqual({
    'lost.json': '',
    'won.json': CHANGED,
  });
});

test('encrypted histories replay with their key, and are named without it', async () => {
  const history = await recorded('start-win-collect-end');
  const write = { keys: ONE_KEY.readKeys, readKeys: [] };
  await put('whole.json', await encrypted(history, write));
  await put(
    'won.json',
    await encrypted(inFirstPayload(history, '"winAmount":300,', '"winAmount":301,'), write),
  );
  expect(await problems(codePath, ONE_KEY)).toEqual({
    'whole.json': '',
    'won.json': CHANGED,
  });
  const without = await problems();
  expect(without['whole.json']).toContain('"k1", which is in neither PAYLOAD_KEYS nor PAYLOAD_READ_KEYS');
});

test('a history that Temporal’s command line has exported replays', async () => {
  const seconds = (value: unknown): number => Number((value as { seconds: string }).seconds ?? 0);
  const text = JSON.stringify(JSON.parse(await recorded('spin-won')), (key, value: unknown) => {
    if (key === 'eventTime') {
      const { nanos = 0 } = value as { nanos?: number };
      return new Date(seconds(value) * 1_000)
        .toISOString()
        .replace('000Z', `${String(nanos).padStart(9, '0')}Z`);
    }
    return /(Timeout|Interval|Backoff)$/.test(key) ? `${seconds(value)}s` : value;
  });
  expect(text).toMatch(/"eventTime":"2026-/);
  await put('shown.json', text);
  expect(await problems()).toEqual({ 'shown.json': '' });
});
