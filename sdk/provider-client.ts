import { randomUUID } from 'node:crypto';
import type { DebugOptions } from './debug';
import { InterfaceError, isObject } from './errors';
import type {
  AddSpinCounterRequest,
  AddWinRequest,
  CollectWinRequest,
  EndGameRequest,
  GameRoundInfoRequest,
  ProviderClientOptions,
  RandomRequest,
  RoundRequest,
  StartGameRequest,
} from './provider-requests';
import { isUncertain, recoverClosing, recoverStart, recoverWin } from './recovery';
import { attempts, isRetriable, isTooMany, RETRY_DEFAULTS } from './retry';
import { HEADERS, signBody } from './signing';
import { exchange, LostResponse, type WireReply } from './transport';
import type {
  Balance,
  GameReply,
  HistoryReply,
  LastRound,
  OpenRound,
  RoundInfoReply,
  SpinCounterReply,
  TokenData,
  VoidReply,
} from './types';

/** The service gives a money call 10 s before it says 503; a client that leaves earlier has to ask again. */
const DEFAULT_TIMEOUT_MS = 15_000;

/**
 * A game provider's side of the game-engine API. Methods resolve with the service's reply on success, throw
 * InterfaceError on a refusal and LostResponse where the outcome stays unknown.
 *
 * What to do after a lost response is built in (docs/interface#lost-reply). Only 5xx and 429 are retried, under the same
 * ids. After a lost response nothing is repeated blindly: getGameRoundInfo is asked first, and what it says decides (see
 * recovery.ts).
 */
export class ProviderClient {
  private readonly options: Required<Omit<ProviderClientOptions, 'now' | 'debug'>> & {
    now: () => Date;
  } & DebugOptions;

  constructor(options: ProviderClientOptions) {
    this.options = {
      timeoutMs: DEFAULT_TIMEOUT_MS,
      ...RETRY_DEFAULTS,
      now: () => new Date(),
      ...withoutUndefined(options),
    };
  }

  /** Without an id of its own the round gets one: a start that cannot be asked for afterwards is not safe. */
  async startGameRound(request: StartGameRequest): Promise<GameReply> {
    const { externalGameProviderRoundId = newId(), debitsBefore, ...rest } = request;
    const named = { ...rest, externalGameProviderRoundId };
    const recovered = debitsBefore === undefined ? named : { ...named, debitsBefore };
    return recoverStart(this, recovered, () => this.startOnce(named));
  }

  async addWin(request: AddWinRequest): Promise<GameReply> {
    const { expectedTotalWinAmount, ...rest } = request;
    const named = withTransactionId(rest);
    return recoverWin(this, named, expectedTotalWinAmount, () => this.retried('/addWin', named));
  }

  async endGameRound(request: EndGameRequest): Promise<GameReply> {
    const named = withTransactionId(request);
    return recoverClosing(this, named, 'closed', () => this.retried('/endGameRound', named));
  }

  async voidGameRound({ token, gameRound }: RoundRequest): Promise<VoidReply> {
    const named = { token, gameRound };
    return recoverClosing(this, named, 'cancel', () => this.retried('/voidGameRound', named));
  }

  /** Named by its transaction id: a repeat adds nothing while the round is open. */
  async collectWin(request: CollectWinRequest): Promise<GameReply> {
    const named = withTransactionId(request);
    return recoverClosing(this, named, 'closed', () => this.retried('/collectWin', named));
  }

  addSpinCounterGameState(request: AddSpinCounterRequest): Promise<SpinCounterReply> {
    return this.retried('/addSpinCounterGameState', withTransactionId(request));
  }

  getAvailableSpinCounter(
    request: RoundRequest & { counterType: string },
  ): Promise<{ tokenData: TokenData; amountToCollect: number; spinsAvailable: number }> {
    return this.read('/getAvailableSpinCounter', request);
  }

  getGameRoundInfo(request: GameRoundInfoRequest): Promise<RoundInfoReply> {
    return this.read('/getGameRoundInfo', request);
  }

  getGameRoundHistoryInfo(request: RoundRequest): Promise<HistoryReply> {
    return this.read('/getGameRoundHistoryInfo', request);
  }

  getBalance(request: { token: string }): Promise<Balance> {
    return this.read('/getBalance', request);
  }

  getTokenForGameRound(request: { gameRound: string }): Promise<{ tokenData: TokenData }> {
    return this.read('/getTokenForGameRound', request);
  }

  getTokenData(request: { token: string }): Promise<{ tokenData: TokenData }> {
    return this.read('/getTokenData', request);
  }

  getUncollectedAmount(request: RoundRequest): Promise<{ tokenData: TokenData; amountToCollect: number }> {
    return this.read('/getUncollectedAmount', request);
  }

  getOpenGameRounds(request: { token: string }): Promise<{ gameRoundList: OpenRound[] }> {
    return this.read('/getOpenGameRounds', request);
  }

  getOpenGameRoundsByGame(request: {
    gameCode: string;
    maxRecords?: number;
  }): Promise<{ gameRoundList: OpenRound[] }> {
    return this.read('/getOpenGameRoundsByGame', request);
  }

  getLastGameRounds(request: {
    token: string;
    maxRecords?: number;
    maxDays?: number;
  }): Promise<{ gameRoundList: LastRound[] }> {
    return this.read('/getLastGameRounds', request);
  }

  /** A lost draw is not asked for again: who could repeat a draw could choose among two. */
  getRandomResult(
    request: RandomRequest,
  ): Promise<{ tokenData: TokenData; values: number[]; rngRequestId: string }> {
    return attempts(this.options, () => this.post('/getRandomResult', request), isTooMany);
  }

  testPing<Data>(request: { testData: Data }): Promise<{ testData: Data }> {
    return this.read('/testPing', request);
  }

  /** A question: asked again after a lost response as well as after a 5xx or 429. */
  private read<Reply>(path: string, request: object): Promise<Reply> {
    return attempts(
      this.options,
      () => this.post<Reply>(path, request),
      (error) => isRetriable(error) || error instanceof LostResponse,
    );
  }

  /** Repeated only where it certainly was not carried out: the debit is not to be sent twice. */
  private startOnce(request: object): Promise<GameReply> {
    return attempts(
      this.options,
      () => this.post<GameReply>('/startGameRound', request),
      (error) => isTooMany(error) || isNeverSent(error),
    );
  }

  private async retried<Reply>(path: string, request: object): Promise<Reply> {
    let doubtful = false;
    try {
      return await attempts(
        this.options,
        () => this.post<Reply>(path, request),
        (error) => {
          doubtful ||= isUncertain(error);
          return isRetriable(error) || isNeverSent(error);
        },
      );
    } catch (error) {
      // A refusal after a 5xx may mean that the first attempt was carried out after all.
      throw doubtful && error instanceof InterfaceError ? new LostResponse(path, false, error) : error;
    }
  }

  /** One signed exchange. X-Request-Id is unique per call, so a retry has another one. */
  private async post<Reply>(path: string, request: object): Promise<Reply> {
    const { baseUrl, providerId, secret, timeoutMs, now, debug } = this.options;
    const body = JSON.stringify(request);
    const timestamp = now().toISOString();
    const reply = await exchange({
      method: 'POST',
      url: `${baseUrl}${path}`,
      timeoutMs,
      body,
      debug,
      signed: `${body}#${timestamp}`,
      headers: {
        'Content-Type': 'application/json',
        [HEADERS.authId]: providerId,
        [HEADERS.timestamp]: timestamp,
        [HEADERS.signature]: signBody(secret, body, timestamp),
        [HEADERS.requestId]: randomUUID(),
      },
    });
    if (!isSuccess(reply)) throw new InterfaceError(path, reply);
    return reply.body as Reply;
  }
}

/** HTTP 200 is success, and errorCode is present only on failure; a redirect or no JSON is neither. */
function isSuccess({ status, body }: WireReply): boolean {
  return status === 200 && isObject(body) && body['errorCode'] === undefined;
}

function isNeverSent(error: unknown): boolean {
  return error instanceof LostResponse && error.neverSent;
}

/** 32 characters: what externalGameProviderRoundId may have (docs/interface#round-id-length). */
function newId(): string {
  return randomUUID().replaceAll('-', '');
}

function withTransactionId<Request extends { externalGameProviderTransactionId?: string }>(
  request: Request,
): Request & { externalGameProviderTransactionId: string } {
  return {
    ...request,
    externalGameProviderTransactionId: request.externalGameProviderTransactionId ?? newId(),
  };
}

function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
