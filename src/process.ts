import type { WalletGuardOptions } from './clients/guarded-wallet';
import type { CallReport } from './clients/http';
import { ConfigError } from './config';
import type { Logger } from './logging';
import type { Metrics } from './metrics';
import { TenantsFileError } from './tenants';

/* What the API and the worker process have in common at their edges. */

const RETRY_MS = 1_000;

/** Runs a process to its end. What a person can mend is one plain message, everything else a stack. */
export function runProcess(main: () => Promise<void>): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      const isPlain = error instanceof ConfigError || error instanceof TenantsFileError;
      process.stderr.write(`${isPlain ? error.message : String((error as Error).stack)}\n`);
      process.exit(1);
    },
  );
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

/** A server that can't be reached yet is asked again until it can, with one line that says which. */
export async function untilReached<T>(
  stopped: AbortSignal,
  logger: Logger,
  server: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  for (let told = false; !stopped.aborted; told = true) {
    try {
      return await run();
    } catch (error) {
      if (!told) logger.warn({ error }, `${server} can't be reached; trying again until it can`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
}

/** What becomes known about operators' wallets, for those who run the service. */
export function walletReports(
  logger: Logger,
  metrics: Metrics,
): Pick<WalletGuardOptions, 'onChange' | 'onWithheld'> {
  return {
    onChange: (operatorId, failing) => {
      metrics.walletFailing(operatorId, failing);
      if (failing) logger.warn({ operatorId }, 'the wallet gives no answers: bets for it are not sent');
      else logger.info({ operatorId }, 'the wallet answers again');
    },
    onWithheld: (operatorId, operation, why) => metrics.walletCallWithheld({ operatorId, operation, why }),
  };
}

/** A line and a measure for each call to an operator. */
export function walletCallReport(logger: Logger, metrics: Metrics): (call: CallReport) => void {
  return (call) => {
    logger.info(call, 'call out');
    metrics.walletCall({
      operatorId: call.tenant,
      operation: call.path.split('/').pop() ?? '',
      outcome: call.failure === undefined ? String(call.status) : 'silence',
      seconds: call.durationMs / 1_000,
    });
  };
}
