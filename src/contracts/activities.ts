import type { KnownEntries, OwnVersions, Recorded } from '../domain/round/known-entries';
import type { Answer, RoundIdentity, RoundSnapshot, RoundState } from '../domain/round/types';
import type { WalletBalance, WalletCall, WalletOutcome } from '../domain/wallet-call';

export interface WalletDelivery {
  round: RoundIdentity;
  call: WalletCall;
  /** Debits only. */
  bet?: BetDelivery;
  /** What this run has given to its record so far; see ProjectedRound. */
  own: OwnVersions;
  /** What earlier deliveries of a credit left behind. */
  maybePaid: boolean;
  creditAccepted: boolean;
  /** The run in which the round, or this part of it, began: where another one delivers, a person has reset the workflow. */
  originalRunId: string;
}

/** How long a debit may be sent after its command came into the history: the command's time. A player who left pays nothing. */
export const BET_AGE_MS = 10_000;

/** What a debit needs besides (docs/interface#bet-age). Times are the Temporal server's, in milliseconds since the epoch. */
export interface BetDelivery {
  /** The round's first debit: the open-round guard has to be confirmed before it is sent. */
  isFirst: boolean;
  /** When the workflow has taken the command; a signal may have been in the history for longer. */
  acceptedAt: number;
  /** The event before which the history has that signal. */
  acceptedBefore?: number;
  /** Its time is over, as far as the workflow knows: nothing is sent any more. */
  isOver: boolean;
  /** An earlier delivery may have sent it. */
  maybeSent: boolean;
}

/** Type of the failure of a debit's delivery that sent nothing: the database can't say whether an earlier one did. */
export const BET_UNCONFIRMED = 'BetUnconfirmed';

export type DeliveryResult =
  | WalletOutcome
  /** Nothing was ever sent: another round holds the guard. */
  | { kind: 'guard-lost' }
  /** Nothing was sent: the record is ahead of what this run has written, since Temporal was restored from an older copy. */
  | { kind: 'ahead'; record: Recorded };

/** What a delivery needs to end its command itself: to apply the outcome, write the record and answer the caller. */
export interface CommandEnd {
  /** The round with its call pending, without the entries that its record is known to hold. */
  state: RoundState;
  known: KnownEntries;
  /** Under which the record is written; the delivery's `own` has it. */
  version: number;
  key: string;
  /** The calls that wait for the command's answer; those that wait in the activity's process are answered by it. */
  calls: string[];
}

export interface Delivered {
  result: DeliveryResult;
  /** When the outcome was known, by the Temporal server's clock; ISO 8601. It is the time that the rules see. */
  at: string;
  /** The version of the record where the command is done and recorded: nothing is left to be sent. */
  recordedAs?: number;
}

/** The answer to a command, which goes out once the record is written. */
export interface PendingAnswer {
  calls: string[];
  answer: Answer;
  lastBalance?: WalletBalance;
}

export interface ProjectedRound {
  /** Without the entries of its two lists that the record is known to hold: a long round isn't sent anew each time. */
  snapshot: RoundSnapshot;
  known: KnownEntries;
  /** Rises with every projection of the round: an older one never overwrites a newer one. */
  version: number;
  /**
   * What this run has given to its record before: one of another version was written by a run that Temporal, restored from
   * an older copy, doesn't know, and stays. Absent in a run that a person has reset, which knows less than the record.
   */
  own?: OwnVersions;
}

/** Type of the failure of a projection that left out more than the record holds. */
export const RECORD_BEHIND = 'RecordBehind';

export interface GameroundActivities {
  /**
   * The first delivery of a wallet call; attempted again only where its worker died or nothing could be sent. With `end`,
   * where nothing is to be sent after it, the record is written and the callers in this process are answered as well.
   */
  deliver(delivery: WalletDelivery, end?: CommandEnd): Promise<Delivered>;
  /** Delivers a credit or void until it is settled: fails, and is retried, for as long as the outcome is `repeat`. */
  deliverUntilDefinite(delivery: WalletDelivery): Promise<WalletOutcome>;
  /** Returns when the operator's secrets are others than those that `refusedWith` names; fails, and is retried, until then. */
  newSecrets(operatorId: string, refusedWith: string | undefined): Promise<void>;
  /**
   * Writes the round's record; gives the open-round guard back when the round is not open any more. Fails for good with
   * `RecordBehind` when the record is not the one whose entries were left out. A record that is newer, or not this run's own, is left as it is and returned.
   */
  project(round: ProjectedRound, answer?: PendingAnswer): Promise<Recorded | undefined>;
  /** Asks the provider to close a forgotten round (docs/interface#do-auto-close); fails unless it answers 200. */
  autoClose(round: RoundIdentity): Promise<void>;
  /** Asks the provider what it wants kept with a closed round (getGameResult). */
  fetchResult(round: RoundIdentity): Promise<Record<string, string>>;
  /** Tells the operator about a closed round (docs/interface#do-game-round-report). */
  report(snapshot: RoundSnapshot): Promise<void>;
}
