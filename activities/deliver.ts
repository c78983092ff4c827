import { createHash } from 'node:crypto';
import { activityInfo, ApplicationFailure, heartbeat, type Info } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import {
  BET_AGE_MS,
  BET_UNCONFIRMED,
  NO_ANSWER,
  TOO_LATE_REASON,
  type BetDelivery,
  type CommandEnd,
  type Delivered,
  type DeliveredCredit,
  type DeliveryResult,
  type GameroundActivities,
  type WalletDelivery,
} from '../src/contracts/activities';
import { COMMANDS } from '../src/contracts/gameround';
import { classifyWalletReply } from '../src/domain/classify-wallet-reply';
import { isOwn } from '../src/domain/round/known-entries';
import { replyTo, snapshotOf } from '../src/domain/round/replies';
import { owesNothing, applyWalletOutcome } from '../src/domain/round/apply-wallet-outcome';
import type { IdleHistory } from '../src/domain/round/record';
import type { RoundState } from '../src/domain/round/types';
import { callOf, noAnswerTo, type WalletCall, type WalletOutcome } from '../src/domain/wallet-call';
import { reportOf } from '../src/domain/wallet-rules';
import type { Guards } from '../src/contracts/guards';
import type { Attempts, ServerTimes } from '../src/contracts/temporal-server';
import type { WaitingCalls } from '../src/contracts/waiting-calls';
import type { PreviousRuns } from '../src/histories/previous-runs';
import type { Rounds } from '../src/read-model/rounds';
import { FAILURE_TYPES, goOnWith } from './failures';
import { idleHistory, whole } from './read-model';
import { serverClock } from './server-clock';
import type { KnownOperator, Observe, TenantLookup } from './types';

export interface DeliverDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  guards: Guards;
  rounds: Rounds;
  times: ServerTimes;
  previousRuns: PreviousRuns;
  attempts: Attempts;
  observe: Observe;
  waitingCalls: WaitingCalls;
}

/** Interval of heartbeats; well below the time after which a worker counts as dead (workflows/policies.ts). */
const ALIVE_MS = 1_000;

/**
 * A bet that took longer leaves its credit to another activity: the time of an activity (workflows/policies.ts) is enough for
 * one slow wallet call.
 */
const CREDIT_WITHIN_MS = 5_000;

type WalletActivities = Pick<GameroundActivities, 'deliver' | 'deliverUntilDefinite' | 'newSecrets'>;

export function createWalletActivities(deps: DeliverDependencies): WalletActivities {
  const { tenants, wallet } = deps;

  async function send(
    operator: KnownOperator,
    { round, call }: WalletDelivery,
    redelivered: boolean,
    known: Known,
  ): Promise<WalletOutcome> {
    const { playerId, gameCode, gameround } = round;
    const answer = await wallet.doTransactions(operator, { playerId, gameCode, gameRound: gameround, call });
    const { repeatableErrorIds, strictReplies } = operator;
    const outcome = classifyWalletReply(call, answer, {
      redelivered,
      repeatableErrorIds,
      strictReplies,
      ...known,
    });
    const { operatorId } = round;
    const { attempt } = activityInfo();
    deps.observe({
      ...{ operatorId, gameround, purpose: call.purpose, attempt },
      ...reportOf(call, answer, outcome),
    });
    return outcome.kind === 'rejected' ? { ...outcome, signedWith: nameOfSecrets(operator) } : outcome;
  }

  return {
    async deliver(delivery, end) {
      const clock = serverClock();
      const operator = await tenants.operator(delivery.round.operatorId);
      const startedAt = performance.now();
      const known = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
      let progress: Delivered | undefined;
      const alive = setInterval(() => heartbeat(progress), ALIVE_MS);
      const credits: Credits = {
        isQuick: () => performance.now() - startedAt < CREDIT_WITHIN_MS,
        async announce(delivered) {
          heartbeat((progress = delivered));
          await deps.attempts.report(activityInfo().taskToken, delivered);
        },
        async send(call) {
          const result = await send(operator, { ...delivery, call }, false, known);
          return { call, result, at: clock().toISOString() };
        },
      };
      try {
        const begun = await begin(deps, delivery, end);
        if (typeof begun !== 'string' && 'result' in begun) return begun;
        const result =
          typeof begun === 'string' ? await send(operator, delivery, begun === 'again', known) : begun;
        const none = end?.betVersion === undefined ? {} : { credit: null };
        return await finish(deps, delivery, { result, at: clock().toISOString(), ...none }, end, credits);
      } finally {
        clearInterval(alive);
      }
    },

    async deliverUntilDefinite(delivery): Promise<DeliveryResult> {
      const operator = await tenants.operator(delivery.round.operatorId);
      const info = activityInfo();
      const { attempt } = info;
      const newer = await newerBeforeReset(deps, delivery);
      if (newer !== undefined) return newer;
      const known = rememberedFrom(delivery, info);
      const lastAnswer = (info.heartbeatDetails as Remembered | undefined)?.lastAnswer ?? delivery.lastAnswer;
      // `begun`: if no later heartbeat follows, the next attempt treats this one as a delivery without an answer.
      const begin = (): void => heartbeat({ attempt, begun: true, lastAnswer } satisfies Remembered);
      begin();
      const alive = setInterval(begin, ALIVE_MS);
      const redelivered = delivery.call.purpose === 'void';
      const outcome = await send(operator, delivery, redelivered, known).finally(() => clearInterval(alive));
      if (outcome.kind !== 'retryable') return outcome;
      const { maybePaid, creditAccepted } = { ...known, ...outcome };
      const answer = outcome.notSent ? lastAnswer : outcome.reason;
      const remembered = { maybePaid, creditAccepted };
      heartbeat({ attempt, begun: false, known: remembered, lastAnswer: answer } satisfies Remembered);
      if (isLong(info)) return { ...outcome, ...remembered };
      // A person who looks for the cause needs the wallet's answer more than our own limit.
      const isOurs = outcome.notSent && answer !== undefined;
      const why = isOurs ? `${answer} (this attempt: ${outcome.reason})` : outcome.reason;
      throw ApplicationFailure.retryable(why, FAILURE_TYPES.walletOutcomeOpen);
    },

    async newSecrets(operatorId, rejectedSecrets) {
      if (nameOfSecrets(await tenants.operator(operatorId)) !== rejectedSecrets) return;
      throw ApplicationFailure.retryable(
        'the secrets are still the rejected ones',
        FAILURE_TYPES.walletOutcomeOpen,
      );
    },
  };
}

/**
 * Finishes the command if the outcome leaves nothing to be sent, or only the credit that follows an accepted bet: applies the
 * outcome by the same rules as the workflow, sends the credit, writes the record and answers the caller. The record of the bet
 * is written before the credit, and the server stores the outcome, too. So a bet whose credit may be paid is never unknown.
 * Otherwise, or if one of the two fails, the workflow does this. Only a first attempt finishes the command: all later ones find
 * what it has recorded (`overtaken`), so the answer stays true.
 */
async function finish(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  delivered: Delivered,
  end: CommandEnd | undefined,
  credits: Credits,
): Promise<Delivered> {
  const { result, at } = delivered;
  if (end === undefined || result.kind === 'guard-lost' || result.kind === 'ahead') return delivered;
  if (isLater(delivery, activityInfo())) return delivered;
  const next = await after(deps.rounds, end, result, at).catch(
    goOnWith(undefined, 'the record could not be read: the workflow ends the command'),
  );
  if (next === undefined) return delivered;
  if (next.pending?.purpose !== 'credit' || end.betVersion === undefined || !credits.isQuick())
    return record(deps, delivery, end, next, delivered);
  const call = callOf(next.pending);
  // What a later attempt returns if this one dies now.
  const unanswered = { ...delivered, credit: { call, result: noAnswerTo(call, NO_ANSWER), at } };
  const [isRecorded, isCurrent] = await Promise.all([
    write(deps, delivery, end.betVersion, next, unanswered),
    credits
      .announce(unanswered)
      .then(
        () => true,
        goOnWith(
          false,
          'the server does not take this attempt for the current one: the workflow sends the credit',
        ),
      ),
  ]);
  if (!isRecorded || !isCurrent) return delivered;
  const credit = await credits.send(call);
  const paid = applyWalletOutcome(next, credit.result, credit.at);
  return record(deps, delivery, end, paid, { ...delivered, credit });
}

/** Writes the record and answers the caller if the command is over. */
async function record(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  { key, version, calls, idleAt }: CommandEnd,
  round: RoundState,
  delivered: Delivered,
): Promise<Delivered> {
  const answer = round.commands[key]?.answer;
  if (answer === undefined || !owesNothing(round)) return delivered;
  const recorded = { ...delivered, recordedAs: version };
  if (!(await write(deps, delivery, version, round, recorded, idleHistory(idleAt)))) return delivered;
  deps.waitingCalls.answer(calls, () => replyTo(round, answer));
  return recorded;
}

function write(
  { rounds }: DeliverDependencies,
  { ownVersions }: WalletDelivery,
  version: number,
  round: RoundState,
  delivered: Delivered,
  idleAt?: IdleHistory,
): Promise<boolean> {
  return rounds
    .write(snapshotOf(round), version, ownVersions, {
      ended: { attemptAt: attemptAt(), delivered },
      idleAt,
    })
    .catch(goOnWith(false, 'the record could not be written: the workflow writes it'));
}

interface Credits {
  /** Whether the bet has left enough time for its credit. */
  isQuick: () => boolean;
  /** Tells the server what a later attempt has to know. Rejects if this attempt is not the current one any more. */
  announce: (delivered: Delivered) => Promise<void>;
  /** The first delivery of the credit. */
  send: (call: WalletCall) => Promise<DeliveredCredit>;
}

/**
 * Newer for a later attempt than for the first one, even if the server's clock was set back meanwhile; milliseconds since
 * the epoch.
 */
function attemptAt(): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs, attempt } = activityInfo();
  return Math.max(currentAttemptScheduledTimestampMs, scheduledTimestampMs + attempt - 1);
}

/** The round after its call. Undefined if the record does not hold the entries that were left out of the round. */
async function after(
  rounds: Rounds,
  { state, known }: CommandEnd,
  outcome: WalletOutcome,
  at: string,
): Promise<RoundState | undefined> {
  const before = await whole(rounds, state, known);
  return before && applyWalletOutcome(before, outcome, at);
}

/** After this time the activity returns, so that a round whose credit is retried for days can continue as new. */
const RETURN_AFTER_MS = 3_600_000;

function isLong({ scheduledTimestampMs, currentAttemptScheduledTimestampMs }: Info): boolean {
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs > RETURN_AFTER_MS;
}

/** Identifies a set of secrets and its URL. The hash is too short to find the secrets by it. */
function nameOfSecrets({ operatorUrl, secrets }: KnownOperator): string {
  return createHash('sha256')
    .update(JSON.stringify([operatorUrl, secrets]))
    .digest('hex')
    .slice(0, 8);
}

/** Results of earlier deliveries of the call's credit. */
interface Known {
  maybePaid: boolean;
  creditAccepted: boolean;
}

/** Heartbeat details: pass the results from one attempt of `deliverUntilDefinite` to the next. */
interface Remembered {
  attempt: number;
  begun: boolean;
  known?: Known;
  lastAnswer?: string | undefined;
}

/** If the attempt right before left no result, it may have paid the credit. */
function rememberedFrom(delivery: WalletDelivery, info: Info): Known {
  const fromWorkflow = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
  if (!isRepeated(delivery, info)) return fromWorkflow;
  const { attempt } = info;
  const details = info.heartbeatDetails as Remembered | undefined;
  if (details?.attempt === attempt - 1 && !details.begun && details.known) return details.known;
  return { ...fromWorkflow, maybePaid: true };
}

/** Whether this is the call's first delivery, or a result if the call must not be sent. */
type Begun = 'first' | 'again' | DeliveryResult | Delivered;

async function begin(deps: DeliverDependencies, delivery: WalletDelivery, end?: CommandEnd): Promise<Begun> {
  if (delivery.bet !== undefined) return beginBet(deps, delivery, delivery.bet, end);
  if (isRepeated(delivery, activityInfo())) {
    const found = overtaken(deps, delivery, end);
    // A run that a reset made may be far behind its record, so it waits for the database. No other delivery does.
    const unread = goOnWith(undefined, 'the record could not be compared before a repeated delivery');
    return (await (isReset(delivery, activityInfo()) ? found : found.catch(unread))) ?? 'again';
  }
  // Credits and voids don't wait for the database. Treat a credit as sent before, so that its rejection voids nothing.
  const unread = goOnWith(
    delivery.call.purpose === 'credit' ? ('again' as const) : undefined,
    'the record could not be compared before a delivery',
  );
  return (await ahead(deps, delivery).catch(unread)) ?? 'first';
}

/** The record, if it is newer than this run. */
async function ahead(
  { rounds }: DeliverDependencies,
  delivery: WalletDelivery,
): Promise<DeliveryResult | undefined> {
  const record = await rounds.ahead(delivery.round.gameround, delivery.ownVersions);
  return record && { kind: 'ahead', record };
}

const NEVER_SENT: WalletOutcome = {
  kind: 'declined',
  unauthorised: true,
  processed: false,
  notSent: 'its time was over before it could be sent',
};
const TOO_LATE: WalletOutcome = { kind: 'unknown', reason: TOO_LATE_REASON };
/** The pauses between this many attempts take longer than BET_AGE_MS, even if the server's clock was changed meanwhile. */
const MAX_BET_ATTEMPTS = 5;

async function beginBet(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
  end: CommandEnd | undefined,
): Promise<Begun> {
  const begunAt = performance.now();
  const info = activityInfo();
  const isLast = bet.isOver || info.attempt > MAX_BET_ATTEMPTS;
  const age = isLast ? BET_AGE_MS : await ageOf(deps, bet, info);
  const isOver = age >= BET_AGE_MS;
  try {
    const recorded = isLater(delivery, info) ? await overtaken(deps, delivery, end) : undefined;
    if (recorded !== undefined) return recorded;
    if (isOver) return await giveUp(deps, delivery, bet);
    const begun = bet.isFirst ? await confirm(deps, delivery, bet, end) : await followUp(deps, delivery, bet);
    if (typeof begun !== 'string' || age + performance.now() - begunAt < BET_AGE_MS) return begun;
    return begun === 'first' ? NEVER_SENT : TOO_LATE;
  } catch (error) {
    throw ApplicationFailure.create({
      message: 'the database cannot say whether the bet was sent before',
      type: BET_UNCONFIRMED,
      // The workflow then asks again without end, and marks the round.
      nonRetryable: isOver && !bet.isOver,
      ...(error instanceof Error && { cause: error }),
    });
  }
}

/**
 * How old the bet was at the start of this attempt, by the server's clock. The first attempt of an initial debit needs no
 * question to the server: it starts in time or not at all (workflows/policies.ts).
 */
async function ageOf(
  { times }: DeliverDependencies,
  { acceptedAt, acceptedBefore }: BetDelivery,
  { attempt, activityId, workflowExecution, currentAttemptScheduledTimestampMs }: Info,
): Promise<number> {
  const isAsked = attempt > 1 || acceptedBefore !== undefined;
  if (!isAsked || workflowExecution === undefined) return currentAttemptScheduledTimestampMs - acceptedAt;
  const [startedAt, signalledAt] = await Promise.all([
    times.startedAt(workflowExecution, activityId),
    acceptedBefore === undefined
      ? undefined
      : times.signalledAt(workflowExecution, COMMANDS.start.signal.name, acceptedBefore),
  ]);
  return startedAt - (signalledAt ?? acceptedAt);
}

/** The initial debit is sent only while its round holds the guard. The guard also says whether it may have been sent before. */
async function confirm(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
  end: CommandEnd | undefined,
): Promise<Begun> {
  const { gameround } = delivery.round;
  const isFirst = !isLater(delivery, activityInfo());
  const begun = isFirst ? deps.waitingCalls.confirmed(end?.calls ?? []) : undefined;
  const confirmed =
    (await begun?.catch(goOnWith(undefined, 'the start could not confirm the guard'))) ??
    (await deps.guards.confirm(delivery.round, gameround, attemptAt()));
  // After a reset the bet may have been sent before, although MongoDB was restored from a copy that does not say so.
  if (confirmed === 'first') return isReset(delivery, activityInfo()) ? 'again' : 'first';
  // Only the start has confirmed it. An earlier attempt may have used that confirmation.
  if (confirmed === 'early' && isFirst) return 'first';
  // Temporal ignores the result of an overtaken attempt. If the server's clock was set back, this attempt is retried.
  if (confirmed === 'overtaken') throw new Error('a newer attempt has confirmed the guard');
  return (await ahead(deps, delivery)) ?? (confirmed === 'lost' ? withoutGuard(delivery, bet) : 'again');
}

async function followUp(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<Begun> {
  if (maybeSent(delivery, bet)) return 'again';
  // The player waits for this bet, so it doesn't wait for the database. At worst this one debit has to be voided.
  const unread = goOnWith(undefined, 'the record could not be compared before a bet');
  return (await ahead(deps, delivery).catch(unread)) ?? 'first';
}

/**
 * What an earlier attempt has recorded, so that its caller may be answered; in a run that a reset made, what the run before
 * had come to. No earlier attempt records anything from now on, nor does one of the run before.
 */
async function overtaken(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  end: CommandEnd | undefined,
): Promise<Delivered | DeliveryResult | undefined> {
  const versions = [end?.betVersion, end?.version];
  const announced = activityInfo().heartbeatDetails as Delivered | undefined;
  const overtaking = deps.rounds.overtake(delivery.round.gameround, versions, attemptAt());
  const recorded = await (announced === undefined
    ? overtaking
    : overtaking.catch(goOnWith(undefined, 'the record could not be compared: the server knows of the bet')));
  return recorded ?? announced ?? newerBeforeReset(deps, delivery);
}

/**
 * The state to which the round had come before a person's reset, if this run does not know it. A call that was in flight then
 * is in no record, so the histories of the runs before are read, too.
 */
async function newerBeforeReset(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
): Promise<DeliveryResult | undefined> {
  const info = activityInfo();
  if (!isReset(delivery, info)) return undefined;
  const { gameround } = delivery.round;
  const { runId = '' } = info.workflowExecution ?? {};
  const [recorded, told] = await Promise.all([
    deps.rounds.ahead(gameround, delivery.ownVersions),
    deps.previousRuns.newest(gameround, runId === delivery.originalRunId ? (delivery.resetRun ?? '') : runId),
  ]);
  const isTold = told !== undefined && !isOwn(delivery.ownVersions, told.version);
  const newest = isTold && told.version > (recorded?.version ?? 0) ? told : recorded;
  return newest && { kind: 'ahead', record: newest };
}

/** The bet's time is over. Finds its outcome without sending anything. */
async function giveUp(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<DeliveryResult> {
  if (!bet.isFirst) return maybeSent(delivery, bet) ? TOO_LATE : NEVER_SENT;
  const { round } = delivery;
  const info = activityInfo();
  const isBegun = isReset(delivery, info) || (bet.isOver ? !bet.neverBegun : isRepeated(delivery, info));
  if (await deps.guards.shut(round, round.gameround, isBegun)) return NEVER_SENT;
  const isHeld = (await deps.guards.holder(round))?.gameround === round.gameround;
  return (await ahead(deps, delivery)) ?? (isHeld ? TOO_LATE : withoutGuard(delivery, bet));
}

/** Another round has the guard of an initial debit. */
function withoutGuard(delivery: WalletDelivery, bet: BetDelivery): DeliveryResult {
  return maybeSent(delivery, bet) ? TOO_LATE : { kind: 'guard-lost' };
}

function maybeSent(delivery: WalletDelivery, bet: BetDelivery): boolean {
  return bet.maybeSent || isRepeated(delivery, activityInfo());
}

/**
 * Every attempt after the first is a repeated delivery. So is the first attempt after a person has reset the workflow or the
 * activity. A reset activity counts attempts from 1 again but keeps its schedule time.
 */
function isRepeated(delivery: WalletDelivery, info: Info): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = info;
  return (
    attempt > 1 || currentAttemptScheduledTimestampMs !== scheduledTimestampMs || isReset(delivery, info)
  );
}

/** Whether an earlier attempt, or an earlier activity of the same bet, may have recorded the end of the call. */
function isLater(delivery: WalletDelivery, info: Info): boolean {
  return isRepeated(delivery, info) || delivery.bet?.isOver === true;
}

/** After a reset the workflow runs under another run id. It may have continued as this run since. */
function isReset({ originalRunId, resetRun }: WalletDelivery, { workflowExecution }: Info): boolean {
  return resetRun !== undefined || workflowExecution?.runId !== originalRunId;
}
