import { isDeepStrictEqual } from 'node:util';
import { ConfigError, readTemporalTls, type TemporalTls } from './config';
import type { Logger } from './logging';

const EVERY_MS = 10_000;

/**
 * Aborts when the certificate files of the Temporal connection have changed. The SDK reads certificates only once, so the
 * process ends with exit code 1 and the supervisor starts it again. New files that can't be used are ignored, for example
 * while only the certificate or only the key is replaced.
 */
export function watchCertificates(used: TemporalTls | false | undefined, logger: Logger): AbortSignal {
  const changed = new AbortController();
  if (!used) return changed.signal;
  let logged = '';
  const timer = setInterval(() => {
    try {
      if (isDeepStrictEqual(readTemporalTls(), used)) return;
    } catch (error) {
      const reason = error instanceof ConfigError ? error.faults.join('; ') : String(error);
      if (reason !== logged)
        logger.warn({ reason }, "Temporal's certificate files can't be used; the old ones stay in use");
      logged = reason;
      return;
    }
    clearInterval(timer);
    logger.warn(
      "Temporal's certificate files have changed; the process stops, to be started with the new ones",
    );
    process.exitCode = 1;
    changed.abort();
  }, EVERY_MS).unref();
  return changed.signal;
}
