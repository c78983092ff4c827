import { condition, log, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../../src/contracts/activities';
import { UNREADABLE_PAYLOAD } from '../../src/contracts/payloads';
import { mark } from '../../src/domain/round/attention';
import { settle } from '../../src/domain/round/settle';
import type { PendingCall } from '../../src/domain/round/types';
import type { WalletOutcome } from '../../src/domain/wallet-call';
import { failedAs } from '../failures';
import { delivery, FIRST_RETRY_MS, MAX_CONFIRM_RETRY_MS, untilSettled } from '../policies';
import { now, type Round } from './round';

export interface Wallet {
  /** Sends the pending call and all that follow from it until the round owes the wallet nothing more. */
  drive(onSettled: () => void): Promise<void>;
}

export function createWallet(round: Round, publish: () => void): Wallet {
  const { walletTimeoutMs } = round.state.policy;
  const first = proxyActivities<Pick<GameroundActivities, 'deliver'>>(delivery(walletTimeoutMs));
  const retried = proxyActivities<Pick<GameroundActivities, 'settle'>>(untilSettled(walletTimeoutMs));

  /** What ends without an answer is unknown, whoever failed. */
  async function deliver(pending: PendingCall): Promise<WalletOutcome | 'guard-lost'> {
    const call = deliveryOf(round, pending);
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_CONFIRM_RETRY_MS)) {
      const result = await deliverOnce(call, pending);
      if (result !== 'unread' && result.kind !== 'unconfirmed') {
        setUnconfirmed(false);
        return result.kind === 'guard-lost' ? 'guard-lost' : result;
      }
      // Neither sent nor given up before the database can say whether it was sent already, or a worker can read it.
      if (result !== 'unread') setUnconfirmed(true);
      await sleep(waitMs);
      call.late = true;
    }
  }

  async function deliverOnce(call: WalletDelivery, pending: PendingCall): Promise<DeliveryResult | 'unread'> {
    try {
      return await first.deliver(call);
    } catch (error) {
      log.warn('a wallet call ended without an answer', { purpose: pending.purpose, reason: String(error) });
      // The worker lacks the key of the arguments: nothing of the call was carried out, another may have it.
      if (failedAs(error, UNREADABLE_PAYLOAD)) return 'unread';
      return noAnswer(pending, 'the worker gave no answer');
    }
  }

  /** On the workflow alone: the record waits for the same database. */
  function setUnconfirmed(on: boolean): void {
    const changed = mark(round.state, 'debit-unconfirmed', on);
    if (changed === round.state) return;
    round.state = changed;
    publish();
  }

  /** Retries a stalled credit or void until it is settled. */
  async function retry(pending: PendingCall): Promise<WalletOutcome> {
    await sleep(FIRST_RETRY_MS);
    try {
      return await retried.settle(deliveryOf(round, pending));
    } catch (error) {
      log.error('retrying a wallet call failed', { purpose: pending.purpose, reason: String(error) });
      return noAnswer(pending, 'the worker gave no answer');
    }
  }

  return {
    async drive(onSettled) {
      for (let pending = round.state.pending; pending !== undefined; pending = round.state.pending) {
        if (pending.parked) {
          await condition(() => round.state.pending?.parked !== true);
          continue;
        }
        const outcome = await (pending.stalled ? retry(pending) : deliver(pending));
        if (outcome === 'guard-lost') {
          round.guardLost = true;
          return;
        }
        round.state = settle(round.state, outcome, now());
        onSettled();
      }
    },
  };
}

function deliveryOf(round: Round, pending: PendingCall): WalletDelivery {
  const { state } = round;
  const credit = pending.transactions.find(({ type }) => type === 'credit');
  const creditAccepted = state.transactions.some(
    ({ type, hash, outcome }) => type === 'credit' && hash === credit?.hash && outcome === 'accepted',
  );
  return {
    round: state.identity,
    call: { purpose: pending.purpose, transactions: pending.transactions },
    confirmGuard: pending.transactions.some(({ isFirstDebit }) => isFirstDebit === true),
    maybePaid: state.maybePaid,
    creditAccepted,
    gentle: pending.gentle === true,
    late: false,
    originalRunId: workflowInfo().originalExecutionRunId,
  };
}

function noAnswer(pending: PendingCall, reason: string): WalletOutcome {
  if (pending.purpose === 'debit') return { kind: 'unknown', reason };
  const maybePaid = pending.transactions.some(({ type }) => type === 'credit');
  return { kind: 'repeat', reason, creditAccepted: false, maybePaid };
}
