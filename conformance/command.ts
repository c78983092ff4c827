import type { Report } from './report/report';
import { type ReplyRule, type Result, type Rule, Unusable } from './rule';
import type { Selection } from './run';

/** The values of the options by name. */
export type Values = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Command {
  /** What the command does and its own options, for the help. */
  usage: string;
  /** The names of its options that have a value, with the defaults. */
  options: Readonly<Record<string, string | undefined>>;
  /** Options without a value. */
  flags: readonly string[];
  rules: readonly (Omit<Rule<never>, 'check'> | ReplyRule)[];
  /** Checks the rules. Rejects with Unusable if this is not possible. */
  test: (values: Values, selection: Selection, listener: Listener) => Promise<Report>;
}

export interface Listener {
  begin: (text: string) => void;
  result: (result: Result) => void;
}

export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function required(values: Values, name: string): string {
  const value = optional(values, name);
  if (value === undefined) throw new Unusable(`--${name} is missing. --help shows all options.`);
  return value;
}

export function urlIn(values: Values, name: string): string {
  const url = required(values, name);
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new Unusable(`--${name} is no http or https URL: ${url}`);
  return url;
}

export function numberIn(values: Values, name: string, least: number): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Unusable(`--${name} is no integer of at least ${least}: ${String(values[name])}`);
  return value;
}
