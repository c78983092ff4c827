import type { Server } from 'node:net';
import { ConfigError, withoutSecrets } from './config';
import { endLog, type Logger } from './logging';
import { TenantsFileError } from './tenants';

/* What the API and the worker process have in common at their edges. */

const RETRY_MS = 1_000;

/** A person has to do something before it can go on; the message is one plain line that says what. */
export class PersonNeededError extends Error {
  override readonly name = 'PersonNeededError';
}

/**
 * Runs a process to its end. What a person can mend is one plain message, everything else a stack. Node would print what
 * nothing catches as it is, with the secrets that may be in it.
 */
export function runProcess(main: () => Promise<void>): void {
  const fail = (error: unknown): void => {
    const isPlain = [ConfigError, TenantsFileError, PersonNeededError].some((kind) => error instanceof kind);
    const text = String(error instanceof Error ? error[isPlain ? 'message' : 'stack'] : error);
    process.stderr.write(`${withoutSecrets(text)}\n`);
    void endLog().finally(() => process.exit(1));
  };
  process.on('uncaughtException', fail);
  process.stderr.on('error', () => undefined);
  main().then(() => void endLog().finally(() => process.exit()), fail);
}

/**
 * Aborted by SIGTERM, SIGINT, or the end of the process that started this one. Further signals change nothing: Ctrl-C
 * under npm arrives twice, and the second one must not cut off what the first lets finish.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on('SIGTERM', stop).on('SIGINT', stop).once('disconnect', stop);
  return controller.signal;
}

/** Returns when the signal has come, at once where it has come before. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Listens at the address that the settings with these names give.
 * @throws ConfigError, which names the one of them to change
 */
export function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  variable: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const isInUse = code === 'EADDRINUSE';
      const reason = isInUse
        ? 'is in use: stop what listens there, or choose another'
        : `can't be used (${code})`;
      reject(new ConfigError([`${variable}: ${host}:${port} ${reason}`]));
    });
    server.listen(port, host, () => resolve());
  });
}

/** A server that can't be reached, or used, yet is asked again until it can, with one line that says which and why. */
export async function untilReached<T>(
  stopped: AbortSignal,
  logger: Logger,
  server: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  const told = new Set<string>();
  while (!stopped.aborted) {
    try {
      return await run();
    } catch (error) {
      const needed = whatToDo(error);
      const line = needed ?? `${server} can't be reached; trying again until it can`;
      if (!told.has(line)) logger.warn(needed === undefined ? { error } : {}, line);
      told.add(line);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
}

/** As gRPC has it; of what is asked for at start only the namespace can be missing. */
const NOT_FOUND = 5;

function whatToDo(error: unknown): string | undefined {
  if (error instanceof PersonNeededError) return error.message;
  const { code, details, cause } = error as { code?: unknown; details?: unknown; cause?: unknown };
  if (code === NOT_FOUND && /namespace/i.test(String(details)))
    return `TEMPORAL_NAMESPACE: ${String(details)}`;
  return cause instanceof Error ? whatToDo(cause) : undefined;
}
