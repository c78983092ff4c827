import { execFileSync, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openArchive } from '../../src/archive';
import { fileOf, prefixOf, readHistoryFile } from '../../src/archive/names';
import { until } from '../support/until';

/* Where exported histories are kept, when the place does not respond or ids are not plain. */

const RUN = '00000000-0000-0000-0000-000000000000';
const LIMIT_MS = 200;
let folder: string;

beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'gameround-archive-'))));
afterEach(() => rm(folder, { recursive: true }));

test('a folder that hangs holds one call: the next ones give up, and the process still looks names up', async () => {
  // Reading a pipe to which no one writes blocks, as a file of a network folder whose server is gone.
  const pipe = join(folder, 'hangs.txt');
  execFileSync('mkfifo', [pipe]);
  await (await openArchive(folder)).write('ab/before.json.gz', Buffer.from('x'));
  const archive = await openArchive(folder, undefined, LIMIT_MS);
  const attempts = Array.from({ length: 6 }, () => archive.read('hangs.txt'));
  const ends = await Promise.race([
    Promise.allSettled(attempts),
    sleep(30_000, 'still waits', { ref: false }),
  ]);
  const next = await Promise.race([
    archive.has('ab/before.json.gz').catch(String),
    sleep(30_000, 'still waits', { ref: false }),
  ]);
  const lookedUp = await Promise.race([
    lookup('localhost').then(() => 'found'),
    sleep(30_000, 'still waits', { ref: false }),
  ]);
  // Each reader that waits gets its text, so that no thread stays blocked after the test.
  const script = 'for i in 1 2 3 4 5 6; do timeout 0.5 sh -c \'echo text > "$0"\' "$0"; done';
  await once(spawn('sh', ['-c', script, pipe]), 'exit');
  const refused = { status: 'rejected', reason: new Error(`${folder} does not respond`) };
  expect(ends).toEqual(attempts.map(() => refused));
  expect([next, lookedUp]).toEqual([`Error: ${folder} does not respond`, 'found']);
  // A busy disk may take longer than the limit once more.
  await until(
    () => archive.has('ab/before.json.gz').catch(() => false),
    (isThere) => isThere,
  );
});

test('a call to an object store that accepts it and does not answer ends', async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    // It answers a GET with a part of the file.
    socket.on('data', (data) => {
      if (String(data).startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const archive = await openArchive('s3://bucket/prefix', endpoint, LIMIT_MS);
  for (const call of [
    () => archive.has('x'),
    () => archive.write('x', Buffer.from('x')),
    () => archive.read('x'),
  ])
    await expect(Promise.race([call(), sleep(30_000, 'still waits', { ref: false })])).rejects.toThrow();
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('two processes that write a file at once: it is whole at each moment, and no part of it stays', async () => {
  const bytes = Buffer.alloc(3_000_000, 'x');
  const [one, other] = await Promise.all([openArchive(folder), openArchive(folder)]);
  const sizes = new Set<number>();
  for (let count = 0; count < 10; count += 1) {
    const file = `ab/f${count}.json.gz`;
    let going = true;
    const watching = (async () => {
      for (; going; await sleep(0))
        if (existsSync(join(folder, file))) sizes.add((await readFile(join(folder, file))).length);
    })();
    await Promise.all([one.write(file, bytes), other.write(file, bytes)]).finally(() => (going = false));
    await watching;
    sizes.add((await readFile(join(folder, file))).length);
  }
  expect([...sizes]).toEqual([bytes.length]);
  expect((await readdir(join(folder, 'ab'))).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test.each(['a pipe', 'a link to a folder'])(
  '%s is named and not read; a link to a file is read',
  async (what) => {
    await writeFile(join(folder, 'a'), 'A');
    await symlink('a', join(folder, 'b'));
    const archive = await openArchive(folder);
    const names = async (): Promise<string[]> => {
      const all: string[] = [];
      for await (const name of archive.list('')) all.push(name);
      return all;
    };
    expect(await names()).toEqual(['a', 'b']);
    expect(Buffer.from(await archive.read('b')).toString()).toBe('A');
    if (what === 'a pipe') execFileSync('mkfifo', [join(folder, 'c')]);
    else await symlink('.', join(folder, 'c'));
    await expect(names()).rejects.toThrow(`${join(folder, 'c')} is no file`);
  },
);

test('a write that fails leaves no file', async () => {
  const archive = await openArchive(folder);
  await expect(archive.write('ab/x.json.gz', { length: 1 } as Uint8Array)).rejects.toThrow();
  expect(await readdir(join(folder, 'ab'))).toEqual([]);
  expect(await archive.has('ab/x.json.gz')).toBe(false);
});

test.each([
  'gameround-../../escaped',
  'gameround-/etc/x',
  'gameround-..\\x',
  'gameround-..',
  'gameround-a b%',
])('a run of the workflow %s is a file in the folder, and its own', async (workflowId) => {
  const inner = join(folder, 'a', 'b');
  const archive = await openArchive(inner);
  const file = fileOf({ workflowId, runId: RUN });
  await archive.write(file, Buffer.from('x'));
  expect(file).toMatch(/^[\w%-]+\/gameround-[\w%-]+\.[0-9-]{36}\.json\.gz$/);
  expect(file.startsWith(prefixOf(workflowId))).toBe(true);
  expect(readHistoryFile(file)?.named?.runId).toBe(RUN);
  const files = execFileSync('find', [folder, '-type', 'f']).toString().trim().split('\n');
  expect(files).toEqual([join(inner, file)]);
});
