import type { KnownEntries, OwnVersions, Recorded } from '../domain/round/known-entries';
import type { Answer, RoundIdentity, RoundSnapshot, RoundState } from '../domain/round/types';
import type { WalletBalance, WalletCall, WalletOutcome } from '../domain/wallet-call';

export interface WalletDelivery {
  round: RoundIdentity;
  call: WalletCall;
  /** Debits only. */
  bet?: BetDelivery | undefined;
  /** The versions of the record that this run has written so far; see ProjectedRound. */
  ownVersions: OwnVersions;
  /** Results of earlier deliveries of a credit. */
  maybePaid: boolean;
  creditAccepted: boolean;
  /** What the wallet last answered to this call; see PendingCall. */
  lastAnswer?: string | undefined;
  /** The run in which the round, or this part of it, began. If another run delivers, a person has reset the workflow. */
  originalRunId: string;
  /** An earlier run that a reset made, and that has continued as this one. */
  resetRun?: string | undefined;
}

/** How long after its command entered the history a debit may be sent. Later the player may have left, so nothing is sent. */
export const BET_AGE_MS = 10_000;

/** Why a debit that may have been sent before is unknown: its time is over, so it is not sent again. */
export const TOO_LATE_REASON = 'too late to be sent again';

/** The reason of a delivery whose worker died, or whose activity returned no valid result. */
export const NO_ANSWER = 'the worker gave no answer';

/** Additional data of a debit (docs/interface#bet-age). Times are the Temporal server's, in milliseconds since the epoch. */
export interface BetDelivery {
  /** The round's first debit: the open-round guard has to be confirmed before it is sent. */
  isFirst: boolean;
  /** When the workflow accepted the command. Its signal may have been in the history for longer. */
  acceptedAt: number;
  /** Id of the start event of the workflow task that brought the signal; absent without a signal. */
  acceptedBefore?: number | undefined;
  /** The workflow knows that the time is over: nothing is sent any more. */
  isOver: boolean;
  /** An earlier delivery may have sent the debit. */
  maybeSent: boolean;
  /** No attempt of an earlier delivery has begun. */
  neverBegun: boolean;
}

/** Failure type of a debit's delivery that sent nothing, since the database can't say whether an earlier delivery sent it. */
export const BET_UNCONFIRMED = 'BetUnconfirmed';

export type DeliveryResult =
  | WalletOutcome
  /** Nothing was ever sent: another round holds the guard. */
  | { kind: 'guard-lost' }
  /** Nothing was sent: the record is newer than this run. Temporal was restored from an older copy, or a person has reset the run. */
  | { kind: 'ahead'; record: Recorded };

/** Data with which a delivery can finish its command: apply the outcome, write the record and answer the caller. */
export interface CommandEnd {
  /** The round with its pending call. Entries that the record already holds are left out. */
  state: RoundState;
  known: KnownEntries;
  /** The version of the record to write; the delivery's `ownVersions` contains it. */
  version: number;
  /**
   * If a credit follows the bet: the version of the record that is written between the two. A bet that is accepted must be
   * durable before its credit is sent.
   */
  betVersion?: number | undefined;
  key: string;
  /** Calls that wait for the command's answer. The activity answers those that wait in its own process. */
  calls: string[];
  /** The most events that the history has when the round is idle again, if nothing else happens meanwhile. */
  idleAt: number;
}

export interface Delivered {
  result: DeliveryResult;
  /** When the outcome was known, by the Temporal server's clock; ISO 8601. The rules use this time. */
  at: string;
  /**
   * The credit that the same activity has sent, or may have sent, after its bet was accepted. Null: it has sent none. Absent
   * although a credit follows (`betVersion`): a person has written this result, and the credit may have been sent.
   */
  credit?: DeliveredCredit | null | undefined;
  /** The version of the written record. Present only if the command is finished and nothing is left to be sent. */
  recordedAs?: number | undefined;
}

export interface DeliveredCredit {
  call: WalletCall;
  result: WalletOutcome;
  /** As in Delivered. */
  at: string;
}

/** The answer to a command, and the calls that wait for it. It is sent after the record is written. */
export interface AnswerForCallers {
  calls: string[];
  answer: Answer;
  lastBalance?: WalletBalance | undefined;
}

export interface ProjectedRound {
  /** Without the list entries that the record already holds, so that a long round is not sent as a whole each time. */
  snapshot: RoundSnapshot;
  known: KnownEntries;
  /** Rises with every projection of the round. An older version never overwrites a newer one. */
  version: number;
  /**
   * The versions that this run has written before. A record with another version stays: another run has written it, which
   * Temporal no longer knows since it was restored from an older copy, or which a person has reset.
   */
  ownVersions?: OwnVersions | undefined;
  /** As in CommandEnd. */
  idleAt: number;
}

/** Failure type of a projection that leaves out entries which the record does not hold. */
export const RECORD_BEHIND = 'RecordBehind';

export interface GameroundActivities {
  /**
   * Makes the first delivery of a wallet call. It is attempted again only if its worker died or nothing could be sent. With
   * `end` it also makes the first delivery of the credit that follows an accepted bet. If no further call follows then, it
   * writes the record and answers the callers in this process.
   */
  deliver(delivery: WalletDelivery, end?: CommandEnd): Promise<Delivered>;
  /** Delivers a credit or void. Fails, and is retried, as long as the outcome is `retryable`. */
  deliverUntilDefinite(delivery: WalletDelivery): Promise<DeliveryResult>;
  /** Fails, and is retried, until the operator's secrets differ from those that `rejectedSecrets` names. */
  newSecrets(operatorId: string, rejectedSecrets: string | undefined): Promise<void>;
  /**
   * Writes the round's record, and releases the open-round guard if the round is not open any more. Fails for good with
   * `RecordBehind` if the record is not the one whose entries were left out. If the record is newer, or not written by this
   * run, it stays unchanged and is returned.
   */
  project(round: ProjectedRound, answer?: AnswerForCallers): Promise<Recorded | undefined>;
  /** Asks the provider to close a forgotten round (docs/interface#do-auto-close). Fails unless the reply is 200. */
  autoClose(round: RoundIdentity): Promise<void>;
  /** Asks the provider for the result of a closed round (getGameResult). */
  fetchResult(round: RoundIdentity): Promise<Record<string, string>>;
  /** Sends the operator the report of a closed round (docs/interface#do-game-round-report). */
  report(snapshot: RoundSnapshot): Promise<void>;
}
