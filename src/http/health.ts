import type { MonotonicClock } from '../domain/time';
export type Part = 'temporal' | 'mongodb' | 'worker';

export interface HealthReport {
  /** Whether this process can take calls. */
  ready: boolean;
  /** Ready, but MongoDB is down: running rounds go on, but no new round starts. */
  degraded: boolean;
  missing: Part[];
}

export interface Health {
  check(): Promise<HealthReport>;
}

/** Each probe resolves if its part responds. `worker` resolves if a worker has polled within the last 70 s. */
export type Probes = Record<Part, () => Promise<void>>;

/** The reply of `GET /health/ready`. */
export function readinessReply({ ready, degraded, missing }: HealthReport): {
  status: 200 | 503;
  body: { status: string; missing: Part[] };
} {
  const status = degraded ? 'degraded' : 'ready';
  return { status: ready ? 200 : 503, body: { status: ready ? status : 'unavailable', missing } };
}

const KEPT_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Readiness (docs/interface#health). The process is ready after MongoDB has responded once, while Temporal and a worker
 * respond. A report is cached for a second, and concurrent checks share one probe, so frequent reads cost nothing.
 */
export function createHealth(probes: Probes, monotonicNow: MonotonicClock = () => performance.now()): Health {
  const seen = new Set<Part>();
  let kept: { report: HealthReport; at: number } | undefined;
  let running: Promise<HealthReport> | undefined;

  async function ask(): Promise<HealthReport> {
    const parts: Part[] = ['temporal', 'mongodb', 'worker'];
    const up = await Promise.all(parts.map((part) => answers(probes[part])));
    const missing = parts.filter((_part, at) => !up[at]);
    parts.forEach((part, at) => up[at] && seen.add(part));
    const needed = missing.filter((part) => part !== 'mongodb' || !seen.has('mongodb'));
    const ready = needed.length === 0;
    const report = { ready, degraded: ready && missing.length > 0, missing };
    kept = { report, at: monotonicNow() };
    return report;
  }

  return {
    check: () => {
      if (kept !== undefined && monotonicNow() - kept.at < KEPT_MS) return Promise.resolve(kept.report);
      running ??= ask().finally(() => (running = undefined));
      return running;
    },
  };
}

async function answers(probe: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MS);
  });
  const asked = probe().then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
