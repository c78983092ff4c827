import { createHmac } from 'node:crypto';

/**
 * The service's side of the operator API, written down once more from docs/interface and without the sdk:
 * a mistake in the sdk's signer must not be able to hide behind itself.
 */
export const OPERATOR = { operatorId: 'op1', secrets: ['test-secret'] };

export interface Transaction {
  type: 'debit' | 'credit' | 'end' | 'void';
  hash: string;
  currency?: string;
  amount?: number;
  isFirstDebit?: boolean;
  serial?: string;
}

export interface Answer {
  status: number;
  body: {
    balances?: { type: string; amount: number; currency: string }[];
    useBonusFirst?: boolean;
    discountInfo?: { campaignId: string; discounts: { stake: number; spinsRemaining: number }[] };
    tickets?: { serial: string; count: number }[];
    freePlays?: { serial: string; count: number }[];
    errorCode?: { id: number; msg: string; clientmsg: string };
    hashesProcessed?: { hash: string; errorCode?: { id: number } }[];
  };
  text: string;
  headers: Headers;
}

export function signature(secret: string, fields: (string | number)[]): string {
  return createHmac('sha256', secret)
    .update([secret, ...fields].join('#'))
    .digest('base64');
}

export class WalletPeer {
  constructor(
    readonly url: string,
    readonly operatorId = OPERATOR.operatorId,
    readonly secret = OPERATOR.secrets[0] ?? '',
  ) {}

  headers(fields: (string | number)[], timestamp = new Date().toISOString()): Record<string, string> {
    return {
      'X-H-AUTH-ID': this.operatorId,
      'X-H-TIMESTAMP': timestamp,
      'X-H-AUTH-SIG': signature(this.secret, [this.operatorId, timestamp, ...fields]),
    };
  }

  transact(
    gameRound: string,
    transactions: Transaction[],
    more: { playerId?: string; transactionCount?: number; timeoutMs?: number } = {},
  ): Promise<Answer> {
    const { playerId = 'p1', transactionCount = transactions.length, timeoutMs } = more;
    const body = { playerId, gameCode: 'g1', gameRound, transactions, transactionCount };
    const signed = transactions.flatMap(({ hash, amount }) => (amount ? [hash, amount] : [hash]));
    return this.post('/doTransactions', body, [playerId, 'g1', gameRound, ...signed], timeoutMs);
  }

  post(path: string, body: unknown, fields: (string | number)[], timeoutMs = 5_000): Promise<Answer> {
    return this.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.headers(fields) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  balance(playerId = 'p1', currency = 'EUR', gameCode?: string): Promise<Answer> {
    const fields = gameCode === undefined ? [playerId, currency] : [playerId, currency, gameCode];
    const query = new URLSearchParams({ playerId, currency, ...(gameCode && { gameCode }) });
    return this.send(`/getBalance?${query.toString()}`, { headers: this.headers(fields) });
  }

  async real(playerId = 'p1', currency = 'EUR'): Promise<number | undefined> {
    const { body } = await this.balance(playerId, currency);
    return body.balances?.find(({ type }) => type === 'real')?.amount;
  }

  async send(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    const body = ((): Answer['body'] => {
      try {
        return JSON.parse(text) as Answer['body'];
      } catch {
        return {};
      }
    })();
    return { status: response.status, body, text, headers: response.headers };
  }

  async admin<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await fetch(`${this.url}/sandbox${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }

  fault(fault: Record<string, unknown>): Promise<{ id: number }> {
    return this.admin('POST', '/faults', fault);
  }

  ledger(query: string): Promise<{
    rounds: { status: string; net: number; debited: number; credited: number; voided: number }[];
    movements: { seq: number; type: string; hash: string; amount: number; balanceAfter: number }[];
    nextAfter?: number;
  }> {
    return this.admin('GET', `/ledger?${query}`);
  }
}

export const debit = (hash: string, amount: number, isFirstDebit = true): Transaction => ({
  type: 'debit',
  hash,
  amount,
  currency: 'EUR',
  isFirstDebit,
});
export const credit = (hash: string, amount: number): Transaction => ({
  type: 'credit',
  hash,
  amount,
  currency: 'EUR',
});
export const end = (hash: string): Transaction => ({ type: 'end', hash });
export const voidOf = (hash: string): Transaction => ({ type: 'void', hash });
