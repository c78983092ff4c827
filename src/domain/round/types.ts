import type { ErrorObject, Refusal } from '../errors';
import type { Grants, WalletBalance, WalletCall } from '../wallet-call';

export type RoundStatus = 'open' | 'closed' | 'cancel';

/** Why a person should look at a round; the most urgent first. */
export const ATTENTIONS = [
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
export type Attention = (typeof ATTENTIONS)[number];

/** What a round is: fixed when it opens. */
export interface RoundIdentity {
  gameround: string;
  operatorId: string;
  playerId: string;
  gameCode: string;
  providerId: string;
  /** The session that opened the round; an expired one may still finish it. Never the token itself. */
  sessionId: string;
  mode: 'real' | 'demo';
  currency: string;
  currencyMultiplier: number;
  language: string;
  externalGameProviderRoundId?: string;
}

/** The operator's and the game's settings that the rules need, as they were when the round opened. */
export interface RoundPolicy {
  autoCloseAfterMs: number;
  /** The operator can't take back a single follow-up debit. */
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
  /** How many the operator still listed when the ticket was chosen. */
  count: number;
  feature?: string;
  /** How many of this serial this player's rounds have used and won before. */
  usedBefore: number;
  wonBefore: number;
}

export interface Discount {
  /** Minor units, subtracted by the operator from the full stake. */
  amount: number;
  campaignId?: string;
}

export interface StartCommand {
  type: 'start';
  /** Minor units, already multiplied, as the caller gave it; may be absent when a ticket pays. */
  debitAmount?: number;
  /** What the bet is worth: the debitAmount, or the ticket's stake when one pays. */
  stake: number;
  currency: string;
  useTicket: boolean;
  endGame: boolean;
  /** Minor units: counts as open winnings. */
  winAmount: number;
  rngCallId?: string;
  result?: string;
  ticket?: Ticket;
  discount?: Discount;
  /** What the ticket or the discount was found in: before the bet. */
  grants?: Grants;
}

export interface AddWinCommand {
  type: 'addWin';
  key: string;
  winAmount: number;
  collect: boolean;
  rngCallId?: string;
  result?: string;
  betData?: Record<string, string>;
  jackpotPayout?: { jackpotId: string; jackpotMode: string }[];
}

export interface EndCommand {
  type: 'end';
  key: string;
  /** Why the round ends: becomes the `reason` of its transactions. */
  reason: string;
  /** For reconciliation: a refusal of its credit crashes the round and never voids it. */
  forReconciliation?: boolean;
}

export interface CollectWinCommand {
  type: 'collectWin';
  key: string;
  /** Minor units, at most the open winnings; absent: all of them. */
  amount?: number;
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
  gameStateResult?: Record<string, string>;
}

/**
 * Decides a round that is crashed, or waits for its wallet: reconciliation had its transactions accepted, or a person says
 * what became of each.
 */
export interface SettleCommand {
  type: 'settle';
  key: string;
  reason: string;
  /** Hashes that the operator has accepted since. */
  accepted: string[];
  /** Hashes that never took effect, and never will. What is in neither list is left as it is. */
  declined?: string[];
}

export type Command =
  | StartCommand
  | AddWinCommand
  | EndCommand
  | CollectWinCommand
  | VoidCommand
  | SpinCounterCommand
  | SettleCommand;

/** What is remembered of an answer, small enough to keep one for every command of a long round. */
export interface Answer {
  status: RoundStatus;
  amountToCollect: number;
  amountCredited: number;
  /** How the round stood when the answer was given: length of the game state, stake, number of accepted credits. */
  entries: number;
  stake: number;
  credits: number;
  spinsAvailable?: number;
  refusal?: Refusal;
  /**
   * Set when the command's own wallet call was answered with balances, or grants were used up or given back. What else
   * came with it is in `lastBalance`; the first bet's answer has all.
   */
  balance?: WalletBalance;
}

export interface CommandEntry {
  /** The command's money fields: the same key with others is a mismatch. */
  fingerprint: string;
  /** Absent while the command is being carried out. */
  answer?: Answer;
}

/** `pending`: not answered definitely yet. A credit that crashed its round stays pending: it is owed. */
export type TransactionOutcome = 'pending' | 'accepted' | 'declined' | 'unknown';

/** A transaction as records have it (docs/interface#record-transaction), and what became of it. */
export interface RoundTransaction {
  type: 'debit' | 'credit' | 'end' | 'void';
  hash: string;
  isFirstDebit?: boolean;
  amount?: number;
  currency: string;
  timestamp: string;
  reason?: string;
  serial?: string;
  freePlayStake?: number;
  freePlayUsed?: boolean;
  discountAmount?: number;
  discountCampaignId?: string;
  outcome: TransactionOutcome;
  /** The operator's own, where it declined. */
  errorCode?: ErrorObject;
  /** Sum of the operator's balances right after, where it told. */
  balanceAfter?: number;
}

/** docs/interface#game-state */
export interface GameStateEntry {
  hash: string;
  type: 'debit' | 'genericwin' | 'spincounter';
  processedOn: string;
  result: { winAmount: number; info: Record<string, string> };
  /** What we would have told in `info` ourselves under a name that the provider's data has. */
  own?: Record<string, string>;
  amountWagered: number;
  collected: number;
  reason: string;
}

/** Everything about a round that its record holds and replies are made from. */
export interface RoundSnapshot {
  identity: RoundIdentity;
  openedAt: string;
  closedAt?: string;
  status: RoundStatus;
  /** The operator refused money it may have taken or given: to be reconciled. The status stays `open`. */
  crashed: boolean;
  /** Who decided a crashed or waiting round, and why: a reconciliation, or a person by their own key. */
  settled?: { key: string; reason: string; at: string };
  /** Sum of the stakes of the accepted debits, or the first stake while none is; minor units. */
  stake: number;
  /** Open, uncollected winnings in minor units. */
  amountToCollect: number;
  transactions: RoundTransaction[];
  gameState: GameStateEntry[];
  /** counterType → awarded and used. */
  spinCounters: Record<string, { awarded: number; used: number }>;
  ticket?: Ticket;
  /** What the provider told of the closed round (getGameResult). */
  dataStored?: Record<string, string>;
  attention: Attention[];
}

/** A wallet call that isn't settled. Its command, when one waits for it, is answered by the outcome. */
export interface PendingCall extends WalletCall {
  commandKey?: string;
  /** After an accepted debit the round is to be collected and closed by the same command. */
  endAfterwards: boolean;
  /** See EndCommand. */
  forReconciliation?: boolean;
  /** Enters the game state when the debit is accepted. */
  entry?: GameStateEntry;
  /**
   * `retrying`: the first delivery had no definite outcome, and other commands are refused meanwhile. `awaiting-operator`: the
   * operator does not accept our signature; a person, or a change of its secrets, resumes the call.
   */
  progress: 'first-delivery' | 'retrying' | 'awaiting-operator';
  /** What the refused delivery was signed with: see `signedWith` of the outcome. */
  refusedWith?: string;
}

/** The whole state of a round's workflow. Plain JSON: it goes through continue-as-new. */
export interface RoundState extends Omit<RoundSnapshot, 'attention'> {
  policy: RoundPolicy;
  commands: Record<string, CommandEntry>;
  pending?: PendingCall;
  /** Hashes of debits still to be voided, after `pending`. */
  voidsToCome: string[];
  /** The command that is answered when the last void is done. */
  voidCommandKey?: string;
  /** Attention marks that don't follow from the rest of the state. */
  marks: Attention[];
  /** Some delivery of a credit of this round ended without a definite answer. */
  maybePaid: boolean;
  /** rngCallId of the first debit. */
  firstRngCallId?: string;
  /** See StartCommand. */
  grants?: Grants;
  /** The operator's newest word in this round, discounts and tickets included. */
  lastBalance?: WalletBalance;
  /** Bytes of free-form provider data kept in the game state. */
  infoBytes: number;
}
