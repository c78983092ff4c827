import { createProviderClient } from './clients/game-provider';
import { guardedWallet, WALLET_GUARD } from './clients/guarded-wallet';
import { createHttpClient, type CallReport } from './clients/http';
import { createOperatorWallet } from './clients/operator-wallet';
import type { OperatorWallet, ProviderClient } from './clients/types';
import type { Config } from './config';
import { workflowIdOf } from './contracts/gameround';
import type { Delivery, ReplyReport } from './domain/wallet-rules';
import type { Logger } from './logging';
import type { Metrics } from './metrics';

/** The clients of operators and providers. All calls are logged; calls to operators are also measured. */
export interface PartnerClients {
  wallet: OperatorWallet;
  provider: ProviderClient;
  /** Logs and counts the outcome of a doTransactions call. */
  observe(delivery: Delivery): void;
  close(): Promise<void>;
}

export function createPartnerClients(
  { callbackAddresses: addresses }: Pick<Config, 'callbackAddresses'>,
  logger: Logger,
  metrics: Metrics,
): PartnerClients {
  const log = (call: CallReport): void => logger.info(call, 'call out');
  const toProviders = createHttpClient({ addresses, report: log });
  const toOperators = createHttpClient({
    addresses,
    report: (call) => {
      log(call);
      measure(call, metrics);
    },
  });
  const observe = (report: Delivery | ReplyReport): void => {
    const { operatorId, gameround } = report;
    const names = gameround === undefined ? {} : { workflowId: workflowIdOf(gameround) };
    const level = report.brokenRules.length === 0 ? 'info' : 'warn';
    logger[level]({ ...report, ...names }, 'wallet call classified');
    metrics.walletOutcome(report);
    for (const rule of report.brokenRules) metrics.walletRuleBroken({ operatorId, rule, gameround });
  };
  const wallet = guardedWallet(createOperatorWallet(toOperators, observe), {
    ...WALLET_GUARD,
    onChange: (operatorId, failing) => {
      metrics.walletFailing(operatorId, failing);
      if (failing) logger.warn({ operatorId }, 'the wallet gives no answers: bets for it are not sent');
      else logger.info({ operatorId }, 'the wallet answers again');
    },
    onWithheld: (operatorId, operation, why) => metrics.walletCallWithheld({ operatorId, operation, why }),
  });
  return {
    wallet,
    provider: createProviderClient(toProviders),
    observe,
    close: async () => {
      await toOperators.close();
      await toProviders.close();
    },
  };
}

function measure({ tenant, path, failure, status, durationMs }: CallReport, metrics: Metrics): void {
  metrics.walletCall({
    operatorId: tenant,
    operation: path.split('/').pop() ?? '',
    outcome: failure === undefined ? String(status) : 'no-response',
    seconds: durationMs / 1_000,
  });
}
