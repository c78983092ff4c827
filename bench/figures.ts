import { loadavg } from 'node:os';
import { build, type Histogram } from 'hdr-histogram-js';

/** Latencies and response statuses of one kind of call. */
export class Figures {
  readonly #ms: Histogram = build({ numberOfSignificantValueDigits: 3 });
  readonly statuses: Record<string, number> = {};

  constructor(readonly name: string) {}

  add(ms: number, status: number | string): void {
    this.#ms.recordValue(Math.max(1, Math.round(ms * 1_000)));
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  get count(): number {
    return this.#ms.totalCount;
  }

  /** In milliseconds. */
  percentile(percent: number): number {
    return Math.round(this.#ms.getValueAtPercentile(percent) / 100) / 10;
  }

  summary(seconds: number): Summary {
    return {
      name: this.name,
      count: this.count,
      perSecond: Math.round((10 * this.count) / seconds) / 10,
      p50Ms: this.percentile(50),
      p95Ms: this.percentile(95),
      p99Ms: this.percentile(99),
      maxMs: this.percentile(100),
      statuses: this.statuses,
    };
  }
}

/** Figures by name. */
export class FiguresByName {
  readonly #known = new Map<string, Figures>();

  add(name: string, ms: number, status: number | string): void {
    const figures = this.#known.get(name) ?? new Figures(name);
    this.#known.set(name, figures);
    figures.add(ms, status);
  }

  get all(): Figures[] {
    return [...this.#known.values()];
  }
}

export interface Summary {
  name: string;
  count: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
  statuses: Record<string, number>;
}

export function print({ name, count, perSecond, p50Ms, p95Ms, p99Ms, maxMs, statuses }: Summary): void {
  const told = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
  console.log(
    `${name.padEnd(44)} ${String(count).padStart(6)} ${String(perSecond).padStart(7)}/s   ` +
      `p50 ${p50Ms}  p95 ${p95Ms}  p99 ${p99Ms}  max ${maxMs} ms   ${told.join(', ')}`,
  );
}

/** Prints the machine's load, since figures mean little without it. Returns the load average of the last minute. */
export function printLoad(when: string): number {
  const [last = 0] = loadavg();
  console.log(`load average ${when}: ${last.toFixed(2)}`);
  return last;
}

export interface Criterion {
  name: string;
  passed: boolean;
  seen: string;
}

/** Prints each criterion. True if all of them passed. */
export function judge(criteria: readonly Criterion[]): boolean {
  for (const { name, passed, seen } of criteria) console.log(`${passed ? 'PASS' : 'FAIL'}  ${name}: ${seen}`);
  return criteria.every(({ passed }) => passed);
}
