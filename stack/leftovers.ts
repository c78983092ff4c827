import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeFolder } from '../src/config';
import { UserError } from './user-error';

const Entry = z.object({ pid: z.number().int().min(2), marker: z.string().min(1) });

/**
 * A process of ours as written down in DATA_DIR/run, for a start after we were killed. `marker` is a part of its
 * command line that no stranger's has, such as the path of its data.
 */
export type RunEntry = z.infer<typeof Entry>;

const OWNER = 'stack';
const OWN_MARKER = join('stack', 'main');
const TERM_WAIT_MS = 15_000;
const KILL_WAIT_MS = 5_000;

/**
 * Makes this process the owner of a data folder and ends what an owner killed with -9 has left running.
 * Throws UserError when another `npm start` is using it.
 */
export async function claimDataDir(dataDir: string, say: (line: string) => void): Promise<void> {
  const dir = runDir(dataDir);
  makeFolder('DATA_DIR', dir);
  const owner = await readEntry(join(dir, OWNER));
  if (owner && owner.pid !== process.pid && isRunning(owner)) {
    throw new UserError(
      `Another npm start (process ${owner.pid}) is using ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  writeEntry(dir, OWNER, { pid: process.pid, marker: OWN_MARKER });
  for (const name of (await readdir(dir)).filter((entry) => entry !== OWNER)) {
    const entry = await readEntry(join(dir, name));
    if (entry && isRunning(entry)) await end(name, entry, say);
    await rm(join(dir, name), { force: true });
  }
}

export function runDir(dataDir: string): string {
  return join(dataDir, 'run');
}

export function writeEntry(dir: string, name: string, entry: RunEntry): void {
  writeFileSync(join(dir, name), JSON.stringify(entry));
}

/** After a clean stop nothing is left to be found. */
export async function releaseDataDir(dataDir: string): Promise<void> {
  await rm(runDir(dataDir), { recursive: true, force: true });
}

async function end(name: string, entry: RunEntry, say: (line: string) => void): Promise<void> {
  say(`ending ${name} (process ${entry.pid}) left over from a run that was killed`);
  signal(entry.pid, 'SIGTERM');
  if (await goneWithin(entry, TERM_WAIT_MS)) return;
  signal(entry.pid, 'SIGKILL');
  if (await goneWithin(entry, KILL_WAIT_MS)) return;
  throw new UserError(
    `Process ${entry.pid} (${name}, of an earlier run) does not end. End it by hand: kill -9 ${entry.pid}`,
  );
}

async function goneWithin(entry: RunEntry, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isRunning(entry)) {
    if (performance.now() > deadline) return false;
    await sleep(100);
  }
  return true;
}

/** Process ids are used again, so the id alone proves nothing: the command line has to be ours. */
function isRunning({ pid, marker }: RunEntry): boolean {
  return commandLine(pid).includes(marker);
}

function commandLine(pid: number): string {
  return existsSync('/proc/self/cmdline') ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function fromPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has gone by itself meanwhile.
  }
}

async function readEntry(file: string): Promise<RunEntry | undefined> {
  try {
    return Entry.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // absent, or cut short by the same crash
  }
}
