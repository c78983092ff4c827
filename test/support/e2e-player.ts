import { randomUUID } from 'node:crypto';
import { operatorFields } from '../../sdk';
import {
  callAsOperator,
  callAsProvider,
  exchange,
  NoAnswer,
  type Answer,
  type CallOptions,
} from './e2e-http';
import type { E2eStack } from './e2e-stack';
import { until } from './until';

export const STAKE = 250;

export interface StartRequest extends CallOptions {
  /** externalGameProviderRoundId. Default: a new one. Null: none. */
  roundId?: string | null;
  debitAmount?: number;
  winAmount?: number;
  rngCallId?: string;
  endGame?: boolean;
  closeOpenGame?: boolean;
}

export interface WinRequest extends CallOptions {
  winAmount: number;
  collect?: boolean;
  transactionId?: string;
  rngCallId?: string;
}

export interface FinishRequest extends CallOptions {
  transactionId?: string;
}

/** A player in the demo game. Every method makes one signed call of the provider's server, without a retry. */
export interface Seat {
  operatorId: string;
  playerId: string;
  /** The session's token. */
  token: string;
  start(request?: StartRequest): Promise<Answer>;
  win(gameRound: string, request: WinRequest): Promise<Answer>;
  end(gameRound: string, request?: FinishRequest): Promise<Answer>;
  collect(gameRound: string, request?: FinishRequest & { amount?: number }): Promise<Answer>;
  void(gameRound: string, request?: CallOptions): Promise<Answer>;
  /** getGameRoundInfo. */
  info(asked?: { gameRound?: string; externalGameProviderRoundId?: string }): Promise<Answer>;
  /** Any other game-engine call. Adds the token. */
  call(path: string, request?: object, options?: CallOptions): Promise<Answer>;
  /** Starts a round and returns its hash. */
  open(request?: StartRequest): Promise<string>;
}

/** Launches the game for a player, connects, and returns a seat with the session's token. */
export async function takeSeat(
  stack: E2eStack,
  {
    operatorId = 'op1',
    playerId = `player-${randomUUID()}`,
  }: { operatorId?: string; playerId?: string } = {},
): Promise<Seat> {
  const launched = await launch(stack, operatorId, playerId);
  const { searchParams } = new URL(String(launched.body.url));
  const query = new URLSearchParams({ token: searchParams.get('token') ?? '' });
  const connected = await exchange({ url: `${searchParams.get('login')}?${query.toString()}` });
  if (connected.status !== 200) throw new Error(`connect: ${describe(connected)}`);
  return seatOf(stack, { operatorId, playerId, token: String(connected.body.token) });
}

export async function launch(stack: E2eStack, operatorId: string, playerId: string): Promise<Answer> {
  const request = { playerId, currency: 'EUR', gameCode: stack.gameCode, language: 'en', mode: 'real' };
  const fields = operatorFields.getGameURL(request);
  const answer = await callAsOperator(stack.api, stack.operator(operatorId), {
    path: '/getGameURL',
    request,
    fields,
  });
  if (answer.status !== 200) throw new Error(`getGameURL: ${describe(answer)}`);
  return answer;
}

export function seatOf(stack: E2eStack, who: { operatorId: string; playerId: string; token: string }): Seat {
  const call = (path: string, request: object = {}, options: CallOptions = {}): Promise<Answer> =>
    callAsProvider(stack.api, stack.provider, path, { token: who.token, ...request }, options);
  const start = (request: StartRequest = {}): Promise<Answer> => {
    const { roundId = newRoundId(), debitAmount = STAKE, winAmount, rngCallId, ...more } = request;
    const { endGame = false, closeOpenGame = false, ...options } = more;
    const body = {
      rngResult: { rngCallId, winAmount },
      debitInformation: { debitAmount, currency: 'EUR' },
      endGame,
      closeOpenGame,
      ...(roundId === null ? {} : { externalGameProviderRoundId: roundId }),
    };
    return call('/startGameRound', body, options);
  };
  return {
    ...who,
    call,
    start,
    win: (gameRound, { winAmount, rngCallId, collect = false, transactionId, ...options }) =>
      call(
        '/addWin',
        {
          gameRound,
          rngResult: { winAmount, rngCallId },
          collect,
          externalGameProviderTransactionId: transactionId,
        },
        options,
      ),
    end: (gameRound, { transactionId, ...options } = {}) =>
      call('/endGameRound', { gameRound, externalGameProviderTransactionId: transactionId }, options),
    collect: (gameRound, { transactionId, amount, ...options } = {}) =>
      call('/collectWin', { gameRound, amount, externalGameProviderTransactionId: transactionId }, options),
    void: (gameRound, options) => call('/voidGameRound', { gameRound }, options),
    info: (asked = {}) => call('/getGameRoundInfo', asked),
    open: async (request) => {
      const answer = await start(request);
      if (answer.status !== 200) throw new Error(`startGameRound: ${describe(answer)}`);
      return roundOf(answer);
    },
  };
}

export function newRoundId(): string {
  return randomUUID().replaceAll('-', '');
}

export function roundOf({ body }: Answer): string {
  const { hash } = body.gameRoundInfo ?? {};
  if (hash === undefined) throw new Error(`a reply without gameRoundInfo: ${JSON.stringify(body)}`);
  return hash;
}

/** The parts of an answer that a provider acts on: `200 closed`, `400 GAMEROUNDNOTACTIVE cancel`. */
export function describe({ status, body }: Answer): string {
  const { errorCode, gameRoundInfo } = body;
  return [status, errorCode?.msg, gameRoundInfo?.status].filter((part) => part !== undefined).join(' ');
}

const PAUSE_MS = 250;

/**
 * Repeats a call, as a provider does, until there is a definite answer. No answer (a killed process) and 503 are not
 * definite. A 502 is definite only if it says that the round is cancelled. Throws at a 500.
 */
export async function insist(ask: () => Promise<Answer>, timeoutMs = 90_000): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  let last = 'nothing';
  while (Date.now() < deadline) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
    last = answer instanceof NoAnswer ? answer.message : describe(answer);
    if (!(answer instanceof NoAnswer) && isDefinite(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`no definite answer within ${timeoutMs} ms, last: ${last}`);
}

function isDefinite(answer: Answer): boolean {
  if (answer.status === 500) throw new Error(`an internal error: ${JSON.stringify(answer.body)}`);
  return answer.status < 500 || (answer.status === 502 && answer.body.gameRoundInfo?.status === 'cancel');
}

/** The same as `until`. An error says what was waited for. */
export async function eventually<T>(what: string, ...waiting: Parameters<typeof until<T>>): Promise<T> {
  return until(...waiting).catch((error: Error) => {
    throw new Error(`${what}: ${error.message}`);
  });
}
