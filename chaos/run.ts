import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../test/support/e2e-http';
import { marksAreRight } from './checks/attention';
import { everybodyHeard, finalIsFinal, isInDoubt, noInternalErrors, stableAnswers } from './checks/callers';
import type { Checked } from './checks/check';
import { deliveredOnce } from './checks/deliveries';
import { booksAgree, noVoidAfterCredit, onceOnly, winsPaid } from './checks/money';
import { nothingNewSent, overStaysOver, withoutInFlight } from './checks/restored';
import { everyRoundReplays, nobodyForgotten, nobodyIdle, properEnds, recordIsRound } from './checks/rounds';
import { BUGS, type BugName } from './bugs';
import { drain, whatItWaitsFor } from './drain';
import { each, gather, type Evidence } from './evidence';
import { faultsDealt, Injector, tally } from './injector';
import { Notes, type Command } from './players/notes';
import { Player, type Table } from './players/player';
import type { Pace } from './schedule';
import { compiledWith, NEXT_WORKFLOWS } from './sources';
import { Stack } from './stack';
import { GAMES, OPERATORS } from './tenants';

export interface ChaosOptions {
  seed: number;
  /** How long things go wrong, unless the schedule ends before; start, healing and checks come on top. */
  durationMs: number;
  pace: Pace;
  players: number;
  /** How long rounds may take to end after everything has healed. */
  drainMs: number;
  /** A deliberate mistake in the service; see bugs.ts. */
  bug?: BugName;
  /** Of the schedule's faults those whose name begins so. */
  only?: string;
  log?: (line: string) => void;
  /** Ends the run at once; it rejects, and nothing is left running. */
  signal?: AbortSignal;
}

export interface ChaosResult {
  seed: number;
  durationMs: number;
  bug?: BugName;
  rounds: number;
  commands: number;
  /** What callers heard, and how often. */
  answers: Record<string, number>;
  walletCalls: number;
  faults: Record<string, { times: number; hits: number }>;
  checks: Checked[];
  /** Where the time went, ms. */
  phases: Record<string, number>;
}

const MAX_SAMPLED = 3_000;
/** Whose wallet stays away when all else has healed, so that rounds are seen to wait. */
const AWAY = 'op-usual';

/**
 * Plays on a real service while everything goes wrong that the seed's schedule says, lets it heal, and holds what came of
 * it against what is promised. `onEvidence` sees everything before the service is gone.
 */
export async function runChaos(
  options: ChaosOptions,
  onEvidence: (evidence: Evidence, checks: readonly Checked[]) => Promise<void> = () => Promise.resolve(),
): Promise<ChaosResult> {
  const { seed, durationMs, pace, log = () => undefined } = options;
  const clock = phases(log);
  const bug = options.bug === undefined ? [] : BUGS[options.bug].changes;
  const service = await compiledWith(bug);
  clock('build');
  const stack = await Stack.start({ service, log });
  try {
    return await Promise.race([playAndCheck(), interrupted(options.signal)]);
  } finally {
    await stack.close();
  }

  async function playAndCheck(): Promise<ChaosResult> {
    clock('start');
    const notes = new Notes();
    let over = false;
    const table: Table = { stack, notes, seed, isOver: () => over };
    const players = playersOf(options.players, table);
    const playing = Promise.all(players.map((player) => player.play()));
    const injector = new Injector({
      stack,
      notes,
      seed,
      pace,
      ...(options.only === undefined ? {} : { only: options.only }),
      next: () => compiledWith([...bug, ...NEXT_WORKFLOWS]),
      isOver: () => over,
      log,
    });
    const injecting = injector.run();
    await Promise.race([sleep(durationMs, undefined, { ref: false }), injecting]);
    over = true;
    await injecting;
    clock('chaos');
    await injector.heal();
    clock('heal');

    await keepWalletAway(stack, true);
    const inVain = players.filter(({ who }) => who.operatorId === AWAY).map((player) => player.spin(1));
    const waiting = await marksAreRight(stack, 'I8a', 'while a wallet is away', 1);
    const idle = await nobodyIdle(stack);
    await keepWalletAway(stack, false);
    clock('wallet away');
    await Promise.all([playing, ...inVain]);
    clock('last rounds');
    await repeatDoubts(players, table);
    const left = await drain(stack, notes, options.drainMs);
    clock('drain');
    await repeatDoubts(players, table);
    clock('last answers');
    const alive = await everybodyPlays(players);
    const still = await drain(stack, notes, 10_000);
    clock('play again');

    const gathered = await gather(stack, notes, MAX_SAMPLED);
    clock('gather');
    const { evidence, leftOut } = withoutInFlight(gathered);
    log(`${leftOut} rounds were in flight when Temporal was put back`);
    const checks = [
      ...[booksAgree(evidence), winsPaid(evidence), onceOnly(evidence), deliveredOnce(evidence)],
      ...[noVoidAfterCredit(evidence), nobodyForgotten(evidence), idle],
      ...[properEnds(evidence), stableAnswers(evidence), finalIsFinal(evidence), noInternalErrors(evidence)],
      everybodyHeard(evidence),
      recordIsRound(evidence),
      ...restoredChecks(injector, evidence),
      ...[waiting, await marksAreRight(stack, 'I8b', 'in the end'), alive],
      everyRoundReplays(evidence),
      await drained(stack, [...left, ...still], evidence.rounds.size),
      noOwnEnds(stack),
      faultsDealt(injector.injected),
    ];
    clock('check');
    await onEvidence(evidence, checks);
    return {
      seed,
      durationMs,
      ...(options.bug === undefined ? {} : { bug: options.bug }),
      rounds: evidence.rounds.size,
      commands: notes.commands.size,
      answers: Object.fromEntries([...notes.answers].sort()),
      walletCalls: [...evidence.rounds.values()].reduce((sum, { calls }) => sum + calls.length, 0),
      faults: Object.fromEntries(tally(injector.injected)),
      checks,
      phases: clock('end'),
    };
  }
}

/** Only where such faults were dealt. */
function restoredChecks({ besieged, decided, injected }: Injector, evidence: Evidence): Checked[] {
  const isDealt = (kind: string): boolean => injected.some(({ fault }) => fault.kind === kind);
  return [
    ...(isDealt('outage') ? [besieged] : []),
    ...(isDealt('refusal') || isDealt('tenants') ? [decided] : []),
    ...(isDealt('restore') ? [overStaysOver(evidence), nothingNewSent(evidence)] : []),
  ];
}

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

function interrupted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Interrupted());
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

function phases(log: (line: string) => void): (name: string) => Record<string, number> {
  const took: Record<string, number> = {};
  let since = Date.now();
  return (name) => {
    took[name] = Date.now() - since;
    since = Date.now();
    log(`${name}: ${took[name]} ms`);
    return took;
  };
}

function playersOf(count: number, table: Table): Player[] {
  return Array.from({ length: count }, (_, n) => {
    const { operatorId } = OPERATORS[n % OPERATORS.length]!;
    const game = GAMES[Math.floor(n / OPERATORS.length) % GAMES.length]!;
    return new Player({ playerId: `player-${n + 1}`, operatorId, game }, table);
  });
}

async function keepWalletAway({ walletUrl }: Stack, away: boolean): Promise<void> {
  const fault = {
    fault: 'status',
    status: 503,
    match: { tenantId: AWAY, path: '/doTransactions' },
    times: 1_000_000,
  };
  await exchange({
    method: (away ? 'POST' : 'DELETE') as 'POST',
    url: `${walletUrl}/sandbox/faults`,
    ...(away ? { body: JSON.stringify(fault) } : {}),
  });
}

/** Every call whose caller never heard how it ended is made once more. */
async function repeatDoubts(players: readonly Player[], table: Table): Promise<void> {
  const playerOf = new Map(players.map((player) => [player.who.playerId, player]));
  const doubts = new Map<string, [string, Command][]>();
  for (const doubt of table.notes.commands) {
    const [, command] = doubt;
    if (isInDoubt(command)) doubts.set(command.playerId, [...(doubts.get(command.playerId) ?? []), doubt]);
  }
  // One after another: a player's starts close each other's rounds.
  await each([...doubts], async ([playerId, ofPlayer]) => {
    for (const [key, command] of ofPlayer)
      await (playerOf.get(playerId) ?? new Player(command, table)).repeat(key, command);
  });
}

/** After everything has healed nobody is locked out. */
async function everybodyPlays(players: readonly Player[]): Promise<Checked> {
  const checked: Checked = {
    id: 'I9',
    promise: 'after everything has healed every player can play again',
    examined: players.length,
    violations: [],
  };
  await Promise.all(
    players.map(async (player) => {
      let answer = await player.spin(2);
      // A wallet that is given a third of a second may be late, and an answer slow, on a machine with much to do.
      for (let nth = 3; nth < 9 && answer?.status !== 200; nth += 1) answer = await player.spin(nth);
      if (answer?.status === 200) return;
      const what = `${player.who.playerId}: ${answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body.errorCode)}`}`;
      checked.violations.push({ what });
    }),
  );
  return checked;
}

async function drained(stack: Stack, left: readonly string[], rounds: number): Promise<Checked> {
  const violations = await Promise.all(
    [...new Set(left)].map(async (gameround) => ({
      gameround,
      what: await whatItWaitsFor(stack, gameround),
    })),
  );
  return { id: 'drain', promise: 'every round came to its end', examined: rounds, violations };
}

function noOwnEnds({ ownEnds }: Stack): Checked {
  const violations = ownEnds.map((what) => ({ what }));
  return { id: 'alive', promise: 'no process ended by itself', examined: 5, violations };
}
