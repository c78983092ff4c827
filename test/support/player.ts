import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RoundReply } from '../../src/contracts/gameround';
import { RefusedError, type Refusal } from '../../src/domain/errors';
import { effectiveTransactions, totals } from '../../src/domain/round/replies';
import type { RoundSnapshot } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';
import type { LedgerOfRound } from './wallet-controls';
import type { RoundsHarness } from './rounds-harness';

export { until } from './until';

export const STAKE = 250;

export interface StartOptions {
  debitAmount?: number;
  winAmount?: number | undefined;
  endGame?: boolean;
  closeOpenGame?: boolean;
  rngCallId?: string;
  roundId?: string;
  requestId?: string;
  currency?: string;
}

export interface WinOptions {
  winAmount?: number | undefined;
  collect?: boolean;
  rngCallId?: string;
  transactionId?: string;
  requestId?: string;
  betData?: Record<string, string> | undefined;
}

/** A player with one session. Every call gets new ids unless the caller gives ids. */
export interface Player {
  session: Session;
  start(options?: StartOptions): Promise<RoundReply>;
  /** Starts a round and returns its hash. Throws if the start is refused. */
  open(options?: StartOptions): Promise<string>;
  win(gameRound: string, options?: WinOptions): Promise<RoundReply>;
  end(gameRound: string, transactionId?: string): Promise<RoundReply>;
  collect(gameRound: string, amount?: number, transactionId?: string): Promise<RoundReply>;
  void(gameRound: string): Promise<RoundReply>;
}

export function playerOf(harness: RoundsHarness, change: Partial<Session> = {}): Player {
  const session = harness.newSession(change);
  const { commands } = harness;
  const start = (options: StartOptions = {}): Promise<RoundReply> =>
    told(
      commands.startGameRound({
        session,
        requestId: options.requestId ?? randomUUID(),
        rngResult: { rngCallId: options.rngCallId, winAmount: options.winAmount },
        debitInformation: {
          debitAmount: options.debitAmount ?? STAKE,
          currency: options.currency ?? session.currency,
        },
        endGame: options.endGame ?? false,
        closeOpenGame: options.closeOpenGame ?? false,
        externalGameProviderRoundId: options.roundId,
      }),
    );
  return {
    session,
    start,
    open: async (options) => {
      const { gameRoundInfo, refusal } = await start(options);
      if (refusal !== undefined) throw new Error(`the round did not start: ${refusal.errorCode.msg}`);
      return gameRoundInfo.hash;
    },
    win: (gameRound, options = {}) =>
      told(
        commands.addWin({
          session,
          requestId: options.requestId ?? randomUUID(),
          gameRound,
          rngResult: {
            rngCallId: options.rngCallId,
            winAmount: options.winAmount ?? 0,
            betData: options.betData,
          },
          collect: options.collect ?? false,
          externalGameProviderTransactionId: options.transactionId,
        }),
      ),
    end: (gameRound, transactionId) =>
      told(
        commands.endGameRound({
          session,
          requestId: randomUUID(),
          gameRound,
          externalGameProviderTransactionId: transactionId,
        }),
      ),
    collect: (gameRound, amount, transactionId) =>
      told(
        commands.collectWin({
          session,
          requestId: randomUUID(),
          gameRound,
          amount,
          externalGameProviderTransactionId: transactionId,
        }),
      ),
    void: (gameRound) => told(commands.voidGameRound({ session, requestId: randomUUID(), gameRound })),
  };
}

/** The reply without `isRepeat`, which only the service itself uses. */
async function told(reply: Promise<RoundReply>): Promise<RoundReply> {
  const { isRepeat: _isRepeat, ...heard } = await reply;
  return heard;
}

/** The refusal of a call, whether it is in the reply or was thrown. Throws if the call was not refused. */
export async function refusalOf(call: Promise<RoundReply>): Promise<Refusal> {
  try {
    const { refusal } = await call;
    if (refusal === undefined) throw new Error('the call was not refused');
    return refusal;
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal;
    throw error;
  }
}

/** The refusal of a call as text, such as `400 GAMEROUNDNOTACTIVE`. */
export async function refused(call: Promise<RoundReply>): Promise<string> {
  const { status, errorCode } = await refusalOf(call);
  return `${status} ${errorCode.msg}`;
}

/** Repeats a call that is still being carried out when its time is over (503), as its callers do. */
export async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.refusal.status !== 503) throw error;
      await sleep(500);
    }
}

/** Waits until a round's workflow has completed. */
export async function finished(harness: RoundsHarness, gameround: string): Promise<void> {
  await harness.handle(gameround).result();
}

export interface Books {
  record: RoundSnapshot;
  ledger: LedgerOfRound;
}

/**
 * The record and the operator's books of a round, after checking that both have the same effective transactions, each
 * once, and the same amounts. A debit of unknown outcome may be on one side only.
 */
export async function agreedBooks(harness: RoundsHarness, gameround: string): Promise<Books> {
  const record = await harness.rounds.find(gameround);
  if (record === undefined) throw new Error('the round has no record');
  const ledger = await harness.ledger(gameround, record.identity.operatorId);
  const unsure = new Set(
    record.transactions.filter(({ outcome }) => outcome === 'unknown').map(({ hash }) => `debit ${hash}`),
  );
  const name = ({ type, hash }: { type: string; hash: string }): string => `${type} ${hash}`;
  const told = effectiveTransactions(record).map(name);
  const moved = ledger.movements.map(name);
  expect(moved).toHaveLength(new Set(moved).size);
  expect(moved.filter((one) => !unsure.has(one)).sort()).toEqual(
    told.filter((one) => !unsure.has(one)).sort(),
  );
  const { totalBetAmount, totalWinAmount } = totals(record);
  expect(ledger.net).toBe(totalWinAmount - totalBetAmount);
  return { record, ledger };
}
