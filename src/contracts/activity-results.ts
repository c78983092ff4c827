import { isObject } from '../domain/is-object';
import type { Recorded } from '../domain/round/known-entries';
import type { WalletPurpose } from '../domain/wallet-call';
import { parseTimestamp } from '../domain/time';
import type { CommandEnd, DeliveredCredit, DeliveryResult } from './activities';

/*
 * A person can complete an activity with any value in Temporal Web. The workflow checks a result before it uses it: a value
 * that does not fit would fail its task again and again.
 */

const KINDS: Record<WalletPurpose, readonly DeliveryResult['kind'][]> = {
  debit: ['accepted', 'declined', 'unknown', 'guard-lost', 'ahead'],
  credit: ['accepted', 'rejected', 'retryable', 'ahead'],
  void: ['accepted', 'rejected', 'retryable', 'ahead'],
};

/** Whether the value is the result of a delivery of this purpose, for this round. */
export function isDeliveryResult(
  value: unknown,
  purpose: WalletPurpose,
  gameround: string,
): value is DeliveryResult {
  if (!isObject(value)) return false;
  const { kind, record, reason, notSent, errorCode, endRejected, balance } = value;
  return (
    KINDS[purpose].some((known) => known === kind) &&
    (kind !== 'ahead' || isRecorded(record, gameround)) &&
    isAbsentOr((text) => typeof text === 'string', reason) &&
    (kind !== 'declined' || isAbsentOr((text) => typeof text === 'string', notSent)) &&
    isAbsentOr(isErrorObject, errorCode) &&
    isAbsentOr(isErrorObject, endRejected) &&
    isAbsentOr(isBalance, balance)
  );
}

/** The credit in the result of a delivery. Undefined if there is none, or if it is wrong. */
export function creditIn(delivered: unknown): DeliveredCredit | undefined {
  const { credit } = Object(delivered) as { credit?: unknown };
  if (!isObject(credit) || !isObject(credit['call'])) return undefined;
  const { call, result, at } = credit;
  const isRight =
    call['purpose'] === 'credit' &&
    isListOf(isObject, call['transactions']) &&
    // No result with a record: that belongs to the whole delivery.
    isDeliveryResult(result, 'credit', '') &&
    typeof at === 'string' &&
    parseTimestamp(at) !== undefined;
  return isRight ? (credit as unknown as DeliveredCredit) : undefined;
}

/** Whether nothing says if a delivery has sent the credit that follows its bet. */
export function isCreditLost(end: CommandEnd | undefined, delivered: unknown): boolean {
  const { credit } = Object(delivered) as { credit?: unknown };
  return end?.betVersion !== undefined && credit !== null && creditIn(delivered) === undefined;
}

/** Whether the value is a record of this round with its version. */
export function isRecorded(value: unknown, gameround: string): value is Recorded {
  if (!isObject(value) || !Number.isSafeInteger(value['version']) || !isObject(value['snapshot']))
    return false;
  const { identity, status, stake, amountToCollect, transactions, gameState, spinCounters, attention } =
    value['snapshot'];
  return (
    isObject(identity) &&
    identity['gameround'] === gameround &&
    ['open', 'closed', 'cancel'].some((known) => known === status) &&
    [stake, amountToCollect].every((amount) => Number.isSafeInteger(amount)) &&
    isListOf(isTransaction, transactions) &&
    isListOf(isObject, gameState) &&
    isObject(spinCounters) &&
    isListOf((mark) => typeof mark === 'string', attention)
  );
}

function isTransaction(value: unknown): boolean {
  return (
    isObject(value) &&
    [value['type'], value['hash'], value['outcome']].every((text) => typeof text === 'string')
  );
}

function isErrorObject(value: unknown): boolean {
  return isObject(value) && typeof value['id'] === 'number' && typeof value['msg'] === 'string';
}

function isBalance(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { balances, tickets, discountInfo } = value;
  const isEntry = (one: unknown): boolean =>
    isObject(one) &&
    typeof one['type'] === 'string' &&
    typeof one['currency'] === 'string' &&
    Number.isFinite(one['amount']);
  return (
    isListOf(isEntry, balances) &&
    isAbsentOr((list) => isListOf(isObject, list), tickets) &&
    isAbsentOr(isObject, discountInfo)
  );
}

function isListOf(isOne: (value: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isAbsentOr(isRight: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || isRight(value);
}
