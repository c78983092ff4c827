import type { StartGameRound } from '../../src/commands/types';
import type { RoundReply } from '../../src/contracts/gameround';
import type { DemoGame, DemoRounds, DemoStore } from '../../src/demo';
import { RefusedError } from '../../src/domain/errors';
import type { RoundSettings } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';

export const SESSION: Session = {
  sessionId: 'session-1',
  operatorId: 'op1',
  playerId: 'p1',
  gameCode: 'slot',
  providerId: 'gp1',
  mode: 'demo',
  currency: 'EUR',
  currencyMultiplier: 1,
  language: 'en',
  device: 'desktop',
  walletMode: 'seamless',
  expired: false,
  balance: { balances: [{ type: 'real', amount: 1_000, currency: 'EUR' }] },
};

export function settings(over: Partial<RoundSettings> = {}): RoundSettings {
  return {
    autoCloseAfterMs: 86_400_000,
    voidsWholeRound: false,
    followUpDebits: false,
    gameRoundReport: true,
    resultCallback: true,
    ...over,
  };
}

/** A store that forgets nothing, for tests that need no database. */
export function memoryStore(): DemoStore {
  const games = new Map<string, { version: number; json: string }>();
  return {
    load: (sessionId) => {
      const found = games.get(sessionId);
      return Promise.resolve(found && { version: found.version, game: JSON.parse(found.json) as DemoGame });
    },
    save: (sessionId, game, version) => {
      if ((games.get(sessionId)?.version ?? 0) !== version) return Promise.resolve(false);
      games.set(sessionId, { version: version + 1, json: JSON.stringify(game) });
      return Promise.resolve(true);
    },
    findByRound: () => Promise.resolve(undefined),
    prepare: () => Promise.resolve(),
  };
}

let calls = 0;

export interface StartOptions {
  session?: Session;
  stake?: number;
  win?: number;
  endGame?: boolean;
  closeOpenGame?: boolean;
  rngCallId?: string;
  roundId?: string;
  useTicket?: boolean;
  currency?: string;
}

/** Calls as a provider makes them, each with a request id of its own. */
export function player(rounds: DemoRounds, session = SESSION) {
  const common = () => ({ session, requestId: `request-${(calls += 1)}` });
  return {
    start(about: StartOptions = {}): Promise<RoundReply> {
      const request: StartGameRound = {
        ...common(),
        session: about.session ?? session,
        rngResult: { rngCallId: about.rngCallId, winAmount: about.win },
        debitInformation: {
          debitAmount: about.stake ?? 100,
          currency: about.currency ?? 'EUR',
          ...(about.useTicket === undefined ? {} : { useTicketInfo: { useTicket: about.useTicket } }),
        },
        endGame: about.endGame ?? false,
        closeOpenGame: about.closeOpenGame ?? false,
        externalGameProviderRoundId: about.roundId,
      };
      return rounds.commands.startGameRound(request);
    },
    addWin: (gameRound: string, winAmount: number, collect = false, transaction?: string) =>
      rounds.commands.addWin({
        ...common(),
        gameRound,
        rngResult: { winAmount },
        collect,
        ...named(transaction),
      }),
    end: (gameRound: string, transaction?: string) =>
      rounds.commands.endGameRound({ ...common(), gameRound, ...named(transaction) }),
    collect: (gameRound: string, amount?: number) =>
      rounds.commands.collectWin({ ...common(), gameRound, amount }),
    void: (gameRound: string) => rounds.commands.voidGameRound({ ...common(), gameRound }),
    spins: (gameRound: string, awarded: number, used: number, transaction?: string) =>
      rounds.commands.addSpinCounterGameState({
        ...common(),
        ...{ gameRound, counterType: 'customspin', awarded, used },
        ...named(transaction),
      }),
    open: () => rounds.queries.findOpenRound(session),
    balance: async () => totalOf(await rounds.balance(session)),
  };
}

function named(externalGameProviderTransactionId: string | undefined) {
  return externalGameProviderTransactionId === undefined ? {} : { externalGameProviderTransactionId };
}

export function totalOf(balance: { balances: { amount: number }[] } | undefined): number {
  return (balance?.balances ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

/** `400 2000 GAMEROUNDNOTACTIVE`: of a reply that was refused, or of a call that was. */
export async function refusalOf(call: Promise<RoundReply>): Promise<string> {
  const refused = await call.then(
    ({ refusal }) => refusal,
    (error: unknown) => {
      if (error instanceof RefusedError) return error.refusal;
      throw error;
    },
  );
  if (refused === undefined) return 'not refused';
  return `${refused.status} ${refused.errorCode.id} ${refused.errorCode.msg.split(':')[0]}`;
}
