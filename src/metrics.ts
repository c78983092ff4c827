import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Measures of one process (contract §1 `GET /metrics`). Labels are few and fixed: never an id, a token or a path. */
export interface Metrics {
  httpCall(call: { method: string; route: string; status: number; seconds: number }): void;
  httpInFlight(change: 1 | -1): void;
  /** One delivery to an operator: `outcome` as judged (accepted, declined, unknown, repeat, refused, …). */
  walletCall(call: { operatorId: string; operation: string; outcome: string; seconds: number }): void;
  refusedAuthentication(reason: 'signature' | 'token'): void;
  /** Text in the format that Prometheus reads, and its content type. */
  exposition(): Promise<{ contentType: string; text: string }>;
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export function createMetrics(options: { defaults: boolean } = { defaults: true }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.defaults) collectDefaultMetrics({ register: registry });
  const http = new Histogram({
    name: 'gameround_http_call_seconds',
    help: 'Calls answered, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const inFlight = new Gauge({ name: 'gameround_http_in_flight', help: 'Calls being answered', registers });
  const wallet = new Histogram({
    name: 'gameround_wallet_call_seconds',
    help: 'Calls to operators’ wallets, by outcome',
    labelNames: ['operator', 'operation', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: 'gameround_refused_authentications_total',
    help: 'Calls refused for their signature or an unknown token',
    labelNames: ['reason'],
    registers,
  });
  return {
    httpCall: ({ method, route, status, seconds }) => http.observe({ method, route, status }, seconds),
    httpInFlight: (change) => inFlight.inc(change),
    walletCall: ({ operatorId, operation, outcome, seconds }) =>
      wallet.observe({ operator: operatorId, operation, outcome }, seconds),
    refusedAuthentication: (reason) => refused.inc({ reason }),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
