import type { LastRound } from '../../sdk';
import { type Round, WIN } from './round';
import { begin, check, checkRefused } from './show';
import { eventually, fetchJson, type Stage } from './stage';

/* The records of a finished round, as the game and the operator read them. */

export interface Played {
  playerId: string;
  round: Round;
  balanceBefore: number;
}

/** Reads the records of a real round that a ticket paid for. */
export async function recordsOfReal(stage: Stage, played: Played): Promise<void> {
  await lastRounds(stage, played.round);
  await report(stage, played);
  await details(stage, played);
  await reconcile(stage, played);
}

async function lastRounds({ provider }: Stage, { token, gameRound }: Round): Promise<void> {
  begin('last rounds: getLastGameRounds');
  const listed = await eventually(async (): Promise<LastRound | undefined> => {
    const { gameRoundList } = await provider.getLastGameRounds({ token });
    return gameRoundList.find(({ id }) => id === gameRound);
  });
  const { status, bet, won } = listed ?? {};
  check(
    'the round is listed; a ticket is no bet of money',
    { status, bet, won },
    { status: 'closed', bet: 0, won: WIN },
  );
}

async function report(
  { operator, walletUrl }: Stage,
  { playerId, round, balanceBefore }: Played,
): Promise<void> {
  begin('report: getGameRoundReport');
  const { gameRound } = round;
  const { gameRoundDetail } = await operator.getGameRoundReport({ playerId, gameRound });
  const { status, ticketUsed, totalBetAmount, totalWinAmount, totalPayedAmount, balanceAfter } =
    gameRoundDetail;
  check(
    'totals',
    { status, ticketUsed, totalBetAmount, totalWinAmount, totalPayedAmount, balanceAfter },
    {
      ...{ status: 'closed', ticketUsed: true, totalBetAmount: 0, totalWinAmount: WIN, totalPayedAmount: 0 },
      balanceAfter: balanceBefore + WIN,
    },
  );

  begin('doGameRoundReport: the same came to the operator by itself');
  const url = `${walletUrl}/sandbox/reports?gameRound=${gameRound}`;
  const arrived = await eventually(() => fetchJson<object>(url).catch(() => undefined));
  check('it arrived', arrived !== undefined, true);
}

const TYPES = ['debit', 'credit', 'credit', 'end'];

async function details({ operator }: Stage, { playerId, round }: Played): Promise<void> {
  begin('details: getGameRoundDetails');
  const { gameRound: record } = await operator.getGameRoundDetails({ playerId, gameRound: round.gameRound });
  check('record', [record.hash, record.player, record.status], [round.gameRound, playerId, 'closed']);
  check(
    'transactions',
    record.transactions.map(({ type }) => type),
    TYPES,
  );
}

async function reconcile({ operator, walletUrl }: Stage, { round, balanceBefore }: Played): Promise<void> {
  const { gameRound } = round;
  begin('reconcile: every transaction is sent to the operator again, under its own hash');
  const reply = await operator.reconcileTransactions({ gameRound });
  const wanted = reply.gameRound.transactions.map(({ hash }) => ({ hash }));
  check('transactions sent', wanted.length, TYPES.length);
  check('the operator answered for each', reply.hashesProcessed, wanted);
  check('the balance is what it was', reply.balance, balanceBefore + WIN);

  begin("the wallet's own ledger");
  const ledger = await fetchJson<{ rounds: { status: string; net: number }[] }>(
    `${walletUrl}/sandbox/ledger?gameRound=${gameRound}`,
  );
  check(
    'nothing was moved twice',
    ledger.rounds.map(({ net }) => net),
    [WIN],
  );
}

/** Checks that the operator can't see a demo round (docs/interface#demo). */
export async function recordsOfDemo(
  { operator, provider, walletUrl }: Stage,
  played: Omit<Played, 'balanceBefore'>,
): Promise<void> {
  const { playerId, round } = played;
  const { token, gameRound } = round;
  begin('last rounds: a demo round is not recorded');
  check('rounds listed', (await provider.getLastGameRounds({ token })).gameRoundList, []);

  begin('report, details, reconcile: nor is there anything for an operator');
  const unknown = { status: 404, msg: 'GAMEROUNDNOTFOUND' };
  await checkRefused('report', operator.getGameRoundReport({ playerId, gameRound }), unknown);
  await checkRefused('details', operator.getGameRoundDetails({ playerId, gameRound }), unknown);
  const notAllowed = { status: 400, msg: 'MODENOTALLOWED' };
  await checkRefused('reconcile', operator.reconcileTransactions({ gameRound }), notAllowed);

  begin('the wallet was never called');
  const seen = await fetchJson<{ calls: unknown[] }>(`${walletUrl}/sandbox/calls?playerId=${playerId}`);
  check('calls about this player', seen.calls, []);
}
