import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { OPERATORS } from '../support/rounds-harness';
import { historyFromText } from '../../src/archive/history-text';
import { workflowBundle } from '../support/workflow-bundle';

/**
 * Rounds that were played by earlier workflow code have to replay under the current one: a running round meets it at
 * the next deployment. Where one fails, the change needs `patched`; see record.ts for new recordings.
 */

const FOLDER = join(__dirname, 'histories');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json.gz'))
  .sort();

let codePath: string;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  codePath = await workflowBundle();
});

function replay(text: string): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle: { codePath } }, historyFromText(text), 'replayed');
}

const read = (name: string): string => gunzipSync(readFileSync(join(FOLDER, name))).toString();

test('there are recordings', () => {
  expect(files.length).toBeGreaterThan(10);
});

test.each(files)('%s replays', async (name) => {
  await expect(replay(read(name))).resolves.toBeUndefined();
});

test('a history that the workflow would not make any more is found out', async () => {
  const name = files.find((file) => file.endsWith('start-win-collect-end.json.gz')) ?? '';
  // Had the win been an end, the round would have gone on otherwise.
  const changed = read(name).replaceAll('"signalName":"addWin"', '"signalName":"end"');
  expect(changed).not.toBe(read(name));
  await expect(replay(changed)).rejects.toThrow();
});

test('recordings hold no secret', () => {
  const decoded = (text: string): string =>
    text.replace(/"data":"([A-Za-z0-9+/=]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());
  for (const name of files) {
    const text = decoded(read(name));
    for (const { secrets } of OPERATORS) expect(text).not.toContain(secrets[0]);
    // The summary of a timer names them.
    expect(text.replaceAll('the secrets of op1', '')).not.toMatch(/secret|token|password|authorization/i);
  }
});
