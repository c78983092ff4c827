import { normalId } from '../hashes';
import { isAmount } from '../money';
import type { Command } from './types';

type Fields = Record<string, unknown>;

/**
 * A command from outside, a person at Temporal Web included: the command where it has the right shape, otherwise the
 * name of the first field that hasn't. A person may leave out the key and the reason of an end or void; a settle,
 * which can't be undone, says both.
 */
export function readCommand(type: Command['type'], raw: unknown): { command: Command } | { fault: string } {
  const fields = Object.fromEntries(Object.entries(fieldsOf(raw)).filter(([, value]) => value !== null));
  const unsaid = type === 'settle' ? {} : { key: 'by-hand', reason: 'by hand' };
  const given = { ...unsaid, ...fields, type };
  const fault = FAULTS[type].find(([name, fits]) => !fits(given[name as keyof typeof given]));
  return fault === undefined ? { command: inOneForm(given as unknown as Command) } : { fault: fault[0] };
}

/** A person copies hashes from wherever they stand. */
function inOneForm(command: Command): Command {
  if (command.type !== 'settle') return command;
  const { accepted, declined } = command;
  return { ...command, accepted: accepted.map(normalId), declined: declined?.map(normalId) };
}

type Check = [field: string, fits: (value: unknown) => boolean];

const MAX_TEXT = 160;
const MAX_LONG_TEXT = 20_000;
/** More than a round can have transactions (MAX_COMMANDS). */
const MAX_HASHES = 10_000;
/** Not in names: a record's field can't hold them. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT && !CONTROL.test(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const optional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || fits(value);
const isLongText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_LONG_TEXT;
const isTexts = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, text]) => !CONTROL.test(name) && typeof text === 'string');
const isTicket = (value: unknown): boolean => {
  const { serial, stake, currency, count, usedBefore, wonBefore } = fieldsOf(value);
  return [serial, currency].every(isText) && [stake, count, usedBefore, wonBefore].every(isAmount);
};
const isDiscount = (value: unknown): boolean => isAmount(fieldsOf(value).amount);
const isGrants = (value: unknown): boolean => {
  const { tickets, discountInfo } = fieldsOf(value);
  return (
    (tickets === undefined || (Array.isArray(tickets) && tickets.every(isObject))) &&
    isObject(discountInfo ?? {})
  );
};
const isHashes = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_HASHES && value.every(isText);

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

const key: Check = ['key', isText];
const reason: Check = ['reason', isText];

const FAULTS: Record<Command['type'], Check[]> = {
  start: [
    ['stake', isAmount],
    ['currency', isText],
    ['useTicket', isFlag],
    ['endGame', isFlag],
    ['winAmount', isAmount],
    ['debitAmount', optional(isAmount)],
    ['rngCallId', optional(isText)],
    ['result', optional(isLongText)],
    ['ticket', optional(isTicket)],
    ['discount', optional(isDiscount)],
    ['grants', optional(isGrants)],
  ],
  addWin: [
    key,
    ['winAmount', isAmount],
    ['collect', isFlag],
    ['rngCallId', optional(isText)],
    ['result', optional(isLongText)],
    ['betData', optional(isTexts)],
    ['jackpotPayout', optional(Array.isArray)],
  ],
  end: [key, reason, ['gentle', optional(isFlag)]],
  collectWin: [key, ['amount', optional(isAmount)]],
  void: [reason],
  settle: [key, reason, ['accepted', isHashes], ['declined', optional(isHashes)]],
  addSpinCounter: [
    key,
    ['counterType', isText],
    ['awarded', isAmount],
    ['used', isAmount],
    ['gameStateResult', optional(isTexts)],
  ],
};
