import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../test/support/e2e-http';
import { marksAreRight } from './checks/marks';
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
  /** How long faults are dealt, unless the schedule ends earlier. Start, repair and checks take additional time. */
  durationMs: number;
  pace: Pace;
  players: number;
  /** How long rounds may take to end after everything is repaired. */
  drainMs: number;
  /** A deliberate mistake in the service; see bugs.ts. */
  bug?: BugName | undefined;
  /** Only the faults whose name begins with this text. */
  only?: string | undefined;
  log?: (line: string) => void;
  /** Ends the run at once. `runChaos` then rejects with `Interrupted` and leaves no process running. */
  signal?: AbortSignal;
}

export interface ChaosResult {
  seed: number;
  durationMs: number;
  bug?: BugName | undefined;
  rounds: number;
  commands: number;
  /** How often callers got each answer. */
  answers: Record<string, number>;
  walletCalls: number;
  faults: Record<string, { times: number; hits: number }>;
  checks: Checked[];
  /** Duration of each phase in milliseconds. */
  phases: Record<string, number>;
}

const MAX_SAMPLED = 3_000;
/** The operator whose wallet stays away after everything else is repaired, so that the checks see waiting rounds. */
const AWAY = 'op-usual';

/**
 * Plays on a real service under the faults of the seed's schedule, repairs everything, and checks the evidence against
 * the promises. Calls `onEvidence` before the service is stopped.
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
      only: options.only,
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
    log(`${leftOut} rounds had calls in flight when Temporal was restored, and are left out`);
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
      bug: options.bug,
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

/** The checks of faults that run alone. A check is left out if none of its faults was dealt. */
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

/** Repeats every call whose caller has no definite answer. */
async function repeatDoubts(players: readonly Player[], table: Table): Promise<void> {
  const playerOf = new Map(players.map((player) => [player.who.playerId, player]));
  const doubts = new Map<string, [string, Command][]>();
  for (const doubt of table.notes.commands) {
    const [, command] = doubt;
    if (isInDoubt(command)) doubts.set(command.playerId, [...(doubts.get(command.playerId) ?? []), doubt]);
  }
  // A player's calls run one after another, since each start may close the player's previous round.
  await each([...doubts], async ([playerId, ofPlayer]) => {
    for (const [key, command] of ofPlayer)
      await (playerOf.get(playerId) ?? new Player(command, table)).repeat(key, command);
  });
}

/** After everything is repaired, every player can start a round. */
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
      // On a busy machine a wallet with a time-out of 300 ms may answer too late, and the service may answer slowly.
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
