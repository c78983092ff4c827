import type { Answer } from '../support/e2e-http';
import { difference, same, type Looking } from './compare';
import { closeForAnother, crosses, joined, step, ticketOf, wantsATicket, type State } from './reference';
import { meaningOf, type Call, type Fault } from './types';

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
 * nobody knows the outcome of is two things as well: its stake may be gone until its void brings it back. And a ticket is
 * chosen before the bet: somebody else may have used it by then.
 */
export async function explanations(
  before: State,
  exchanges: readonly Exchange[],
  options: Looking,
): Promise<State[]> {
  const found: State[] = [];
  const seen = new Set<string>();
  /** In a batch there is one at the most. */
  const onDebit = before.faults.find(({ on }) => on === 'debit');
  const parts = exchanges.flatMap((exchange) => partsOf(exchange, onDebit));
  const steps: Step[] = [...exchanges.map((exchange) => ({ exchange })), ...parts];
  await search(before, steps);
  return found;

  async function search(state: State, left: readonly Step[]): Promise<void> {
    // The same by another order: what follows is the same as well.
    const place = JSON.stringify([left.map((one) => steps.indexOf(one)), state]);
    if (seen.has(place)) return;
    seen.add(place);
    // The wallet lives in this process and must not wait for a long search.
    if (seen.size % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (left.every((one) => !('exchange' in one))) found.push(state);
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

  /** While a command is being carried out its key is taken, also where it is refused in the end, which isn't kept. */
  function meetsOneUnderItsKey({ call, answer: { body } }: Exchange): boolean {
    return (
      body.errorCode?.msg === 'IDEMPOTENCYMISMATCH' &&
      exchanges.some((other) => crosses(other.call, call) && other.answer.status === 400)
    );
  }

  /** Two reconciliations of a round at once are one, and both are told what that one came to. */
  function joinsReconciliation({ call, answer }: Exchange, left: readonly Step[]): boolean {
    return steps.some(
      (one) =>
        call.kind === 'reconcileTransactions' &&
        'exchange' in one &&
        one.exchange.call.kind === call.kind &&
        !left.includes(one) &&
        one.exchange.call.body.gameRound === call.body.gameRound &&
        same(one.exchange.answer.body, answer.body),
    );
  }

  function taken(state: State, one: Step, left: readonly Step[]): State | undefined {
    const next = structuredClone(state);
    if (!('exchange' in one)) {
      // It is of use only before the call that it belongs to.
      const isAhead = left.some((other) => 'exchange' in other && other.exchange.call === one.of);
      return isAhead && one.play(next) !== false ? next : undefined;
    }
    const { call, answer } = one.exchange;
    const played = parts.filter((part) => part.of === call && !left.includes(part));
    for (const part of played) part.undo?.(next);
    if (joinsReconciliation(one.exchange, left)) return next;
    const first = joined(state, call);
    // Only what came at the same time can be joined; what came before is over.
    const isNew = first !== undefined && joined(before, call) === undefined;
    if (meetsSpinInBetween(one.exchange) || meetsOneUnderItsKey(one.exchange)) return next;
    if (difference(next, step(next, call), answer, options) === '') return next;
    return isNew && difference(next, first, answer, options) === '' ? next : undefined;
  }
}

/** What of a call may have been carried out before the rest of it. */
function partsOf({ call, answer, again }: Exchange, onDebit: Fault | undefined): Part[] {
  const parts: Part[] = [];
  const add = (play: Part['play'], undo?: Part['undo']): void => void parts.push({ of: call, play, undo });
  const isStart = call.kind === 'startGameRound';
  if (isStart && call.body.closeOpenGame) add((state) => closeForAnother(state, call.game));
  if (again) add((state) => step(state, call));
  if (isStart && answer.status === 502 && onDebit !== undefined)
    add(
      (state) => takeAway(state, call, onDebit),
      (state) => giveBack(state, call, onDebit),
    );
  if (wantsATicket(call) && answer.body.errorCode?.msg === 'NOTICKETAVAILABLE')
    add((state) => choose(state, call));
  return parts;
}

/** The wallet has taken the stake, and will not say so: its fault is met by this bet and by no other. */
function takeAway(state: State, { game, body }: Call, fault: Fault): boolean {
  const isHere = state.faults.some(({ on }) => on === 'debit');
  const purse = state.purses[state.games[game].currency]!;
  const stake = body.debitInformation?.debitAmount ?? 0;
  if (!isHere || !meaningOf(fault).processed || stake > purse.money) return false;
  state.faults = state.faults.filter(({ on }) => on !== 'debit');
  purse.money -= stake;
  return true;
}

/** Its void has brought it back: from here it is as if the bet were made only now. */
function giveBack(state: State, { game, body }: Call, fault: Fault): void {
  state.faults = [fault, ...state.faults];
  state.purses[state.games[game].currency]!.money += body.debitInformation?.debitAmount ?? 0;
}

function choose(state: State, call: Call): boolean {
  const ticket = ticketOf(state, call);
  if (ticket !== undefined) state.chosen[call.requestId] = ticket;
  return ticket !== undefined;
}

/** A call with its answer, or a part of one that comes before it. */
type Step = { readonly exchange: Exchange } | Part;

interface Part {
  readonly of: Call;
  /** Changes the state; false where that can't be just now. */
  readonly play: (state: State) => unknown;
  /** What the call itself begins with, where the part came before it. */
  readonly undo: ((state: State) => void) | undefined;
}

/**
 * No definite answer: still being carried out (docs/interface#still-being-processed), or the machine has no room
 * for the call just now.
 */
export function isBusy({ status }: Answer): boolean {
  return status === 503 || status === 429;
}
