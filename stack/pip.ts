import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface PipOptions {
  readonly python: string;
  /** Pinned requirements as pip arguments, or `-r` and a file. pip does not install their dependencies. */
  readonly requirements: readonly string[];
  readonly target: string;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const PIP_TIMEOUT_MS = 10 * 60_000;
const PROGRESS_EVERY_MS = 3_000;
const KEPT_OUTPUT_CHARS = 4_000;

/** Runs `pip install --target` for pinned wheels. Rejects with pip's last error line. */
export async function runPip({
  python,
  requirements,
  target,
  onProgress,
  signal,
}: PipOptions): Promise<void> {
  // pip unpacks in TMPDIR. It is in the target folder, so that the progress counts it and nothing stays in /tmp.
  const scratch = join(target, '.pip-tmp');
  await mkdir(scratch, { recursive: true });
  const started = performance.now();
  const timer = setInterval(() => {
    void sizeOf(target).then((bytes) =>
      onProgress?.(
        `${Math.round(bytes / 1e6)} MB after ${Math.round((performance.now() - started) / 1000)} s`,
      ),
    );
  }, PROGRESS_EVERY_MS);
  try {
    await pipProcess(python, ['--target', target, ...requirements], scratch, signal);
  } finally {
    clearInterval(timer);
    await rm(scratch, { recursive: true, force: true });
  }
}

function pipProcess(
  python: string,
  args: readonly string[],
  scratch: string,
  signal?: AbortSignal,
): Promise<void> {
  const fixed = [
    '-m',
    'pip',
    'install',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--no-input',
    '--no-cache-dir',
  ];
  // The timeout option of spawn would keep this process alive if the interpreter does not exist.
  const tooLong = AbortSignal.timeout(PIP_TIMEOUT_MS);
  return new Promise((done, fail) => {
    const child = spawn(python, [...fixed, '--progress-bar', 'off', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: scratch, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      signal: signal === undefined ? tooLong : AbortSignal.any([signal, tooLong]),
      killSignal: 'SIGKILL',
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT_CHARS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      fail(tooLong.aborted ? new Error(`not done after ${PIP_TIMEOUT_MS / 60_000} minutes`) : error);
    });
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else fail(new Error(lastErrorLine(output) ?? `pip ended with ${signal ?? code}`));
    });
  });
}

function lastErrorLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.filter((line) => /error/i.test(line)).at(-1) ?? lines.at(-1);
}

async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(entries.map((entry) => stat(join(dir, entry)).catch(() => undefined)));
  return sizes.reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0);
}
