import type { Fault } from './faults';
import type { ProcessCall, Reply } from './reply';

const MAX_HELD = 10_000;

interface Held {
  faultId: number;
  process: () => Promise<void>;
}

/** Received calls that are processed later, as in a network that delays messages and changes their order. */
export class Holds {
  private readonly held = new Set<Held>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private closed = false;

  /**
   * Resolves with the real answer when the call is released, or with undefined if too many calls are held or the sandbox has
   * stopped. Stays pending if the sandbox stops while the call is held.
   */
  wait(fault: Extract<Fault, { fault: 'hold' }>, process: ProcessCall): Promise<Reply | undefined> {
    return new Promise((resolve, reject) => {
      if (this.closed || this.held.size >= MAX_HELD) {
        resolve(undefined);
        return;
      }
      const held: Held = { faultId: fault.id, process: () => process().then(resolve, reject) };
      this.held.add(held);
      if (fault.delayMs !== undefined) this.schedule(fault.delayMs, () => this.processHeld(held));
    });
  }

  later(delayMs: number, process: ProcessCall): void {
    this.schedule(delayMs, async () => {
      await process();
    });
  }

  get count(): number {
    return this.held.size;
  }

  /** Processes the held calls of one switch, or all, in the order of their arrival. Returns their number. */
  async release(faultId?: number): Promise<number> {
    const due = [...this.held].filter((held) => faultId === undefined || held.faultId === faultId);
    for (const held of due) await this.processHeld(held);
    return due.length;
  }

  /** Drops the held calls without processing them, like messages that a network loses. */
  close(): void {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.held.clear();
  }

  private async processHeld(held: Held): Promise<void> {
    if (this.held.delete(held)) await held.process();
  }

  private schedule(delayMs: number, run: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void run().catch(() => undefined);
    }, delayMs);
    this.timers.add(timer);
  }
}
