import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { writeEntry } from './leftovers';
import { openLog, tailOf } from './logs';

export interface ChildOptions {
  /** The name in messages, such as `temporal` or `service`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** stdout and stderr are appended to this file. */
  readonly logFile: string;
  /** Opens an IPC channel. A Node child notices by it that this process has ended (preload.ts). */
  readonly ipc?: boolean;
  /** A process group of its own: a terminal's Ctrl-C then reaches only this process, which stops its children in order. */
  readonly ownGroup?: boolean | undefined;
  readonly stopTimeoutMs?: number | undefined;
  /** Records the running process, so that a later start can end it if this process is killed (leftovers.ts). */
  readonly record?: { readonly runDir: string; readonly marker: string };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has ended for any reason. Never rejects. */
  readonly exited: Promise<Exit>;
  /** The last lines of its log. */
  tail(lines?: number): string[];
  /** Sends SIGTERM, and SIGKILL after a timeout. Resolves when the process has ended. May be called again. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 15_000;

/** Starts a process that ends with stop(), when this process exits, and on Linux also when this process is killed. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args } = endingWithUs(options.command, options.args);
  const log = openLog(options.logFile);
  const child = spawn(command, args, {
    stdio: options.ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    env: options.env ?? process.env,
    cwd: options.cwd,
    detached: options.ownGroup ?? false,
  });
  closeSync(log);
  const pid = await spawned(child, options);
  const exited = exitOf(child);
  killAtOurExit(child, exited);
  if (options.record) writeEntry(options.record.runDir, options.name, { pid, marker: options.record.marker });
  return {
    name: options.name,
    pid,
    logFile: options.logFile,
    exited,
    tail: (lines) => tailOf(options.logFile, lines),
    stop: () => stopChild(child, exited, options.stopTimeoutMs ?? STOP_TIMEOUT_MS),
  };
}

/** `by SIGKILL`, `with code 1`. */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `with code ${code}` : `by ${signal}`;
}

function spawned(child: ChildProcess, { name, command }: ChildOptions): Promise<number> {
  return new Promise((done, fail) => {
    child.once('spawn', () => {
      if (child.pid === undefined) fail(new Error(`${name} has no process id`));
      else done(child.pid);
    });
    child.once('error', (error) =>
      fail(new Error(`${name} could not be started (${command}): ${error.message}`)),
    );
  });
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((done) => child.once('exit', (code, signal) => done({ code, signal })));
}

async function stopChild(child: ChildProcess, exited: Promise<Exit>, timeoutMs: number): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await exited;
  clearTimeout(timer);
}

/**
 * With setpriv (util-linux) the kernel sends SIGTERM to the child when this process dies, also by SIGKILL. The process id
 * stays the same. Without setpriv the child of a killed process runs until the next start ends it (leftovers.ts).
 */
function endingWithUs(
  command: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  const wrapper = ['--pdeathsig', 'TERM'];
  const works = process.platform === 'linux' && spawnSync('setpriv', [...wrapper, 'true']).status === 0;
  return works ? { command: 'setpriv', args: [...wrapper, command, ...args] } : { command, args };
}

function killAtOurExit(child: ChildProcess, exited: Promise<Exit>): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  void exited.then(() => process.removeListener('exit', kill));
}
