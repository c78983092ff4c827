/*
 * The open-round guard (docs/interface#open-round-guard): at most one open round of an operator, player, game and mode may send
 * its bet. src/read-model/guards.ts stores it.
 */

export interface GuardKey {
  operatorId: string;
  playerId: string;
  gameCode: string;
  mode: string;
}

export interface GuardHolder {
  gameround: string;
  confirmed: boolean;
}

export type Confirmed = 'first' | 'early' | 'again' | 'lost' | 'overtaken';

/** The `attemptAt` of a confirmation that is made for the first attempt, before Temporal has scheduled it. */
export const BEFORE_ANY_ATTEMPT = 0;

export interface Guards {
  /**
   * Takes the guard for a round that is not known, if it is free. Returns the holder: this round or another one; or
   * `recorded` if the round has a record. `start`: what the round is started with, as JSON.
   */
  take(key: GuardKey, gameround: string, start?: string): Promise<GuardHolder | 'recorded'>;
  /**
   * Takes the guard from a holder that is not open any more. False if the holder changed meanwhile. A round without a record
   * that has confirmed the guard is kept (undecidedBets), since its bet may have been taken.
   */
  free(key: GuardKey, holder: GuardHolder): Promise<boolean>;
  /** Gives the free guard to a round that has a record. False if another round has it, or there is no record. */
  restore(key: GuardKey, gameround: string): Promise<boolean>;
  /**
   * Confirms the guard before the initial debit.
   * - `first`: nothing was sent yet.
   * - `early`: only its start has confirmed it (BEFORE_ANY_ATTEMPT).
   * - `again`: the guard was confirmed before, so the debit may have been sent.
   * - `lost`: the round does not have the guard.
   * - `overtaken`: a newer attempt has confirmed the guard (this one was frozen), so this attempt must not send. Or the
   *   Temporal server's clock was set back; then a later attempt succeeds.
   * Rejects if the unique index is missing, since another round could have the guard, too. Then it makes the index.
   */
  confirm(key: GuardKey, gameround: string, attemptAt: number): Promise<Confirmed>;
  /**
   * If no attempt has confirmed the guard, prevents every later confirmation and returns true: nothing was or will be sent.
   * `isBegun`: an attempt may have begun. Otherwise a confirmation before any attempt (BEFORE_ANY_ATTEMPT) does not count.
   */
  shut(key: GuardKey, gameround: string, isBegun: boolean): Promise<boolean>;
  holder(key: GuardKey): Promise<GuardHolder | undefined>;
  /** Rounds without a record whose bet may have been sent, with what they were started with. Most of them are under way. */
  undecidedBets(): AsyncIterable<{ gameround: string; start: string }>;
}
