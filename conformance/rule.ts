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
  /** Says what is wrong with the reply; undefined if nothing is. */
  fault: (exchange: Exchange) => string | undefined;
}

export interface Result {
  name: string;
  anchor: string;
  text: string;
  outcome: 'holds' | 'broken' | 'skipped';
  /** Why it is broken or skipped. */
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
  ) {
    super(message);
  }
}

/** The party does not offer what the rule is about. */
export class Skipped extends Error {}

/** The party cannot be tested at all. */
export class Unusable extends Error {
  constructor(
    message: string,
    /** The request whose reply shows it. */
    readonly exchange?: Exchange,
  ) {
    super(message);
  }
}
