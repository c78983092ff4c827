import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { withoutSecrets, type LogLevel } from './config';

export type { Logger } from 'pino';

/** `service`: API and worker in one process. */
export type ProcessName = 'api' | 'worker' | 'service' | 'codec-server' | 'repair-records' | 'resume';

const LEVELS = 2;
/** Field names that may hold a secret. They are masked in log lines, down to LEVELS below the line. */
const SECRET_FIELDS = new Set([
  ...['token', 'currentToken', 'launchToken', 'secret', 'secrets', 'secretsKey', 'backofficeToken'],
  ...['apiKey', 'password', 'authorization', 'signature', 'cookie', 'uri', 'headers', 'body', 'query'],
  ...['querystring', 'x-h-auth-sig', 'X-H-AUTH-SIG'],
]);

/** pino's `redact` does the same, but with so many names it takes 40 times as long as the rest of a line. */
function masked(fields: object, levels: number): object {
  const within = (value: unknown): unknown =>
    levels > 0 && typeof value === 'object' && value !== null && !('toJSON' in value)
      ? masked(value, levels - 1)
      : value;
  if (Array.isArray(fields)) return fields.map(within);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => {
      if (value !== undefined && SECRET_FIELDS.has(name)) return [name, '***'];
      return [name, levels === LEVELS && name in SERIALIZERS ? value : within(value)];
    }),
  );
}

/** An error is written by its own rule and not as an object. */
const SERIALIZERS = { error: errorOf, err: errorOf };

/**
 * Writes JSON lines to standard output: `time` in ISO 8601, `level` as a word, `process` as its name. Callers pass ids
 * (requestId, gameround, workflowId), never bodies, headers or tokens. As a second protection, secrets are masked here.
 */
export function createLogger(options: {
  level: LogLevel;
  process: ProcessName;
  destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: { process: options.process, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => ({ ...masked(fields, LEVELS) }) },
      serializers: SERIALIZERS,
    },
    options.destination ?? standardOutput(),
  );
}

/** The buffer for a slow reader of the log. Further lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const END_MS = 1_000;

type Output = ReturnType<typeof pino.destination>;
let output: Output | undefined;

function standardOutput(): Output {
  if (output === undefined) {
    output = pino.destination({ fd: 1, sync: false, maxLength: MAX_WAITING_BYTES });
    // The service goes on if its log can't be written (full disk, closed pipe).
    output.on('error', () => undefined);
  }
  return output;
}

/**
 * Waits until all lines are written, at most a second. Then it disables the library's flush at exit, which could block for
 * ever.
 */
export async function endLog(): Promise<void> {
  const ending = output;
  if (ending === undefined) return;
  await new Promise<void>((resolve) => {
    const end = (): void => resolve();
    setTimeout(end, END_MS);
    ending.once('drain', end).once('error', end).write('');
  });
  ending.flushSync = () => undefined;
}

/** Logs an error that is not passed on, and returns what to go on with. */
export function goOnWith<T>(logger: Pick<Logger, 'warn'>, value: T, what: string): (error: unknown) => T {
  return (error) => {
    logger.warn({ error }, what);
    return value;
  };
}

const MAX_TEXT = 2_000;

/** Name, message, code and stack of an error. Other fields are left out: drivers put queries, commands and URIs there. */
function errorOf(error: unknown): unknown {
  if (!(typeof error === 'object' && error !== null && 'message' in error)) return typeof error;
  const { name, message, code, stack, cause } = error as Error & { code?: unknown };
  return {
    name,
    message: short(message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: short(stack ?? ''),
    ...(cause instanceof Error ? { cause: short(`${cause.name}: ${cause.message}`) } : {}),
  };
}

function short(text: string): string {
  return withoutSecrets(text.slice(0, MAX_TEXT));
}
