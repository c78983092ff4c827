import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../support/e2e-http';
import type { Outcome, RoundRecord } from './outcome';
import { recordOf, type State } from './reference';

/** As far as the model looks at replies. */
interface Body {
  errorCode?: { id: number; msg: string };
  gameRoundInfo?: { hash: string; status: string };
  amountToCollect?: number;
  amountCredited?: number;
  balance?: { totalBalance: number } | number;
  totalBalance?: number;
  spinsAvailable?: number;
  totalWinAmount?: number;
  transactions?: Wire[];
  gameRoundList?: { id?: string; hash?: string; bet?: number; won?: number; amountToCollect?: number }[];
  gameRound?: RecordOnWire;
}

/** Values that were copied carry prototypes of another realm in a test: only what they say is compared. */
export function same(wanted: unknown, seen: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(plain(wanted), plain(seen));
}

interface Wire {
  type: string;
  amount?: number;
}

export interface RecordOnWire {
  status: string;
  crashed?: boolean;
  totalBetAmount: number;
  totalWinAmount: number;
  transactions: Wire[];
}

/** In a batch a balance is compared only where a wallet call of the command told it. */
export interface Looking {
  balances: 'all' | 'told' | 'none';
}

/**
 * What a reply says otherwise than it has to, '' where nothing. Learns the hash of a round from the first reply that
 * names it.
 */
export function difference(state: State, expected: Outcome, answer: Answer, { balances }: Looking): string {
  const body = answer.body as unknown as Body;
  const found: string[] = [];
  const check = (what: string, wanted: unknown, seen: unknown): void => {
    if (wanted !== undefined && !same(wanted, seen))
      found.push(`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
  };
  const { errorIds = [] } = expected;
  const id = body.errorCode?.id;
  check('status', expected.status, answer.status);
  if (id === undefined ? errorIds.length > 0 : !errorIds.includes(id))
    found.push(`errorCode.id: ${id} ${body.errorCode?.msg} instead of ${errorIds.join(' or ') || 'none'}`);
  found.push(...aboutRound(state, expected, body));
  check('amountToCollect', expected.amountToCollect, body.amountToCollect);
  check('amountCredited', expected.amountCredited, body.amountCredited);
  check('spinsAvailable', expected.spinsAvailable, body.spinsAvailable);
  check('totalWinAmount', expected.totalWinAmount, body.totalWinAmount);
  check('transactions', expected.transactions, body.transactions?.map(shown));
  check('totalBalance', expected.bareBalance, body.totalBalance);
  check('balance', expected.reconciledBalance, body.balance);
  if (balances === 'all' || (balances === 'told' && expected.moved === true)) {
    const told = typeof body.balance === 'object' ? body.balance.totalBalance : body.balance;
    check('balance.totalBalance', expected.balance, told);
  }
  if (expected.list !== undefined) check('gameRoundList', sorted(expected.list), sorted(listed(body)));
  if (expected.record !== undefined)
    check('gameRound', expected.record, body.gameRound && recordShown(body.gameRound));
  return found.join('; ');
}

function aboutRound(state: State, expected: Outcome, { gameRoundInfo }: Body): string[] {
  const { round: index, roundStatus } = expected;
  if (index === undefined) return [];
  if (gameRoundInfo === undefined) return ['no gameRoundInfo'];
  const round = state.rounds[index]!;
  const taken = state.rounds.some((other) => other !== round && other.hash === gameRoundInfo.hash);
  if (round.hash === undefined && !taken) round.hash = gameRoundInfo.hash;
  return [
    ...(round.hash === gameRoundInfo.hash
      ? []
      : [`gameRoundInfo.hash: ${gameRoundInfo.hash} is another round`]),
    ...(roundStatus === gameRoundInfo.status
      ? []
      : [`gameRoundInfo.status: ${gameRoundInfo.status} instead of ${roundStatus}`]),
  ];
}

function listed({ gameRoundList = [] }: Body): object[] {
  return gameRoundList.map((item) =>
    'id' in item
      ? { id: item.id, bet: item.bet, won: item.won }
      : { hash: item.hash, amountToCollect: item.amountToCollect },
  );
}

const sorted = (list: readonly object[]): string[] => list.map((item) => JSON.stringify(item)).sort();
const shown = ({ type, amount = 0 }: Wire): string => `${type} ${amount}`;

export function recordShown(record: RecordOnWire): RoundRecord {
  const { status, crashed = false, totalBetAmount, totalWinAmount, transactions } = record;
  return {
    status: status as RoundRecord['status'],
    ...{ crashed, totalBetAmount, totalWinAmount, transactions: transactions.map(shown) },
  };
}

/** The player's books and the rounds' records as they stand. */
export interface Books {
  money: Record<string, number>;
  /** By hash: movements in the operator's ledger, in their order. */
  moves: Record<string, string[]>;
  records: Record<string, RoundRecord>;
}

/** Where wallet, records and model differ, '' where they agree. */
export function differenceOfBooks(state: State, books: Books): string {
  const money = Object.fromEntries(
    Object.entries(state.purses).map(([currency, purse]) => [currency, purse.money]),
  );
  const moves: Books['moves'] = {};
  const records: Books['records'] = {};
  for (const round of state.rounds) {
    if (round.hash === undefined) return `round ${round.name} never got a hash`;
    const moved = round.wallet.moves.map(({ type, amount, delta }) => `${type} ${amount} ${delta}`);
    if (moved.length > 0) moves[round.hash] = moved;
    records[round.hash] = recordOf(round);
  }
  const expected: Books = { money, moves, records };
  return same(expected, books) ? '' : `books: ${JSON.stringify(books)}\nmodel: ${JSON.stringify(expected)}`;
}
