import { activityInfo, ApplicationFailure, heartbeat } from '@temporalio/activity';
import type { Slots } from '../src/clients/slots';
import type { OperatorWallet } from '../src/clients/types';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../src/contracts/activities';
import { judge } from '../src/domain/judge';
import type { WalletOutcome } from '../src/domain/wallet-call';
import type { DeliveryMarks } from '../src/read-model/delivery-marks';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';
import { FAILURE_TYPES } from './failures';
import type { KnownOperator, TenantLookup } from './types';

export interface DeliverDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  guards: Guards;
  marks: DeliveryMarks;
  rounds: Rounds;
  /** Local deliveries that one operator may hold at a time. */
  slots: Slots;
  /** Whose wallet is failing: its calls must not hold up workflow tasks. */
  isFailing: (operatorId: string) => boolean;
  observe(delivery: { operatorId: string; purpose: string; outcome: string }): void;
}

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
    const { repeatableErrorIds } = operator;
    const outcome = judge(call, answer, { redelivered, repeatableErrorIds, ...known });
    deps.observe({ operatorId: round.operatorId, purpose: call.purpose, outcome: outcome.kind });
    return outcome;
  }

  return {
    async deliver(delivery): Promise<DeliveryResult> {
      const operator = await tenants.operator(delivery.round.operatorId);
      const known = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
      const { isLocal } = activityInfo();
      const release = isLocal ? inTaskSlot(deps, delivery) : noRelease;
      if (release === undefined) return { kind: 'unsent' };
      try {
        const begun = await begin(deps, delivery, isLocal);
        return typeof begun === 'string' ? await send(operator, delivery, begun === 'again', known) : begun;
      } finally {
        release();
      }
    },

    async settle(delivery) {
      const operator = await tenants.operator(delivery.round.operatorId);
      const info = activityInfo();
      const { attempt } = info;
      const known = rememberedFrom(delivery, attempt, info.heartbeatDetails as Remembered | undefined);
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
function rememberedFrom(delivery: WalletDelivery, attempt: number, details: Remembered | undefined): Known {
  const fromWorkflow = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
  if (attempt === 1) return fromWorkflow;
  if (details?.attempt === attempt - 1 && !details.begun && details.known) return details.known;
  return { ...fromWorkflow, maybePaid: true };
}

const noRelease = (): void => undefined;

/** Bets for a failing wallet are answered at once; anything else would wait for it. */
function inTaskSlot(
  { slots, isFailing }: DeliverDependencies,
  { round, call }: WalletDelivery,
): (() => void) | undefined {
  if (call.purpose !== 'debit' && isFailing(round.operatorId)) return undefined;
  return slots.tryAcquire(round.operatorId);
}

/** Whether this is the call's first delivery; a result where it is not to be sent, or not again. */
async function begin(
  deps: DeliverDependencies,
  delivery: WalletDelivery,
  isLocal: boolean,
): Promise<'first' | 'again' | DeliveryResult> {
  const begun = delivery.confirmGuard
    ? await confirm(deps, delivery)
    : await beginMarked(deps, delivery, isLocal);
  const again = begun === 'again' || (begun === 'first' && delivery.redelivered);
  return again && delivery.call.purpose === 'debit'
    ? recordedOutcome(deps, delivery)
    : again
      ? 'again'
      : begun;
}

/** The first debit goes only while its round holds the guard; whether it may have gone before, the guard tells too. */
async function confirm(
  { guards, rounds }: DeliverDependencies,
  { round, late, redelivered }: WalletDelivery,
): Promise<'first' | 'again' | DeliveryResult> {
  try {
    const confirmed = await guards.confirm(round, round.gameround);
    if (confirmed === 'first' && late && !redelivered) {
      await guards.release(round, round.gameround);
      return { kind: 'guard-lost' };
    }
    if (confirmed !== 'lost') return confirmed;
    // The guard is given back when the record is written; a worker that dies between that and the end of its
    // workflow task comes here again.
    return (await rounds.find(round.gameround)) === undefined ? { kind: 'guard-lost' } : 'again';
  } catch {
    return { kind: 'unconfirmed' };
  }
}

async function beginMarked(
  { marks }: DeliverDependencies,
  { round, call }: WalletDelivery,
  isLocal: boolean,
): Promise<'first' | 'again' | DeliveryResult> {
  // An ordinary activity of a single attempt is never delivered twice.
  if (!isLocal) return 'first';
  try {
    return await marks.begin(round.gameround, call.transactions);
  } catch {
    return { kind: 'unsent' };
  }
}

/**
 * A debit that is delivered again may have been decided before: a worker can die after all of a short round was done
 * and before its task was recorded. What the record says, or a credit that was begun after it, is its outcome; it is
 * not sent again, and never voided for a wallet that is down meanwhile.
 */
async function recordedOutcome(
  { rounds, marks }: DeliverDependencies,
  { round, call }: WalletDelivery,
): Promise<'again' | DeliveryResult> {
  const hash = call.transactions.find(({ type }) => type === 'debit')?.hash;
  try {
    const record = await rounds.find(round.gameround);
    const debit = record?.transactions.find((known) => known.type === 'debit' && known.hash === hash);
    if (debit?.outcome === 'declined') {
      return { kind: 'declined', unauthorised: false, errorCode: debit.errorCode, processed: false };
    }
    const isAccepted = debit?.outcome === 'accepted' && record?.crashed === false;
    return isAccepted || (await marks.hasCredit(round.gameround)) ? { kind: 'accepted' } : 'again';
  } catch {
    return { kind: 'unconfirmed' };
  }
}
