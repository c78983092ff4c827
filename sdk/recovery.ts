import { InterfaceError, isObject } from './errors';
import { attempts, isTooMany, type RetryOptions } from './retry';
import { LostResponse } from './transport';
import type { RoundInfoReply } from './types';

/** A command with idempotency keys: it can be sent any number of times and is carried out once. */
export interface NamedCommand<Reply> {
  operation: string;
  /** Its idempotency keys. */
  ids: Record<string, string>;
  /** The game chose the key, so it may have sent the command before. */
  mayBeRepeat: boolean;
  send(): Promise<Reply>;
  /** Calls getGameRoundInfo for the round. */
  ask(): Promise<RoundInfoReply>;
  /** The reply to the command, if its round shows that it took effect. */
  effectIn(round: RoundInfoReply): Reply | undefined;
}

const GAMEROUNDNOTACTIVE = 2000;
const GAMEROUNDCRASHED = 2012;
const WALLETUNAVAILABLE = 3000;

/**
 * Sends a command until it has a definite answer (docs/interface#lost-reply). After a lost reply it calls getGameRoundInfo. If
 * that does not show the command's own effect, it sends the same command with the same keys again. It sends nothing else.
 *
 * @throws InterfaceError if the command was refused and has no effect
 * @throws LostResponse if the outcome is unknown
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

/** The command may have been carried out, or may still be carried out: there is no reply, or no definite one. */
function isUncertain(error: unknown): boolean {
  if (error instanceof LostResponse) return !error.neverSent;
  if (!(error instanceof InterfaceError) || isBetGivenBack(error)) return false;
  return error.status < 400 || error.status === 408 || error.status >= 500;
}

/** A definite answer of the round: the bet is not in play (docs/interface#what-the-provider-gets). */
function isBetGivenBack({ status, errorCode, body }: InterfaceError): boolean {
  return status === 502 && errorCode?.id === WALLETUNAVAILABLE && statusIn(body) !== undefined;
}

/** The round accepts no more commands. A repeat of a command that was carried out may also get this error. */
function isOver(error: unknown): error is InterfaceError {
  const id = error instanceof InterfaceError ? error.errorCode?.id : undefined;
  return id === GAMEROUNDNOTACTIVE || id === GAMEROUNDCRASHED;
}

/** Whether the error is definite. While the round is open, a repeat gets the first answer. A cancelled round pays nothing. */
function isRefusal(error: unknown): boolean {
  if (isOver(error)) return statusIn(error.body) === 'cancel';
  return error instanceof InterfaceError && (error.status === 400 || isBetGivenBack(error));
}

function statusIn(body: unknown): unknown {
  const about = isObject(body) ? body['gameRoundInfo'] : undefined;
  return isObject(about) ? about['status'] : undefined;
}
