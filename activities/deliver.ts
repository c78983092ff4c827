import { activityInfo, ApplicationFailure, heartbeat } from '@temporalio/activity';
import type { OperatorWallet } from '../src/clients/types';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../src/contracts/activities';
import { judge } from '../src/domain/judge';
import type { WalletOutcome } from '../src/domain/wallet-call';
import type { DeliveryMarks } from '../src/read-model/delivery-marks';
import type { Guards } from '../src/read-model/guards';
import type { Rounds } from '../src/read-model/rounds';
import { FAILURE_TYPES } from './failures';
import type { Slots } from './slots';
import type { KnownOperator, TenantLookup } from './types';

export interface DeliverDependencies {
  tenants: TenantLookup;
  wallet: OperatorWallet;
  guards: Guards;
  marks: DeliveryMarks;
  rounds: Rounds;
  /** Local deliveries that one operator may hold at a time. */
  slots: Slots;
  observe(purpose: string, outcome: string): void;
}

type WalletActivities = Pick<GameroundActivities, 'deliver' | 'settle'>;

export function createWalletActivities(deps: DeliverDependencies): WalletActivities {
  const { tenants, wallet, slots } = deps;

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
    deps.observe(call.purpose, outcome.kind);
    return outcome;
  }

  return {
    async deliver(delivery): Promise<DeliveryResult> {
      const operator = await tenants.operator(delivery.round.operatorId);
      const known = { maybePaid: delivery.maybePaid, creditAccepted: delivery.creditAccepted };
      if (!activityInfo().isLocal) {
        const begun = delivery.confirmGuard ? await confirm(deps, delivery) : 'first';
        return typeof begun === 'string' ? send(operator, delivery, begun === 'again', known) : begun;
      }
      const release = slots.tryAcquire(delivery.round.operatorId);
      if (release === undefined) return { kind: 'unsent' };
      try {
        const begun = delivery.confirmGuard
          ? await confirm(deps, delivery)
          : await beginMarked(deps, delivery);
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

/** The first debit goes only while its round holds the guard; whether it may have gone before, the guard tells too. */
async function confirm(
  { guards, rounds }: DeliverDependencies,
  { round }: WalletDelivery,
): Promise<'first' | 'again' | DeliveryResult> {
  try {
    const confirmed = await guards.confirm(round, round.gameround);
    if (confirmed !== 'lost') return confirmed;
    // The guard is given back when the record is written; a worker that dies between that and the end of its
    // workflow task comes here again.
    return (await rounds.find(round.gameround)) === undefined ? { kind: 'guard-lost' } : 'again';
  } catch {
    // Nobody can say whether it was sent before: it is voided like a debit without an answer.
    return { kind: 'unknown', reason: 'the open-round guard could not be confirmed' };
  }
}

async function beginMarked(
  { marks }: DeliverDependencies,
  { round, call }: WalletDelivery,
): Promise<'first' | 'again' | DeliveryResult> {
  const hashes = call.transactions.map(({ type, hash }) => `${type}:${hash}`);
  try {
    return await marks.begin([round.gameround, ...hashes].join('#'));
  } catch {
    // Without the mark it goes as an ordinary activity, which is never delivered twice.
    return { kind: 'unsent' };
  }
}
