import type { Answer } from '../support/e2e-http';
import type { Exchange } from './linear';

/** Counts what was really run, so that nobody has to believe that a run was not hollow. */
export class Tally {
  /** After so many nothing new is begun. */
  constructor(private readonly maxFailures: number) {}

  sequences = 0;
  commands = 0;
  batches = 0;
  batched = 0;
  /** `addWin 200`, `addWin 400 GAMEROUNDNOTACTIVE`: how often. */
  readonly answers = new Map<string, number>();
  /** Wallet faults that were met: `credit dropReply`. */
  readonly faults = new Map<string, number>();
  readonly repeats = new Map<string, number>();
  #failures = 0;

  sequence(commands: number): void {
    if (commands > 1) this.sequences += 1;
  }

  answered(kind: string, { status, body }: Answer): void {
    this.commands += 1;
    const name = body.errorCode?.msg;
    count(this.answers, [kind, status, ...(name === undefined ? [] : [name.split(':')[0]])].join(' '));
  }

  batch(exchanges: readonly Exchange[]): void {
    this.batches += 1;
    this.batched += exchanges.length;
    for (const { call, answer } of exchanges) this.answered(call.kind, answer);
  }

  met(faults: readonly string[]): void {
    for (const fault of faults) count(this.faults, fault);
  }

  again(kind: string, why: string): void {
    count(this.repeats, `${kind} ${why}`);
  }

  failed(): void {
    this.#failures += 1;
  }

  /** Enough was found. One failure does not end a long run: the others may be of another kind. */
  get stopped(): boolean {
    return this.#failures >= this.maxFailures;
  }

  report(seconds: number): string {
    const rate = (this.sequences / seconds).toFixed(1);
    return [
      `${this.sequences} sequences of at least two calls in ${seconds.toFixed(0)} s (${rate}/s),`,
      `${this.commands} calls, ${this.batched} of them in ${this.batches} parallel batches`,
      `\nanswers: ${listed(this.answers)}`,
      `\nwallet faults met: ${listed(this.faults)}`,
      `\nasked again: ${listed(this.repeats)}`,
    ].join(' ');
  }
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, times]) => `${what} × ${times}`)
    .join(', ');
}
