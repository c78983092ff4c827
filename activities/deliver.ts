import { createHash } from 'node:crypto';
import { activityInfo, ApplicationFailure, heartbeat, type Info } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import {
  BET_AGE_MS,
  BET_UNCONFIRMED,
  type BetDelivery,
  type CommandEnd,
  type Delivered,
  type DeliveryResult,
  type GameroundActivities,
  type WalletDelivery,
} from '../src/contracts/activities';
import { startSignal } from '../src/contracts/gameround';
import { classifyWalletReply } from '../src/domain/classify-wallet-reply';
import { isOwn } from '../src/domain/round/known-entries';
import { replyTo, snapshotOf } from '../src/domain/round/replies';
import { owesNothing, applyWalletOutcome } from '../src/domain/round/apply-wallet-outcome';
import type { RoundSnapshot, RoundState } from '../src/domain/round/types';
import type { WalletCall, WalletOutcome } from '../src/domain/wallet-call';
import { reportOf } from '../src/domain/wallet-rules';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';
import { endWithAnswer, type AnswerDependencies } from './answers';
import { FAILURE_TYPES } from './failures';
import { record, whole } from './read-model';
import type { KnownOperator, Observe, ServerTimes, TenantLookup } from './types';

export interface DeliverDependencies extends AnswerDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  guards: Guards;
  rounds: Rounds;
  times: ServerTimes;
  observe: Observe;
}

/** Between two signs of life; well below the time after which a worker is taken for dead (workflows/policies.ts). */
const ALIVE_MS = 1_000;

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
    return outcome.kind === 'refused' ? { ...outcome, signedWith: nameOfSecrets(operator) } : outcome;
  }

  return {
    async deliver(delivery, end) {
      const clock = serverClock();
      const operator = await tenants.operator(delivery.round.operatorId);
      const known = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
      const alive = setInterval(() => heartbeat(), ALIVE_MS);
      try {
        const begun = await begin(deps, delivery);
        const result =
          typeof begun === 'string' ? await send(operator, delivery, begun === 'again', known) : begun;
        return await finish(deps, delivery, { result, at: clock() }, end);
      } finally {
        clearInterval(alive);
      }
    },

    async deliverUntilDefinite(delivery) {
      const operator = await tenants.operator(delivery.round.operatorId);
      const info = activityInfo();
      const { attempt } = info;
      const known = rememberedFrom(delivery, info);
      // Begun: until the next word, this attempt counts as one without an answer.
      const begin = (): void => heartbeat({ attempt, begun: true } satisfies Remembered);
      begin();
      const alive = setInterval(begin, ALIVE_MS);
      const redelivered = delivery.call.purpose === 'void';
      const outcome = await send(operator, delivery, redelivered, known).finally(() => clearInterval(alive));
      if (outcome.kind !== 'repeat') return outcome;
      const { maybePaid, creditAccepted } = { ...known, ...outcome };
      heartbeat({ attempt, begun: false, known: { maybePaid, creditAccepted } } satisfies Remembered);
      if (isLong(info)) return { ...outcome, maybePaid, creditAccepted };
      throw ApplicationFailure.retryable(outcome.reason, FAILURE_TYPES.walletOutcomeOpen);
    },

    async newSecrets(operatorId, refusedWith) {
      if (nameOfSecrets(await tenants.operator(operatorId)) !== refusedWith) return;
      throw ApplicationFailure.retryable(
        'the secrets are still the refused ones',
        FAILURE_TYPES.walletOutcomeOpen,
      );
    },
  };
}

/** The Temporal server's time, counted on from when it handed out this attempt: workers' clocks may differ. */
function serverClock(): () => string {
  const { currentAttemptScheduledTimestampMs } = activityInfo();
  const begunAt = performance.now();
  return () =>
    new Date(Math.round(currentAttemptScheduledTimestampMs + performance.now() - begunAt)).toISOString();
}

/**
 * Ends the command where the outcome leaves nothing to be sent: applies it by the same rules as the workflow, writes
 * the record and answers the caller. Otherwise, and where the record can't be written, the workflow does it. So it does
 * after a further attempt: the one before may be frozen, and must not write its own outcome later under the same version.
 */
async function finish(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  delivered: Delivered,
  end: CommandEnd | undefined,
): Promise<Delivered> {
  const { result, at } = delivered;
  if (end === undefined || result.kind === 'guard-lost' || result.kind === 'ahead') return delivered;
  if (isRepeated(delivery, activityInfo())) return delivered;
  const next = await after(deps.rounds, end, result, at).catch(() => undefined);
  const answer = next?.commands[end.key]?.answer;
  if (next === undefined || answer === undefined || !owesNothing(next)) return delivered;
  const isRecorded = await record(deps, snapshotOf(next), end.version, delivery.own).catch(() => false);
  if (!isRecorded) return delivered;
  return endWithAnswer(deps, { ...delivered, recordedAs: end.version }, end.calls, () =>
    replyTo(next, answer),
  );
}

/** The round after its call; undefined where its record does not hold what was left out of the round. */
async function after(
  rounds: Rounds,
  { state, known }: CommandEnd,
  outcome: WalletOutcome,
  at: string,
): Promise<RoundState | undefined> {
  const before = await whole(rounds, state, known);
  return before && applyWalletOutcome(before, outcome, at);
}

/** A round whose credit is retried for days has to go on in new runs, which it can't while an activity is out. */
const RETURN_AFTER_MS = 3_600_000;

function isLong({ scheduledTimestampMs, currentAttemptScheduledTimestampMs }: Info): boolean {
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs > RETURN_AFTER_MS;
}

/** Tells one set of secrets, and where they are used, from another; too short for anybody to find them by it. */
function nameOfSecrets({ operatorUrl, secrets }: KnownOperator): string {
  return createHash('sha256')
    .update(JSON.stringify([operatorUrl, secrets]))
    .digest('hex')
    .slice(0, 8);
}

/** What is known of the credit of a call from its earlier deliveries. */
interface Known {
  maybePaid: boolean;
  creditAccepted: boolean;
}

/** Goes from one attempt of `deliverUntilDefinite` to the next, as heartbeat details. */
interface Remembered {
  attempt: number;
  begun: boolean;
  known?: Known;
}

/** Without the word of the attempt right before, that one may have paid. */
function rememberedFrom(delivery: WalletDelivery, info: Info): Known {
  const fromWorkflow = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
  if (!isRepeated(delivery, info)) return fromWorkflow;
  const { attempt } = info;
  const details = info.heartbeatDetails as Remembered | undefined;
  if (details?.attempt === attempt - 1 && !details.begun && details.known) return details.known;
  return { ...fromWorkflow, maybePaid: true };
}

/** Whether this is the call's first delivery; a result where it is not to be sent, or not again. */
type Begun = 'first' | 'again' | DeliveryResult;

async function begin(deps: DeliverDependencies, delivery: WalletDelivery): Promise<Begun> {
  if (delivery.bet !== undefined) return beginBet(deps, delivery, delivery.bet);
  if (isRepeated(delivery, activityInfo())) return 'again';
  try {
    return (await ahead(deps, delivery)) ?? 'first';
  } catch {
    // Money that is owed doesn't wait for the database. A credit counts as sent before: its refusal voids nothing then.
    return delivery.call.purpose === 'credit' ? 'again' : 'first';
  }
}

/** The record where it is ahead of what this run has written. A run that a person has reset is behind it by right. */
async function ahead(
  { rounds }: DeliverDependencies,
  delivery: WalletDelivery,
): Promise<DeliveryResult | undefined> {
  if (isReset(delivery, activityInfo())) return undefined;
  const record = await rounds.ahead(delivery.round.gameround, delivery.own);
  return record && { kind: 'ahead', record };
}

const NEVER_SENT: WalletOutcome = { kind: 'declined', unauthorised: true, processed: false };
const TOO_LATE: WalletOutcome = { kind: 'unknown', reason: 'too late to be sent again' };
/** The waits between so many attempts are longer than a bet's age, whatever was done to the server's clock meanwhile. */
const MAX_BET_ATTEMPTS = 5;

async function beginBet(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<Begun> {
  const begunAt = performance.now();
  const info = activityInfo();
  const isLast = bet.isOver || info.attempt > MAX_BET_ATTEMPTS;
  const age = isLast ? BET_AGE_MS : await ageOf(deps, bet, info);
  const isOver = age >= BET_AGE_MS;
  try {
    if (isOver) return await giveUp(deps, delivery, bet);
    const begun = bet.isFirst ? await confirm(deps, delivery, bet) : await followUp(deps, delivery, bet);
    if (typeof begun !== 'string' || age + performance.now() - begunAt < BET_AGE_MS) return begun;
    return begun === 'first' ? NEVER_SENT : TOO_LATE;
  } catch (error) {
    throw ApplicationFailure.create({
      message: 'the database can not say whether the bet was sent before',
      type: BET_UNCONFIRMED,
      // The workflow marks the round, and asks again without end.
      nonRetryable: isOver && !bet.isOver,
      cause: error instanceof Error ? error : undefined,
    });
  }
}

/**
 * How old the bet was when this attempt was begun, by the server's clock. A first bet's first attempt begins in time or never
 * (workflows/policies.ts), so that nobody has to be asked.
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
      : times.signalledAt(workflowExecution, startSignal.name, acceptedBefore),
  ]);
  return startedAt - (signalledAt ?? acceptedAt);
}

/** The first debit goes only while its round holds the guard; whether it may have gone before, the guard tells too. */
async function confirm(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<Begun> {
  const { gameround } = delivery.round;
  const { currentAttemptScheduledTimestampMs: attemptAt } = activityInfo();
  const confirmed = await deps.guards.confirm(delivery.round, gameround, attemptAt);
  if (confirmed === 'first') return 'first';
  // Nothing hears an attempt that was overtaken. Where the server's clock was set back, it is asked again.
  if (confirmed === 'overtaken') throw new Error('a newer attempt has confirmed the guard');
  return (await byRecord(deps, delivery, bet, confirmed === 'again')) ?? 'again';
}

async function followUp(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<Begun> {
  if (maybeSent(delivery, bet)) return (await recordedOutcome(deps, delivery)) ?? 'again';
  // The player asks for it now: it doesn't wait for the database, and only it could be taken back.
  return (await ahead(deps, delivery).catch(() => undefined)) ?? 'first';
}

/** The bet's time is over: what became of it, without sending anything. */
async function giveUp(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
): Promise<DeliveryResult> {
  if (!bet.isFirst) {
    if (!maybeSent(delivery, bet)) return NEVER_SENT;
    return (await recordedOutcome(deps, delivery)) ?? TOO_LATE;
  }
  const { round } = delivery;
  if (await deps.guards.shut(round, round.gameround)) return NEVER_SENT;
  const isHeld = (await deps.guards.holder(round)) === round.gameround;
  return (await byRecord(deps, delivery, bet, isHeld)) ?? TOO_LATE;
}

/** What the record says of a first debit that may have been sent; undefined where it says nothing and the guard is held. */
async function byRecord(
  { rounds }: DeliverDependencies,
  delivery: WalletDelivery,
  bet: BetDelivery,
  isHeld: boolean,
): Promise<DeliveryResult | undefined> {
  const record = await rounds.recorded(delivery.round.gameround);
  const isAhead = record !== undefined && !isOwn(delivery.own, record.version);
  if (isAhead && !isReset(delivery, activityInfo())) return { kind: 'ahead', record };
  const known = record && outcomeIn(record.snapshot, delivery.call);
  if (known !== undefined || isHeld) return known;
  return record === undefined && !maybeSent(delivery, bet) ? { kind: 'guard-lost' } : TOO_LATE;
}

function maybeSent(delivery: WalletDelivery, bet: BetDelivery): boolean {
  return bet.maybeSent || isRepeated(delivery, activityInfo());
}

/** Only a run that a person has reset knows less of its own bet than the record does. */
async function recordedOutcome(
  { rounds }: DeliverDependencies,
  delivery: WalletDelivery,
): Promise<WalletOutcome | undefined> {
  if (!isReset(delivery, activityInfo())) return undefined;
  const record = await rounds.find(delivery.round.gameround);
  return record && outcomeIn(record, delivery.call);
}

/** What a record says of the call; undefined where it says nothing. */
function outcomeIn(record: RoundSnapshot, { transactions: [sent] }: WalletCall): WalletOutcome | undefined {
  const known = record.transactions.find(({ type, hash }) => type === sent?.type && hash === sent.hash);
  switch (known?.outcome) {
    case 'declined':
      return { kind: 'declined', unauthorised: false, errorCode: known.errorCode, processed: false };
    case 'unknown':
      return { kind: 'unknown', reason: 'the record says so' };
    case 'accepted':
      // What has crashed the round, the end of this very call maybe, has to be heard again.
      return record.crashed ? undefined : { kind: 'accepted' };
    default:
      return undefined;
  }
}

/**
 * A further attempt is a repeated delivery. So is the first one after a person has reset the activity, which counts
 * anew but keeps the time it was scheduled, or the workflow.
 */
function isRepeated(delivery: WalletDelivery, info: Info): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = info;
  return (
    attempt > 1 || currentAttemptScheduledTimestampMs !== scheduledTimestampMs || isReset(delivery, info)
  );
}

/** A workflow that a person has reset goes on in another run. */
function isReset({ originalRunId }: WalletDelivery, { workflowExecution }: Info): boolean {
  return workflowExecution?.runId !== originalRunId;
}
