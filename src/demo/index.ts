import { setTimeout as pause } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import type { CommandPorts } from '../commands/ports';
import { toCommand } from '../commands/to-command';
import type { RoundService, RoundRequest } from '../commands/types';
import type { RoundReply } from '../contracts/gameround';
import { refuse, refuseBecause } from '../domain/errors';
import { snapshotOf } from '../domain/round/replies';
import type { Command, RoundSnapshot } from '../domain/round/types';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';
import { newGame, openRoundIn, roundNamed, roundTurn, startTurn, type Turn } from './play';
import { walletBalance } from './pretend-wallet';
import type { DemoGame, DemoStore } from './types';

export { createDemoStore } from './store';
export type { DemoGame, DemoStore } from './types';

export interface DemoCommands extends RoundService {
  /**
   * @param gameround a demo round's hash, or the hash that a real round with the same name would have
   * @param session the session of the round; without it, the newest session that has such a round
   */
  describeRound(gameround: string, session?: Session): Promise<RoundSnapshot | undefined>;
}

/**
 * Rounds of demo sessions (docs/interface#demo). They follow the rules of real rounds on a pretend balance, which is stored
 * with the session. No operator is called, no workflow runs, no record is written.
 * Calls reject with RefusedError: the errors of RoundService, 400 MODENOTALLOWED (tickets; sessions that are not demo),
 * 503 OPERATIONBEINGPROCESSED (too many calls at the same time in one session), 503 SERVICEUNAVAILABLE (MongoDB is down).
 */
export interface DemoRounds {
  commands: DemoCommands;
  queries: { findOpenRound(session: Session): Promise<RoundSnapshot | undefined> };
  /** The current pretend balance. Before the first round it is the balance of the launch. */
  balance(session: Session): Promise<WalletBalance>;
}

export interface DemoOptions {
  store: DemoStore;
  settingsFor: CommandPorts['settingsFor'];
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Attempts to save a game, if another process saves it each time first. */
const MAX_TRIES = 50;
const MAX_PAUSE_MS = 25;
/** Commands of one session that wait in this process. */
const MAX_WAITING = 100;

export function createDemoRounds({ store, settingsFor, now = Date.now }: DemoOptions): DemoRounds {
  const inTurn = createTurns();

  async function gameOf(session: Session): Promise<DemoGame> {
    if (session.mode !== 'demo') throw refuse('MODENOTALLOWED');
    return (await stored(() => store.load(session.sessionId)))?.game ?? newGame(session);
  }

  /** Plays a turn and saves the game. If another process changed the game meanwhile, it plays the turn on the new game. */
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
        const settings = await settingsFor(request.session);
        return play(request.session, (game, at) => startTurn(game, request, settings, at));
      },
      addWin: onRound(toCommand.addWin),
      endGameRound: onRound(toCommand.endGameRound),
      collectWin: onRound(toCommand.collectWin),
      voidGameRound: onRound(toCommand.voidGameRound),
      addSpinCounterGameState: onRound(toCommand.addSpinCounterGameState),
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

/** Runs the calls of a session one after another, in the order of arrival. Between processes the store's version decides. */
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
