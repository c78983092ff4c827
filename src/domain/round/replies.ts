import type { Refusal } from '../errors';
import { beforeMultiplier } from '../money';
import type { WalletBalance } from '../wallet-call';
import { attentionOf } from './attention';
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

/** What a round answers to a command: the part of the game reply (docs/interface#game-reply) that the round knows. */
export interface RoundReply {
  gameRoundInfo: GameRoundInfo;
  /** The newest entries (see MAX_REPLY_ENTRIES); getGameRoundInfo has them all. */
  gameState: GameStateEntry[];
  amountToCollect: number;
  amountCredited: number;
  freePlayInfo?: FreePlayInfo;
  spinsAvailable?: number;
  /** Present when the command's own wallet call told balances. */
  balance?: WalletBalance;
  /** The reply to a repeat: its balance is what the first one told, and others may have been told since. */
  isRepeat?: true;
  /** Present when the command was refused or failed; the other fields then tell how the round stands. */
  refusal?: Refusal;
}

/** How many entries of the game state a command's reply carries at most. */
export const MAX_REPLY_ENTRIES = 20;
/** And how much of them: every answer stands in the history, and the newest ones in the round's result. */
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
  const isUsed = round.transactions.some(
    ({ serial, outcome }) => serial === ticket.serial && outcome === 'accepted',
  );
  return {
    used: ticket.usedBefore + (isUsed ? 1 : 0),
    granted: ticket.usedBefore + ticket.count,
    won: ticket.wonBefore + totalWon(round),
    isLast: ticket.count <= 1,
    promotions: { protocolVersion: 1, data: '' },
    serial: ticket.serial,
  };
}

/** The newest entry, and of those before it as many as an answer may carry. */
function newest(entries: readonly GameStateEntry[]): GameStateEntry[] {
  let chars = 0;
  let from = entries.length;
  while (from > 0 && entries.length - from < MAX_REPLY_ENTRIES) {
    chars += JSON.stringify(entries[from - 1]).length;
    if (chars > MAX_REPLY_CHARS) break;
    from -= 1;
  }
  const last = entries.at(-1);
  // Its caller has sent what it holds, and getGameRoundInfo tells all of it.
  return from === entries.length && last !== undefined
    ? [{ ...last, own: undefined, result: { ...last.result, info: {} } }]
    : entries.slice(from);
}

/** What a reply is made of. */
type Answering = (RoundSnapshot | RoundState) & Partial<Pick<RoundState, 'commands' | 'lastBalance'>>;

/** The reply to a command that was answered: the same again for every repeat. */
export function replyTo(state: Answering, answer: Answer): RoundReply {
  // As it was then: later credits have not collected anything yet.
  const credits = acceptedCredits(state).slice(0, answer.credits);
  const gameState = applyCredits(state.gameState.slice(0, answer.entries), credits);
  const isFirst = answer === state.commands?.start?.answer;
  return {
    gameRoundInfo: gameRoundInfo({ ...state, status: answer.status, stake: answer.stake }),
    gameState: newest(gameState),
    amountToCollect: answer.amountToCollect,
    amountCredited: answer.amountCredited,
    freePlayInfo: freePlayInfo({ ...state, gameState }),
    spinsAvailable: answer.spinsAvailable,
    balance: answer.balance && { ...(isFirst ? {} : state.lastBalance), ...answer.balance },
    refusal: answer.refusal,
  };
}

/** The reply to a command that was refused: why, and how the round stands. */
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
    attention: attentionOf(state),
  };
}

/** Open and not crashed: the player's game goes on, and the round holds the open-round guard. */
export function holdsGuard({ status, crashed }: Pick<RoundSnapshot, 'status' | 'crashed'>): boolean {
  return status === 'open' && !crashed;
}

/** Transactions that took effect at the operator, or may have: what a record shows. */
export function effectiveTransactions(round: RoundSnapshot | RoundState): RoundTransaction[] {
  return round.transactions.filter(
    ({ type, outcome }) => outcome === 'accepted' || (type === 'debit' && outcome === 'unknown'),
  );
}

/** Tells of a transaction whether the operator has carried it out and, of a bet, not given it back. */
export function effectiveIn(round: RoundSnapshot | RoundState): (transaction: RoundTransaction) => boolean {
  const voided = new Set(
    round.transactions
      .filter(({ type, outcome }) => type === 'void' && outcome === 'accepted')
      .map(({ hash }) => hash),
  );
  return ({ type, hash, outcome }) => outcome === 'accepted' && (type !== 'debit' || !voided.has(hash));
}

/** Sums of what the operator was asked to take and to give, as far as it took effect; minor units. */
export function totals(round: RoundSnapshot | RoundState): {
  totalBetAmount: number;
  totalWinAmount: number;
} {
  const kept = round.transactions.filter(effectiveIn(round));
  const sum = (of: RoundTransaction['type']): number =>
    kept.filter(({ type }) => type === of).reduce((total, { amount }) => total + (amount ?? 0), 0);
  return { totalBetAmount: sum('debit'), totalWinAmount: sum('credit') };
}
