import type { Actor, RoundReply, RoundStateView } from '../contracts/gameround';
import { refusal, refuse } from '../domain/errors';
import { normalId } from '../domain/hashes';
import { WAITING_MARKS } from '../domain/round/attention';
import { replyAbout } from '../domain/round/replies';
import type { Standing } from '../domain/round/record';
import type { Command, RoundIdentity, RoundSnapshot } from '../domain/round/types';
import { mayFinish, owns, type Session } from '../domain/session';
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

/** The record, undefined when there is none, `unavailable` when the database can't be asked. */
export function recordOf(
  deps: CommandDependencies,
  gameround: string,
): Promise<RoundSnapshot | undefined | 'unavailable'> {
  return deps.ports.findRecord(gameround).catch(() => 'unavailable');
}

/** The same of what little tells whose the round is and how it stands. */
export function standingOf(
  deps: CommandDependencies,
  gameround: string,
): Promise<Standing | undefined | 'unavailable'> {
  return deps.ports.findStanding(gameround).catch(() => 'unavailable');
}

/** The key of a command on a round: what the provider calls the transaction, the draw, or else the request. */
export function commandKey(request: RoundRequest & { rngCallId?: string }): string {
  const { externalGameProviderTransactionId: transaction, rngCallId, requestId } = request;
  if (transaction !== undefined) return `transaction:${normalId(transaction)}`;
  return rngCallId === undefined ? `request:${normalId(requestId)}` : `rng:${normalId(rngCallId)}`;
}

/** Sends a command to the session's round. The record, where it can be read, answers for rounds that are over. */
export async function sendToRound(
  deps: CommandDependencies,
  { session, gameRound }: RoundRequest,
  command: Command,
): Promise<RoundReply> {
  const deadline = commandDeadline();
  const record = await authorizedStanding(deps, session, gameRound, deadline);
  const actor = actorOf(session);
  // Nothing new can be done to a round that is over; a void that is still being retried can be joined.
  const reply = isOver(record)
    ? await deps.rounds.updateOnly(gameRound, command, actor, deadline)
    : await deps.rounds.signalThenUpdate(gameRound, command, actor, {
        deadline,
        isWaiting: isWaitingForWallet(record),
      });
  // What has ended the round is in its record before the round itself has taken it in: this came after it.
  const isLate =
    reply !== 'gone' && reply.refusal === undefined && isOver(record) && !isWaitingForWallet(record);
  return reply === 'gone' || isLate ? replyForOver(deps, gameRound, actor, deadline) : reply;
}

/** Whether a record says that its round is over. Every one that says so is right: an open one may be late. */
export function isOver(record: Pick<Standing, 'status'> | undefined | 'unavailable'): boolean {
  return record !== undefined && record !== 'unavailable' && record.status !== 'open';
}

/** Whether a record says that its round waits for the wallet. It may be late: the round itself is asked. */
export function isWaitingForWallet(record: Pick<Standing, 'attention'> | undefined | 'unavailable'): boolean {
  if (record === undefined || record === 'unavailable') return false;
  return record.attention.some((mark) => WAITING_MARKS.includes(mark));
}

/**
 * Which rounds a session reaches: its player's in its game, as if no others existed; only its own one where it was
 * made for one; once expired only those that it opened.
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
  if (!owns(session, identity)) throw refuse('GAMEROUNDNOTFOUND');
  if (!mayFinish(session, identity)) throw refuse('TOKENEXPIRED');
  return record;
}

/** Without a record the round's workflow tells whose it is: nothing is sent to a round of somebody else. */
async function identityOf(
  deps: CommandDependencies,
  gameround: string,
  deadline: number,
): Promise<RoundIdentity> {
  const state = await deps.rounds.state(gameround, deadline);
  if (state === undefined) throw refuse('GAMEROUNDNOTFOUND');
  return state.identity;
}

/** No workflow runs for the round: it is over, or it never was. */
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
  // Somebody ended the workflow by force, or Temporal lost it (docs/operations.md). Nothing can be done here.
  if (round.status === 'open') throw refuse('SERVICEUNAVAILABLE');
  return replyAbout(round, refusal('GAMEROUNDNOTACTIVE'));
}

/**
 * How a round stands: a record that is over has the last word, an open one may lag behind its workflow.
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
 * How a round stands by its workflow, where its record is not over. Where the workflow is over, MongoDB was restored from an
 * older copy: the record is written anew.
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
    await deps.ports.repairRecord(state).catch(() => undefined);
  return state;
}

/**
 * How a round stands by its workflow. The activity that ends a command writes the record and answers its caller before the
 * workflow takes the outcome in: until then the record counts.
 */
export async function stateOrRecordOf(
  { rounds, ports }: CommandDependencies,
  gameround: string,
  deadline?: number,
): Promise<RoundStateView | undefined> {
  const state = await rounds.state(gameround, deadline);
  if (state === undefined || (state.phase !== 'starting' && state.phase !== 'busy')) return state;
  const record = await ports.findRecorded(gameround).catch(() => undefined);
  if (record === undefined || record.version < state.version) return state;
  return { ...state, ...record.snapshot, phase: 'idle' };
}
