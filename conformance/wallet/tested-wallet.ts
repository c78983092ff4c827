import { randomUUID } from 'node:crypto';
import { operatorFields } from '../../sdk/signing';
import {
  asArray,
  complaint,
  type Exchange,
  isObject,
  type Json,
  type Party,
  send,
  type Wrong,
} from '../exchange';
import { errorIn, listedIn, mustAccept, mustReply } from '../expect';
import { Broken, Unusable } from '../rule';
import { ruleOfReply } from './reply-rules';
import type { Transaction } from './transaction';

export interface WalletSettings extends Party {
  playerId: string;
  gameCode: string;
  currency: string;
  /** The amount of a usual debit, in minor units. */
  stake: number;
  /** 0: the wallet does not check timestamps. */
  timestampToleranceMs: number;
  /** Another secret that is valid now. */
  secondSecret: string | undefined;
  /** The wallet voids the whole round with any debit of it. */
  voidsWholeRound: boolean;
}

interface SendOptions {
  transactionCount?: number;
  wrong?: Wrong;
}

/** How many calls a rule sends at the same moment. */
export const AT_ONCE = 8;

/** An operator's wallet, as the service calls it. Each rule compares the balance with that at the rule's beginning. */
export class TestedWallet {
  readonly exchanges: Exchange[] = [];
  readonly stake: number;
  /** The number of accepted rounds and the accepted amounts of the whole run, in minor units. */
  readonly sums = { rounds: 0, debited: 0, credited: 0, voided: 0 };
  private rounds: TestedRound[] = [];
  private atBeginning = 0;

  private constructor(
    readonly settings: WalletSettings,
    readonly balanceBefore: number,
    discountedStakes: readonly unknown[],
  ) {
    let { stake } = settings;
    // The rules debit this amount and twice as much. A discount would change what they move.
    while (discountedStakes.includes(stake) || discountedStakes.includes(2 * stake)) stake += 1;
    this.stake = stake;
  }

  /** Rejects with Unusable if the wallet cannot be tested. */
  static async open(settings: WalletSettings): Promise<TestedWallet> {
    const { gameCode, playerId, currency, stake } = settings;
    const asking = new TestedWallet(settings, 0, []);
    const balanceIn = (exchange: Exchange, how: string): number => {
      const total = totalIn(exchange, currency);
      if (total !== undefined) return total;
      throw new Unusable(
        `getBalance of ${playerId} in ${currency}${how} has no balance: ${complaint(exchange)}\n` +
          'Check URL, operator id, secret, player, game and currency.',
        exchange,
      );
    };
    // With gameCode, since a wallet may return discounts only then. The rules compare balances without it.
    const first = await asking.getBalance({ gameCode });
    balanceIn(first, '');
    const balance = balanceIn(await asking.getBalance(), ' without gameCode');
    if (balance < stake * AT_ONCE) {
      const needed = stake * AT_ONCE;
      throw new Unusable(
        `${playerId} has ${balance}, and the run needs ${needed} (minor units of ${currency}).\n` +
          'Give the player money, or choose a smaller --stake.',
      );
    }
    return new TestedWallet(
      settings,
      balance,
      discountsIn(first).map(({ stake: discounted }) => discounted),
    );
  }

  async begin(): Promise<void> {
    this.atBeginning = await this.money();
  }

  round(): TestedRound {
    const round = new TestedRound(this);
    this.rounds.push(round);
    return round;
  }

  /** Voids or ends the rounds that are still open. */
  async tidy(): Promise<void> {
    for (const round of this.rounds) await round.tidy();
    this.rounds = [];
  }

  async call(call: Parameters<typeof send>[1]): Promise<Exchange> {
    const exchange = await send(this.settings, call);
    this.exchanges.push(exchange);
    return exchange;
  }

  getBalance(
    change: { playerId?: string; gameCode?: string; externalSessionId?: string; wrong?: Wrong } = {},
  ): Promise<Exchange> {
    const { wrong, ...changed } = change;
    const query = { playerId: this.settings.playerId, currency: this.settings.currency, ...changed };
    const fields = operatorFields.getBalance(query);
    return this.call({ method: 'GET', path: '/getBalance', query, fields, wrong });
  }

  /** All balances of the player together. */
  async money(): Promise<number> {
    const exchange = await this.getBalance();
    const total = totalIn(exchange, this.settings.currency);
    if (total === undefined)
      throw new Broken(
        'getBalance has no balance to compare with',
        exchange,
        ruleOfReply(exchange) ?? 'get-balance',
      );
    return total;
  }

  /** @throws Broken if the balance has not changed by exactly `expected` since the rule began */
  async moved(expected: number, after: string): Promise<void> {
    const moved = (await this.money()) - this.atBeginning;
    if (moved === expected) return;
    const last = this.exchanges.findLast(({ url }) => url.endsWith('/doTransactions'));
    throw new Broken(
      `after ${after} the balance has moved by ${signed(moved)} instead of ${signed(expected)}`,
      last,
    );
  }

  /** The expected balance after this movement. */
  balanceAfter(movement: number): number {
    return this.atBeginning + movement;
  }

  totalIn(exchange: Exchange): number | undefined {
    return totalIn(exchange, this.settings.currency);
  }

  /** An amount that is higher than the balance, so that a debit of it fails. */
  tooMuch(): number {
    return this.atBeginning + this.stake;
  }

  /** The tickets and free plays that the player can use. */
  async tickets(): Promise<{ serial: string; count: number }[]> {
    const { reply } = await this.getBalance({ gameCode: this.settings.gameCode });
    const listed = [...asArray(reply?.json?.['tickets']), ...asArray(reply?.json?.['freePlays'])];
    return listed.flatMap((ticket) => {
      if (!isObject(ticket) || ticket['currency'] !== this.settings.currency) return [];
      const { serial, count } = ticket;
      const isUsable = typeof serial === 'string' && typeof count === 'number' && count > 0;
      return isUsable ? [{ serial, count }] : [];
    });
  }

  async discounts(): Promise<Discount[]> {
    return discountsIn(await this.getBalance({ gameCode: this.settings.gameCode }));
  }

  /**
   * Restores the balance from before the run with one more round. Returns the amount that is still missing. Undefined if the
   * balance can't be read.
   */
  async restoreBalance(): Promise<number | undefined> {
    const missing = await this.missing();
    if (missing === undefined || missing === 0) return missing;
    const round = this.round();
    const amount = Math.max(-missing, this.stake);
    await round.send([round.debit({ amount })]);
    if (missing + amount > 0) await round.send([round.credit(missing + amount)]);
    await round.send([round.end()]);
    return this.missing();
  }

  private async missing(): Promise<number | undefined> {
    const balance = this.totalIn(await this.getBalance());
    return balance === undefined ? undefined : this.balanceBefore - balance;
  }
}

/** A gameround at the wallet. The hashes are new; the wallet has not seen them before. */
export class TestedRound {
  readonly gameRound = randomUUID();
  private readonly accepted = new Map<string, Transaction>();

  constructor(private readonly wallet: TestedWallet) {}

  debit(more: { amount?: number; isFirstDebit?: boolean } = {}): Transaction {
    const { amount = this.wallet.stake, isFirstDebit = true } = more;
    return { ...this.transaction('debit', 'startGameRound'), isFirstDebit, amount };
  }

  followUp(amount = this.wallet.stake): Transaction {
    return this.debit({ amount, isFirstDebit: false });
  }

  /** A debit that a ticket pays. */
  ticketDebit(serial: string): Transaction {
    return { ...this.transaction('debit', 'startGameRound'), isFirstDebit: true, serial };
  }

  credit(amount = this.wallet.stake): Transaction {
    return { ...this.transaction('credit', 'endGameRound'), amount };
  }

  end(): Transaction {
    return this.transaction('end', 'endGameRound');
  }

  void({ hash }: Transaction): Transaction {
    return { ...this.transaction('void', 'voidGameRound'), hash };
  }

  private transaction(type: Transaction['type'], reason: string): Transaction {
    const timestamp = new Date().toISOString();
    return { type, currency: this.wallet.settings.currency, hash: randomUUID(), timestamp, reason };
  }

  async send(transactions: Transaction[], options: SendOptions = {}): Promise<Exchange> {
    const { playerId, gameCode } = this.wallet.settings;
    const { transactionCount = transactions.length, wrong } = options;
    const body = { playerId, gameCode, gameRound: this.gameRound, transactions, transactionCount };
    const exchange = await this.wallet.call({
      method: 'POST',
      path: '/doTransactions',
      body,
      fields: operatorFields.doTransactions(body),
      wrong,
    });
    for (const one of transactions) {
      if (isAccepted(exchange, one)) this.note(one);
    }
    return exchange;
  }

  /** Sends the transactions; the wallet has to accept all of them. */
  async accepts(transactions: Transaction[], what: string): Promise<Exchange> {
    return mustAccept(await this.send(transactions), what);
  }

  /** Sends the transactions; the wallet has to refuse at least one of them. */
  async refuses(transactions: Transaction[], what: string, options?: SendOptions): Promise<Exchange> {
    const exchange = await this.send(transactions, options);
    const { reply } = mustReply(exchange, what);
    const isDone = reply.status === 200 && transactions.every((one) => isAccepted(exchange, one));
    if (isDone) throw new Broken(`${what} was accepted`, exchange);
    return exchange;
  }

  /** Credits the stake and ends the round, in two calls. */
  async close(): Promise<{ credit: Transaction; end: Transaction }> {
    const [credit, end] = [this.credit(), this.end()];
    await this.accepts([credit], 'the credit');
    await this.accepts([end], 'the end');
    return { credit, end };
  }

  async tidy(): Promise<void> {
    const all = [...this.accepted.values()];
    const has = (type: Transaction['type'], hash?: string): boolean =>
      all.some((one) => one.type === type && (hash === undefined || one.hash === hash));
    const debits = all.filter(({ type }) => type === 'debit');
    if (debits.length === 0 || has('end')) return;
    if (has('credit')) {
      await this.send([this.end()]);
      return;
    }
    for (const debit of debits.filter(({ hash }) => !has('void', hash))) await this.send([this.void(debit)]);
  }

  private note(transaction: Transaction): void {
    const key = `${transaction.type}:${transaction.hash}`;
    if (this.accepted.has(key)) return;
    const { sums } = this.wallet;
    if (this.accepted.size === 0) sums.rounds += 1;
    this.accepted.set(key, transaction);
    const { type, amount = 0, hash } = transaction;
    if (type === 'debit') sums.debited += amount;
    if (type === 'credit') sums.credited += amount;
    if (type === 'void') sums.voided += this.accepted.get(`debit:${hash}`)?.amount ?? 0;
  }
}

export interface Discount {
  stake: number;
  absoluteDiscountAmount: number;
  spinsRemaining: number;
}

/** The discounts that are valid now. */
function discountsIn({ reply }: Exchange): Discount[] {
  const info = reply?.json?.['discountInfo'];
  if (!isObject(info)) return [];
  const now = Date.now();
  const begins = Date.parse(String(info['validFrom']));
  const ends = Date.parse(String(info['validTo']));
  if (begins > now || ends < now) return [];
  return asArray(info['discounts']).filter(isDiscount);
}

function isDiscount(entry: unknown): entry is Discount {
  if (!isObject(entry)) return false;
  const { stake, absoluteDiscountAmount, spinsRemaining } = entry;
  const isNumbers = [stake, absoluteDiscountAmount, spinsRemaining].every((one) => typeof one === 'number');
  return isNumbers && Number(spinsRemaining) > 0;
}

function totalIn({ reply }: Exchange, currency: string): number | undefined {
  if (reply?.status !== 200) return undefined;
  const ours = asArray(reply.json?.['balances']).filter(isObject);
  const amounts = ours.filter((one) => one['currency'] === currency).map(({ amount }) => amount);
  if (amounts.length === 0 || !amounts.every(Number.isSafeInteger)) return undefined;
  return amounts.reduce<number>((sum, amount) => sum + Number(amount), 0);
}

function isHash(entry: Json, hash: string): boolean {
  return String(entry['hash']).toLowerCase() === hash.toLowerCase();
}

/** Whether hashesProcessed has this transaction without an errorCode. */
export function isListed(exchange: Exchange, { hash }: Transaction): boolean {
  return listedIn(exchange).some((one) => isHash(one, hash) && errorIn(one) === undefined);
}

/**
 * Whether the transaction was carried out, as the service reads the reply (docs/interface#outcomes). The status decides first.
 * Without a 200 a debit is not accepted, and other transactions only as a part of their call.
 */
export function isAccepted(exchange: Exchange, transaction: Transaction): boolean {
  const { reply, body } = exchange;
  if (reply?.json === undefined) return false;
  if (reply.status !== 200) {
    const isPart = asArray(body?.['transactions']).length > 1;
    return transaction.type !== 'debit' && isPart && isListed(exchange, transaction);
  }
  const entry = listedIn(exchange).find((one) => isHash(one, transaction.hash));
  return errorIn(entry ?? reply.json) === undefined;
}

export function signed(amount: number): string {
  return amount > 0 ? `+${amount}` : String(amount);
}
