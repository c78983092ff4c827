import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  log,
  patched,
  proxyActivities,
  proxyLocalActivities,
  sleep,
} from '@temporalio/workflow';
import type { DeliveryResult, GameroundActivities, WalletDelivery } from '../../src/contracts/activities';
import { UNREADABLE_PAYLOAD } from '../../src/contracts/payloads';
import { mark } from '../../src/domain/round/attention';
import { settle } from '../../src/domain/round/settle';
import type { PendingCall } from '../../src/domain/round/types';
import type { WalletOutcome } from '../../src/domain/wallet-call';
import { PATCHES } from '../patches';
import {
  FIRST_RETRY_MS,
  localDelivery,
  MAX_CONFIRM_RETRY_MS,
  singleDelivery,
  untilSettled,
} from '../policies';
import { now, type Round } from './round';

export interface Wallet {
  /**
   * Sends the pending call and all that follow from it until the round owes the wallet nothing more.
   * `durable`: the command is in the history already, so its first delivery may run inside the workflow task.
   */
  drive(durable: boolean, onSettled: () => void): Promise<void>;
}

export function createWallet(round: Round, publish: () => void): Wallet {
  const { walletTimeoutMs } = round.state.policy;
  const local = proxyLocalActivities<Pick<GameroundActivities, 'deliver'>>(localDelivery(walletTimeoutMs));
  const once = proxyActivities<Pick<GameroundActivities, 'deliver'>>(singleDelivery(walletTimeoutMs));
  const retried = proxyActivities<Pick<GameroundActivities, 'settle'>>(untilSettled(walletTimeoutMs));

  /** One delivery. What ends without an answer is unknown, whoever failed. */
  async function deliver(pending: PendingCall, inTask: boolean): Promise<WalletOutcome | 'guard-lost'> {
    const delivery = deliveryOf(round, pending);
    let result: DeliveryResult = inTask ? await deliverInTask(delivery) : { kind: 'unsent' };
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_CONFIRM_RETRY_MS)) {
      if (result.kind === 'unsent') result = await deliverOnce(delivery, pending);
      if (result.kind !== 'unconfirmed' && result.kind !== 'unsent') {
        setUnconfirmed(false);
        return result.kind === 'guard-lost' ? 'guard-lost' : result;
      }
      // Neither sent nor given up before the database can say whether it was sent already, or a worker can read it.
      if (result.kind === 'unconfirmed') setUnconfirmed(true);
      await sleep(waitMs);
      delivery.late = true;
      result = { kind: 'unsent' };
    }
  }

  /** On the workflow alone: the record waits for the same database. */
  function setUnconfirmed(on: boolean): void {
    const changed = mark(round.state, 'debit-unconfirmed', on);
    if (changed === round.state || !patched(PATCHES.debitUnconfirmed)) return;
    round.state = changed;
    publish();
  }

  /** Where the delivery itself fails (nobody knows how far it came), it goes on as a repeated one. */
  async function deliverInTask(delivery: WalletDelivery): Promise<DeliveryResult> {
    try {
      return await local.deliver(delivery);
    } catch (error) {
      log.warn('a delivery inside the task failed', {
        purpose: delivery.call.purpose,
        reason: String(error),
      });
      delivery.redelivered = true;
      return { kind: 'unsent' };
    }
  }

  async function deliverOnce(delivery: WalletDelivery, pending: PendingCall): Promise<DeliveryResult> {
    try {
      return await once.deliver(delivery);
    } catch (error) {
      log.warn('a wallet call ended without an answer', { purpose: pending.purpose, reason: String(error) });
      return wasUnreadable(error) ? { kind: 'unsent' } : noAnswer(pending, 'the worker gave no answer');
    }
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
    async drive(durable, onSettled) {
      for (let pending = round.state.pending; pending !== undefined; pending = round.state.pending) {
        if (pending.parked) {
          await condition(() => round.state.pending?.parked !== true);
          continue;
        }
        // A void that nobody waits for must not keep the answer that was already given.
        const inTask = durable && pending.commandKey !== undefined;
        const outcome = await (pending.stalled ? retry(pending) : deliver(pending, inTask));
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

/** The worker that took the call lacks the key of its arguments: nothing of it was carried out, another may have it. */
function wasUnreadable(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === UNREADABLE_PAYLOAD;
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
    redelivered: false,
    late: false,
  };
}

function noAnswer(pending: PendingCall, reason: string): WalletOutcome {
  if (pending.purpose === 'debit') return { kind: 'unknown', reason };
  const maybePaid = pending.transactions.some(({ type }) => type === 'credit');
  return { kind: 'repeat', reason, creditAccepted: false, maybePaid };
}
