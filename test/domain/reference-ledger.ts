import type { Command, RoundState } from '../../src/domain/round/types';
import type { OperatorTransaction, WalletOutcome } from '../../src/domain/wallet-call';

type Fate = 'pending' | 'paid' | 'refused' | 'unknown';

interface Kept {
  transaction: OperatorTransaction;
  fate: Fate;
}

/**
 * What a book-keeper would write down who sees the commands, the calls and their outcomes and knows nothing of the
 * machine: against it the machine's own sums are checked. Every method fails the test where a rule is broken.
 */
export class ReferenceLedger {
  /** By type and hash: the wallet's idempotency. */
  private readonly kept = new Map<string, Kept>();
  private readonly answers = new Map<string, string>();
  private readonly acceptedKeys = new Set<string>();
  private wins = 0;
  private last: RoundState | undefined;
  private firstDebitFailed = false;
  private wholeRoundVoided = false;

  /** A command was accepted under this key. A start's win counts once its debit is taken. */
  accepted(key: string, command: Command): void {
    expect(this.acceptedKeys).not.toContain(key);
    this.acceptedKeys.add(key);
    if (command.type === 'addWin') this.wins += command.winAmount;
  }

  debitTaken(winAmount: number): void {
    this.wins += winAmount;
  }

  /** A call is delivered for the first time. */
  issued(transactions: readonly OperatorTransaction[]): void {
    for (const transaction of transactions) {
      const id = `${transaction.type} ${transaction.hash}`;
      expect(this.kept.has(id)).toBe(false);
      if (transaction.type === 'credit') this.checkCredit(transaction);
      if (transaction.type === 'void') this.checkVoid(transaction);
      this.kept.set(id, { transaction, fate: 'pending' });
    }
    const types = transactions.map(({ type }) => type);
    expect(['debit', 'debit,end', 'credit', 'credit,end', 'end', 'void']).toContain(types.join());
  }

  /** The same call is delivered again. */
  reissued(transactions: readonly OperatorTransaction[]): void {
    for (const transaction of transactions) {
      expect(this.kept.get(`${transaction.type} ${transaction.hash}`)?.transaction).toEqual(transaction);
    }
  }

  settled(transactions: readonly OperatorTransaction[], outcome: WalletOutcome): void {
    for (const { type, hash, isFirstDebit } of transactions) {
      const kept = this.kept.get(`${type} ${hash}`);
      if (kept === undefined || kept.fate === 'paid') continue;
      kept.fate = fateOf(type, outcome, kept.fate);
      if (isFirstDebit && kept.fate !== 'paid') this.firstDebitFailed = true;
    }
  }

  /** Rules that hold after every step. */
  check(state: RoundState): void {
    const { last } = this;
    if (last !== undefined && last.status !== 'open') expect(state.status).toBe(last.status);
    if (last?.crashed) expect(state).toMatchObject({ crashed: true, status: 'open' });
    if (state.crashed) expect(state.pending).toBeUndefined();
    if (state.status === 'cancel') expect(state.amountToCollect).toBe(0);
    else expect(this.sum('credit', 'paid') + state.amountToCollect).toBe(this.wins);
    if (this.firstDebitFailed) {
      expect(state.status).toBe('cancel');
      expect(this.of('credit')).toEqual([]);
    }
    if (state.status === 'closed') expect(this.sum('credit', 'paid')).toBe(this.wins);
    const ids = state.transactions.map(({ type, hash }) => `${type} ${hash}`);
    expect([...ids].sort()).toEqual([...this.kept.keys()].sort());
    for (const { type, hash, outcome } of state.transactions) {
      expect(outcome === 'accepted').toBe(this.kept.get(`${type} ${hash}`)?.fate === 'paid');
    }
    if (this.sum('debit', 'paid') > 0) expect(state.stake).toBe(this.sum('debit', 'paid'));
    this.checkAnswers(state);
    this.last = state;
  }

  /** Rules that hold once nothing is pending. */
  checkAtRest(state: RoundState): void {
    for (const key of this.acceptedKeys) expect(this.answers.has(key)).toBe(true);
    const voided = this.of('void').map(({ transaction }) => transaction.hash);
    if (state.status === 'closed')
      expect(this.of('end').filter(({ fate }) => fate === 'paid')).toHaveLength(1);
    if (state.status === 'cancel') {
      const due = this.of('debit').filter(({ fate }) => fate !== 'refused');
      expect([...voided].sort()).toEqual(due.map(({ transaction }) => transaction.hash).sort());
      expect(this.of('void').every(({ fate }) => fate === 'paid')).toBe(true);
      expect(this.sum('credit', 'paid')).toBe(0);
    } else if (!state.crashed) {
      // In a round that goes on every debit without an answer was taken back, and no other.
      const unknown = this.of('debit').filter(({ fate }) => fate === 'unknown');
      expect(voided).toEqual(unknown.map(({ transaction }) => transaction.hash));
    }
  }

  private checkCredit(credit: OperatorTransaction): void {
    expect(this.wholeRoundVoided).toBe(false);
    expect(this.firstDebitFailed).toBe(false);
    expect(this.of('void').filter(({ fate }) => fate === 'pending')).toEqual([]);
    expect(credit.amount).toBeGreaterThan(0);
    const others = this.of('credit').reduce((sum, { transaction }) => sum + (transaction.amount ?? 0), 0);
    expect(others + (credit.amount ?? 0)).toBeLessThanOrEqual(this.wins);
  }

  private checkVoid({ hash, amount }: OperatorTransaction): void {
    const debit = this.kept.get(`debit ${hash}`);
    expect(amount).toBeUndefined();
    expect(debit?.fate).toMatch(/^(paid|unknown)$/);
    const takesBackFollowUp = debit?.fate === 'unknown' && debit.transaction.isFirstDebit === false;
    if (takesBackFollowUp && !this.wholeRoundVoided) return;
    expect(this.of('credit').filter(({ fate }) => fate === 'paid' || fate === 'unknown')).toEqual([]);
    if (!this.wholeRoundVoided) expect(debit?.transaction.isFirstDebit).toBe(true);
    this.wholeRoundVoided = true;
  }

  /** A key is answered once, and never otherwise afterwards. */
  private checkAnswers(state: RoundState): void {
    for (const [key, { answer }] of Object.entries(state.commands)) {
      expect(this.acceptedKeys).toContain(key);
      if (answer === undefined) {
        expect(this.answers.has(key)).toBe(false);
        expect(state.pending).toBeDefined();
        continue;
      }
      const text = JSON.stringify(answer);
      expect(this.answers.get(key) ?? text).toBe(text);
      this.answers.set(key, text);
    }
  }

  private of(type: OperatorTransaction['type']): Kept[] {
    return [...this.kept.values()].filter(({ transaction }) => transaction.type === type);
  }

  private sum(type: OperatorTransaction['type'], fate: Fate): number {
    return this.of(type)
      .filter((kept) => kept.fate === fate)
      .reduce((total, { transaction }) => total + (transaction.amount ?? 0), 0);
  }
}

function fateOf(type: OperatorTransaction['type'], outcome: WalletOutcome, before: Fate): Fate {
  switch (outcome.kind) {
    case 'accepted':
      return type === 'end' && outcome.endRejected !== undefined ? 'refused' : 'paid';
    case 'declined':
      return type === 'debit' && outcome.processed ? 'unknown' : 'refused';
    case 'unknown':
      return 'unknown';
    case 'retryable':
      if (type !== 'credit') return before;
      if (outcome.creditAccepted) return 'paid';
      return outcome.maybePaid ? 'unknown' : before;
    case 'rejected':
      if (type === 'void') return before;
      if (type !== 'credit') return 'refused';
      if (outcome.creditAccepted) return 'paid';
      return outcome.maybePaid || before === 'unknown' ? 'unknown' : 'refused';
  }
}
