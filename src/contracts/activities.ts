import type { KnownEntries } from '../domain/round/known-entries';
import type { RoundIdentity, RoundSnapshot } from '../domain/round/types';
import type { WalletCall, WalletOutcome } from '../domain/wallet-call';

export interface WalletDelivery {
  round: RoundIdentity;
  call: WalletCall;
  /** The round's first debit: the open-round guard has to be confirmed before it is sent. */
  confirmGuard: boolean;
  /** What earlier deliveries of a credit left behind. */
  maybePaid: boolean;
  creditAccepted: boolean;
  /** For reconciliation: a refusal is repeated like any other failure. */
  gentle: boolean;
  /** The caller has long been told that the round did not start: a debit that was never sent is given up. */
  late: boolean;
  /** The run in which the round, or this part of it, began: where another one delivers, a person has reset the workflow. */
  originalRunId: string;
}

export type DeliveryResult =
  | WalletOutcome
  /** Nothing was sent now, and whether it was before can't be told while the database is down. */
  | { kind: 'unconfirmed' }
  /** Nothing was ever sent: another round holds the guard, or the start came too late. */
  | { kind: 'guard-lost' };

export interface ProjectedRound {
  /** Without the entries of its two lists that the record is known to hold: a long round isn't sent anew each time. */
  snapshot: RoundSnapshot;
  known: KnownEntries;
  /** Rises with every projection of the round: an older one never overwrites a newer one. */
  version: number;
}

/** Type of the failure of a projection that left out more than the record holds. */
export const RECORD_BEHIND = 'RecordBehind';

export interface GameroundActivities {
  /** One delivery of a wallet call; attempted again only where its worker died or nothing could be sent. */
  deliver(delivery: WalletDelivery): Promise<DeliveryResult>;
  /** Delivers a credit or void until it is settled: fails, and is retried, for as long as the outcome is `repeat`. */
  settle(delivery: WalletDelivery): Promise<WalletOutcome>;
  /**
   * Writes the round's record; gives the open-round guard back when the round is not open any more. Fails for good with
   * `RecordBehind` when the record is not the one whose entries were left out.
   */
  project(round: ProjectedRound): Promise<void>;
  /** Asks the provider to close a forgotten round (spec doAutoClose); fails unless it answers 200. */
  autoClose(round: RoundIdentity): Promise<void>;
  /** Asks the provider what it wants kept with a closed round (getGameResult). */
  fetchResult(round: RoundIdentity): Promise<Record<string, string>>;
  /** Tells the operator about a closed round (spec doGameRoundReport). */
  report(snapshot: RoundSnapshot): Promise<void>;
}
