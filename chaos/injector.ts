import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';
import { exchange } from '../test/support/e2e-http';
import type { Checked, Violation } from './checks/check';
import type { WalletCall } from './evidence';
import { outage } from './faults/outage';
import { restore } from './faults/restore';
import { refusal } from './faults/refusal';
import { tenantsChange } from './faults/tenants';
import type { Promised, Tools } from './faults/tools';
import type { Notes } from './players/notes';
import {
  faultsOf,
  LANES,
  LOST_ANSWER_MS,
  type Fault,
  type Lane,
  type OrdinaryFault,
  type Pace,
} from './schedule';
import { PROCESSES, type Part, type Stack } from './stack';

/** One fault and its effect. `hits`: how many calls, connections, processes or rounds it met. */
export interface Injected {
  /** Milliseconds since the run began. */
  atMs: number;
  lane: Lane;
  fault: Fault;
  hits: number;
  /** Why the fault could not be dealt. */
  error?: string | undefined;
}

export interface InjectorOptions {
  stack: Stack;
  notes: Notes;
  seed: number;
  pace: Pace;
  /** Only the faults whose name begins with this text. */
  only?: string | undefined;
  /** Compiles the service with new workflow code. Returns its folder. */
  next(): Promise<string>;
  isOver: () => boolean;
  log: (line: string) => void;
}

const POLL_MS = 40;
const AMBUSH_MS = 4_000;
/** Time between the wallet's answer and the kill; shorter than the first attempt to write a record. */
const ANSWERED_MS = 500;
/** Temporal notices a lost worker after 5 s. A call is repeated after its time limit (workflows/policies.ts). */
const REPEAT_MS = 14_000;

/** Deals the faults of the seed's schedule, all lanes at the same time, until the time is over. */
export class Injector {
  readonly injected: Injected[] = [];
  /** Findings of the outage faults during the run. */
  readonly besieged: Checked = {
    id: 'I10',
    promise: 'while a wallet is away, calls end in time, reads succeed, and no history grows without bound',
    examined: 0,
    violations: [],
  };
  readonly decided: Checked = {
    id: 'I12',
    promise: 'a round whose win is refused, or whose settings change, ends correctly and is paid once',
    examined: 0,
    violations: [],
  };
  readonly #startedAt = Date.now();
  readonly #tools: Tools;
  /** One permit for each lane. A fault that has to be alone takes all of them. */
  readonly #room = new Semaphore(LANES.length);
  #deployed = false;

  constructor(private readonly options: InjectorOptions) {
    const { stack, notes, seed, isOver, log } = options;
    this.#tools = {
      ...{ stack, notes, seed, isOver, log },
      alone: (run) => this.#room.runExclusive(run, LANES.length),
      pause: (ms) => this.#pause(ms),
      addSwitch: (who, how) => this.#addSwitch(who, how),
      hits: (who, id) => this.#hits(who, id),
      takeAway: (who, id) => this.#takeAway(who, id),
      saw: (promise: Promised, examined: number, violations: readonly Violation[]) => {
        this[promise].examined += examined;
        this[promise].violations.push(...violations);
      },
    };
  }

  /** Returns when the time is over or the schedule has ended. */
  async run(): Promise<void> {
    await Promise.all(LANES.map((lane) => this.#runLane(lane)));
  }

  /** Repairs everything that faults broke: links, clocks, partners, processes. */
  async heal(): Promise<void> {
    const { stack } = this.options;
    for (const link of stack.links.values()) link.mendAll();
    await Promise.all(
      (['api', 'worker-1', 'worker-2', 'sandbox'] as const).map((clock) => stack.setClock(clock, 0)),
    );
    for (const who of ['wallet', 'game'] as const) {
      await this.#partner(who, 'DELETE', 'faults');
      await this.#partner(who, 'POST', 'release', {});
    }
    const parts: Part[] = ['temporal', 'mongod', 'worker-1', 'worker-2', 'api'];
    for (const part of parts) await stack.start(part);
    await stack.ready();
  }

  async #runLane(lane: Lane): Promise<void> {
    const { seed, pace, only } = this.options;
    for (const { afterMs, fault } of faultsOf(lane, seed, pace, only)) {
      await this.#pause(afterMs);
      if (this.options.isOver()) return;
      const entry: Injected = { atMs: Date.now() - this.#startedAt, lane, fault, hits: 0 };
      this.injected.push(entry);
      try {
        entry.hits = await this.#inject(fault);
      } catch (error) {
        entry.error = String(error);
        this.options.log(`${fault.name}: ${entry.error}`);
      }
      // The time was over before the fault met anything, so it does not count.
      if (entry.hits === 0 && this.options.isOver()) this.injected.splice(this.injected.indexOf(entry), 1);
    }
  }

  async #pause(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (Date.now() < until && !this.options.isOver())
      await sleep(Math.min(POLL_MS * 2, until - Date.now()));
  }

  async #inject(fault: Fault): Promise<number> {
    switch (fault.kind) {
      case 'restore':
        return restore(fault, this.#tools);
      case 'outage':
        return outage(fault, this.#tools);
      case 'refusal':
        return refusal(fault, this.#tools);
      case 'tenants':
        return tenantsChange(fault, this.#tools);
      default:
        return this.#room.runExclusive(() => this.#injectBesideOthers(fault));
    }
  }

  async #injectBesideOthers(fault: OrdinaryFault): Promise<number> {
    const { stack } = this.options;
    switch (fault.kind) {
      case 'kill':
        return this.#kill(fault.parts, fault.downMs);
      case 'freeze':
        return (await stack.freeze(fault.part, fault.ms)) ? 1 : 0;
      case 'restart':
        return this.#restart(fault.part);
      case 'deploy':
        return this.#deploy();
      case 'clock':
        return this.#setClock(fault);
      case 'network':
        return this.#breakLink(fault);
      case 'partner':
        return this.#switchOn(fault);
      case 'ambush':
        return this.#ambush(fault);
    }
  }

  async #kill(parts: readonly Part[], downMs: number): Promise<number> {
    const { stack } = this.options;
    const killed = await Promise.all(parts.map((part) => stack.kill(part)));
    await sleep(downMs);
    await Promise.all(parts.map((part) => stack.start(part)));
    return killed.filter(Boolean).length;
  }

  async #restart(part: Part): Promise<number> {
    const { stack } = this.options;
    const stopped = await stack.stop(part);
    await stack.start(part);
    return stopped ? 1 : 0;
  }

  /**
   * Restarts one process after the other, so that old and new code run at the same time for a while. A later deploy only
   * restarts the processes: the service never goes back to old code.
   */
  async #deploy(): Promise<number> {
    const { stack } = this.options;
    if (!this.#deployed) stack.deploy(await this.options.next());
    this.#deployed = true;
    let changed = 0;
    for (const part of PROCESSES) changed += await this.#restart(part);
    return changed;
  }

  async #setClock({ clock, skewMs, ms }: Extract<Fault, { kind: 'clock' }>): Promise<number> {
    const { stack } = this.options;
    await stack.setClock(clock, skewMs);
    await sleep(ms);
    await stack.setClock(clock, 0);
    return clock === 'sandbox' || stack.isRunning(clock) ? 1 : 0;
  }

  /** Lasts at least `ms`, and then until it has met something or the patience is over. */
  async #breakLink({ link: name, fault, ms }: Extract<Fault, { kind: 'network' }>): Promise<number> {
    const link = this.options.stack.link(name);
    link.break(fault);
    await sleep(ms);
    await this.#until(() => Promise.resolve(link.affected > 0), this.options.pace.patienceMs);
    const { affected } = link;
    link.mend();
    return affected;
  }

  async #switchOn({ who, switch: how, ms }: Extract<Fault, { kind: 'partner' }>): Promise<number> {
    const id = await this.#addSwitch(who, how);
    const times = (how as { times?: number }).times ?? 1;
    await this.#until(async () => (await this.#hits(who, id)) >= times, ms);
    await this.#until(async () => (await this.#hits(who, id)) > 0, this.options.pace.patienceMs);
    return this.#takeAway(who, id);
  }

  /** Only repeats of the caught calls meet the second switch. Returns how many did. */
  async #ambush({
    type,
    lost,
    switches: [first, repeat],
  }: Extract<Fault, { kind: 'ambush' }>): Promise<number> {
    const { stack } = this.options;
    const links = lost === undefined ? [] : [stack.link(`API→${lost}`), stack.link(`worker→${lost}`)];
    const since = Date.now();
    const id = await this.#addSwitch('wallet', first);
    const isCaught = async (): Promise<boolean> => (await this.#hits('wallet', id)) > 0;
    await this.#until(isCaught, AMBUSH_MS + this.options.pace.patienceMs);
    if (await isCaught()) {
      for (const link of links) link.break({ kind: 'black hole' });
      if (lost !== undefined) await sleep(LOST_ANSWER_MS + ANSWERED_MS);
      await Promise.all(PROCESSES.map((part) => stack.kill(part)));
      for (const link of links) link.mend();
    }
    const caught = (await this.#takeAway('wallet', id)) > 0 ? await this.#slowedSince(since, type) : [];
    const repeats = await Promise.all(
      caught.map((gameRound) => this.#addSwitch('wallet', { ...repeat, match: { gameRound, type } })),
    );
    await Promise.all(PROCESSES.map((part) => stack.start(part)));
    const met = (): Promise<number[]> => Promise.all(repeats.map((one) => this.#hits('wallet', one)));
    await this.#until(async () => (await met()).every((hits) => hits > 0), REPEAT_MS);
    const hits = await Promise.all(repeats.map((one) => this.#takeAway('wallet', one)));
    // If the answer is in the record, there is no repeat.
    return lost === undefined ? hits.reduce((sum, one) => sum + one, 0) : caught.length;
  }

  /** Rounds with a call of this type that the wallet answered slowly since then. */
  async #slowedSince(since: number, type: string): Promise<string[]> {
    const { calls } = await this.#partner('wallet', 'GET', 'calls?path=/doTransactions&limit=50');
    const slowed = (calls as WalletCall[]).filter(
      ({ receivedMs, fault, body }) =>
        receivedMs >= since && fault === 'slow' && body.transactions.some((one) => one.type === type),
    );
    return [...new Set(slowed.map(({ body }) => body.gameRound))];
  }

  async #until(isSo: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline && !this.options.isOver() && !(await isSo())) await sleep(POLL_MS);
  }

  async #addSwitch(who: 'wallet' | 'game', how: object): Promise<number> {
    return Number((await this.#partner(who, 'POST', 'faults', how))['id']);
  }

  async #takeAway(who: 'wallet' | 'game', id: number): Promise<number> {
    const hits = await this.#hits(who, id);
    await this.#partner(who, 'DELETE', `faults/${id}`);
    return hits;
  }

  async #hits(who: 'wallet' | 'game', id: number): Promise<number> {
    const { faults } = await this.#partner(who, 'GET', 'faults');
    return (faults as { id: number; hits: number }[]).find((one) => one.id === id)?.hits ?? 0;
  }

  async #partner(
    who: 'wallet' | 'game',
    method: string,
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const { walletUrl, gameUrl } = this.options.stack;
    const answer = await exchange({
      method: method as 'GET',
      url: `${who === 'wallet' ? walletUrl : gameUrl}/sandbox/${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status >= 400)
      throw new Error(`sandbox ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** How often each fault was dealt and how often it met something, by its name. */
export function tally(injected: readonly Injected[]): Map<string, { times: number; hits: number }> {
  const counts = new Map<string, { times: number; hits: number }>();
  for (const { fault, hits } of injected) {
    const known = counts.get(fault.name) ?? { times: 0, hits: 0 };
    counts.set(fault.name, { times: known.times + 1, hits: known.hits + hits });
  }
  return new Map([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * Fails for each kind of fault that was never dealt without an error: such a kind tests nothing. One fault of a kind may
 * fail, for instance because its round ended meanwhile.
 */
export function faultsDealt(injected: readonly Injected[]): Checked {
  const names = [...new Set(injected.map(({ fault }) => fault.name))];
  const violations = names.flatMap((name) => {
    const dealt = injected.filter(({ fault }) => fault.name === name);
    return dealt.every(({ error }) => error !== undefined) ? [{ what: `${name}: ${dealt[0]?.error}` }] : [];
  });
  return { id: 'I13', promise: 'each kind of fault could be dealt', examined: names.length, violations };
}
