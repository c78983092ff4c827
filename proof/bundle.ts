import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import type { Config } from '../src/config';
import { encrypts } from '../src/payloads/data-converter';
import { bundleCode } from '../worker/bundle';

/** Bundles the workflows of this checkout for a replay, and removes the bundle afterwards. It takes some seconds. */
export async function withReplayBundle<T>(
  { payloads }: Config,
  use: (codePath: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-replay-'));
  try {
    const code = await bundleCode(
      require.resolve('../workflows'),
      encrypts(payloads) ? 'encoded' : 'plain',
      new DefaultLogger('ERROR'),
      [require.resolve('./told')],
    );
    const codePath = join(folder, 'workflows.js');
    await writeFile(codePath, code);
    return await use(codePath);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
