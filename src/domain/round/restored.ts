import { refusal, type Refusal } from '../errors';
import { setMark } from './marks';
import { applyWalletOutcome } from './apply-wallet-outcome';
import { createRound } from './create-round';
import { sendNextVoid } from './decide';
import { snapshotOf } from './replies';
import { givenBackHashes, takenDebits } from './transactions';
import type {
  RoundIdentity,
  RoundSettings,
  RoundSnapshot,
  RoundState,
  RoundTransaction,
  StartCommand,
} from './types';

/**
 * Temporal was restored from an older copy, so the record is newer than this state. The round takes over the record's state.
 * A round that is over stays over. An open round is crashed, since only the record knows what it did after the copy. A round
 * is also crashed if it has since moved money that the record does not show.
 */
export function takeOver(state: RoundState, record: RoundSnapshot, at: string): RoundState {
  const { attention: _shown, ...recorded } = record;
  const moved = movedSince(state, record);
  const taken: RoundState = {
    ...state,
    ...recorded,
    // A record leaves out what is not set.
    closedAt: record.closedAt,
    settled: record.settled,
    ticket: record.ticket,
    dataStored: record.dataStored,
    transactions: [...record.transactions, ...moved],
    pending: undefined,
    voidsToCome: [],
    voidCommandKey: undefined,
    commands: Object.fromEntries(Object.entries(state.commands).filter(([, { answer }]) => answer)),
    maybePaid: true,
  };
  if (record.status === 'open' || moved.length > 0) return crashedAsRestored(taken);
  return record.status === 'cancel' ? owingItsVoids(taken, at) : taken;
}

/** Transactions that took effect or may have, but are not in the record. The pending call is left out: it was not sent. */
function movedSince(state: RoundState, record: RoundSnapshot): RoundTransaction[] {
  const nameOf = ({ type, hash }: Pick<RoundTransaction, 'type' | 'hash'>): string => `${type} ${hash}`;
  const known = new Set([...record.transactions, ...(state.pending?.transactions ?? [])].map(nameOf));
  return state.transactions.filter((one) => one.outcome !== 'declined' && !known.has(nameOf(one)));
}

/**
 * Makes a round from its record, if its workflow does not run. An open round is crashed: a reconciliation or a person ends
 * it. A cancelled round sends the voids that it owes.
 */
export function restoredRound(record: RoundSnapshot, settings: RoundSettings, at: string): RoundState {
  const { attention: _shown, ...recorded } = record;
  const nothing = { commands: {}, voidsToCome: [], keptMarks: [], maybePaid: true, infoBytes: 0 };
  const state: RoundState = { ...recorded, ...nothing, settings };
  return record.status === 'open' ? crashedAsRestored(state) : owingItsVoids(state, at);
}

/** The record of a round whose first bet may have been taken, if its workflow is lost: the bet is unknown and voided. */
export function unknownBet(
  identity: RoundIdentity,
  settings: RoundSettings,
  command: StartCommand,
  at: string,
): RoundSnapshot {
  const outcome = { kind: 'unknown', reason: 'the workflow of the round is lost' } as const;
  return snapshotOf(applyWalletOutcome(createRound(identity, settings, command, at), outcome, at));
}

/** Whether the round needs a running workflow: it is open, or it is cancelled and owes voids. */
export function needsWorkflow({ status, transactions }: RoundSnapshot): boolean {
  return status === 'open' || (status === 'cancel' && debitsOwed(transactions).length > 0);
}

/** Debits that were taken or may have been taken, without an accepted void. */
function debitsOwed(transactions: readonly RoundTransaction[]): RoundTransaction[] {
  const givenBack = givenBackHashes(transactions);
  return takenDebits(transactions).filter(({ hash }) => !givenBack.has(hash));
}

/** The refusal for a command whose round was taken over from its record. */
export function refusedAsRestored({ status }: RoundState): Refusal {
  return refusal(status === 'open' ? 'GAMEROUNDCRASHED' : 'GAMEROUNDNOTACTIVE');
}

/** A pending debit may have been taken, so it becomes unknown and a person decides. Credits, voids and ends stay owed. */
function crashedAsRestored(state: RoundState): RoundState {
  const transactions = state.transactions.map((transaction) =>
    transaction.type === 'debit' && transaction.outcome === 'pending'
      ? { ...transaction, outcome: 'unknown' as const }
      : transaction,
  );
  const crashed: RoundState = { ...state, status: 'open', closedAt: undefined, crashed: true, transactions };
  return setMark(crashed, 'restored', true);
}

/** Sends all voids again that have no answer or were not sent yet. A void may be sent any number of times. */
function owingItsVoids(state: RoundState, at: string): RoundState {
  const done = state.transactions.filter(({ type, outcome }) => type !== 'void' || outcome === 'accepted');
  const voidsToCome = debitsOwed(done).map(({ hash }) => hash);
  const reason = state.transactions.findLast(({ type }) => type === 'void')?.reason ?? 'restored';
  return sendNextVoid({ ...state, transactions: done, voidsToCome }, reason, at);
}
