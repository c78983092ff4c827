import { ConfigError, withoutSecrets } from '../src/config';
import { readStackConfig } from './config';
import { startStack } from './stack';
import { summary } from './summary';
import { BinaryNotFoundError } from './binaries';
import { UserError } from './user-error';

const PARENT_CHECK_MS = 500;

/** `npm start`: runs everything in the foreground until Ctrl-C or SIGTERM. Resolves with the exit code. */
async function main(): Promise<number> {
  const stopping = stopSignal();
  const started = performance.now();
  const say = (line: string): void => console.log(line.replace(/^/gm, '  '));
  try {
    const config = readStackConfig(process.env);
    const stack = await startStack({ config, env: process.env, say, signal: stopping });
    console.log(summary(config, stack, performance.now() - started));
    const reason = await Promise.race([stack.failed, aborted(stopping)]);
    console.log(reason === undefined ? '\nStopping' : `\nStopping: ${reason}`);
    await stack.stop();
    console.log('Stopped; nothing is left running.');
    return reason === undefined ? 0 : 1;
  } catch (error) {
    if (stopping.aborted) return 0;
    const isPlain = [UserError, ConfigError, BinaryNotFoundError].some((kind) => error instanceof kind);
    const text = String(error instanceof Error ? error[isPlain ? 'message' : 'stack'] : error);
    console.error(withoutSecrets(text));
    return 1;
  }
}

/** Aborted by Ctrl-C, SIGTERM, a closed terminal, or the end of the npm that started this process. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  // Under npm Ctrl-C arrives twice, from the terminal and from npm. A second abort changes nothing.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  // npm sends a signal to the shell that it started. Some shells do not forward it to this process.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === 'start') {
    setInterval(() => process.ppid !== parent && stopping.abort(), PARENT_CHECK_MS).unref();
  }
  return stopping.signal;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    signal.addEventListener('abort', () => done(undefined), { once: true });
  });
}

void main().then((code) => process.exit(code));
