import {
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BET_AGE_MS,
  BET_UNCONFIRMED,
  NO_ANSWER,
  type BetDelivery,
  type CommandEnd,
  type Delivered,
  type GameroundActivities,
  type WalletDelivery,
} from '../../src/contracts/activities';
import { creditIn, isCreditLost, isDeliveryResult } from '../../src/contracts/activity-results';
import { setMark } from '../../src/domain/round/marks';
import {
  applyWalletOutcome,
  creditMaybeSent,
  isRetried,
  resume,
} from '../../src/domain/round/apply-wallet-outcome';
import type { PendingCall, RoundState } from '../../src/domain/round/types';
import { parseTimestamp } from '../../src/domain/time';
import { callOf, noAnswerTo } from '../../src/domain/wallet-call';
import { announcedIn, failedAs, hasNeverBegun } from '../failures';
import {
  BET_WARN_MS,
  betDelivery,
  DELIVERY,
  FIRST_RETRY_MS,
  NEW_SECRETS,
  NEW_SECRETS_AFTER_MS,
  MAX_RETRY_MS,
  untilDefinite,
} from '../policies';
import type { QueuedCommand } from './inbox';
import type { Projection } from './projection';
import { nowIso, type Round } from './round';
import { callText, durationText } from './texts';

export interface Wallet {
  /**
   * Sends the pending call, and all calls that follow, until the round owes the wallet nothing more. `full`: the run has to
   * end while a call is being retried; no delivery is in flight. `recorded`: the last delivery has finished the command and
   * written the record.
   */
  drive(
    item: QueuedCommand,
    onOutcome: () => void,
    decisions: Decisions,
    isFull: () => boolean,
  ): Promise<'full' | 'recorded' | undefined>;
}

/** A person's decisions (settle) about a call that waits for its wallet. */
export interface Decisions {
  /** Whether a decision has arrived. */
  exist: () => boolean;
  /** Applies it to the round. */
  apply: () => void;
}

type Deliver = Pick<GameroundActivities, 'deliver'>;

const first = proxyActivities<Deliver>(DELIVERY);
const unsentBets = proxyActivities<Deliver>(betDelivery());
const retried = proxyActivities<Pick<GameroundActivities, 'deliverUntilDefinite'>>(untilDefinite());
const retriedSlowly = proxyActivities<Pick<GameroundActivities, 'deliverUntilDefinite'>>(
  untilDefinite(MAX_RETRY_MS),
);
const { newSecrets } = proxyActivities<Pick<GameroundActivities, 'newSecrets'>>(NEW_SECRETS);

export function createWallet(round: Round, projection: Projection, publish: () => void): Wallet {
  /** Makes the first delivery. A delivery without an answer is unknown, whatever failed. */
  async function deliver(item: QueuedCommand, pending: PendingCall): Promise<Delivered> {
    // Call begin() first: it reserves a version, and the delivery's list of own versions must contain it.
    const end = projection.begin(item, pending.endAfterwards);
    const call = deliveryOf(round, pending, projection);
    const summary = callText(pending, round.state) + (pending.endAfterwards ? ', then the winnings' : '');
    try {
      const delivering =
        pending.purpose === 'debit'
          ? deliverBet(call, item, summary, end)
          : first.deliver.executeWithOptions({ summary }, [call, end]);
      const delivered = await delivering;
      assertOutcomeFits(pending, round.state, delivered.result);
      if (isCreditLost(end, delivered)) round.state = creditMaybeSent(round.state);
      return { ...delivered, at: parseTimestamp(delivered.at) === undefined ? nowIso() : delivered.at };
    } catch (error) {
      log.warn('a wallet call ended without an answer', { purpose: pending.purpose, reason: String(error) });
      if (isCreditLost(end, undefined)) round.state = creditMaybeSent(round.state);
      return { result: noAnswerTo(pending, NO_ANSWER), at: nowIso() };
    }
  }

  /** Sends the bet while its time is not over. After that, finds its outcome without sending it. */
  async function deliverBet(
    call: WalletDelivery,
    { acceptedAt, acceptedBefore }: QueuedCommand,
    summary: string,
    end: CommandEnd | undefined,
  ): Promise<Delivered> {
    const isFirst = call.call.transactions.some(({ isFirstDebit }) => isFirstDebit === true);
    let bet: BetDelivery = {
      ...{ isFirst, acceptedAt, acceptedBefore },
      ...{ isOver: false, maybeSent: false, neverBegun: true },
    };
    const leftMs = Math.min(acceptedAt + BET_AGE_MS - Date.now(), BET_AGE_MS);
    if (leftMs > 0) {
      const inTime = proxyActivities<Deliver>(betDelivery(leftMs));
      try {
        return await inTime.deliver.executeWithOptions({ summary }, [{ ...call, bet }, end]);
      } catch (error) {
        log.warn('a bet was not sent in time', { reason: String(error) });
        const announced = announcedIn(error);
        if (announced !== undefined) return announced as Delivered;
        // Of the initial debit the guard says whether it may have been sent.
        const maybeSent = !isFirst || !failedAs(error, BET_UNCONFIRMED);
        bet = { ...bet, maybeSent, neverBegun: hasNeverBegun(error) };
      }
    }
    let isKnown = false;
    const asking = unsentBets.deliver
      .executeWithOptions({ summary: `was it sent? ${summary}` }, [
        { ...call, bet: { ...bet, isOver: true } },
        end,
      ])
      .finally(() => (isKnown = true));
    const marking = { summary: `mark the round if this is not known within ${durationText(BET_WARN_MS)}` };
    if (!(await condition(() => isKnown, BET_WARN_MS, marking))) setUnconfirmed(true);
    try {
      return await asking;
    } finally {
      setUnconfirmed(false);
    }
  }

  /** Sets the mark on the workflow only: the record would need the same database. */
  function setUnconfirmed(on: boolean): void {
    const changed = setMark(round.state, 'debit-unconfirmed', on);
    if (changed === round.state) return;
    round.state = changed;
    publish();
  }

  /** Retries a credit or void until its outcome is definite. */
  async function retry(pending: PendingCall, isPatient: boolean): Promise<Delivered> {
    const again = `again: ${callText(pending, round.state)}`;
    const pauseMs = isPatient ? MAX_RETRY_MS : FIRST_RETRY_MS;
    await sleep(pauseMs, { summary: `pause of ${durationText(pauseMs)}, then ${again}` });
    try {
      const { deliverUntilDefinite } = isPatient ? retriedSlowly : retried;
      const result = await deliverUntilDefinite.executeWithOptions({ summary: again }, [
        deliveryOf(round, pending, projection),
      ]);
      assertOutcomeFits(pending, round.state, result);
      return { result, at: nowIso() };
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.error('retrying a wallet call failed', { purpose: pending.purpose, reason: String(error) });
      return { result: noAnswerTo(pending, NO_ANSWER), at: nowIso() };
    }
  }

  const isAwaitingOperator = (): boolean => round.state.pending?.progress === 'awaiting-operator';

  /** Waits until a person resumes a call whose signature was rejected, or until the operator has new secrets. */
  async function untilResumed({ rejectedSecrets }: PendingCall, isDecided: () => boolean): Promise<void> {
    const isResumed = (): boolean => !isAwaitingOperator() || isDecided();
    const { operatorId } = round.state.identity;
    const pause = { summary: `pause before the secrets of ${operatorId} are looked up` };
    if (await condition(isResumed, NEW_SECRETS_AFTER_MS, pause)) return;
    const summary = `wait for new secrets of ${operatorId}`;
    await unless(isResumed, () => newSecrets.executeWithOptions({ summary }, [operatorId, rejectedSecrets]));
    if (!isDecided()) round.state = resume(round.state);
  }

  return {
    async drive(item, onOutcome, decisions, isFull) {
      // A new run that starts with a retried call keeps the slow pace of the previous run.
      let isPatient = isRetried(round.state);
      let isRecorded = false;
      // The credit that the activity of its bet has sent.
      let credit: Delivered | undefined;
      for (let pending = round.state.pending; pending !== undefined; pending = round.state.pending) {
        const isRetry = pending.progress !== 'first-delivery';
        if (isRetry && decisions.exist()) {
          decisions.apply();
        } else if (isRetry && isFull()) {
          return 'full';
        } else if (pending.progress === 'awaiting-operator') {
          await untilResumed(pending, () => decisions.exist() || isFull());
          isPatient = false;
        } else {
          const sending = pending;
          const delivered =
            credit ??
            (await (isRetry
              ? unless(decisions.exist, () => retry(sending, isPatient))
              : deliver(item, pending)));
          credit = undefined;
          if (delivered === undefined) continue;
          const { result: outcome, at, recordedAs } = delivered;
          if (outcome.kind === 'guard-lost') {
            round.guardLost = true;
            return undefined;
          }
          isPatient = isRetry;
          // takeOver does nothing if this run has written the record meanwhile. Then the loop delivers the call again.
          if (outcome.kind === 'ahead') projection.takeOver(outcome.record);
          else round.state = applyWalletOutcome(round.state, outcome, at);
          const sent = creditIn(delivered);
          if (sent !== undefined && round.state.pending?.purpose === 'credit')
            credit = { ...sent, recordedAs };
          isRecorded = credit === undefined && recordedAs !== undefined && projection.isUpToDate(recordedAs);
        }
        onOutcome();
      }
      return isRecorded ? 'recorded' : undefined;
    },
  };
}

/** The result of `waiting`. Cancels it and returns undefined if the other event happens first. */
async function unless<T>(hasHappened: () => boolean, waiting: () => Promise<T>): Promise<T | undefined> {
  const scope = new CancellationScope();
  let isOver = false;
  const running = scope.run(waiting).finally(() => (isOver = true));
  running.catch(() => undefined);
  await condition(() => isOver || hasHappened());
  if (!isOver) scope.cancel();
  try {
    return await running;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    throw error;
  }
}

function deliveryOf(round: Round, pending: PendingCall, projection: Projection): WalletDelivery {
  const { state } = round;
  const credit = pending.transactions.find(({ type }) => type === 'credit');
  const creditAccepted = state.transactions.some(
    ({ type, hash, outcome }) => type === 'credit' && hash === credit?.hash && outcome === 'accepted',
  );
  return {
    round: state.identity,
    call: callOf(pending),
    ownVersions: projection.ownVersions(),
    maybePaid: state.maybePaid,
    creditAccepted,
    lastAnswer: pending.lastAnswer,
    originalRunId: workflowInfo().originalExecutionRunId,
    resetRun: round.resetRun,
  };
}

/** A wrong value counts as a delivery without an answer. */
function assertOutcomeFits({ purpose }: PendingCall, { identity }: RoundState, result: unknown): void {
  if (!isDeliveryResult(result, purpose, identity.gameround))
    throw new TypeError(`no outcome of a ${purpose}: a person may have completed the activity`);
}
