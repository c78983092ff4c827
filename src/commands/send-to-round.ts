import type { Actor, RoundReply, RoundStateView } from '../contracts/gameround';
import { refusal, refuse } from '../domain/errors';
import { WAITING_MARKS } from '../domain/round/marks';
import { replyAbout } from '../domain/round/replies';
import type { Standing } from '../domain/round/record';
import type { Command, RoundIdentity, RoundSnapshot } from '../domain/round/types';
import { mayFinish, owns, reaches, type Session } from '../domain/session';
import { commandDeadline } from './deadline';
import type { CommandPorts } from './ports';
import type { RoundClient } from './round-client';
import type { RoundRequest } from './types';

export interface CommandDependencies {
  rounds: RoundClient;
  ports: CommandPorts;
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export function actorOf({ operatorId, playerId, gameCode, providerId }: Session): Actor {
  return { operatorId, playerId, gameCode, providerId };
}

/** The record; undefined if there is none, `unavailable` if the database can't be read. */
export async function recordOf(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined | 'unavailable'> {
  const found = await deps.ports.findRecord(gameround).catch(unavailable(deps));
  return found === 'unavailable' ? found : found?.snapshot;
}

/** The same for the owner and status only. */
function standingOf(
  deps: CommandDependencies,
  gameround: string,
): Promise<Standing | undefined | 'unavailable'> {
  return deps.ports.findStanding(gameround).catch(unavailable(deps));
}

/** Logs that the database can't be read. */
export const unavailable =
  ({ ports }: CommandDependencies) =>
  (error: unknown): 'unavailable' => {
    ports.warn('a record could not be read', error);
    return 'unavailable';
  };

/** Sends a command to the session's round. For a round that is over, the answer comes from its record if it can be read. */
export async function sendToRound(
  deps: CommandDependencies,
  { session, gameRound }: RoundRequest,
  command: Command,
): Promise<RoundReply> {
  const deadline = commandDeadline();
  const record = await authorizedStanding(deps, session, gameRound, deadline);
  const actor = actorOf(session);
  // A round that is over takes no new commands, so no signal. A repeat can still join a void that is being retried.
  const reply = isOver(record)
    ? await deps.rounds.updateOnly(gameRound, command, actor, deadline)
    : await deps.rounds.signalThenUpdate(gameRound, command, actor, {
        deadline,
        isWaiting: isWaitingForWallet(record),
      });
  // The activity writes the record before the workflow takes the outcome in. So the round was over before this command.
  const isLate =
    reply !== 'gone' && reply.refusal === undefined && isOver(record) && !isWaitingForWallet(record);
  return reply === 'gone' || isLate ? replyForOver(deps, gameRound, actor, deadline) : reply;
}

/** Whether a record says that its round is over. That is always right; a record that says "open" may be outdated. */
export function isOver(record: Pick<Standing, 'status'> | undefined | 'unavailable'): boolean {
  return record !== undefined && record !== 'unavailable' && record.status !== 'open';
}

/** Whether a record says that its round waits for the wallet. The record may be outdated, so the round is asked, too. */
export function isWaitingForWallet(record: Pick<Standing, 'attention'> | undefined | 'unavailable'): boolean {
  if (record === undefined || record === 'unavailable') return false;
  return record.attention.some((mark) => WAITING_MARKS.includes(mark));
}

/**
 * Checks that the session may use the round: it must be a round of the session's player and game. A token for one round may
 * use only that one, an expired session only the rounds that it opened.
 */
async function authorizedStanding(
  deps: CommandDependencies,
  session: Session,
  gameround: string,
  deadline: number,
): Promise<Standing | undefined | 'unavailable'> {
  if (session.onlyGameround !== undefined && session.onlyGameround !== gameround)
    throw refuse('GAMEROUNDNOTFOUND');
  const record = await standingOf(deps, gameround);
  const identity =
    record === undefined || record === 'unavailable'
      ? await identityOf(deps, gameround, deadline)
      : record.identity;
  if (!reaches(session, identity)) throw refuse('GAMEROUNDNOTFOUND');
  if (!mayFinish(session, identity)) throw refuse('TOKENEXPIRED');
  return record;
}

/** Without a record, asks the workflow for the owner: nothing must be sent to a round of another owner. */
async function identityOf(
  deps: CommandDependencies,
  gameround: string,
  deadline: number,
): Promise<RoundIdentity> {
  const state = await deps.rounds.state(gameround, deadline);
  if (state === undefined) throw refuse('GAMEROUNDNOTFOUND');
  return state.identity;
}

/** The answer if no workflow runs for the round: it is over or never existed. */
export async function replyForOver(
  deps: CommandDependencies,
  gameround: string,
  actor: Actor,
  deadline?: number,
): Promise<RoundReply> {
  const record = await recordOf(deps, gameround);
  const round = await standing(deps, gameround, record, deadline);
  if (round === undefined) throw refuse('GAMEROUNDNOTFOUND');
  if (!owns(actor, round.identity)) throw refuse('GAMEROUNDNOTFOUND');
  // A person terminated the workflow, or Temporal lost it (docs/operations.md). Nothing can be done here.
  if (round.status === 'open') throw refuse('SERVICEUNAVAILABLE');
  return replyAbout(round, refusal('GAMEROUNDNOTACTIVE'));
}

/**
 * The state of a round. A record that says "over" is final; one that says "open" may be older than its workflow.
 */
async function standing(
  deps: CommandDependencies,
  gameround: string,
  record: RoundSnapshot | undefined | 'unavailable',
  deadline?: number,
): Promise<RoundSnapshot | undefined> {
  const known = record === 'unavailable' ? undefined : record;
  if (isOver(known)) return known;
  return (await stateRepairingRecord(deps, gameround, record, deadline)) ?? known;
}

/**
 * The state from the workflow, for a round whose record is not over. If the workflow has finished, MongoDB was restored from
 * an older copy, and the record is written again.
 */
export async function stateRepairingRecord(
  deps: CommandDependencies,
  gameround: string,
  record: Pick<RoundSnapshot, 'status'> | undefined | 'unavailable',
  deadline?: number,
): Promise<RoundSnapshot | undefined> {
  const state = await stateOrRecordOf(deps, gameround, deadline);
  if (state === undefined) return undefined;
  const isBehind = state.status !== 'open' && record !== 'unavailable';
  if (isBehind && !(await deps.rounds.isRunning(gameround, deadline)))
    await deps.ports
      .repairRecord(state)
      .catch((error: unknown) => deps.ports.warn('a record could not be repaired', error));
  return state;
}

/**
 * The state from the workflow, or the record if it is newer. The activity that finishes a command writes the record and
 * answers the caller before the workflow takes the outcome in.
 */
export async function stateOrRecordOf(
  { rounds, ports }: CommandDependencies,
  gameround: string,
  deadline?: number,
): Promise<RoundStateView | undefined> {
  const state = await rounds.state(gameround, deadline);
  if (state === undefined || (state.phase !== 'starting' && state.phase !== 'busy')) return state;
  const record = await ports
    .findRecorded(gameround)
    .catch((error: unknown) => ports.warn('a record could not be read', error));
  if (record === undefined || record.version < state.version) return state;
  return { ...state, ...record.snapshot, phase: 'idle' };
}
