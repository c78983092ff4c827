import * as fc from 'fast-check';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { decide } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { applyWalletOutcome, isRetried, resume } from '../../src/domain/round/apply-wallet-outcome';
import type { Command, RoundSettings, RoundState, StartCommand } from '../../src/domain/round/types';
import type { OperatorTransaction, WalletAnswer } from '../../src/domain/wallet-call';
import { commands, firstStarts, roundSettings } from './arbitraries';
import { ModelWallet, type ModelWalletRules } from './model-wallet';
import { AT, IDENTITY, LATER, settings } from './support';

/** What happens to one delivery of a call between us and an honest wallet. */
const FAULTS = [
  'none',
  'request lost',
  'reply lost',
  'request late',
  'status 500, not processed',
  'status 500, processed',
  '200 that is no JSON, processed',
  'status 429, not processed',
  'status 404 of a proxy, not processed',
  'signature refused',
  'refused',
  'worker died before the request',
  'worker died after the reply',
] as const;
type Fault = (typeof FAULTS)[number];

const faults = fc.array(fc.constantFrom(...FAULTS), { maxLength: 4 });

interface Scenario {
  first: StartCommand;
  firstFaults: Fault[];
  over: Partial<RoundSettings>;
  listsHashes: boolean;
  steps: { command: Command; faults: Fault[] }[];
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  first: firstStarts,
  firstFaults: faults,
  over: roundSettings,
  listsHashes: fc.boolean(),
  steps: fc.array(fc.record({ command: commands, faults }), { maxLength: 10 }),
});

const SILENCE: WalletAnswer = { kind: 'no-response', reason: 'time-out' };

/** A round, its judge and a wallet at the other end of a bad line. */
class Line {
  readonly wallet: ModelWallet;
  state: RoundState;
  /** Copies of requests that reach the wallet at the very end. */
  private readonly late: OperatorTransaction[][] = [];
  private readonly sent = new Map<string, OperatorTransaction>();
  wins = 0;

  constructor({ first, over, firstFaults, listsHashes }: Scenario) {
    const rules: ModelWalletRules = { voidsWholeRound: over.voidsWholeRound ?? false, listsHashes };
    this.wallet = new ModelWallet(rules);
    this.state = createRound(IDENTITY, settings(over), first, AT);
    this.drive(firstFaults);
  }

  send(command: Command, happens: readonly Fault[]): void {
    const decision = decide(this.state, command, LATER);
    if (decision.kind !== 'accept') return;
    this.state = decision.state;
    if (command.type === 'addWin') this.wins += command.winAmount;
    this.drive(happens);
  }

  /** The end of all things: what was late arrives. */
  finish(): void {
    for (const call of this.late) this.wallet.process(call, false);
  }

  private drive(happens: readonly Fault[]): void {
    const script = [...happens];
    let redelivered = false;
    for (let n = 0; this.state.pending !== undefined; n += 1) {
      if (n > 40) throw new Error('the round never comes to rest');
      if (this.state.pending.progress === 'awaiting-operator') this.state = resume(this.state);
      const { pending } = this.state;
      const fault = script.shift() ?? 'none';
      const answer = this.deliver(pending?.transactions ?? [], fault);
      if (answer === 'unrecorded') {
        redelivered = true;
        continue;
      }
      this.applyAnswer(answer, redelivered);
      redelivered = this.state.pending?.purpose === 'void' && isRetried(this.state);
    }
  }

  private applyAnswer(answer: WalletAnswer, redelivered: boolean): void {
    const { pending, maybePaid } = this.state;
    if (pending === undefined) throw new Error('nothing is pending');
    const creditAccepted = this.state.transactions.some(
      ({ type, hash, outcome }) =>
        type === 'credit' &&
        outcome === 'accepted' &&
        pending.transactions.some((sent) => sent.hash === hash),
    );
    const facts = { redelivered, maybePaid, creditAccepted, repeatableErrorIds: [], strictReplies: false };
    const outcome = classifyWalletReply(pending, answer, facts);
    if (pending.purpose === 'debit' && outcome.kind === 'accepted') {
      this.wins += pending.entry?.result.winAmount ?? 0;
    }
    this.state = applyWalletOutcome(this.state, outcome, LATER);
  }

  private deliver(call: OperatorTransaction[], fault: Fault): WalletAnswer | 'unrecorded' {
    for (const transaction of call) {
      const id = `${transaction.type} ${transaction.hash}`;
      expect(this.sent.get(id) ?? transaction).toEqual(transaction);
      this.sent.set(id, transaction);
    }
    const processed = (): WalletAnswer => this.wallet.process(call, false);
    switch (fault) {
      case 'none':
        return processed();
      case 'request lost':
        return SILENCE;
      case 'reply lost':
        processed();
        return SILENCE;
      case 'request late':
        this.late.push(call);
        return SILENCE;
      case 'status 500, not processed':
        return { kind: 'answer', status: 500, body: {} };
      case 'status 500, processed':
        processed();
        return { kind: 'answer', status: 500, body: {} };
      case '200 that is no JSON, processed':
        processed();
        return { kind: 'answer', status: 200, body: 'OK' };
      case 'status 429, not processed':
        return { kind: 'answer', status: 429, body: { errorCode: { id: 9, msg: 'SLOWDOWN' } } };
      case 'status 404 of a proxy, not processed':
        return { kind: 'answer', status: 404, body: '<html>' };
      case 'signature refused':
        return { kind: 'answer', status: 401, body: { errorCode: { id: 1001, msg: 'SIGNATUREWRONG' } } };
      case 'refused':
        return this.wallet.process(call, true);
      case 'worker died before the request':
        return 'unrecorded';
      case 'worker died after the reply':
        processed();
        return 'unrecorded';
    }
  }
}

function sumOf(amounts: Iterable<number>): number {
  return [...amounts].reduce((sum, amount) => sum + amount, 0);
}

/** What the wallet really moved, against what the round says of itself. */
function checkBooks({ wallet, state, wins }: Line): void {
  const stakes = sumOf(
    state.transactions
      .filter(({ type, outcome }) => type === 'debit' && outcome === 'accepted')
      .map(({ amount }) => amount ?? 0),
  );
  const credited = sumOf(wallet.credited.values());
  const voids = state.transactions.filter(({ type }) => type === 'void').map(({ hash }) => hash);
  if (state.crashed) {
    // A person settles it; until then nothing was given twice and no bet of a paid round was given back.
    expect(credited).toBeLessThanOrEqual(wins);
    const first = state.transactions.find(({ isFirstDebit }) => isFirstDebit);
    expect(voids).not.toContain(first?.hash);
    return;
  }
  switch (state.status) {
    case 'cancel':
      expect(wallet.balance).toBe(0);
      expect(credited).toBe(0);
      break;
    case 'closed':
      expect(wallet.balance).toBe(wins - stakes);
      expect(credited).toBe(wins);
      break;
    case 'open':
      expect(wallet.balance).toBe(credited - stakes);
      expect(credited + state.amountToCollect).toBe(wins);
      break;
  }
}

describe('a round at the end of a bad line to an honest wallet', () => {
  it('the wallet’s books agree with the round’s, whatever gets lost on the way', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const line = new Line(scenario);
        for (const step of scenario.steps) line.send(step.command, step.faults);
        expect(line.state.pending).toBeUndefined();
        line.finish();
        checkBooks(line);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(FAULTS)('%s: to the first debit alone', (fault) => {
    for (const winAmount of [0, 40]) {
      const first: StartCommand = {
        type: 'start',
        debitAmount: 100,
        stake: 100,
        currency: 'EUR',
        useTicket: false,
        endGame: true,
        winAmount,
      };
      const line = new Line({ first, over: {}, firstFaults: [fault], listsHashes: true, steps: [] });
      line.finish();
      checkBooks(line);
      const expected = fault === 'none' || fault.startsWith('worker died') ? 'closed' : 'cancel';
      expect(line.state.status).toBe(expected);
    }
  });

  it('a void overtakes its debit: net zero, cancel', () => {
    const first: StartCommand = {
      type: 'start',
      debitAmount: 100,
      stake: 100,
      currency: 'EUR',
      useTicket: false,
      endGame: false,
      winAmount: 0,
    };
    const line = new Line({ first, over: {}, firstFaults: ['request late'], listsHashes: true, steps: [] });
    expect(line.state).toMatchObject({ status: 'cancel', pending: undefined });
    line.finish();
    expect(line.wallet.balance).toBe(0);
  });
});
