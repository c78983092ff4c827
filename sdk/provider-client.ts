import { randomUUID } from 'node:crypto';
import { addressOption, checkFields, textOption } from './arguments';
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
import { commandKey, effectOf, effectOfVoid, startKey } from './own-effect';
import { carriedOut, type NamedCommand } from './recovery';
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

/** The service responds to a command with 503 after 10 s. A shorter timeout would lose that response. */
const DEFAULT_TIMEOUT_MS = 15_000;

type TransactionIds = Record<'externalGameProviderTransactionId', string>;

/**
 * The game provider's client of the game-engine API. Methods resolve with the service's reply after the call has taken
 * effect. They throw InterfaceError if the service refuses, and LostResponse if the outcome stays unknown.
 *
 * The client retries a command with the same idempotency keys until it gets a definite answer (recovery.ts). It never sends a
 * command that the game did not ask for.
 */
export class ProviderClient {
  private readonly options: ProviderClientOptions & typeof RETRY_DEFAULTS;

  constructor(options: ProviderClientOptions) {
    const { maxAttempts = RETRY_DEFAULTS.maxAttempts, backoffMs = RETRY_DEFAULTS.backoffMs } = options;
    this.options = {
      ...options,
      maxAttempts,
      backoffMs,
      baseUrl: addressOption('baseUrl', options.baseUrl),
      providerId: textOption('providerId', options.providerId),
      secret: textOption('secret', options.secret),
    };
  }

  /** If the request has no externalGameProviderRoundId, the client makes one: a start without it can't be retried. */
  async startGameRound(request: StartGameRequest): Promise<GameReply> {
    checkFields('startGameRound', request, ['token', 'rngResult', 'debitInformation']);
    const externalGameProviderRoundId = request.externalGameProviderRoundId ?? newId();
    const { token, rngResult, debitInformation, endGame } = request;
    const { debitAmount, useTicketInfo } = debitInformation;
    const taken = ['debit', useTicketInfo?.useTicket ? undefined : debitAmount] as const;
    return this.carriedOut({
      operation: '/startGameRound',
      request: { ...request, externalGameProviderRoundId },
      ids: { externalGameProviderRoundId },
      mayBeRepeat: request.externalGameProviderRoundId !== undefined,
      round: { token, externalGameProviderRoundId },
      effectIn: (round) =>
        effectOf(round, startKey(round, rngResult.rngCallId), endGame ? [taken, ['end']] : [taken]),
    });
  }

  async addWin(request: AddWinRequest): Promise<GameReply> {
    checkFields('addWin', request, ['rngResult']);
    const won = ['genericwin', request.rngResult.winAmount ?? 0] as const;
    return this.named('/addWin', request, (round, ids) =>
      effectOf(round, commandKey('addWin', ids), request.collect ? [won, ['end']] : [won]),
    );
  }

  endGameRound(request: EndGameRequest): Promise<GameReply> {
    return this.named('/endGameRound', request, (round, ids) =>
      effectOf(round, commandKey('end', ids), [['end']]),
    );
  }

  async voidGameRound(given: RoundRequest): Promise<VoidReply> {
    checkFields('voidGameRound', given, ['token', 'gameRound']);
    const { token, gameRound } = given;
    const request = { token, gameRound };
    return this.carriedOut<VoidReply>({
      ...{ operation: '/voidGameRound', request, ids: {}, mayBeRepeat: false, round: request },
      effectIn: effectOfVoid,
    });
  }

  collectWin(request: CollectWinRequest): Promise<GameReply> {
    return this.named('/collectWin', request, (round, ids) =>
      effectOf(round, commandKey('collectWin', ids), [['credit', request.amount]]),
    );
  }

  addSpinCounterGameState(request: AddSpinCounterRequest): Promise<SpinCounterReply> {
    // getGameRoundInfo does not return spinsAvailable, so the effect can't be read there.
    return this.named<SpinCounterReply>('/addSpinCounterGameState', request, () => undefined);
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
    maxRecords?: number | undefined;
  }): Promise<{ gameRoundList: OpenRound[] }> {
    return this.read('/getOpenGameRoundsByGame', request);
  }

  getLastGameRounds(request: {
    token: string;
    maxRecords?: number | undefined;
    maxDays?: number | undefined;
  }): Promise<{ gameRoundList: LastRound[] }> {
    return this.read('/getLastGameRounds', request);
  }

  /** A lost draw is not repeated: a caller that can repeat a draw could choose between two results. */
  getRandomResult(
    request: RandomRequest,
  ): Promise<{ tokenData: TokenData; values: number[]; rngRequestId: string }> {
    return attempts(this.options, () => this.post('/getRandomResult', request), isTooMany);
  }

  testPing<Data>(request: { testData: Data }): Promise<{ testData: Data }> {
    return this.read('/testPing', request);
  }

  /** A read. It is retried after a lost response, 5xx and 429. */
  private read<Reply>(path: string, request: object): Promise<Reply> {
    return attempts(
      this.options,
      () => this.post<Reply>(path, request),
      (error) => isRetriable(error) || error instanceof LostResponse,
    );
  }

  /** A command on an open round. If the request has no transaction id, the client makes one. */
  private async named<Reply extends VoidReply = GameReply>(
    operation: string,
    request: RoundRequest & { externalGameProviderTransactionId?: string | undefined },
    effectIn: (round: RoundInfoReply, ids: TransactionIds) => Reply | undefined,
  ): Promise<Reply> {
    checkFields(operation, request, ['token', 'gameRound']);
    const { token, gameRound, externalGameProviderTransactionId = newId() } = request;
    const ids = { externalGameProviderTransactionId };
    return this.carriedOut({
      ...{ operation, request: { ...request, ...ids }, ids, round: { token, gameRound } },
      mayBeRepeat: request.externalGameProviderTransactionId !== undefined,
      effectIn: (round) => effectIn(round, ids),
    });
  }

  private carriedOut<Reply>({
    request,
    round,
    ...command
  }: Omit<NamedCommand<Reply>, 'send' | 'ask'> & {
    request: object;
    round: GameRoundInfoRequest;
  }): Promise<Reply> {
    return carriedOut(this.options, {
      ...command,
      send: () => this.post<Reply>(command.operation, request),
      ask: () => this.post<RoundInfoReply>('/getGameRoundInfo', round),
    });
  }

  /** Sends one signed request. X-Request-Id is unique per request, so a retry has another one. */
  private async post<Reply>(path: string, request: object): Promise<Reply> {
    checkFields(path, request, []);
    const { baseUrl, providerId, secret, debug } = this.options;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, now = () => new Date() } = this.options;
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

/** Success is a 200 with a JSON object without errorCode. A redirect or a body without JSON is an error. */
function isSuccess({ status, body }: WireReply): boolean {
  return status === 200 && isObject(body) && body['errorCode'] === undefined;
}

/** 32 characters, the maximum of externalGameProviderRoundId (docs/interface#round-id-length). */
function newId(): string {
  return randomUUID().replaceAll('-', '');
}
