import { refusal, type Refusal } from '../errors';
import { mark } from './attention';
import { sendNextVoid } from './decide';
import type { RoundPolicy, RoundSnapshot, RoundState, RoundTransaction } from './types';

/**
 * Temporal was restored from an older copy and the record is ahead of this state: the round becomes what its record says.
 * One that is over stays over. An open one is crashed: what it did since the copy is known from the record alone. So is one
 * that has moved money since of which the record knows nothing.
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

/** Transactions that took effect, or may have, and that the record does not show. The pending call was not sent. */
function movedSince(state: RoundState, record: RoundSnapshot): RoundTransaction[] {
  const nameOf = ({ type, hash }: Pick<RoundTransaction, 'type' | 'hash'>): string => `${type} ${hash}`;
  const known = new Set([...record.transactions, ...(state.pending?.transactions ?? [])].map(nameOf));
  return state.transactions.filter((one) => one.outcome !== 'declined' && !known.has(nameOf(one)));
}

/** A round whose workflow Temporal does not know, from its record: crashed, for a reconciliation or a person to end. */
export function restoredRound(record: RoundSnapshot, policy: RoundPolicy): RoundState {
  const { attention: _shown, ...recorded } = record;
  const nothing = { commands: {}, voidsToCome: [], marks: [], maybePaid: true, infoBytes: 0 };
  return crashedAsRestored({ ...recorded, ...nothing, policy });
}

/** What a command is answered whose round was taken over from its record. */
export function refusedAsRestored({ status }: RoundState): Refusal {
  return refusal(status === 'open' ? 'GAMEROUNDCRASHED' : 'GAMEROUNDNOTACTIVE');
}

/** A debit that was on its way may have been taken: a person decides. Credits, voids and ends stay owed. */
function crashedAsRestored(state: RoundState): RoundState {
  const transactions = state.transactions.map((transaction) =>
    transaction.type === 'debit' && transaction.outcome === 'pending'
      ? { ...transaction, outcome: 'unknown' as const }
      : transaction,
  );
  const crashed: RoundState = { ...state, status: 'open', closedAt: undefined, crashed: true, transactions };
  return mark(crashed, 'restored', true);
}

/** A void may be sent any number of times: those without an answer, or that were still to come, are sent again. */
function owingItsVoids(state: RoundState, at: string): RoundState {
  const done = state.transactions.filter(({ type, outcome }) => type !== 'void' || outcome === 'accepted');
  const voided = new Set(done.filter(({ type }) => type === 'void').map(({ hash }) => hash));
  const owed = done.filter(
    ({ type, outcome, hash }) =>
      type === 'debit' && (outcome === 'accepted' || outcome === 'unknown') && !voided.has(hash),
  );
  const voidsToCome = owed.map(({ hash }) => hash);
  const reason = state.transactions.findLast(({ type }) => type === 'void')?.reason ?? 'restored';
  return sendNextVoid({ ...state, transactions: done, voidsToCome }, reason, at);
}
