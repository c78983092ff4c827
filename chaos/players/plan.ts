import { stream, type Stream } from '../random';
import type { Game } from '../tenants';

/** How a call is made: `copies` callers at once, and once more after the answer if `again` is true. */
export interface Manner {
  copies: number;
  again: boolean;
}

/** A call on an open round. Keys are the provider's own ids. A repeat has the same key. */
export type Step = Manner & { pauseMs: number } & (
    | { kind: 'win'; key: string; winAmount: number; collect: boolean }
    | { kind: 'bet'; rngCallId: string; stake: number; winAmount: number }
    | { kind: 'collect'; key: string; amount?: number }
    | { kind: 'spins'; key: string; awarded: number; used: number }
    | { kind: 'end'; key: string }
    | { kind: 'void' }
    | { kind: 'reconcile' }
    /** An end and a void at the same time, by callers who don't know of each other. The first one wins. */
    | { kind: 'rivals'; endKey: string }
  );

export interface RoundPlan extends Manner {
  /** externalGameProviderRoundId. */
  name: string;
  rngCallId: string;
  stake: number;
  winAmount: number;
  endGame: boolean;
  closeOpenGame: boolean;
  /** Serial of a free play ticket that is granted first and pays for the bet. */
  ticket?: string | undefined;
  steps: Step[];
  /** The last step. `leave`: none, the player is gone, and an auto-close or the operator closes the round. */
  last: Step | 'leave';
  pauseMs: number;
}

/** A player's nth round. It depends only on the arguments. */
export function planOf(seed: number, playerId: string, game: Game, n: number): RoundPlan {
  const draw = stream(seed, 'round', playerId, n);
  const endGame = draw.chance(0.25);
  const base = {
    name: draw.id(),
    rngCallId: draw.id(),
    stake: 50 * draw.int(1, 10),
    winAmount: winAmount(draw),
    endGame,
    closeOpenGame: draw.chance(0.5),
    ...manner(draw),
  };
  const ticket = draw.chance(0.08) ? draw.id() : undefined;
  const count = endGame ? 0 : draw.int(0, 5);
  const steps = Array.from({ length: count }, () => step(draw, game));
  const last = endGame ? 'leave' : lastStep(draw);
  return { ...base, ticket, steps, last };
}

function manner(draw: Stream): Manner & { pauseMs: number } {
  return {
    copies: draw.weighted([
      [1, 16],
      [2, 3],
      [4, 1],
    ]),
    again: draw.chance(0.15),
    pauseMs: draw.int(0, 150),
  };
}

function winAmount(draw: Stream): number {
  return draw.chance(0.4) ? 0 : draw.int(1, 900);
}

function step(draw: Stream, game: Game): Step {
  const how = manner(draw);
  const kind = draw.weighted([
    ['win', 10],
    ['collect', 3],
    ['spins', 3],
    ['bet', game === 'chaos-cards' ? 5 : 1],
  ] as const);
  switch (kind) {
    case 'win':
      return { ...how, kind, key: draw.id(), winAmount: winAmount(draw), collect: false };
    case 'collect':
      return { ...how, kind, key: draw.id(), ...(draw.chance(0.5) ? { amount: draw.int(1, 300) } : {}) };
    case 'spins':
      return { ...how, kind, key: draw.id(), awarded: draw.int(0, 5), used: draw.int(0, 3) };
    case 'bet':
      return { ...how, kind, rngCallId: draw.id(), stake: 50 * draw.int(1, 6), winAmount: winAmount(draw) };
  }
}

function lastStep(draw: Stream): Step | 'leave' {
  const how = manner(draw);
  const kind = draw.weighted([
    ['end', 8],
    ['collecting win', 5],
    ['void', 6],
    ['leave', 2],
    ['reconcile', 1],
    ['rivals', 1],
  ] as const);
  switch (kind) {
    case 'end':
      return { ...how, kind, key: draw.id() };
    case 'collecting win':
      return { ...how, kind: 'win', key: draw.id(), winAmount: winAmount(draw), collect: true };
    case 'rivals':
      return { ...how, copies: 1, kind, endKey: draw.id() };
    case 'void':
    case 'reconcile':
      return { ...how, kind };
    case 'leave':
      return kind;
  }
}
