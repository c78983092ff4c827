import type { MonotonicClock } from '../domain/time';
export type Part = 'temporal' | 'mongodb' | 'worker';

export interface HealthReport {
  /** Whether calls should be sent here. */
  ready: boolean;
  /** Ready, but MongoDB is down: running rounds go on, nothing new starts. */
  degraded: boolean;
  missing: Part[];
}

export interface Health {
  check(): Promise<HealthReport>;
}

/** Each resolves when its part answers; `worker`: when one has polled within 70 s. */
export type Probes = Record<Part, () => Promise<void>>;

/** What `GET /health/ready` replies. */
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
 * Readiness (docs/interface#health): not before every part has answered once; afterwards only Temporal and the workers count.
 * A report is kept for a second, and asked for once at a time: the probes cost the same however often it is read.
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
