import { normalId } from '../hashes';
import { isObject } from '../is-object';
import { isAmount } from '../money';
import { isFreeText, isIdentifier, isLine, isStrings, MAX_ID_CHARS } from '../texts';
import type { Command } from './types';

type Fields = Record<string, unknown>;

/**
 * Reads a command from outside, for example from a person in Temporal Web. Returns the command, or the name of the first
 * wrong field. Unknown fields are removed. Key and reason of an end or void are optional, and so is the whole input. A
 * settle can't be undone, so its key and reason are required.
 */
export function readCommand(type: Command['type'], raw: unknown): { command: Command } | { fault: string } {
  // An input that is a string or an array is a mistake and must not close a round.
  if (!isObject(raw ?? {})) return { fault: 'input' };
  const fields = Object.fromEntries(Object.entries(fieldsOf(raw)).filter(([, value]) => value !== null));
  const unsaid = type === 'settle' ? {} : { key: 'by-hand', reason: 'by hand' };
  const given = { ...unsaid, ...fields, type };
  const read = FAULTS[type].map(([name]) => [name, given[name as keyof typeof given]] as const);
  const fault = FAULTS[type].find(([, fits], index) => !fits(read[index]?.[1]));
  if (fault !== undefined) return { fault: fault[0] };
  const known = read.filter(([, value]) => value !== undefined);
  return { command: inOneForm({ type, ...Object.fromEntries(known) } as unknown as Command) };
}

/** A person may copy hashes in capitals. */
function inOneForm(command: Command): Command {
  if (command.type !== 'settle') return command;
  const { accepted, declined } = command;
  return { ...command, accepted: accepted.map(normalId), declined: declined?.map(normalId) };
}

type Check = [field: string, fits: (value: unknown) => boolean];

/** A key consists of a kind and an identifier: `transaction:…`. */
const MAX_KEY_CHARS = 'transaction:'.length + MAX_ID_CHARS;
const MAX_REASON_CHARS = 160;
/** Short, since the reason is stored with the void of each debit, or with each win that the end collects (size.ts). */
const MAX_END_REASON_CHARS = 32;
const MAX_JACKPOTS = 64;
/** More than the number of transactions that a round can have (MAX_COMMANDS). */
const MAX_HASHES = 10_000;
const isId = (value: unknown): boolean => isIdentifier(value);
const isName = (value: unknown): boolean => isLine(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const optional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || fits(value);
/** The texts of a ticket or discount come from the operator, so they may contain `#`. */
const isTicket = (value: unknown): boolean => {
  const { serial, stake, currency, count, feature, usedBefore, wonBefore } = fieldsOf(value);
  const isNamed = [serial, currency].every(isName) && (feature === undefined || isName(feature));
  return isNamed && [stake, count, usedBefore, wonBefore].every(isAmount);
};
const isGrants = (value: unknown): boolean => {
  const { tickets, discountInfo } = fieldsOf(value);
  return (
    (tickets === undefined || (Array.isArray(tickets) && tickets.every(isObject))) &&
    isObject(discountInfo ?? {})
  );
};
const isDiscount = (value: unknown): boolean => {
  const { amount, campaignId } = fieldsOf(value);
  return isAmount(amount) && (campaignId === undefined || isName(campaignId));
};
const isJackpots = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= MAX_JACKPOTS &&
  value.map(fieldsOf).every(({ jackpotId, jackpotMode }) => isId(jackpotId) && isId(jackpotMode));
const isHashes = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_HASHES && value.every(isId);

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

const key: Check = ['key', (value) => isIdentifier(value, MAX_KEY_CHARS)];
const endReason: Check = ['reason', (value) => isLine(value, MAX_END_REASON_CHARS)];
const reason: Check = ['reason', (value) => isLine(value, MAX_REASON_CHARS)];

const FAULTS: Record<Command['type'], Check[]> = {
  start: [
    ['stake', isAmount],
    ['currency', isId],
    ['useTicket', isFlag],
    ['endGame', isFlag],
    ['winAmount', isAmount],
    ['debitAmount', optional(isAmount)],
    ['rngCallId', optional(isId)],
    ['result', optional(isFreeText)],
    ['ticket', optional(isTicket)],
    ['discount', optional(isDiscount)],
    ['grants', optional(isGrants)],
  ],
  addWin: [
    key,
    ['winAmount', isAmount],
    ['collect', isFlag],
    ['rngCallId', optional(isId)],
    ['result', optional(isFreeText)],
    ['betData', optional(isStrings)],
    ['jackpotPayout', optional(isJackpots)],
  ],
  end: [key, endReason, ['forReconciliation', optional(isFlag)]],
  collectWin: [key, ['amount', optional(isAmount)]],
  void: [endReason],
  settle: [key, reason, ['accepted', isHashes], ['declined', optional(isHashes)]],
  addSpinCounter: [
    key,
    ['counterType', isId],
    ['awarded', isAmount],
    ['used', isAmount],
    ['gameStateResult', optional(isStrings)],
  ],
};
