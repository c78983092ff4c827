import type { Exchange } from './exchange';
import { Broken, type ReplyRule, type Result, type Rule, Skipped } from './rule';

export interface Subject {
  /** All requests so far, with their replies. */
  readonly exchanges: readonly Exchange[];
  /** Called before each rule. */
  begin: () => Promise<void>;
  /** Called after each rule. Ends the rounds that the rule has left open. */
  tidy: () => Promise<void>;
}

export interface Selection {
  only: readonly string[];
  skip: readonly string[];
}

/** Checks the rules one after another, then the reply rules with all requests of the run. */
export async function runRules<Tested extends Subject>(
  subject: Tested,
  rules: readonly Rule<Tested>[],
  replyRules: readonly ReplyRule[],
  selection: Selection,
  tell: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  const add = (result: Result): void => {
    results.push(result);
    tell(result);
  };
  const isWanted = ({ name }: { name: string }): boolean =>
    selection.only.length === 0 || selection.only.includes(name);
  const checkLast = (rule: ReplyRule): Result =>
    checkReplies(subject.exchanges, rule, selection.skip.includes(rule.name));
  const resultOf = (name: string): Result | undefined => results.find((result) => result.name === name);
  /** A reply rule that makes others impossible to check is reported before them. */
  const isBroken = (name: string): boolean => {
    const rule = replyRules.find((one) => one.name === name);
    if (rule !== undefined && isWanted(rule) && resultOf(name) === undefined) {
      const result = checkLast(rule);
      if (result.outcome === 'broken') add(result);
    }
    return resultOf(name)?.outcome === 'broken';
  };
  // A reply rule needs the requests of all other rules.
  const isWhole = replyRules.some(({ name }) => selection.only.includes(name));
  for (const rule of rules.filter((one) => isWhole || isWanted(one))) {
    const result = await checkRule(subject, rule, selection.skip.includes(rule.name), isBroken);
    if (isWanted(rule)) add(result);
  }
  for (const rule of replyRules.filter((one) => isWanted(one) && resultOf(one.name) === undefined)) {
    add(checkLast(rule));
  }
  return results;
}

const SKIPPED_AS_ASKED = 'skipped as asked (--skip)';

async function checkRule<Tested extends Subject>(
  subject: Tested,
  { check, ...rule }: Rule<Tested>,
  isSkipped: boolean,
  isBroken: (name: string) => boolean,
): Promise<Result> {
  const begun = performance.now();
  const before = subject.exchanges.length;
  const result = (outcome: Result['outcome'], why = '', exchange?: Exchange): Result => {
    const exchanges = subject.exchanges.slice(before);
    return { ...rule, outcome, why, exchange, exchanges, durationMs: performance.now() - begun };
  };
  if (isSkipped) return result('skipped', SKIPPED_AS_ASKED);
  try {
    await subject.begin();
    await check(subject);
    return result('holds');
  } catch (error) {
    if (error instanceof Broken) {
      const { message, becauseOf } = error;
      return becauseOf !== undefined && isBroken(becauseOf)
        ? result('skipped', `cannot be checked, since ${becauseOf} is broken: ${message}`)
        : result('broken', message, error.exchange);
    }
    if (error instanceof Skipped) return result('skipped', error.message);
    throw error;
  } finally {
    await subject.tidy();
  }
}

export function checkReplies(
  exchanges: readonly Exchange[],
  { fault, ...rule }: ReplyRule,
  isSkipped: boolean,
): Result {
  const result = (outcome: Result['outcome'], why = '', exchange?: Exchange): Result => {
    return { ...rule, outcome, why, exchange, exchanges: [], durationMs: 0 };
  };
  if (isSkipped) return result('skipped', SKIPPED_AS_ASKED);
  const faults = exchanges.flatMap((exchange) => {
    const why = fault(exchange);
    return why === undefined ? [] : [{ why, exchange }];
  });
  const [first] = faults;
  if (first === undefined) return result('holds');
  const why = faults.length === 1 ? first.why : `${first.why} (the first of ${faults.length} such replies)`;
  return result('broken', why, first.exchange);
}
