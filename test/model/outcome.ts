export type Status = 'open' | 'closed' | 'cancel';

export interface RoundRecord {
  status: Status;
  crashed: boolean;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: string[];
}

/** What a reply has to say. A field that is undefined is left open. */
export interface Outcome {
  readonly status: number;
  /** One of these; none on success. */
  readonly errorIds?: readonly number[] | undefined;
  /** Which of the model's rounds gameRoundInfo is about; its hash is learned from the first reply. */
  readonly round?: number;
  readonly roundStatus?: Status;
  readonly amountToCollect?: number;
  readonly amountCredited?: number;
  /** balance.totalBalance of a game reply. */
  readonly balance?: number | undefined;
  /** Whether a wallet call of the command itself told the balance. */
  readonly moved?: boolean;
  /** Refused in a way that may be tried again under the same key. */
  readonly notKept?: boolean;
  readonly spinsAvailable?: number;
  readonly totalWinAmount?: number;
  readonly transactions?: readonly string[];
  /** totalBalance of getBalance. */
  readonly bareBalance?: number;
  readonly reconciledBalance?: number;
  readonly list?: readonly object[];
  readonly record?: RoundRecord;
}
