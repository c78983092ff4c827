import type { OperatorTransaction, WalletAnswer } from '../../src/domain/wallet-call';

export interface ModelWalletRules {
  /** This operator can't take back one follow-up debit: any void takes back the whole round. */
  voidsWholeRound: boolean;
  /** How it tells of failures: every hash with its own errorCode, or one for all. */
  listsHashes: boolean;
}

const BUSINESS = { id: 77, msg: 'REFUSED', clientmsg: 'No.' };

/**
 * An operator's wallet by the rules 1 to 5 of docs/interface/operator-api.md, for one round and one player. It is honest: what it
 * refuses it has not done, what it has done it says when asked again. Only the network in between loses things.
 */
export class ModelWallet {
  /** What the player gained or lost; minor units. */
  balance = 0;
  readonly credited = new Map<string, number>();
  private readonly debited = new Map<string, number>();
  private readonly done = new Set<string>();
  private readonly voided = new Set<string>();
  private firstDebit: string | undefined;
  private firstDebitFailed = false;
  private roundVoided = false;
  private closed = false;

  constructor(private readonly rules: ModelWalletRules) {}

  /** Processes a call in its order; `refuses`: transactions that are new to it are declined. */
  process(transactions: readonly OperatorTransaction[], refuses: boolean): WalletAnswer {
    const results: { hash: string; errorCode?: object }[] = [];
    let failed = false;
    for (const transaction of transactions) {
      const errorCode: object | undefined = failed ? BUSINESS : this.one(transaction, refuses);
      failed ||= errorCode !== undefined;
      results.push({ hash: transaction.hash, ...(errorCode === undefined ? {} : { errorCode }) });
    }
    const balances = [{ type: 'real', amount: 1_000_000 + this.balance, currency: 'EUR' }];
    const details = this.rules.listsHashes
      ? { hashesProcessed: results }
      : (results.find(({ errorCode }) => errorCode !== undefined) ?? {});
    return { kind: 'answer', status: failed ? 400 : 200, body: { balances, ...details } };
  }

  private one(transaction: OperatorTransaction, refuses: boolean): object | undefined {
    const { type, hash } = transaction;
    const id = `${type} ${hash}`;
    if (type === 'void') return this.void(hash);
    if (this.voided.has(hash) || this.roundVoided) return BUSINESS;
    if (this.done.has(id)) return undefined;
    if (this.closed || refuses || (this.firstDebitFailed && type === 'credit')) {
      if (transaction.isFirstDebit) this.firstDebitFailed = true;
      return BUSINESS;
    }
    this.done.add(id);
    this.apply(transaction);
    return undefined;
  }

  private apply({ type, hash, amount = 0, isFirstDebit }: OperatorTransaction): void {
    if (type === 'end') this.closed = true;
    if (type === 'credit') {
      this.balance += amount;
      this.credited.set(hash, amount);
    }
    if (type !== 'debit') return;
    if (isFirstDebit) {
      if (this.firstDebit !== undefined)
        throw new Error('a second initial debit (docs/interface#second-initial-debit)');
      this.firstDebit = hash;
    }
    this.balance -= amount;
    this.debited.set(hash, amount);
  }

  /** Processed regardless of the round's state; it may come before its debit. A voided round answers 400. */
  private void(hash: string): object | undefined {
    const wasVoided = this.roundVoided;
    if (!this.voided.has(hash)) this.takeBack(hash);
    const isInitial = this.firstDebit === undefined || hash === this.firstDebit;
    if (isInitial || this.rules.voidsWholeRound) this.roundVoided = true;
    if (this.rules.voidsWholeRound) for (const other of this.debited.keys()) this.takeBack(other);
    return wasVoided ? BUSINESS : undefined;
  }

  private takeBack(hash: string): void {
    if (!this.voided.has(hash)) this.balance += this.debited.get(hash) ?? 0;
    this.voided.add(hash);
  }
}
