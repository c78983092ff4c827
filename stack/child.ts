import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { writeEntry } from './leftovers';
import { openLog, tailOf } from './logs';

export interface ChildOptions {
  /** As people know it: `temporal`, `api`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** stdout and stderr go here, appended. */
  readonly logFile: string;
  /** An IPC channel, by which a node child notices that we are gone. */
  readonly ipc?: boolean;
  /** Its own process group, so that a terminal's Ctrl-C reaches only us and we stop things in order. */
  readonly ownGroup?: boolean;
  readonly stopTimeoutMs?: number;
  /** Where to write down that it runs, so that a later start can end it if we are killed (leftovers.ts). */
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
  /** Settles when the process is gone, for whatever reason; never rejects. */
  readonly exited: Promise<Exit>;
  /** Last lines that it wrote. */
  tail(lines?: number): string[];
  /** SIGTERM, a bounded wait, then SIGKILL. Returns when it is gone; harmless when it already is. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 15_000;

/** Starts a process that ends with ours: by our stop(), our exit, or (on Linux) our being killed. */
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
 * util-linux's setpriv has the kernel send the child SIGTERM when we die, also by SIGKILL, and keeps its process id.
 * Elsewhere a server outlives a killed parent until the next start ends it (see leftovers.ts).
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
