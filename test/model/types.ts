/** A game-engine or operator call as it goes over the wire; `game` says whose session's token is added. */
export interface Call {
  readonly kind: CallKind;
  readonly game: GameIndex;
  readonly requestId: string;
  readonly body: CallBody;
}

export type GameIndex = 0 | 1;

/** Calls that may move something, and questions. The names are the paths of the interface. */
export const MOVING = [
  'startGameRound',
  'addWin',
  'collectWin',
  'endGameRound',
  'voidGameRound',
  'addSpinCounterGameState',
  'reconcileTransactions',
] as const;
export const ASKING = [
  'getAvailableSpinCounter',
  'getUncollectedAmount',
  'getGameRoundInfo',
  'getGameRoundHistoryInfo',
  'getBalance',
  'getLastGameRounds',
  'getOpenGameRounds',
  'getGameRoundDetails',
] as const;
export type CallKind = (typeof MOVING)[number] | (typeof ASKING)[number];

/** All fields that the calls of the model know, as the interface spells them. */
export interface CallBody {
  gameRound?: string;
  externalGameProviderRoundId?: string | undefined;
  externalGameProviderTransactionId?: string;
  rngResult?: {
    rngCallId?: string | undefined;
    winAmount?: number;
    result?: { awarded?: number; used?: number };
  };
  debitInformation?: { debitAmount?: number; currency: string; useTicketInfo?: { useTicket: boolean } };
  endGame?: boolean;
  closeOpenGame?: boolean;
  collect?: boolean;
  amount?: number;
  counterType?: string;
}

export type TransactionType = 'debit' | 'credit' | 'end' | 'void';

/** What goes wrong with the wallet's next answer to a call with a transaction of that type. */
export interface Fault {
  readonly on: TransactionType;
  readonly name: FaultName;
}

export type FaultName = keyof typeof FAULTS;

/** The operator's own errors; 777 is one after which a credit is sent again (the tenant's repeatableErrorIds). */
export const OPERATOR_ERROR = 4_242;
export const REPEATABLE_ERROR = 777;

interface FaultMeaning {
  /** The sandbox's switch. */
  readonly switch: object;
  /** Whether the wallet carries the call out all the same. */
  readonly processed: boolean;
  /** What the answer says of the transactions (docs/interface#outcomes): nothing, no for now, no, or "your signature is wrong". */
  readonly says: 'nothing' | 'notNow' | 'no' | 'unauthorised' | 'noEnd' | 'noEndOn200';
  /** The error that the answer carries, if any. */
  readonly errorId?: number;
}

const coded = (status: number, id: number): object => ({
  fault: 'status',
  status,
  errorCode: { id, msg: 'NO' },
});

export const FAULTS = {
  refused: { switch: coded(400, OPERATOR_ERROR), processed: false, says: 'no', errorId: OPERATOR_ERROR },
  unauthorised: { switch: coded(401, 1_001), processed: false, says: 'unauthorised', errorId: 1_001 },
  repeatable: {
    switch: coded(400, REPEATABLE_ERROR),
    processed: false,
    says: 'notNow',
    errorId: REPEATABLE_ERROR,
  },
  plain402: { switch: { fault: 'status', status: 402 }, processed: false, says: 'notNow' },
  busy429: { switch: { fault: 'status', status: 429 }, processed: false, says: 'notNow' },
  error500: { switch: { fault: 'status', status: 500 }, processed: false, says: 'nothing' },
  error500After: {
    switch: { fault: 'status', status: 500, when: 'after' },
    processed: true,
    says: 'nothing',
  },
  errorOn200: {
    switch: { fault: 'errorOn200', errorCode: { id: OPERATOR_ERROR, msg: 'NO' } },
    processed: false,
    says: 'nothing',
    errorId: OPERATOR_ERROR,
  },
  dropReply: { switch: { fault: 'dropReply' }, processed: true, says: 'nothing' },
  cutReply: { switch: { fault: 'cutReply' }, processed: true, says: 'nothing' },
  garbage: { switch: { fault: 'garbage' }, processed: true, says: 'nothing' },
  reset: { switch: { fault: 'reset' }, processed: false, says: 'nothing' },
  hang: { switch: { fault: 'hang' }, processed: false, says: 'nothing' },
  hangAfter: { switch: { fault: 'hang', when: 'after' }, processed: true, says: 'nothing' },
  alreadyVoided: {
    switch: { ...coded(400, OPERATOR_ERROR), when: 'after' },
    processed: true,
    says: 'no',
    errorId: OPERATOR_ERROR,
  },
  endRefused: {
    switch: { ...coded(400, OPERATOR_ERROR), where: 'hash' },
    processed: true,
    says: 'noEnd',
    errorId: OPERATOR_ERROR,
  },
  endRefusedOn200: {
    switch: { fault: 'errorOn200', where: 'hash', errorCode: { id: OPERATOR_ERROR, msg: 'NO' } },
    processed: true,
    says: 'noEndOn200',
    errorId: OPERATOR_ERROR,
  },
} as const satisfies Record<string, FaultMeaning>;

export function meaningOf({ name }: Fault): FaultMeaning {
  return FAULTS[name];
}
