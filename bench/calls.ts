import { Agent, request } from 'undici';
import { providerHeaders, type Party, type ReplyBody } from '../test/support/e2e-http';
import { newRoundId, STAKE, takeSeat, type Seat } from '../test/support/e2e-player';
import type { E2eStack } from '../test/support/e2e-stack';

/** One call as its sender saw it. */
export interface Seen {
  /** 0: nothing came back. */
  status: number;
  body: ReplyBody;
  retryAfter?: string;
  ms: number;
}

const TIMEOUT_MS = 20_000;

/** Signed game-engine calls over kept connections, as a provider's server makes them. */
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
    const body = JSON.stringify(content);
    const { 'Content-Length': _length, ...headers } = providerHeaders(this.provider, body);
    const began = performance.now();
    try {
      const reply = await request(`${this.api}${path}`, {
        dispatcher: this.#agent,
        method: 'POST',
        headers,
        body,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      const text = await reply.body.text();
      const retryAfter = reply.headers['retry-after'];
      return {
        status: reply.statusCode,
        body: JSON.parse(text) as ReplyBody,
        ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
        ms: performance.now() - began,
      };
    } catch (error) {
      return { status: 0, body: { failure: String(error) }, ms: performance.now() - began };
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** What a player does, one call at a time. */
export class BenchPlayer {
  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    readonly seat: Pick<Seat, 'token' | 'playerId' | 'operatorId'>,
  ) {}

  /** A spin in one call. */
  spin(winAmount: number): Promise<Seen> {
    return this.start({ winAmount, endGame: true });
  }

  start({ winAmount = 0, endGame = false, closeOpenGame = false } = {}): Promise<Seen> {
    return this.caller.call('/startGameRound', {
      token: this.seat.token,
      rngResult: { winAmount },
      debitInformation: { debitAmount: STAKE, currency: 'EUR' },
      endGame,
      closeOpenGame,
      externalGameProviderRoundId: newRoundId(),
    });
  }

  win(gameRound: string, winAmount: number): Promise<Seen> {
    return this.caller.call('/addWin', {
      token: this.seat.token,
      gameRound,
      rngResult: { winAmount },
      externalGameProviderTransactionId: newRoundId(),
    });
  }

  end(gameRound: string): Promise<Seen> {
    const externalGameProviderTransactionId = newRoundId();
    const { token } = this.seat;
    return this.caller.call('/endGameRound', { token, gameRound, externalGameProviderTransactionId });
  }

  info(gameRound: string): Promise<Seen> {
    return this.caller.call('/getGameRoundInfo', { token: this.seat.token, gameRound });
  }
}

/** As many players as asked for, sat down a few at a time. */
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
