import { gameStateHash, transactionHash } from '../hashes';
import type { OperatorTransaction } from '../wallet-call';
import { fingerprintOf } from './keys';
import type {
  GameStateEntry,
  PendingDebit,
  RoundIdentity,
  RoundSettings,
  RoundState,
  RoundTransaction,
  StartCommand,
} from './types';

/** Creates a round whose first debit is pending. */
export function createRound(
  identity: RoundIdentity,
  settings: RoundSettings,
  command: StartCommand,
  at: string,
): RoundState {
  const state: RoundState = {
    identity,
    settings,
    openedAt: at,
    status: 'open',
    crashed: false,
    stake: command.stake,
    amountToCollect: 0,
    transactions: [],
    gameState: [],
    spinCounters: {},
    ticket: command.ticket,
    commands: {},
    voidsToCome: [],
    keptMarks: [],
    maybePaid: false,
    firstRngCallId: command.rngCallId,
    infoBytes: 0,
  };
  return beginDebit(state, command, 'start', at);
}

/** Makes a debit pending: the initial debit, or a follow-up debit of an open round. */
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
  // The end goes in the same call as the bet only if there is no win. If the reply to [debit, credit] were lost, the service
  // would void a debit whose win was paid. A follow-up debit never carries its end: if it fails, the round stays open.
  const endTogether = first && command.endGame && command.winAmount === 0;
  const end = endTogether ? [endTransaction(state, key, 'startGameRound', at)] : [];
  const pending: PendingDebit = {
    purpose: 'debit',
    transactions: [toOperatorTransaction(debit), ...end.map(toOperatorTransaction)],
    commandKey: key,
    endAfterwards: command.endGame && !endTogether,
    entry: debitEntry(state, command, key, at),
    progress: 'first-delivery',
  };
  return {
    ...state,
    // Keep the grants from before the round used any of them, since a cancelled round gives all back.
    grants: state.grants || command.grants ? { ...command.grants, ...state.grants } : undefined,
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

/** Adds our own entries to the provider's free-form data. An entry whose name the provider uses goes to `own` instead. */
export function besideGiven(
  own: Record<string, string>,
  given: Record<string, string> = {},
): { info: Record<string, string>; own?: Record<string, string> | undefined } {
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
