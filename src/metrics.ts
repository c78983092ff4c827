import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WalletRule } from './domain/wallet-rules';
import type { WaitingRounds } from './read-model/rounds';

/** The metrics of one process (docs/interface#metrics). Labels have few values: no round, player, token or path. */
export interface Metrics {
  httpCall(call: { method: string; route: string; status: number; seconds: number }): void;
  httpInFlight(change: 1 | -1): void;
  /** One call to an operator. `outcome` is the status, or `no-response`. */
  walletCall(call: { operatorId: string; operation: string; outcome: string; seconds: number }): void;
  /** The outcome of one delivery (see src/domain/classify-wallet-reply.ts). */
  walletOutcome(call: { operatorId: string; purpose: string; outcome: string }): void;
  walletRuleBroken(call: { operatorId: string; rule: WalletRule; gameround?: string | undefined }): void;
  /** A call that was not sent: the operator's wallet is failing, or it has too many calls in flight. */
  walletCallWithheld(call: { operatorId: string; operation: string; why: 'failing' | 'busy' }): void;
  walletFailing(operatorId: string, failing: boolean): void;
  /** The archive has all histories of runs that ended before. */
  exportedUntil(until: Date): void;
  /** `failed`: it could not be written. `deleted`: Temporal deleted it before. */
  historyNotExported(why: 'failed' | 'deleted'): void;
  refusedAuthentication(reason: 'signature' | 'token'): void;
  /** Counts the rounds with a mark each time the metrics are read. `ask` must not reject. */
  measureWaiting(ask: () => Promise<WaitingRounds[]>): void;
  /** What this process has seen of each operator's wallet since its start. */
  wallets(): Promise<WalletHealth[]>;
  /** The metrics in the Prometheus format, and the content type. */
  exposition(): Promise<{ contentType: string; text: string }>;
}

export interface WalletHealth {
  operatorId: string;
  /** Bets are not sent now, since the wallet does not respond. */
  failing: boolean;
  /** Deliveries by purpose and outcome. */
  outcomes: Record<string, Record<string, number>>;
  /** The rules that its replies have broken, the newest first. */
  brokenRules: BrokenRule[];
}

interface BrokenRule {
  rule: string;
  replies: number;
  /** When it was last broken, and in which round; a balance has no round. */
  last: string;
  gameround?: string | undefined;
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export function createMetrics(options: { defaults: boolean } = { defaults: true }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.defaults) collectDefaultMetrics({ register: registry });
  const http = new Histogram({
    name: 'gameround_http_call_seconds',
    help: 'Duration of answered calls, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const inFlight = new Gauge({ name: 'gameround_http_in_flight', help: 'Calls in progress', registers });
  const wallet = new Histogram({
    name: 'gameround_wallet_call_seconds',
    help: 'Duration of calls to operators’ wallets, by outcome',
    labelNames: ['operator', 'operation', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const outcomes = new Counter({
    name: 'gameround_wallet_outcomes_total',
    help: 'Deliveries to wallets, by outcome: accepted, declined, unknown, retryable, rejected',
    labelNames: ['operator', 'purpose', 'outcome'],
    registers,
  });
  const rulesBroken = new Counter({
    name: 'gameround_wallet_rules_broken_total',
    help: 'Replies of wallets to doTransactions and getBalance that break a rule (docs/operations.md)',
    labelNames: ['operator', 'rule'],
    registers,
  });
  /** By operator and rule. Both have few values. */
  const lastBroken = new Map<string, Map<string, BrokenRule>>();
  const withheld = new Counter({
    name: 'gameround_wallet_calls_withheld_total',
    help: 'Calls to operators’ wallets that were not sent: failing (bets and balances only) or busy',
    labelNames: ['operator', 'operation', 'why'],
    registers,
  });
  const failing = new Gauge({
    name: 'gameround_wallet_failing',
    help: '1 while bets for this operator are not sent, since its wallet does not respond',
    labelNames: ['operator'],
    registers,
  });
  const exported = new Gauge({
    name: 'gameround_exported_until_seconds',
    help: 'Unix time until which all histories are exported, in the process that exported last',
    registers,
  });
  const notExported = new Counter({
    name: 'gameround_histories_not_exported_total',
    help: 'Histories that could not be written (failed), or that Temporal deleted before (deleted)',
    labelNames: ['why'],
    registers,
  });
  const refused = new Counter({
    name: 'gameround_refused_authentications_total',
    help: 'Calls refused for a wrong signature or an unknown token',
    labelNames: ['reason'],
    registers,
  });
  return {
    httpCall: ({ method, route, status, seconds }) => http.observe({ method, route, status }, seconds),
    httpInFlight: (change) => inFlight.inc(change),
    walletCall: ({ operatorId, operation, outcome, seconds }) =>
      wallet.observe({ operator: operatorId, operation, outcome }, seconds),
    walletOutcome: ({ operatorId, purpose, outcome }) =>
      outcomes.inc({ operator: operatorId, purpose, outcome }),
    walletRuleBroken: ({ operatorId, rule, gameround }) => {
      rulesBroken.inc({ operator: operatorId, rule });
      const ofOperator = lastBroken.get(operatorId) ?? new Map<string, BrokenRule>();
      const replies = (ofOperator.get(rule)?.replies ?? 0) + 1;
      ofOperator.set(rule, { rule, replies, last: new Date().toISOString(), gameround });
      lastBroken.set(operatorId, ofOperator);
    },
    wallets: async () => {
      const [told, stopped] = await Promise.all([outcomes.get(), failing.get()]);
      const found = new Map<string, WalletHealth>();
      const of = (operatorId: string): WalletHealth => {
        const health = found.get(operatorId) ?? {
          ...{ operatorId, failing: false, outcomes: {} },
          brokenRules: [...(lastBroken.get(operatorId)?.values() ?? [])].sort((left, right) =>
            right.last.localeCompare(left.last),
          ),
        };
        found.set(operatorId, health);
        return health;
      };
      for (const { labels, value } of told.values) {
        const { operator, purpose, outcome } = labels as Record<string, string>;
        (of(operator!).outcomes[purpose!] ??= {})[outcome!] = value;
      }
      for (const { labels, value } of stopped.values) of(String(labels.operator)).failing = value === 1;
      return [...found.values()];
    },
    walletCallWithheld: ({ operatorId, operation, why }) =>
      withheld.inc({ operator: operatorId, operation, why }),
    exportedUntil: (until) => exported.set(until.getTime() / 1_000),
    historyNotExported: (why) => notExported.inc({ why }),
    walletFailing: (operatorId, isFailing) => failing.set({ operator: operatorId }, isFailing ? 1 : 0),
    refusedAuthentication: (reason) => refused.inc({ reason }),
    measureWaiting: (ask) => measureWaiting(registers, ask),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

const KEPT_MS = 5_000;

/** Both gauges share one query, which runs at most once in five seconds. */
function measureWaiting(registers: Registry[], ask: () => Promise<WaitingRounds[]>): void {
  let asked: { answer: Promise<WaitingRounds[]>; at: number } | undefined;
  const waiting = (): Promise<WaitingRounds[]> => {
    if (asked === undefined || performance.now() - asked.at > KEPT_MS)
      asked = { answer: ask(), at: performance.now() };
    return asked.answer;
  };
  new Gauge({
    name: 'gameround_rounds_waiting',
    help: 'Rounds with a mark, which a person should look at (docs/operations.md)',
    labelNames: ['mark', 'operator'],
    registers,
    async collect() {
      const found = await waiting();
      this.reset();
      for (const { mark, operator, rounds } of found) this.set({ mark, operator }, rounds);
    },
  });
  new Gauge({
    name: 'gameround_oldest_waiting_seconds',
    help: 'Age of the oldest mark of each kind',
    labelNames: ['mark'],
    registers,
    async collect() {
      const found = await waiting();
      this.reset();
      for (const mark of new Set(found.map((one) => one.mark))) {
        const oldest = Math.min(
          ...found.filter((one) => one.mark === mark).map(({ since }) => since.getTime()),
        );
        this.set({ mark }, Math.max(Date.now() - oldest, 0) / 1_000);
      }
    },
  });
}
