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
 * The record of a process in DATA_DIR/run. A start after a killed run reads it. `marker` is a part of the process's command
 * line that other programs' command lines don't have, such as the path of its data.
 */
export type RunEntry = z.infer<typeof Entry>;

const OWNER = 'stack';
const OWN_MARKER = join('stack', 'main');
const TERM_WAIT_MS = 15_000;
const KILL_WAIT_MS = 5_000;

/**
 * Makes this process the owner of a data folder. Ends the processes that a killed owner has left running.
 *
 * @throws UserError if another `npm start` uses the folder, or a process does not end
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

/** Removes the records. Called after all processes have stopped. */
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

/** The system uses process ids again, so the command line of the process must contain the marker, too. */
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
    // The process has already ended.
  }
}

async function readEntry(file: string): Promise<RunEntry | undefined> {
  try {
    return Entry.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // absent, or incomplete because of a crash
  }
}
