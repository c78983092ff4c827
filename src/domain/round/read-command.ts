import { isAmount } from '../money';
import type { Command } from './types';

type Fields = Record<string, unknown>;

/**
 * A command from outside, a person at Temporal Web included: the command where it has the right shape, otherwise the
 * name of the first field that hasn't. A person may leave out the key and the reason of an end or void.
 */
export function readCommand(type: Command['type'], raw: unknown): { command: Command } | { fault: string } {
  const fields: Fields =
    typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as Fields) : {};
  const given = {
    key: 'by-hand',
    reason: 'by hand',
    ...(type === 'settle' ? { accepted: [] } : {}),
    ...fields,
    type,
  };
  const fault = FAULTS[type].find(([name, fits]) => !fits(given[name as keyof typeof given]));
  return fault === undefined ? { command: given as unknown as Command } : { fault: fault[0] };
}

type Check = [field: string, fits: (value: unknown) => boolean];

const MAX_TEXT = 400;
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const optional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || value === null || fits(value);

const key: Check = ['key', isText];
const reason: Check = ['reason', isText];

const FAULTS: Record<Command['type'], Check[]> = {
  start: [
    ['stake', isAmount],
    ['currency', isText],
    ['useTicket', isFlag],
    ['endGame', isFlag],
    ['winAmount', isAmount],
    ['rngCallId', optional(isText)],
  ],
  addWin: [key, ['winAmount', isAmount], ['collect', isFlag]],
  end: [key, reason],
  collectWin: [key, ['amount', optional(isAmount)]],
  void: [reason],
  settle: [key, reason, ['accepted', optional(Array.isArray)]],
  addSpinCounter: [key, ['counterType', isText], ['awarded', isAmount], ['used', isAmount]],
};
