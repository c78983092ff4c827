import { InterfaceError } from './errors';
import type {
  AddWinRequest,
  EndGameRequest,
  GameRoundInfoRequest,
  RoundRequest,
  StartGameRequest,
} from './provider-requests';
import { LostResponse } from './transport';
import type { GameReply, RoundInfoReply } from './types';

/**
 * What to do when a reply did not come (docs/interface#lost-reply): ask getGameRoundInfo and go by what it says. A call
 * that was answered with 5xx to the last is as uncertain as one that was not answered, so it is treated the same.
 */
export interface RoundAccess {
  getGameRoundInfo(request: GameRoundInfoRequest): Promise<RoundInfoReply>;
  endGameRound(request: EndGameRequest): Promise<GameReply>;
}

/** Asking and calling again within one recovery; what is still unknown then is told to the caller. */
const MAX_ROUNDS = 3;

export function isUncertain(error: unknown): boolean {
  return (
    (error instanceof LostResponse && !error.neverSent) ||
    (error instanceof InterfaceError && error.status >= 500)
  );
}

/** A refusal that came after an unanswered attempt is told as the refusal it was. */
function told(error: unknown): Error {
  const cause = error instanceof LostResponse ? error.cause : undefined;
  return cause instanceof InterfaceError ? cause : (error as Error);
}

/** The round's state, or the first error again where that cannot be had: then the outcome stays unknown. */
async function ask(
  rounds: RoundAccess,
  request: GameRoundInfoRequest,
  first: unknown,
): Promise<RoundInfoReply> {
  try {
    return await rounds.getGameRoundInfo(request);
  } catch {
    throw told(first);
  }
}

/** The debit is never repeated: the round is looked up by the provider's own id for it. */
export async function recoverStart(
  rounds: RoundAccess,
  request: StartGameRequest & { externalGameProviderRoundId: string },
  start: () => Promise<GameReply>,
): Promise<GameReply> {
  try {
    return await start();
  } catch (error) {
    if (!isUncertain(error)) throw error;
    const { token, externalGameProviderRoundId, debitsBefore = 0, endGame } = request;
    const reply = await ask(rounds, { token, externalGameProviderRoundId }, error);
    const { status, hash } = reply.gameRoundInfo;
    if (debitsBefore > 0 && debitsOf(reply) <= debitsBefore) throw error;
    if (status === 'closed' || (status === 'open' && endGame !== true)) return reply;
    if (status !== 'open') throw error;
    // The round is open, and a part of the call was carried out (docs/interface#end-game-round).
    return rounds.endGameRound({ token, gameRound: hash });
  }
}

function debitsOf(reply: RoundInfoReply): number {
  return reply.transactions.filter(({ type }) => type === 'debit').length;
}

/** Closed with the expected win is success; open with the win in it is closed by endGameRound. */
export async function recoverWin(
  rounds: RoundAccess,
  request: Omit<AddWinRequest, 'expectedTotalWinAmount'>,
  expectedTotalWinAmount: number | undefined,
  addWin: () => Promise<GameReply>,
): Promise<GameReply> {
  try {
    return await addWin();
  } catch (error) {
    if (!isUncertain(error)) throw error;
    const { token, gameRound } = request;
    const reply = await ask(rounds, { token, gameRound }, error);
    const { status } = reply.gameRoundInfo;
    const arrived = hasWin(reply, request.rngResult.winAmount ?? 0, expectedTotalWinAmount);
    if (status === 'closed' && arrived) return reply;
    if (status !== 'open') throw told(error);
    if (arrived) return rounds.endGameRound({ token, gameRound });
    // Open and without the win: to close it now would take the win from the player. We have looked, so this is
    // no blind repeat, and it carries the same transaction id: should the first one still arrive, it adds nothing.
    return addWin();
  }
}

function hasWin(
  reply: RoundInfoReply,
  winAmount: number,
  expectedTotalWinAmount: number | undefined,
): boolean {
  if (expectedTotalWinAmount !== undefined) return reply.totalWinAmount === expectedTotalWinAmount;
  return reply.gameState.some(({ type, result }) => type === 'genericwin' && result.winAmount === winAmount);
}

/** For calls that leave the round in a known status: being in it is success, still open means call again. */
export async function recoverClosing<Reply>(
  rounds: RoundAccess,
  { token, gameRound }: RoundRequest,
  wanted: 'closed' | 'cancel',
  call: () => Promise<Reply>,
): Promise<Reply | RoundInfoReply> {
  for (let round = 1; ; round += 1) {
    try {
      return await call();
    } catch (error) {
      // Once an attempt went unanswered, a refusal may be one of the repeat only: it is looked into as well.
      if (!isUncertain(error) && round === 1) throw error;
      const reply = await ask(rounds, { token, gameRound }, error);
      const { status } = reply.gameRoundInfo;
      if (status === wanted) return reply;
      if (status !== 'open' || round === MAX_ROUNDS) throw told(error);
    }
  }
}
