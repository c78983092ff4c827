import type { Exchange } from './exchange';

/** A rule of docs/interface, in words and as a check. */
export interface Rule<Subject> {
  name: string;
  /** The page and the anchor of the rule in docs/interface. */
  anchor: string;
  text: string;
  /** Throws Broken or Skipped. */
  check: (subject: Subject) => Promise<void>;
}

/** A rule that every reply of a run has to follow. */
export interface ReplyRule extends Omit<Rule<never>, 'check'> {
  /** Returns the error of the reply. Undefined if there is none. */
  fault: (exchange: Exchange) => string | undefined;
}

export interface Result {
  name: string;
  anchor: string;
  text: string;
  outcome: 'holds' | 'broken' | 'skipped';
  /** The reason why the rule is broken or skipped. Empty if it holds. */
  why: string;
  /** The request that shows the fault. */
  exchange?: Exchange | undefined;
  /** All requests of the check, up to that one. */
  exchanges: readonly Exchange[];
  durationMs: number;
}

export class Broken extends Error {
  constructor(
    message: string,
    readonly exchange: Exchange | undefined,
    /** Another rule that the fault may belong to. Where that one is reported as broken, this one counts as skipped. */
    readonly becauseOf?: string,
  ) {
    super(message);
  }
}

/** The rule does not apply to the party, or an option is missing. */
export class Skipped extends Error {}

/** The party cannot be tested at all. */
export class Unusable extends Error {
  constructor(
    message: string,
    /** The request whose reply shows the reason. */
    readonly exchange?: Exchange,
  ) {
    super(message);
  }
}
