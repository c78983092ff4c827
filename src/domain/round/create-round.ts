import { gameStateHash, transactionHash } from '../hashes';
import type { OperatorTransaction } from '../wallet-call';
import { fingerprintOf } from './keys';
import type {
  GameStateEntry,
  PendingCall,
  RoundIdentity,
  RoundPolicy,
  RoundState,
  RoundTransaction,
  StartCommand,
} from './types';

/** A round as it begins: its first debit is to be sent, nothing is decided yet. */
export function createRound(
  identity: RoundIdentity,
  policy: RoundPolicy,
  command: StartCommand,
  at: string,
): RoundState {
  const state: RoundState = {
    identity,
    policy,
    openedAt: at,
    status: 'open',
    crashed: false,
    stake: command.stake,
    amountToCollect: 0,
    transactions: [],
    gameState: [],
    spinCounters: {},
    ticket: command.ticket,
    grants: command.grants,
    commands: {},
    voidsToCome: [],
    marks: [],
    maybePaid: false,
    firstRngCallId: command.rngCallId,
    infoBytes: 0,
  };
  return beginDebit(state, command, 'start', at);
}

/** Puts a debit on its way: the first one, or a follow-up of an open round. */
export function beginDebit(state: RoundState, command: StartCommand, key: string, at: string): RoundState {
  const first = key === 'start';
  const { gameround, currency } = state.identity;
  const debit: RoundTransaction = {
    type: 'debit',
    hash: transactionHash(gameround, 'debit', key),
    isFirstDebit: first,
    currency,
    timestamp: at,
    reason: 'startGameRound',
    ...(command.ticket === undefined
      ? { amount: command.stake }
      : { serial: command.ticket.serial, freePlayStake: command.ticket.stake, freePlayUsed: true }),
    ...(command.discount === undefined
      ? {}
      : { discountAmount: command.discount.amount, discountCampaignId: command.discount.campaignId }),
    outcome: 'pending',
  };
  // A bet and its end go in one call only where nothing was won: were the answer to [debit, credit] lost, we would
  // void a debit whose win was paid. A follow-up's end never goes with it: it would close a round we may yet need.
  const endTogether = first && command.endGame && command.winAmount === 0;
  const end = endTogether ? [endTransaction(state, key, 'startGameRound', at)] : [];
  const pending: PendingCall = {
    purpose: 'debit',
    transactions: [debit, ...end].map(toOperatorTransaction),
    commandKey: key,
    endAfterwards: command.endGame && !endTogether,
    entry: debitEntry(state, command, key, at),
    progress: 'first-delivery',
  };
  return {
    ...state,
    transactions: [...state.transactions, debit, ...end],
    commands: { ...state.commands, [key]: { fingerprint: fingerprintOf(command) } },
    pending,
  };
}

export function endTransaction(state: RoundState, key: string, reason: string, at: string): RoundTransaction {
  const { gameround, currency } = state.identity;
  return {
    type: 'end',
    hash: transactionHash(gameround, 'end', key),
    currency,
    timestamp: at,
    reason,
    outcome: 'pending',
  };
}

function debitEntry(state: RoundState, command: StartCommand, key: string, at: string): GameStateEntry {
  return {
    hash: gameStateHash(state.identity.gameround, 'debit', key),
    type: 'debit',
    processedOn: at,
    result: {
      winAmount: command.winAmount,
      info: infoOf({ rngCallId: command.rngCallId, result: command.result }),
    },
    amountWagered: command.ticket === undefined ? command.stake : 0,
    collected: 0,
    reason: '',
  };
}

/** Free-form data comes back as it was sent: of our own entries those go into it whose names it doesn't have. */
export function besideGiven(
  own: Record<string, string>,
  given: Record<string, string> = {},
): { info: Record<string, string>; own?: Record<string, string> } {
  const hidden = Object.entries(own).filter(([name]) => Object.hasOwn(given, name));
  const info = { ...own, ...given };
  return hidden.length === 0 ? { info } : { info, own: Object.fromEntries(hidden) };
}

export function infoOf(entries: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The part of a transaction that the operator sees. */
export function toOperatorTransaction(transaction: RoundTransaction): OperatorTransaction {
  const { type, isFirstDebit, currency, hash, amount, timestamp, reason, serial } = transaction;
  return {
    type,
    ...(isFirstDebit === undefined ? {} : { isFirstDebit }),
    currency,
    hash,
    ...(amount === undefined ? {} : { amount }),
    timestamp,
    ...(reason === undefined ? {} : { reason }),
    ...(serial === undefined ? {} : { serial }),
  };
}
