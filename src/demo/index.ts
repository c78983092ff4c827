import { setTimeout as pause } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import type { CommandPorts } from '../commands/ports';
import type { RoundService, RoundRequest } from '../commands/types';
import type { RoundReply } from '../contracts/gameround';
import { refuse, refuseBecause } from '../domain/errors';
import { snapshotOf } from '../domain/round/replies';
import type { Command, RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';
import { newGame, openRoundIn, roundNamed, roundTurn, startTurn, toCommand, type Turn } from './play';
import { walletBalance } from './pretend-wallet';
import type { DemoGame, DemoStore } from './types';

export { createDemoStore } from './store';
export type { DemoGame, DemoStore } from './types';

export interface DemoCommands extends RoundService {
  /**
   * @param gameround a demo round's hash, or the hash that its name alone leads to, as a round of real money would have
   * @param session whose rounds are meant; without it the newest session with such a round
   */
  describeRound(gameround: string, session?: Session): Promise<RoundSnapshot | undefined>;
}

/**
 * Rounds of demo sessions (docs/interface#demo): the rules of real rounds on a pretend balance that is kept with the
 * session. No operator is called, no workflow runs, no round is recorded.
 * All of it rejects with RefusedError: what GameroundCommands has, 400 MODENOTALLOWED (tickets; sessions that are not
 * demo), 503 OPERATIONBEINGPROCESSED (too many at once in one session), 503 SERVICEUNAVAILABLE (MongoDB is down).
 */
export interface DemoRounds {
  commands: DemoCommands;
  queries: { findOpenRound(session: Session): Promise<RoundSnapshot | undefined> };
  /** The pretend balance as it is now; the launch's before the first round. */
  balance(session: Session): Promise<WalletBalance>;
}

export interface DemoOptions {
  store: DemoStore;
  policyFor: CommandPorts['policyFor'];
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Each time another process was faster. */
const MAX_TRIES = 50;
const MAX_PAUSE_MS = 25;
/** Commands of one session that wait in this process. */
const MAX_WAITING = 100;

export function createDemoRounds({ store, policyFor, now = Date.now }: DemoOptions): DemoRounds {
  const inTurn = createTurns();

  async function gameOf(session: Session): Promise<DemoGame> {
    if (session.mode !== 'demo') throw refuse('MODENOTALLOWED');
    return (await stored(() => store.load(session.sessionId)))?.game ?? newGame(session);
  }

  /** Plays a turn on the game as it is, again when it was changed meanwhile: nothing is ever lost or done twice. */
  async function play(session: Session, turn: (game: DemoGame, at: string) => Turn): Promise<RoundReply> {
    if (session.mode !== 'demo') throw refuse('MODENOTALLOWED');
    const { sessionId } = session;
    return inTurn(sessionId, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const kept = await stored(() => store.load(sessionId));
        const before = kept?.game ?? newGame(session);
        const { game, reply } = turn(before, new Date(now()).toISOString());
        if (game === before) return reply;
        if (await stored(() => store.save(sessionId, game, kept?.version ?? 0))) return reply;
        await pause(Math.random() * MAX_PAUSE_MS);
      }
      throw refuse('OPERATIONBEINGPROCESSED');
    });
  }

  function onRound<Request extends RoundRequest>(toCommand: (request: Request) => Command) {
    return (request: Request): Promise<RoundReply> =>
      play(request.session, (game, at) => roundTurn(game, request, toCommand(request), at));
  }

  return {
    commands: {
      async startGameRound(request) {
        const policy = await policyFor(request.session);
        return play(request.session, (game, at) => startTurn(game, request, policy, at));
      },
      addWin: onRound(toCommand.addWin),
      endGameRound: onRound(toCommand.end),
      collectWin: onRound(toCommand.collectWin),
      voidGameRound: onRound(toCommand.void),
      addSpinCounterGameState: onRound(toCommand.addSpinCounter),
      async describeRound(gameround, session) {
        const game =
          session === undefined ? await stored(() => store.findByRound(gameround)) : await gameOf(session);
        const round = game && roundNamed(game, gameround);
        return round && snapshotOf(round.state);
      },
    },
    queries: {
      async findOpenRound(session) {
        const open = openRoundIn(await gameOf(session));
        return open && snapshotOf(open.state);
      },
    },
    async balance(session) {
      const { balance, currency } = await gameOf(session);
      return walletBalance(balance, currency);
    },
  };
}

/** One after another within a session, in the order of arrival; other processes are kept apart by the store. */
function createTurns() {
  const locks = new Map<string, { mutex: Mutex; waiting: number }>();
  return async <T>(sessionId: string, run: () => Promise<T>): Promise<T> => {
    const lock = locks.get(sessionId) ?? { mutex: new Mutex(), waiting: 0 };
    if (lock.waiting >= MAX_WAITING) throw refuse('OPERATIONBEINGPROCESSED');
    locks.set(sessionId, lock);
    lock.waiting += 1;
    try {
      return await lock.mutex.runExclusive(run);
    } finally {
      lock.waiting -= 1;
      if (lock.waiting === 0) locks.delete(sessionId);
    }
  };
}

async function stored<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw refuseBecause(error, 'SERVICEUNAVAILABLE');
  }
}
