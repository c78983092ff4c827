import type { Refusal } from '../errors';
import { beforeMultiplier } from '../money';
import type { WalletBalance } from '../wallet-call';
import { marksOf } from './marks';
import { givenBackHashes } from './transactions';
import { acceptedCredits, applyCredits, totalWon } from './winnings';
import type {
  Answer,
  GameStateEntry,
  RoundSnapshot,
  RoundState,
  RoundStatus,
  RoundTransaction,
} from './types';

/** docs/interface#game-round-info */
export interface GameRoundInfo {
  hash: string;
  status: RoundStatus;
  stake: number;
  baseStake: number;
  mode: string;
  currency: string;
  game: string;
  currencyMultiplier: number;
  commonRoundHash: string;
}

/** docs/interface#free-play-objects */
export interface FreePlayInfo {
  used: number;
  granted: number;
  won: number;
  isLast: boolean;
  promotions: { protocolVersion: number; data: string };
  serial: string;
}

/** A round's answer to a command: the part of the game reply (docs/interface#game-reply) that the round knows. */
export interface RoundReply {
  gameRoundInfo: GameRoundInfo;
  /** The newest entries (see MAX_REPLY_ENTRIES). getGameRoundInfo returns all entries. */
  gameState: GameStateEntry[];
  amountToCollect: number;
  amountCredited: number;
  freePlayInfo?: FreePlayInfo | undefined;
  spinsAvailable?: number | undefined;
  /** Present if the wallet call of this command returned balances. */
  balance?: WalletBalance | undefined;
  /** The reply to a repeat. Its balance is that of the first reply and may be outdated. */
  isRepeat?: true;
  /** Present if the command was refused or failed. The other fields then have the current state of the round. */
  refusal?: Refusal | undefined;
}

/** The most game state entries in a command's reply. */
export const MAX_REPLY_ENTRIES = 20;
/** The largest size of these entries. Every answer is stored in the history, and the newest ones in the round's result. */
const MAX_REPLY_CHARS = 24 * 1024;

export function gameRoundInfo(round: RoundSnapshot | RoundState): GameRoundInfo {
  const { identity } = round;
  return {
    hash: identity.gameround,
    status: round.status,
    stake: round.stake,
    baseStake: beforeMultiplier(round.stake, identity.currencyMultiplier),
    mode: identity.mode,
    currency: identity.currency,
    game: identity.gameCode,
    currencyMultiplier: identity.currencyMultiplier,
    commonRoundHash: '',
  };
}

/** Free plays used, granted and won under the ticket that paid for the round. */
export function freePlayInfo(round: RoundSnapshot | RoundState): FreePlayInfo | undefined {
  const { ticket } = round;
  if (ticket === undefined) return undefined;
  // A cancelled round gives its ticket back, and its wins are not paid.
  const counts = round.status !== 'cancel';
  const isUsed =
    counts &&
    round.transactions.some(({ serial, outcome }) => serial === ticket.serial && outcome === 'accepted');
  return {
    used: ticket.usedBefore + (isUsed ? 1 : 0),
    granted: ticket.usedBefore + ticket.count,
    won: ticket.wonBefore + (counts ? totalWon(round) : 0),
    isLast: ticket.count <= 1,
    promotions: { protocolVersion: 1, data: '' },
    serial: ticket.serial,
  };
}

/** The newest entries, as many as a reply may carry, but at least one. */
function newest(entries: readonly GameStateEntry[]): GameStateEntry[] {
  let chars = 0;
  let from = entries.length;
  while (from > 0 && entries.length - from < MAX_REPLY_ENTRIES) {
    chars += JSON.stringify(entries[from - 1]).length;
    if (chars > MAX_REPLY_CHARS) break;
    from -= 1;
  }
  const last = entries.at(-1);
  // The newest entry alone is too large. Leave out its data: the caller has sent it, and getGameRoundInfo returns it.
  return from === entries.length && last !== undefined
    ? [{ ...last, own: undefined, result: { ...last.result, info: {} } }]
    : entries.slice(from);
}

/** The data from which a reply is made. */
type Answering = (RoundSnapshot | RoundState) & Partial<Pick<RoundState, 'commands' | 'lastBalance'>>;

/** The reply to a command that was answered. Every repeat gets the same reply. */
export function replyTo(state: Answering, answer: Answer): RoundReply {
  // Rebuild the state at the time of the answer, without later credits.
  const credits = acceptedCredits(state).slice(0, answer.credits);
  const gameState = applyCredits(state.gameState.slice(0, answer.entries), credits);
  const isFirst = answer === state.commands?.start?.answer;
  return {
    gameRoundInfo: gameRoundInfo({ ...state, status: answer.status, stake: answer.stake }),
    gameState: newest(gameState),
    amountToCollect: answer.amountToCollect,
    amountCredited: answer.amountCredited,
    freePlayInfo: freePlayInfo({ ...state, status: answer.status, gameState }),
    spinsAvailable: answer.spinsAvailable,
    balance: answer.balance && { ...(isFirst ? {} : state.lastBalance), ...answer.balance },
    refusal: answer.refusal,
  };
}

/** The reply to a refused command: the refusal and the current state of the round. */
export function replyAbout(round: RoundSnapshot | RoundState, refusal: Refusal): RoundReply {
  return {
    gameRoundInfo: gameRoundInfo(round),
    gameState: newest(round.gameState),
    amountToCollect: round.amountToCollect,
    amountCredited: 0,
    refusal,
  };
}

export function snapshotOf(state: RoundState): RoundSnapshot {
  const { identity, openedAt, closedAt, status, crashed, stake, amountToCollect, transactions, gameState } =
    state;
  return {
    identity,
    openedAt,
    closedAt,
    status,
    crashed,
    settled: state.settled,
    stake,
    amountToCollect,
    transactions,
    gameState,
    spinCounters: state.spinCounters,
    ticket: state.ticket,
    dataStored: state.dataStored,
    attention: marksOf(state),
  };
}

/** Whether the round holds the open-round guard: it is open and not crashed, so the player's game goes on. */
export function holdsGuard({ status, crashed }: Pick<RoundSnapshot, 'status' | 'crashed'>): boolean {
  return status === 'open' && !crashed;
}

/** Transactions that took effect at the operator or may have. A record shows these. */
export function effectiveTransactions(round: RoundSnapshot | RoundState): RoundTransaction[] {
  return round.transactions.filter(
    ({ type, outcome }) => outcome === 'accepted' || (type === 'debit' && outcome === 'unknown'),
  );
}

/** Returns a test: did the operator accept the transaction and, if it is a bet, not void it? */
export function effectiveIn(round: RoundSnapshot | RoundState): (transaction: RoundTransaction) => boolean {
  const givenBack = givenBackHashes(round.transactions);
  return ({ type, hash, outcome }) => outcome === 'accepted' && (type !== 'debit' || !givenBack.has(hash));
}

/** Sums of the debits and of the credits that took effect; minor units. */
export function totals(round: RoundSnapshot | RoundState): {
  totalBetAmount: number;
  totalWinAmount: number;
} {
  const kept = round.transactions.filter(effectiveIn(round));
  const sum = (of: RoundTransaction['type']): number =>
    kept.filter(({ type }) => type === of).reduce((total, { amount }) => total + (amount ?? 0), 0);
  return { totalBetAmount: sum('debit'), totalWinAmount: sum('credit') };
}
