import { Agent, request } from 'undici';
import { providerHeaders, type Party, type ReplyBody } from '../test/support/e2e-http';
import { newRoundId, STAKE, takeSeat, type Seat } from '../test/support/e2e-player';
import type { E2eStack } from '../test/support/e2e-stack';

/** One call as its sender saw it. */
export interface Seen {
  /** 0 if no response came. */
  status: number;
  body: ReplyBody;
  retryAfter?: string;
  ms: number;
}

const TIMEOUT_MS = 20_000;

interface Signed {
  headers: Record<string, string>;
  body: string;
}

/** A signed call. It may be sent more than once. */
export function signedBy(provider: Party, content: object): Signed {
  const body = JSON.stringify(content);
  const { 'Content-Length': _length, ...headers } = providerHeaders(provider, body);
  return { headers, body };
}

/** Sends a call once. Rejects if no complete response comes back. */
export async function post(dispatcher: Agent, url: string, signed: Signed): Promise<Omit<Seen, 'ms'>> {
  const reply = await request(url, {
    ...signed,
    dispatcher,
    method: 'POST',
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const body = JSON.parse(await reply.body.text()) as ReplyBody;
  const retryAfter = reply.headers['retry-after'];
  return { status: reply.statusCode, body, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) };
}

export function unanswered(error: unknown): Omit<Seen, 'ms'> {
  return { status: 0, body: { failure: String(error) } };
}

const ATTEMPTS = 20;
const PAUSE_MS = 1_000;

/** Repeats a call as a provider does: after no response, 429 or 503, with a pause, up to 20 times. */
export async function insist(ask: () => Promise<Seen>): Promise<Seen> {
  let seen = await ask();
  for (let attempt = 1; attempt < ATTEMPTS && [0, 429, 503].includes(seen.status); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    seen = await ask();
  }
  return seen;
}

/** Makes signed game-engine calls over keep-alive connections, as a provider's server does. */
export class Caller {
  readonly #agent: Agent;

  constructor(
    private readonly api: string,
    private readonly provider: Party,
    connections: number,
  ) {
    this.#agent = new Agent({ connections, pipelining: 1, keepAliveTimeout: 30_000 });
  }

  async call(path: string, content: object): Promise<Seen> {
    const signed = signedBy(this.provider, content);
    const began = performance.now();
    const seen = await post(this.#agent, `${this.api}${path}`, signed).catch(unanswered);
    return { ...seen, ms: performance.now() - began };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** The calls of one player. */
export class BenchPlayer {
  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    readonly seat: Pick<Seat, 'token' | 'playerId' | 'operatorId'>,
  ) {}

  /** The same player over the connections of another caller. */
  through(caller: Pick<Caller, 'call'>): BenchPlayer {
    return new BenchPlayer(caller, this.seat);
  }

  /** A spin in one call. */
  spin(winAmount: number): Promise<Seen> {
    return this.start({ winAmount, endGame: true });
  }

  start({
    winAmount = 0,
    endGame = false,
    closeOpenGame = false,
    roundId = newRoundId(),
  } = {}): Promise<Seen> {
    return this.caller.call('/startGameRound', {
      token: this.seat.token,
      rngResult: { winAmount },
      debitInformation: { debitAmount: STAKE, currency: 'EUR' },
      endGame,
      closeOpenGame,
      externalGameProviderRoundId: roundId,
    });
  }

  win(gameRound: string, winAmount: number, transactionId = newRoundId()): Promise<Seen> {
    return this.caller.call('/addWin', {
      token: this.seat.token,
      gameRound,
      rngResult: { winAmount },
      externalGameProviderTransactionId: transactionId,
    });
  }

  end(gameRound: string, transactionId = newRoundId()): Promise<Seen> {
    return this.caller.call('/endGameRound', {
      token: this.seat.token,
      gameRound,
      externalGameProviderTransactionId: transactionId,
    });
  }

  info(gameRound: string): Promise<Seen> {
    return this.caller.call('/getGameRoundInfo', { token: this.seat.token, gameRound });
  }
}

/** Returns `count` players with a session each. Four sessions are opened at a time. */
export async function seatPlayers(
  stack: E2eStack,
  caller: Pick<Caller, 'call'>,
  count: number,
  operatorId = 'op1',
): Promise<BenchPlayer[]> {
  const players: BenchPlayer[] = [];
  const sit = async (): Promise<void> => {
    for (let at = players.length; at < count; at = players.length) {
      players.push(undefined as unknown as BenchPlayer);
      players[at] = new BenchPlayer(caller, await takeSeat(stack, { operatorId }));
    }
  };
  await Promise.all([sit(), sit(), sit(), sit()]);
  return players;
}
