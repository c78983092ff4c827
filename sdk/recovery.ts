import { InterfaceError, isObject } from './errors';
import { attempts, isTooMany, type RetryOptions } from './retry';
import { LostResponse } from './transport';
import type { RoundInfoReply } from './types';

/** A command of a game, with ids that name it: however often it is sent, it is carried out once. */
export interface NamedCommand<Reply> {
  operation: string;
  /** The ids that name it. */
  ids: Record<string, string>;
  /** The game has named it: it may have sent it before. */
  mayBeRepeat: boolean;
  send(): Promise<Reply>;
  /** getGameRoundInfo of its round. */
  ask(): Promise<RoundInfoReply>;
  /** The reply to it, where its round shows that it took effect. */
  effectIn(round: RoundInfoReply): Reply | undefined;
}

const GAMEROUNDNOTACTIVE = 2000;
const GAMEROUNDCRASHED = 2012;
const WALLETUNAVAILABLE = 3000;

/**
 * Sends a command until it has a definite answer (docs/interface#lost-reply). After a lost reply it asks getGameRoundInfo;
 * where that does not show the command's own effect, it sends the same command under the same ids. It sends nothing else.
 *
 * @throws InterfaceError when the command was refused and has no effect
 * @throws LostResponse when its outcome is not known
 */
export async function carriedOut<Reply>(
  options: Required<{ [Name in keyof RetryOptions]: number }>,
  command: NamedCommand<Reply>,
): Promise<Reply> {
  let inDoubt = false;
  let round: RoundInfoReply | undefined;
  const attempt = async (): Promise<Reply> => {
    try {
      return await command.send();
    } catch (error) {
      inDoubt ||= isUncertain(error);
      const isAsked = isOver(error)
        ? inDoubt || command.mayBeRepeat
        : inDoubt && error instanceof LostResponse;
      if (!isAsked) throw error;
      round = (await command.ask().catch(() => undefined)) ?? round;
      const effect = round && command.effectIn(round);
      if (effect === undefined) throw error;
      return effect;
    }
  };
  try {
    return await attempts(options, attempt, (error) => isUncertain(error) || isNotCarriedOut(error));
  } catch (error) {
    if (!inDoubt || isRefusal(error)) throw error;
    const { operation, ids } = command;
    throw new LostResponse(operation, false, error, { ids, round, advice: adviceAfter(error, round) });
  }
}

function adviceAfter(error: unknown, round: RoundInfoReply | undefined): string {
  if (!isOver(error)) return 'Send the same call again, with the ids of this error.';
  return round === undefined
    ? 'The round takes no more calls. Ask getGameRoundInfo whether it has this one.'
    : 'The round takes no more calls, and it does not show this one. Look at the round of this error.';
}

function isNotCarriedOut(error: unknown): boolean {
  return isTooMany(error) || (error instanceof LostResponse && error.neverSent);
}

/** It may have been carried out, or may yet be: no reply came, or one that is no word of the service about the command. */
function isUncertain(error: unknown): boolean {
  if (error instanceof LostResponse) return !error.neverSent;
  if (!(error instanceof InterfaceError) || isBetGivenBack(error)) return false;
  return error.status < 400 || error.status === 408 || error.status >= 500;
}

/** The round's own answer: the bet is not in play (docs/interface#what-the-provider-gets). */
function isBetGivenBack({ status, errorCode, body }: InterfaceError): boolean {
  return status === 502 && errorCode?.id === WALLETUNAVAILABLE && statusIn(body) !== undefined;
}

/** A repeat of a command that was carried out gets this when the round is over by now. */
function isOver(error: unknown): error is InterfaceError {
  const id = error instanceof InterfaceError ? error.errorCode?.id : undefined;
  return id === GAMEROUNDNOTACTIVE || id === GAMEROUNDCRASHED;
}

/** A repeat gets the first answer while the round is open, so its refusal is the command's. A cancelled round pays nothing. */
function isRefusal(error: unknown): boolean {
  if (isOver(error)) return statusIn(error.body) === 'cancel';
  return error instanceof InterfaceError && (error.status === 400 || isBetGivenBack(error));
}

function statusIn(body: unknown): unknown {
  const about = isObject(body) ? body['gameRoundInfo'] : undefined;
  return isObject(about) ? about['status'] : undefined;
}
