import * as fc from 'fast-check';
import { decide, type Decision } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { replyTo } from '../../src/domain/round/replies';
import { resume, applyWalletOutcome } from '../../src/domain/round/apply-wallet-outcome';
import type { Command, RoundSettings, RoundState, StartCommand } from '../../src/domain/round/types';
import { firstStarts, outcomeFor, picks, roundSettings, steps, type Step } from './arbitraries';
import { ReferenceLedger } from './reference-ledger';
import { AT, deepFreeze, IDENTITY, LATER, settings, throughJson } from './support';

interface Scenario {
  first: StartCommand;
  over: Partial<RoundSettings>;
  firstPicks: number[];
  steps: Step[];
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  first: firstStarts,
  over: roundSettings,
  firstPicks: picks,
  steps,
});

/** Drives the machine as its workflow does: while a call is pending, its outcome is settled. */
class Drive {
  readonly ledger = new ReferenceLedger();
  state: RoundState;
  /** Accepted, joined and refused commands, for the statistics of a run. */
  readonly seen: string[] = [];

  constructor({ first, over, firstPicks }: Scenario) {
    this.state = deepFreeze(createRound(IDENTITY, settings(over), deepFreeze(first), AT));
    this.ledger.accepted('start', first);
    this.noteNewCall(undefined);
    this.ledger.check(this.state);
    this.deliver(firstPicks);
  }

  send(command: Command): Decision {
    const before = this.state;
    const decision = this.twice((state) => decide(state, deepFreeze(command), LATER));
    this.seen.push(decision.kind);
    if (decision.kind === 'accept') {
      expect(before.pending).toBeUndefined();
      expect(before).toMatchObject({ status: 'open', crashed: false });
      this.ledger.accepted(decision.key, command);
      this.state = deepFreeze(decision.state);
      this.noteNewCall(before.pending);
      this.ledger.check(this.state);
    }
    if (decision.kind === 'join') expect(Object.keys(before.commands)).toContain(decision.key);
    return decision;
  }

  deliver(choices: readonly number[]): void {
    for (const pick of choices) {
      if (this.state.pending === undefined) return;
      this.deliverOnce(pick);
    }
  }

  /** Everything that is still owed goes well from now on. */
  drain(): void {
    for (let n = 0; this.state.pending !== undefined; n += 1) {
      if (n > 20) throw new Error('the machine never comes to rest');
      this.deliverOnce(0);
    }
    this.ledger.checkAtRest(this.state);
  }

  private deliverOnce(pick: number): void {
    if (this.state.pending?.progress === 'awaiting-operator') this.state = deepFreeze(resume(this.state));
    const { pending } = this.state;
    if (pending === undefined) return;
    const outcome = deepFreeze(outcomeFor(this.state, pick));
    if (pending.purpose === 'debit' && outcome.kind === 'accepted')
      this.ledger.debitTaken(pending.entry.result.winAmount);
    this.ledger.settled(pending.transactions, outcome);
    this.state = deepFreeze(this.twice((state) => applyWalletOutcome(state, outcome, LATER)));
    this.noteNewCall(pending);
    this.ledger.check(this.state);
  }

  private noteNewCall(before: RoundState['pending']): void {
    const { pending } = this.state;
    if (pending === undefined) return;
    if (before !== undefined && sameHashes(before, pending)) this.ledger.reissued(pending.transactions);
    else this.ledger.issued(pending.transactions);
  }

  /** The same again for the same input, also where the state went through JSON. */
  private twice<T>(rule: (state: RoundState) => T): T {
    const once = rule(this.state);
    expect(rule(this.state)).toEqual(once);
    expect(throughJson(rule(deepFreeze(throughJson(this.state))))).toEqual(throughJson(once));
    return once;
  }
}

function sameHashes(
  left: NonNullable<RoundState['pending']>,
  right: NonNullable<RoundState['pending']>,
): boolean {
  const idsOf = ({ transactions }: typeof left): string =>
    transactions.map(({ type, hash }) => type + hash).join();
  return idsOf(left) === idsOf(right);
}

describe('any commands, any outcomes', () => {
  it('keep every rule of the reference ledger', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const drive = new Drive(scenario);
        for (const step of scenario.steps) {
          drive.send(step.command);
          drive.deliver(step.picks);
        }
        drive.drain();
      }),
      { numRuns: 400 },
    );
  });

  it('a command that was accepted is joined by its repeat as long as the round is open', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const drive = new Drive(scenario);
        for (const step of scenario.steps) {
          const decision = drive.send(step.command);
          if (decision.kind === 'accept') {
            // On its way or answered: a repeat finds it, and nothing is done twice.
            const isOpen = drive.state.status === 'open' || drive.state.pending !== undefined;
            if (isOpen) expect(drive.send(step.command)).toEqual({ kind: 'join', key: decision.key });
          }
          drive.deliver(step.picks);
          if (decision.kind !== 'accept' || drive.state.crashed || drive.state.status !== 'open') continue;
          expect(drive.send(step.command)).toEqual({ kind: 'join', key: decision.key });
        }
      }),
      { numRuns: 100 },
    );
  });

  it('the first reply again, to the letter, while the round is open', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const drive = new Drive(scenario);
        const replies = new Map<string, unknown>();
        for (const step of scenario.steps) {
          drive.send(step.command);
          drive.deliver(step.picks);
          if (drive.state.status !== 'open' || drive.state.crashed) return;
          for (const [key, { answer }] of Object.entries(drive.state.commands)) {
            if (answer === undefined) continue;
            const reply: unknown = throughJson(replyTo(drive.state, answer));
            if (replies.has(key)) expect(reply).toEqual(replies.get(key));
            else replies.set(key, reply);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('while a call is pending nothing else is accepted', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const drive = new Drive(scenario);
        for (const step of scenario.steps) {
          const before = drive.state;
          const decision = drive.send(step.command);
          if (before.pending !== undefined) {
            expect(['join', 'refuse']).toContain(decision.kind);
            expect(drive.state).toBe(before);
          }
          if (before.pending !== undefined && decision.kind === 'refuse' && before.status === 'open') {
            expect(['OPERATIONBEINGPROCESSED', 'IDEMPOTENCYMISMATCH']).toContain(
              decision.refusal.errorCode.msg,
            );
          }
          drive.deliver(step.picks);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('the scenarios are worth something: they accept, join and refuse, close, cancel and crash', () => {
    const kinds = new Set<string>();
    const ends = new Set<string>();
    for (const scenario of fc.sample(scenarios, { numRuns: 150, seed: 7 })) {
      const drive = new Drive(scenario);
      for (const step of scenario.steps) {
        drive.send(step.command);
        drive.deliver(step.picks);
      }
      drive.drain();
      drive.seen.forEach((kind) => kinds.add(kind));
      ends.add(drive.state.crashed ? 'crashed' : drive.state.status);
    }
    expect([...kinds].sort()).toEqual(['accept', 'join', 'refuse']);
    expect([...ends].sort()).toEqual(['cancel', 'closed', 'crashed', 'open']);
  });
});
