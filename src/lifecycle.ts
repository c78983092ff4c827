import type { Server } from 'node:net';
import { ConfigError, withoutSecrets } from './config';
import { endLog, type Logger } from './logging';
import { TenantsFileError } from './tenants';

/* Start and stop of the processes. */

const RETRY_MS = 1_000;

/** A person has to act before the process can go on. The message is one line that says what to do. */
export class PersonNeededError extends Error {
  override readonly name = 'PersonNeededError';
}

/** Something is not there yet, which is normal while processes start. The message says what is waited for. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

/**
 * Runs a process to its end. Prints errors that a person can fix as a plain message, and other errors as a stack. It masks
 * secrets, since Node would print an uncaught error with them.
 */
export function runProcess(main: () => Promise<void>): void {
  const fail = (error: unknown): void => {
    const isPlain = [ConfigError, TenantsFileError, PersonNeededError].some((kind) => error instanceof kind);
    const text = String(error instanceof Error ? error[isPlain ? 'message' : 'stack'] : error);
    process.stderr.write(`${withoutSecrets(text)}\n`);
    void endLog().finally(() => end(1));
  };
  process.on('uncaughtException', fail);
  process.stderr.on('error', () => undefined);
  main().then(
    () => void endLog().finally(() => end()),
    (error: unknown) => {
      const needed = whatToDo(error) ?? serverFault(error);
      fail(needed === undefined ? error : new PersonNeededError(needed));
    },
  );
}

const LAST_REQUESTS_MS = 1_000;
const LOOK_MS = 20;

/**
 * Ends the process. `process.exit` waits for each call to the file system, and one to a network folder whose server is gone
 * never returns. Only SIGKILL ends the process then.
 */
async function end(code?: number): Promise<void> {
  const isReading = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
  for (let waited = 0; isReading() && waited < LAST_REQUESTS_MS; waited += LOOK_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  if (isReading()) process.kill(process.pid, 'SIGKILL');
  process.exit(code ?? process.exitCode);
}

/**
 * Aborts on SIGTERM, SIGINT, or the end of the parent process. Further signals have no effect: Ctrl-C under npm arrives twice,
 * and the second signal must not interrupt the graceful stop.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on('SIGTERM', stop).on('SIGINT', stop).once('disconnect', stop);
  return controller.signal;
}

/** Waits until the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Listens at the address.
 * @throws ConfigError that names the setting of the port (`variable`)
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

/** Retries until a server can be reached and used. Logs each reason once: as a warning, but NotYetError as information. */
export async function untilReached<T>(
  stopped: AbortSignal,
  logger: Logger,
  server: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  const logged = new Set<string>();
  while (!stopped.aborted) {
    try {
      return await run();
    } catch (error) {
      const isEarly = error instanceof NotYetError;
      const needed = isEarly ? error.message : whatToDo(error);
      const line = needed ?? `${server} can't be reached; trying again until it can`;
      if (!logged.has(line)) logger[isEarly ? 'info' : 'warn'](needed === undefined ? { error } : {}, line);
      logged.add(line);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
}

/** gRPC statuses (their numbers are fixed by gRPC). Of the calls at start, only the namespace can be not found. */
const [DEADLINE_EXCEEDED, NOT_FOUND, PERMISSION_DENIED, UNAVAILABLE, UNAUTHENTICATED] = [4, 5, 7, 14, 16];
const MONGODB_AUTHENTICATION_FAILED = 18;

/** Errors of Temporal's, MongoDB's and the object store's clients and of the file system, without loading the clients. */
interface ServerError {
  name?: string;
  message?: string;
  code?: unknown;
  /** Of gRPC. */
  details?: string;
  /** Of the AWS SDK. */
  $metadata?: object;
  /** Of the file system: its message names the call and the path. */
  syscall?: string;
  path?: string;
  cause?: unknown;
}

function whatToDo(error: unknown): string | undefined {
  if (error instanceof PersonNeededError) return error.message;
  const { name, message, code, details = '', cause } = Object(error) as ServerError;
  if (name === 'NamespaceNotFoundError') return `TEMPORAL_NAMESPACE: ${message}`;
  if (code === NOT_FOUND && /namespace/i.test(details)) return `TEMPORAL_NAMESPACE: ${details}`;
  return cause instanceof Error ? whatToDo(cause) : undefined;
}

/** Which server does not respond or refuses the call, for a command that does not wait for it. */
function serverFault(error: unknown): string | undefined {
  const { name = '', message, code, cause, $metadata, syscall, path, ...more } = Object(error) as ServerError;
  // gRPC ends with it, also where it has none.
  const details = more.details?.replace(/\W*Resolution note: $/, '');
  if (syscall !== undefined && path !== undefined) return message;
  if (message === 'Region is missing') return 'AWS_REGION is not set: name the region of the bucket';
  if (name === 'CredentialsProviderError')
    return `AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: ${message}`;
  if ($metadata !== undefined)
    return `the object store refuses the call or does not respond: ${name}: ${message}`;
  if (['MongoServerSelectionError', 'MongoNetworkError', 'MongoNetworkTimeoutError'].includes(name))
    return `MONGODB_URI: MongoDB does not respond: ${message}`;
  if (name === 'MongoServerError' && code === MONGODB_AUTHENTICATION_FAILED)
    return `MONGODB_URI: MongoDB refuses the user or the password: ${message}`;
  if (details !== undefined && (code === UNAVAILABLE || code === DEADLINE_EXCEEDED))
    return `TEMPORAL_ADDRESS: Temporal does not respond: ${details}`;
  if (details !== undefined && (code === UNAUTHENTICATED || code === PERMISSION_DENIED))
    return `TEMPORAL_API_KEY or TEMPORAL_TLS_…: Temporal refuses the call: ${details}`;
  return cause instanceof Error ? serverFault(cause) : undefined;
}
