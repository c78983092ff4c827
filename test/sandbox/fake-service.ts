import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gameStateHash } from '../../src/domain/hashes';

/**
 * Just enough of the service for the demo game: one player, one round at a time, signatures checked. It stands in for
 * the real one, so that a test of the sandbox needs no Temporal and no MongoDB.
 */
export const PROVIDER = { providerId: 'gp1', secrets: ['provider-secret'] };

interface FakeRound {
  hash: string;
  status: string;
  stake: number;
  open: number;
  won: number;
  paid: number;
  /** Keys of its commands: a repeat adds nothing. */
  keys: string[];
}
export interface ServiceCall {
  path: string;
  body: Record<string, unknown>;
}

export class FakeService {
  readonly calls: ServiceCall[] = [];
  balance = 1_000;
  round: FakeRound | undefined;
  /** What getRandomResult gives. */
  numbers = [0.5, 0.5, 0.5];
  mode = 'real';
  /** Paths whose next reply is lost after it was processed. */
  readonly lose: string[] = [];
  /** Paths whose next call finds no room: it is not processed. */
  readonly full: string[] = [];
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private rounds = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  paths(): string[] {
    return this.calls.map(({ path }) => path);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '', 'http://service');
    const body = raw === '' ? {} : (JSON.parse(raw) as Record<string, unknown>);
    this.calls.push({ path: url.pathname, body: raw === '' ? Object.fromEntries(url.searchParams) : body });
    const isFull = this.full[0] === url.pathname && this.full.shift() !== undefined;
    const [status, reply] = isFull
      ? [429, refusal(1003, 'RATELIMITEXCEEDED')]
      : this.answer(url, request, raw, body);
    if (this.lose[0] === url.pathname) {
      this.lose.shift();
      response.destroy();
      return;
    }
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(reply));
  }

  private answer(
    url: URL,
    request: IncomingMessage,
    raw: string,
    body: Record<string, unknown>,
  ): [number, unknown] {
    if (url.pathname === '/connect') {
      if (url.searchParams.get('token') !== 'launch') return [401, refusal(2007, 'LAUNCHURLSPENT')];
      return [200, { token: 'session', balance: this.shownBalance(), tokenData: this.tokenData() }];
    }
    const message = `${raw}#${String(request.headers['x-h-timestamp'])}`;
    const expected = createHmac('sha256', 'provider-secret').update(message).digest('base64');
    if (request.headers['x-h-auth-sig'] !== expected) return [401, refusal(1001, 'SIGNATUREWRONG')];
    return this.command(url.pathname, body);
  }

  private command(path: string, body: Record<string, unknown>): [number, unknown] {
    switch (path) {
      case '/getBalance':
        return [200, this.shownBalance()];
      case '/getRandomResult':
        return [
          200,
          { tokenData: this.tokenData(), values: this.numbers, rngRequestId: `rng-${this.calls.length}` },
        ];
      case '/getTokenForGameRound':
        return [200, { tokenData: { ...this.tokenData(), currentToken: 'round-token' } }];
      case '/getGameRoundHistoryInfo':
        return [200, { ...this.reply(), protectedInfo: { note: 'played before' } }];
      case '/startGameRound':
        return this.begin(body);
      default:
        return this.ofRound(path, body);
    }
  }

  private begin(body: Record<string, unknown>): [number, unknown] {
    if (this.round?.status === 'open') return [400, refusal(12, 'GAMEROUNDALREADYSTARTED')];
    const stake = (body['debitInformation'] as { debitAmount: number }).debitAmount;
    const won = (body['rngResult'] as { winAmount?: number }).winAmount ?? 0;
    this.round = { hash: `round-${++this.rounds}`, status: 'open', stake, open: won, won, paid: 0, keys: [] };
    this.balance -= stake;
    if (body['endGame'] === true) this.finish();
    return [200, this.reply()];
  }

  private ofRound(path: string, body: Record<string, unknown>): [number, unknown] {
    const round = this.round;
    if (round === undefined) return [400, refusal(15, 'GAMEROUNDNOTSTARTED')];
    if (path === '/getGameRoundInfo') return [200, this.reply()];
    if (round.status !== 'open') return [400, refusal(2000, 'GAMEROUNDNOTACTIVE')];
    if (path === '/addWin') {
      const key = String(body['externalGameProviderTransactionId']);
      if (round.keys.includes(key)) return [200, this.reply()];
      round.keys.push(key);
      const win = (body['rngResult'] as { winAmount: number }).winAmount;
      round.open += win;
      round.won += win;
      if (body['collect'] === true) this.finish();
    } else if (path === '/endGameRound') this.finish();
    else if (path === '/collectWin') this.pay();
    else if (path === '/voidGameRound') {
      round.status = 'cancel';
      this.balance += round.stake;
      return [200, { gameRoundInfo: { hash: round.hash, status: 'cancel' }, balance: this.balance }];
    } else return [404, refusal(1005, 'NOTFOUND')];
    return [200, this.reply()];
  }

  private pay(): void {
    if (this.round === undefined) return;
    this.balance += this.round.open;
    this.round.paid += this.round.open;
    this.round.open = 0;
  }

  private finish(): void {
    this.pay();
    if (this.round !== undefined) this.round.status = 'closed';
  }

  private reply(): Record<string, unknown> {
    const { hash, status, stake, open, won } = this.round ?? {
      hash: '',
      status: 'closed',
      stake: 0,
      open: 0,
      won: 0,
    };
    const debit = { type: 'debit', amountWagered: stake, result: { winAmount: 0, info: {} } };
    return {
      tokenData: this.tokenData(),
      balance: this.shownBalance(),
      gameRoundInfo: { hash, status, stake },
      amountToCollect: open,
      totalWinAmount: won,
      gameState: [{ ...debit, hash: gameStateHash(hash, 'debit', 'start') }],
      transactions: [],
    };
  }

  private shownBalance(): { totalBalance: number } {
    return { totalBalance: this.balance };
  }

  private tokenData(): Record<string, unknown> {
    return {
      operatorId: 'op1',
      playerId: 'p1',
      mode: this.mode,
      currency: 'EUR',
      currencyMultiplier: 1,
      currentToken: 'session',
    };
  }
}

function refusal(id: number, msg: string): { errorCode: { id: number; msg: string; clientmsg: string } } {
  return { errorCode: { id, msg, clientmsg: `told: ${msg}` } };
}
