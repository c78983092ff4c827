import { join } from 'node:path';
import type { SandboxOperator } from '../tenants';
import { Journal } from './journal';
import { applyEvent, createLedger, Decision, discountOf, keyOf, type Ledger, ticketsOf } from './ledger';
import type { Discount, LedgerEvent, Ticket, TransactionsCall } from './ledger-types';
import type { GameRoundDetail } from './protocol';
import { balanceReply, type BalanceReply, grantsReply } from './protocol';
import { processCall, type Processed, type RefusalOf } from './transactions';

export interface StoredReport {
  at: string;
  /** The number of times the report was sent. */
  times: number;
  gameRoundDetail: GameRoundDetail;
}

type Entry = { operatorId: string } & (
  { events: LedgerEvent[] } | { report: { at: string; gameRoundDetail: GameRoundDetail } }
);

export interface BooksOptions {
  operators: readonly SandboxOperator[];
  defaultBalance: number;
  maxRounds: number;
  dataDir: string | undefined;
}

/** Ledgers and reports of all operators of the sandbox, stored in one journal. */
export class Books {
  private readonly ledgers = new Map<string, Ledger>();
  private readonly reports = new Map<string, StoredReport>();

  private constructor(
    options: BooksOptions,
    private readonly journal: Journal<Entry>,
  ) {
    for (const { operatorId, voidsWholeRound = false } of options.operators) {
      const { defaultBalance, maxRounds } = options;
      this.ledgers.set(operatorId, createLedger({ defaultBalance, maxRounds, voidsWholeRound }));
    }
  }

  static async open(options: BooksOptions): Promise<Books> {
    const path = options.dataDir === undefined ? undefined : join(options.dataDir, 'wallet-ledger.jsonl');
    const { journal, entries } = await Journal.open<Entry>(path);
    const books = new Books(options, journal);
    for (const entry of entries) books.apply(entry);
    return books;
  }

  ledger(operatorId: string): Ledger | undefined {
    return this.ledgers.get(operatorId);
  }

  /** Processes a call. Resolves when its events are on disk. */
  async transact(
    operatorId: string,
    call: TransactionsCall,
    at: string,
    refusalOf?: RefusalOf,
  ): Promise<Processed> {
    const processed = processCall(this.existing(operatorId), call, at, refusalOf);
    await this.keep(operatorId, processed.events);
    return processed;
  }

  async adjust(
    operatorId: string,
    playerId: string,
    wanted: { currency: string; balance?: number | undefined; bonus?: number | undefined },
    at: string,
  ): Promise<void> {
    const decision = new Decision(this.existing(operatorId), at);
    const { real, bonus } = decision.account(playerId, wanted.currency);
    const realDelta = (wanted.balance ?? real) - real;
    const bonusDelta = (wanted.bonus ?? bonus) - bonus;
    if (realDelta !== 0 || bonusDelta !== 0) {
      decision.adjust(playerId, wanted.currency, realDelta, bonusDelta, 'set');
    }
    await this.keep(operatorId, decision.events);
  }

  async grantTicket(operatorId: string, ticket: Ticket, at: string): Promise<void> {
    const decision = new Decision(this.existing(operatorId), at);
    decision.record({ kind: 'ticketGranted', ticket });
    await this.keep(operatorId, decision.events);
  }

  async grantDiscount(operatorId: string, discount: Discount, at: string): Promise<void> {
    const decision = new Decision(this.existing(operatorId), at);
    decision.record({ kind: 'discountGranted', discount });
    await this.keep(operatorId, decision.events);
  }

  async balance(
    operatorId: string,
    asked: { playerId: string; currency: string; gameCode?: string | undefined },
    at: string,
  ): Promise<BalanceReply> {
    const { playerId, currency, gameCode } = asked;
    const ledger = this.existing(operatorId);
    const decision = new Decision(ledger, at);
    const balance = decision.account(playerId, currency);
    const reply = balanceReply(currency, balance, discountOf(ledger, playerId, currency, at));
    const grants = gameCode === undefined ? {} : grantsReply(ticketsOf(ledger, playerId, currency, gameCode));
    await this.keep(operatorId, decision.events);
    return { ...reply, ...grants };
  }

  async report(operatorId: string, gameRoundDetail: GameRoundDetail, at: string): Promise<void> {
    const entry: Entry = { operatorId, report: { at, gameRoundDetail } };
    this.apply(entry);
    await this.journal.append(entry);
  }

  reportOf(operatorId: string, gameRound: string): StoredReport | undefined {
    return this.reports.get(keyOf(operatorId, gameRound));
  }

  close(): Promise<void> {
    return this.journal.close();
  }

  private existing(operatorId: string): Ledger {
    const ledger = this.ledgers.get(operatorId);
    if (ledger === undefined) throw new Error(`no operator ${operatorId}`);
    return ledger;
  }

  private async keep(operatorId: string, events: LedgerEvent[]): Promise<void> {
    await (events.length === 0 ? this.journal.append() : this.journal.append({ operatorId, events }));
  }

  private apply(entry: Entry): void {
    const ledger = this.ledgers.get(entry.operatorId);
    if (ledger === undefined) return;
    if ('events' in entry) {
      for (const event of entry.events) applyEvent(ledger, event);
      return;
    }
    const { at, gameRoundDetail } = entry.report;
    const key = keyOf(entry.operatorId, gameRoundDetail.hash);
    const times = (this.reports.get(key)?.times ?? 0) + 1;
    this.reports.set(key, { at, times, gameRoundDetail });
  }
}
