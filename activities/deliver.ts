import { activityInfo, ApplicationFailure, heartbeat, type Info } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../src/contracts/activities';
import { judge } from '../src/domain/judge';
import type { WalletOutcome } from '../src/domain/wallet-call';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';
import { FAILURE_TYPES } from './failures';
import type { KnownOperator, TenantLookup } from './types';

export interface DeliverDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  guards: Guards;
  rounds: Rounds;
  observe(delivery: { operatorId: string; purpose: string; outcome: string }): void;
}

/** Between two signs of life; well below the time after which a worker is taken for dead (workflows/policies.ts). */
const ALIVE_MS = 1_000;

type WalletActivities = Pick<GameroundActivities, 'deliver' | 'settle'>;

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
    const outcome = judge(call, answer, { redelivered, repeatableErrorIds, strictReplies, ...known });
    deps.observe({ operatorId: round.operatorId, purpose: call.purpose, outcome: outcome.kind });
    return outcome;
  }

  return {
    async deliver(delivery): Promise<DeliveryResult> {
      const operator = await tenants.operator(delivery.round.operatorId);
      const known = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
      const alive = setInterval(() => heartbeat(), ALIVE_MS);
      try {
        const begun = await begin(deps, delivery);
        return typeof begun === 'string' ? await send(operator, delivery, begun === 'again', known) : begun;
      } finally {
        clearInterval(alive);
      }
    },

    async settle(delivery) {
      const operator = await tenants.operator(delivery.round.operatorId);
      const info = activityInfo();
      const { attempt } = info;
      const known = rememberedFrom(delivery, info);
      // Begun: until the next word, this attempt counts as one without an answer.
      heartbeat({ attempt, begun: true } satisfies Remembered);
      const redelivered = delivery.call.purpose === 'void';
      const outcome = await send(operator, delivery, redelivered, known);
      if (!isToBeRepeated(outcome, delivery.gentle)) return outcome;
      const { maybePaid, creditAccepted } = { ...known, ...outcome };
      heartbeat({ attempt, begun: false, known: { maybePaid, creditAccepted } } satisfies Remembered);
      throw ApplicationFailure.retryable(describe(outcome), FAILURE_TYPES.walletNotSettled);
    },
  };
}

function isToBeRepeated(outcome: WalletOutcome, gentle: boolean): boolean {
  if (outcome.kind === 'repeat') return true;
  return (
    gentle &&
    (outcome.kind === 'refused' || (outcome.kind === 'accepted' && outcome.endRefused !== undefined))
  );
}

/** What a person reads in Temporal Web under the pending activity. */
function describe(outcome: WalletOutcome): string {
  if (outcome.kind === 'repeat') return outcome.reason;
  const error = 'errorCode' in outcome ? outcome.errorCode : undefined;
  return error === undefined ? 'refused' : `refused: ${error.id} ${error.msg}`;
}

/** What is known of the credit of a call from its earlier deliveries. */
interface Known {
  maybePaid: boolean;
  creditAccepted: boolean;
}

/** Goes from one attempt of `settle` to the next, as heartbeat details. */
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
async function begin(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
): Promise<'first' | 'again' | DeliveryResult> {
  const begun = delivery.confirmGuard
    ? await confirm(deps, delivery)
    : isRepeated(delivery, activityInfo())
      ? 'again'
      : 'first';
  if (begun !== 'again' || delivery.call.purpose !== 'debit') return begun;
  return (await recordedOutcome(deps, delivery)) ?? 'again';
}

/** The first debit goes only while its round holds the guard; whether it may have gone before, the guard tells too. */
async function confirm(
  { guards, rounds }: DeliverDependencies,
  { round, late }: WalletDelivery,
): Promise<'first' | 'again' | DeliveryResult> {
  try {
    if (late && (await guards.giveUp(round, round.gameround))) return { kind: 'guard-lost' };
    const { currentAttemptScheduledTimestampMs: attemptAt } = activityInfo();
    const confirmed = await guards.confirm(round, round.gameround, attemptAt);
    // Nobody hears an attempt that was overtaken; where the clock was set back, it is asked again.
    if (confirmed === 'overtaken') return { kind: 'unconfirmed' };
    if (confirmed !== 'lost') return confirmed;
    // The guard is given back when the record is written; a workflow that was reset comes here again.
    return (await rounds.find(round.gameround)) === undefined ? { kind: 'guard-lost' } : 'again';
  } catch {
    return { kind: 'unconfirmed' };
  }
}

/** What the record says of the call; undefined where it says nothing, or can't be read. */
async function recordedOutcome(
  { rounds }: DeliverDependencies,
  { round, call }: WalletDelivery,
): Promise<WalletOutcome | undefined> {
  const [sent] = call.transactions;
  try {
    const record = await rounds.find(round.gameround);
    const known = record?.transactions.find(({ type, hash }) => type === sent?.type && hash === sent.hash);
    switch (known?.outcome) {
      case 'declined':
        return { kind: 'declined', unauthorised: false, errorCode: known.errorCode, processed: false };
      case 'unknown':
        return { kind: 'unknown', reason: 'the record says so' };
      case 'accepted':
        // What has crashed the round, the end of this very call maybe, has to be heard again.
        return record?.crashed === true ? undefined : { kind: 'accepted' };
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/**
 * A further attempt is a repeated delivery. So is the first one after a person has reset the activity, which counts
 * anew but keeps the time it was scheduled, or the workflow, which goes on in another run.
 */
function isRepeated({ originalRunId }: WalletDelivery, info: Info): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs, workflowExecution } = info;
  return (
    attempt > 1 ||
    currentAttemptScheduledTimestampMs !== scheduledTimestampMs ||
    workflowExecution?.runId !== originalRunId
  );
}
