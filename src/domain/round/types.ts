import type { ErrorObject, Refusal } from '../errors';
import type { CreditCall, DebitCall, Grants, VoidCall, WalletBalance } from '../wallet-call';

export type RoundStatus = 'open' | 'closed' | 'cancel';

/** Each mark is a reason why a person should look at a round. Most urgent first. */
export const MARKS = [
  'crashed',
  'restored',
  'credit-unauthorised',
  'void-refused',
  'credit-pending',
  'void-pending',
  'auto-close-failing',
  'void-unconfirmed',
  'debit-unconfirmed',
  'result-pending',
  'report-pending',
  'projection-pending',
] as const;
export type Mark = (typeof MARKS)[number];

/** The identity of a round. It never changes after the round opened. */
export interface RoundIdentity {
  gameround: string;
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
  /** The session that opened the round; it may finish the round even after it expired. This is not the token. */
  sessionId: string;
  mode: 'real' | 'demo';
  currency: string;
  currencyMultiplier: number;
  language: string;
  externalGameProviderRoundId?: string | undefined;
}

/** The operator's and the game's settings for the rules. They are copied when the round opens. */
export interface RoundSettings {
  autoCloseAfterMs: number;
  /** The operator can't void a single follow-up debit, only the whole round. */
  voidsWholeRound: boolean;
  followUpDebits: boolean;
  gameRoundReport: boolean;
  resultCallback: boolean;
}

export interface Ticket {
  serial: string;
  /** Minor units. */
  stake: number;
  currency: string;
  /** Free plays that the operator listed when the ticket was chosen. */
  count: number;
  feature?: string | undefined;
  /** Free plays of this serial that earlier rounds of the player have used. */
  usedBefore: number;
  /** Sum of the wins of these rounds; minor units. */
  wonBefore: number;
}

export interface Discount {
  /** Minor units, subtracted by the operator from the full stake. */
  amount: number;
  campaignId?: string | undefined;
}

export interface StartCommand {
  type: 'start';
  /** The caller's amount in minor units, including the currency multiplier. May be absent if a ticket pays. */
  debitAmount?: number | undefined;
  /** The debitAmount, or the stake of the ticket that pays. */
  stake: number;
  currency: string;
  useTicket: boolean;
  endGame: boolean;
  /** Minor units. Becomes open winnings. */
  winAmount: number;
  rngCallId?: string | undefined;
  result?: string | undefined;
  ticket?: Ticket | undefined;
  discount?: Discount | undefined;
  /** The player's discounts and tickets before the bet; the ticket or discount was found there. */
  grants?: Grants | undefined;
}

export interface AddWinCommand {
  type: 'addWin';
  key: string;
  winAmount: number;
  collect: boolean;
  rngCallId?: string | undefined;
  result?: string | undefined;
  betData?: Record<string, string> | undefined;
  jackpotPayout?: { jackpotId: string; jackpotMode: string }[] | undefined;
}

export interface EndCommand {
  type: 'end';
  key: string;
  /** Becomes the `reason` of the transactions. */
  reason: string;
  /** Set by a reconciliation: a rejected credit crashes the round and never voids it. */
  forReconciliation?: boolean;
}

export interface CollectWinCommand {
  type: 'collectWin';
  key: string;
  /** Minor units, at most the open winnings; absent: all of them. */
  amount?: number | undefined;
}

export interface VoidCommand {
  type: 'void';
  reason: string;
}

export interface SpinCounterCommand {
  type: 'addSpinCounter';
  key: string;
  counterType: string;
  awarded: number;
  used: number;
  gameStateResult?: Record<string, string> | undefined;
}

/**
 * Decides the transactions of a round that is crashed or waits for its wallet. A reconciliation sends it after the operator
 * accepted the transactions; a person sends it to say what became of each transaction.
 */
export interface SettleCommand {
  type: 'settle';
  key: string;
  reason: string;
  /** Hashes of transactions that the operator has accepted. */
  accepted: string[];
  /** Hashes of transactions that never took effect and never will. A transaction in neither list stays as it is. */
  declined?: string[] | undefined;
}

export type Command =
  | StartCommand
  | AddWinCommand
  | EndCommand
  | CollectWinCommand
  | VoidCommand
  | SpinCounterCommand
  | SettleCommand;

/** The stored part of an answer. It is small, since a long round keeps one per command. */
export interface Answer {
  status: RoundStatus;
  amountToCollect: number;
  amountCredited: number;
  /** The round at the time of the answer: length of the game state, stake, number of accepted credits. */
  entries: number;
  stake: number;
  credits: number;
  spinsAvailable?: number | undefined;
  refusal?: Refusal | undefined;
  /**
   * Present if the command's wallet call returned balances, or if the command used or gave back grants. Only the answer to
   * the first bet has discounts and tickets; the newest ones are in `lastBalance`.
   */
  balance?: WalletBalance | undefined;
}

export interface CommandEntry {
  /** The command's money fields. The same key with other money fields is a mismatch. */
  fingerprint: string;
  /** Absent while the command is being carried out. */
  answer?: Answer | undefined;
}

/** `pending`: no definite answer yet. A credit that crashed its round stays pending: it is owed. */
export type TransactionOutcome = 'pending' | 'accepted' | 'declined' | 'unknown';

/** A transaction of the record (docs/interface#record-transaction) and its outcome. */
export interface RoundTransaction {
  type: 'debit' | 'credit' | 'end' | 'void';
  hash: string;
  isFirstDebit?: boolean | undefined;
  amount?: number | undefined;
  currency: string;
  timestamp: string;
  reason?: string | undefined;
  serial?: string | undefined;
  freePlayStake?: number | undefined;
  freePlayUsed?: boolean | undefined;
  discountAmount?: number | undefined;
  discountCampaignId?: string | undefined;
  outcome: TransactionOutcome;
  /** The operator's error if it declined the transaction. */
  errorCode?: ErrorObject | undefined;
  /** Sum of the balances in the operator's reply, if it had any. */
  balanceAfter?: number | undefined;
}

/** docs/interface#game-state */
export interface GameStateEntry {
  hash: string;
  type: 'debit' | 'genericwin' | 'spincounter';
  processedOn: string;
  result: { winAmount: number; info: Record<string, string> };
  /** Entries of the service that cannot be in `info`, since the provider's data uses their names. */
  own?: Record<string, string> | undefined;
  amountWagered: number;
  collected: number;
  reason: string;
}

/** The data of a round in its record. Replies are made from it. */
export interface RoundSnapshot {
  identity: RoundIdentity;
  openedAt: string;
  closedAt?: string | undefined;
  status: RoundStatus;
  /** The service cannot decide what has become of the money (docs/interface#crashed). The status stays `open`. */
  crashed: boolean;
  /** The settle that decided a crashed or waiting round. `key` is `reconcile`, or the key that a person chose. */
  settled?: { key: string; reason: string; at: string } | undefined;
  /** Sum of the stakes of the accepted debits, or the first stake while no debit is accepted; minor units. */
  stake: number;
  /** Open winnings in minor units. */
  amountToCollect: number;
  transactions: RoundTransaction[];
  gameState: GameStateEntry[];
  /** counterType → awarded and used. */
  spinCounters: Record<string, { awarded: number; used: number }>;
  ticket?: Ticket | undefined;
  /** The provider's reply to getGameResult. */
  dataStored?: Record<string, string> | undefined;
  /** All marks of the round: what Temporal shows as GameroundAttention. */
  attention: Mark[];
}

/** A wallet call without a definite outcome. */
export type PendingCall = PendingDebit | PendingCredit | PendingVoid;

export interface PendingDebit extends DebitCall, Delivering {
  /** The command that the outcome answers. */
  commandKey: string;
  /** The same command also collects and closes the round after its debit is accepted. */
  endAfterwards: boolean;
  /** The credit of `endAfterwards` may have been sent already: the bet must not be voided. */
  creditMaybeSent?: true;
  /** Added to the game state when the debit is accepted. */
  entry: GameStateEntry;
}

export interface PendingCredit extends CreditCall, Delivering {
  commandKey: string;
  endAfterwards: false;
  /** See EndCommand. */
  forReconciliation?: boolean;
}

/** The command of the last void is in `voidCommandKey`. */
export interface PendingVoid extends VoidCall, Delivering {
  endAfterwards: false;
}

interface Delivering {
  /**
   * `retrying`: the first delivery had no definite outcome; other commands are refused meanwhile. `awaiting-operator`: the
   * operator does not accept our signature; a person, or new secrets of the operator, resume the call.
   */
  progress: 'first-delivery' | 'retrying' | 'awaiting-operator';
  /** `signedWith` of the rejected delivery's outcome. */
  rejectedSecrets?: string | undefined;
  /** What the wallet last answered to this call, or why it did not: for people. */
  lastAnswer?: string | undefined;
}

/** The whole state of a round's workflow. It is plain JSON, since continue-as-new passes it on. */
export interface RoundState extends Omit<RoundSnapshot, 'attention'> {
  settings: RoundSettings;
  commands: Record<string, CommandEntry>;
  pending?: PendingCall | undefined;
  /** Hashes of the debits that have to be voided after `pending`. */
  voidsToCome: string[];
  /** The command that gets its answer after the last void. */
  voidCommandKey?: string | undefined;
  /** The marks that cannot be derived from the rest of the state. `marksOf` gives all. */
  keptMarks: Mark[];
  /** A delivery of a credit of this round got no definite answer. */
  maybePaid: boolean;
  /** rngCallId of the first debit. */
  firstRngCallId?: string | undefined;
  /** See StartCommand. */
  grants?: Grants | undefined;
  /** The newest balance of the operator in this round, with discounts and tickets. */
  lastBalance?: WalletBalance | undefined;
  /** Bytes of free-form provider data kept in the game state. */
  infoBytes: number;
}
