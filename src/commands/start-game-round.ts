import type { GameroundStart, RoundReply, RoundStateView } from '../contracts/gameround';
import { currentDiscount } from '../domain/discounts';
import { refusal, refuse, refuseBecause } from '../domain/errors';
import { gameroundHash, roundName } from '../domain/hashes';
import { holdsGuard, replyAbout } from '../domain/round/replies';
import type { RoundSnapshot, StartCommand } from '../domain/round/types';
import { owns, type Session } from '../domain/session';
import { toCommand } from './to-command';
import { commandDeadline, msLeft } from './deadline';
import type { GuardHolder } from '../contracts/guards';
import {
  actorOf,
  recordOf,
  replyForOver,
  stateOrRecordOf,
  unavailable,
  isWaitingForWallet,
  type CommandDependencies,
} from './send-to-round';
import type { StartGameRound } from './types';

const MIN_PAUSE_MS = 50;

/**
 * Finds the round that the call names (docs/interface#identify-first). If it is open, the call is a repeat or a follow-up
 * debit. If it is over, the call is refused. Only an unknown name starts a round, which may close another one first. The
 * record says which case it is, or the workflow if the record is outdated.
 */
export async function startGameRound(
  deps: CommandDependencies,
  request: StartGameRound,
): Promise<RoundReply> {
  const { session } = request;
  // One deadline for all steps: the caller must not wait longer, and no round may start after its call has ended.
  const start: Start = { request, gameround: nameOf(request), deadline: commandDeadline() };
  const own = session.onlyGameround;
  if (own === undefined && !session.expired) return startNew(deps, start);
  const known = await replyByRecord(deps, start);
  if (known !== undefined) return known;
  const isReached = own === undefined || own === start.gameround;
  const reply = isReached ? await replyByRound(deps, start) : undefined;
  if (reply !== undefined) return reply;
  throw own === undefined
    ? refuse('TOKENEXPIRED')
    : refuse('MODENOTALLOWED', 'this token is valid for its own round only');
}

interface Start {
  request: StartGameRound;
  /** The hash of the round that the call names. */
  gameround: string;
  deadline: number;
}

function nameOf({ session, requestId, rngResult, externalGameProviderRoundId }: StartGameRound): string {
  const name = roundName({ externalGameProviderRoundId, rngCallId: rngResult.rngCallId, requestId });
  return gameroundHash(session.operatorId, session.playerId, session.gameCode, name);
}

/** The answer of the round that the call names; undefined if it has no record. */
async function replyByRecord(deps: CommandDependencies, start: Start): Promise<RoundReply | undefined> {
  const record = await recordOf(deps, start.gameround);
  return record && replyForKnown(deps, start, record);
}

/** The same with the record that was read. */
async function replyForKnown(
  deps: CommandDependencies,
  start: Start,
  record: RoundSnapshot | 'unavailable',
): Promise<RoundReply> {
  const { gameround, request, deadline } = start;
  if (record !== 'unavailable' && !owns(request.session, record.identity)) throw refuse('GAMEROUNDNOTFOUND');
  if (record !== 'unavailable' && record.status !== 'open') {
    return replyAbout(record, refusal('GAMEROUNDNOTACTIVE'));
  }
  const reply = await repeat(deps, start, record);
  if (reply !== 'gone') return reply;
  // The database is down and no workflow runs, so nobody knows whether the round is new.
  if (record === 'unavailable') throw refuse('SERVICEUNAVAILABLE');
  return replyForOver(deps, gameround, actorOf(request.session), deadline);
}

/** The same if the record may be outdated: asks the workflow. If it has finished, its record is written. */
async function replyByRound(deps: CommandDependencies, start: Start): Promise<RoundReply | undefined> {
  const { gameround, request, deadline } = start;
  const reply = await deps.rounds.updateOnly(
    gameround,
    toCommand.startGameRound(request),
    actorOf(request.session),
    deadline,
  );
  if (reply !== 'gone') return reply;
  const recorded = await replyByRecord(deps, start);
  if (recorded !== undefined) return recorded;
  // The record may be missing, because MongoDB was restored from an older copy.
  const isKnown = (await deps.rounds.state(gameround, deadline)) !== undefined;
  return isKnown ? replyForOver(deps, gameround, actorOf(request.session), deadline) : undefined;
}

/** The round exists or may exist: sends a repeat, or a follow-up debit, which must be durable first. */
async function repeat(
  deps: CommandDependencies,
  { request, gameround, deadline }: Start,
  record: RoundSnapshot | 'unavailable',
): Promise<RoundReply | 'gone'> {
  const { followUpDebits } = await deps.ports.settingsFor(request.session);
  const command = toCommand.startGameRound(request);
  const actor = actorOf(request.session);
  // No ticket is looked up here: only the initial debit can use one.
  const mayDebit = followUpDebits && command.rngCallId !== undefined && record !== 'unavailable';
  if (!mayDebit) return deps.rounds.updateOnly(gameround, command, actor, deadline);
  applyDiscount(deps, request.session, command);
  return deps.rounds.signalThenUpdate(gameround, command, actor, {
    deadline,
    isWaiting: isWaitingForWallet(record),
  });
}

/** Starts the round if it is new. Taking the guard says so: a round with a record, or another open round, forbids it. */
async function startNew(deps: CommandDependencies, start: Start): Promise<RoundReply> {
  const { request, gameround, deadline } = start;
  const { session } = request;
  // A ticket is asked from the wallet, so a repeat is answered before that.
  const { useTicket } = request.debitInformation.useTicketInfo ?? {};
  const known = useTicket ? await replyByRecord(deps, start) : undefined;
  if (known !== undefined) return known;
  const described = await describeStart(deps, gameround, request).catch((error: unknown) => ({ error }));
  if ('error' in described) {
    // The round may exist without a record yet. Then its own bet may have used the free play that is missing here.
    const reply = (await replyByRecord(deps, start)) ?? (await replyByRound(deps, start));
    if (reply === undefined) throw described.error;
    return reply;
  }
  const stored = JSON.stringify(described);
  while (msLeft(deadline) > 0) {
    const holder = await deps.ports.guards.take(session, gameround, stored).catch(unavailable(deps));
    if (holder === 'unavailable') return replyForKnown(deps, start, holder);
    if (holder === 'recorded') {
      const reply = await replyByRecord(deps, start);
      if (reply !== undefined) return reply;
      // A majority has not acknowledged the record yet.
      await pause();
      continue;
    }
    if (holder.gameround !== gameround) {
      // The named round may be over and its guard taken by another round, while its record is not written yet.
      const known = await replyByRound(deps, start);
      if (known !== undefined) return known;
      const blocked = await closeHolder(deps, holder, start);
      if (blocked !== 'undecided' && blocked !== undefined) return blocked;
      // Another call may take the guard first, so it is taken in the next turn.
      if (blocked === undefined) await unavailableOnError(() => deps.ports.guards.free(session, holder));
      else await pause();
      continue;
    }
    // The guard may have taken long. No round may start after its call has ended.
    if (msLeft(deadline) <= 0) break;
    const reply = await deps.rounds.start(described, actorOf(session), deadline);
    if (reply === 'gone') return replyForOver(deps, gameround, actorOf(session), deadline);
    if (reply !== 'guard-lost') return reply;
    await pause();
  }
  throw refuse('OPERATIONBEINGPROCESSED');
}

/** A random pause, so that several calls for the same guard do not try again at the same moment. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS + Math.random() * MIN_PAUSE_MS));
}

/**
 * Another round holds the guard. Its workflow decides, never its record. Returns a reply if that round stays open, undefined
 * if it is over or was closed for the new round, `undecided` while its own wallet call is in progress.
 */
async function closeHolder(
  deps: CommandDependencies,
  holder: GuardHolder,
  { gameround, request, deadline }: Start,
): Promise<RoundReply | undefined | 'undecided'> {
  const open = await openStateOf(deps, holder.gameround, deadline);
  // The game has moved to another provider. The older round does not exist for this provider and loses its guard.
  if (open === undefined || !owns(request.session, open.identity)) return undefined;
  // The round may still lose its guard, or its bet may be refused, or its current command may end it. Wait for that.
  if (open.phase === 'starting' || open.phase === 'busy') return 'undecided';
  if (!request.closeOpenGame) return replyAbout(open, refusal('GAMEROUNDALREADYSTARTED'));
  const end = { type: 'end', key: `close-by-${gameround}`, reason: 'closeOpenGame' } as const;
  const about = { deadline, isWaiting: open.phase === 'retrying' };
  const closed = await deps.rounds.signalThenUpdate(holder.gameround, end, actorOf(request.session), about);
  if (closed === 'gone') return undefined;
  // A rejected credit has voided or crashed the round. Then it does not hold the guard any more.
  return (await openStateOf(deps, holder.gameround, deadline)) === undefined ? undefined : closed;
}

async function openStateOf(
  deps: CommandDependencies,
  gameround: string,
  deadline: number,
): Promise<RoundStateView | undefined> {
  if (!(await deps.rounds.isRunning(gameround, deadline))) return undefined;
  const state = await stateOrRecordOf(deps, gameround, deadline);
  return state !== undefined && holdsGuard(state) ? state : undefined;
}

async function describeStart(
  deps: CommandDependencies,
  gameround: string,
  request: StartGameRound,
): Promise<GameroundStart> {
  const { session, debitInformation, externalGameProviderRoundId } = request;
  const command = toCommand.startGameRound(request);
  if (command.useTicket) {
    const { ticket, tickets } = await deps.ports.chooseTicket(session, debitInformation.debitAmount);
    command.ticket = ticket;
    command.stake = ticket.stake;
    command.grants = { tickets };
  } else {
    applyDiscount(deps, session, command);
  }
  return {
    identity: {
      gameround,
      operatorId: session.operatorId,
      playerId: session.playerId,
      gameCode: session.gameCode,
      providerId: session.providerId,
      sessionId: session.sessionId,
      mode: 'real',
      currency: session.currency,
      currencyMultiplier: session.currencyMultiplier,
      language: session.language,
      externalGameProviderRoundId,
    },
    settings: await deps.ports.settingsFor(session),
    command,
  };
}

/** Adds the current discount of the stake, from the operator's last known balance. */
function applyDiscount(deps: CommandDependencies, session: Session, command: StartCommand): void {
  const at = new Date(deps.nowMs()).toISOString();
  const discountInfo = session.balance?.discountInfo;
  if (discountInfo === undefined) return;
  command.discount = currentDiscount(discountInfo, command.stake, session.currency, at);
  if (command.discount !== undefined) command.grants = { discountInfo };
}

async function unavailableOnError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
}
