import type { Answer } from '../support/e2e-http';
import { difference, type Looking } from './compare';
import { closeForAnother, joined, step, type State } from './reference';
import type { Call } from './types';

/** A call and its definite answer. `again`: it got 503 before, and was sent until there was one. */
export interface Exchange {
  readonly call: Call;
  readonly answer: Answer;
  readonly again: boolean;
}

/**
 * All states that some order of the calls leads to in which every answer is right (linearisability). A start that
 * closes another round is two things, the close of one round and the start of the next: others may come in between.
 * A call that was answered 503 may have been carried out by then; what answers it at last is its repeat. A bet that
 * nobody knows the outcome of is two things as well: its stake may be gone until its void brings it back.
 */
export async function explanations(
  before: State,
  exchanges: readonly Exchange[],
  options: Looking,
): Promise<State[]> {
  const found: State[] = [];
  const seen = new Set<string>();
  const steps: Step[] = exchanges.map((exchange) => ({ exchange }));
  for (const { call, answer, again } of exchanges) {
    if (call.kind === 'startGameRound' && call.body.closeOpenGame) steps.push({ closesFor: call });
    if (again) steps.push({ unanswered: call });
    if (call.kind === 'startGameRound' && answer.status === 502) steps.push({ takesFor: call });
  }
  await search(before, steps);
  return found;

  async function search(state: State, left: readonly Step[]): Promise<void> {
    // The same by another order: what follows is the same as well.
    const place = JSON.stringify([left.map((one) => steps.indexOf(one)), state]);
    if (seen.has(place)) return;
    seen.add(place);
    // The wallet lives in this process and must not wait for a long search.
    if (seen.size % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (left.every(({ exchange }) => exchange === undefined)) found.push(state);
    for (const one of left) {
      const after = taken(state, one, left);
      if (after === undefined) continue;
      await search(
        after,
        left.filter((other) => other !== one),
      );
    }
  }

  /** A spin whose win has to be sent again is an open round until it is taken, and others are told so. */
  function meetsSpinInBetween({ call, answer: { status, body } }: Exchange): boolean {
    const isInTheWay = status === 400 && body.errorCode?.msg === 'GAMEROUNDALREADYSTARTED';
    return (
      isInTheWay &&
      before.faults.some(({ on }) => on === 'credit') &&
      exchanges.some(
        ({ call: spin, answer }) =>
          spin !== call &&
          spin.kind === 'startGameRound' &&
          spin.body.endGame === true &&
          answer.body.gameRoundInfo?.hash === body.gameRoundInfo?.hash,
      )
    );
  }

  function taken(
    state: State,
    { exchange, closesFor, unanswered, takesFor }: Step,
    left: readonly Step[],
  ): State | undefined {
    const next = structuredClone(state);
    if (exchange !== undefined) {
      const { call, answer } = exchange;
      const isAway = steps.some((one) => one.takesFor === call && !left.includes(one));
      if (isAway) moveStake(next, call, 1);
      const first = joined(state, call);
      // Only what came at the same time can be joined; what came before is over.
      const isNew = first !== undefined && joined(before, call) === undefined;
      if (meetsSpinInBetween(exchange)) return next;
      if (difference(next, step(next, call), answer, options) === '') return next;
      return isNew && difference(next, first, answer, options) === '' ? next : undefined;
    }
    // The others are of use only before the call that they belong to.
    if (!left.some((other) => other.exchange?.call === (closesFor ?? unanswered ?? takesFor)))
      return undefined;
    if (closesFor !== undefined) closeForAnother(next, closesFor.game);
    if (unanswered !== undefined) step(next, unanswered);
    if (takesFor !== undefined) moveStake(next, takesFor, -1);
    return next;
  }
}

function moveStake(state: State, { game, body }: Call, sign: 1 | -1): void {
  const purse = state.purses[state.games[game].currency]!;
  purse.money += sign * (body.debitInformation?.debitAmount ?? 0);
}

interface Step {
  readonly exchange?: Exchange;
  readonly closesFor?: Call;
  readonly unanswered?: Call;
  readonly takesFor?: Call;
}

/**
 * No definite answer: still being carried out ("the same call again joins it", contract §4), or the machine has no room
 * for the call just now.
 */
export function isBusy({ status }: Answer): boolean {
  return status === 503 || status === 429;
}
