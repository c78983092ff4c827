import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../stack/binaries';
import { freePorts } from '../../stack/ports';

const KEY = { id: 'test-key', secret: 'test-secret-of-the-store' };

export interface ObjectStore {
  /** `s3://bucket` */
  place: string;
  endpoint: string;
  stop(): Promise<void>;
}

/** An S3-compatible server over a folder (rclone), with credentials, which it sets for the AWS SDK of this process. */
export async function startObjectStore(): Promise<ObjectStore> {
  const binary = await findBinary('rclone', { onProgress: (line) => void process.stderr.write(`${line}\n`) });
  const folder = await mkdtemp(join(tmpdir(), 'gameround-store-'));
  await mkdir(join(folder, 'histories'));
  const [port = 0] = await freePorts(1);
  const args = [
    'serve',
    's3',
    '--addr',
    `127.0.0.1:${port}`,
    '--auth-key',
    `${KEY.id},${KEY.secret}`,
    folder,
  ];
  const server = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of server.stderr) if (String(line).includes('Starting s3 server')) break;
  server.stderr.resume();
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: KEY.id, AWS_SECRET_ACCESS_KEY: KEY.secret });
  return {
    place: 's3://histories/of/rounds',
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      server.kill();
      await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}
