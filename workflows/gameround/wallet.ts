import { condition, log, proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { GameroundActivities, WalletDelivery } from '../../src/contracts/activities';
import { settle } from '../../src/domain/round/settle';
import type { PendingCall } from '../../src/domain/round/types';
import type { WalletOutcome } from '../../src/domain/wallet-call';
import { FIRST_RETRY_MS, localDelivery, singleDelivery, untilSettled } from '../policies';
import { now, type Round } from './round';

export interface Wallet {
  /**
   * Sends the pending call and all that follow from it until the round owes the wallet nothing more.
   * `durable`: the command is in the history already, so its first delivery may run inside the workflow task.
   */
  drive(durable: boolean, onSettled: () => void): Promise<void>;
}

export function createWallet(round: Round): Wallet {
  const { walletTimeoutMs } = round.state.policy;
  const local = proxyLocalActivities<Pick<GameroundActivities, 'deliver'>>(localDelivery(walletTimeoutMs));
  const once = proxyActivities<Pick<GameroundActivities, 'deliver'>>(singleDelivery(walletTimeoutMs));
  const retried = proxyActivities<Pick<GameroundActivities, 'settle'>>(untilSettled(walletTimeoutMs));

  /** One delivery. What ends without an answer is unknown, whoever failed. */
  async function deliver(pending: PendingCall, inTask: boolean): Promise<WalletOutcome | 'guard-lost'> {
    const delivery = deliveryOf(round, pending);
    try {
      let result = await (inTask ? local : once).deliver(delivery);
      // The operator holds its share of the local slots; nothing was sent.
      if (result.kind === 'unsent') result = await once.deliver(delivery);
      if (result.kind === 'guard-lost') return 'guard-lost';
      return result.kind === 'unsent' ? noAnswer(pending, 'not sent') : result;
    } catch (error) {
      log.warn('a wallet call ended without an answer', { purpose: pending.purpose, reason: String(error) });
      return noAnswer(pending, 'the worker gave no answer');
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
  };
}

function noAnswer(pending: PendingCall, reason: string): WalletOutcome {
  if (pending.purpose === 'debit') return { kind: 'unknown', reason };
  const maybePaid = pending.transactions.some(({ type }) => type === 'credit');
  return { kind: 'repeat', reason, creditAccepted: false, maybePaid };
}
