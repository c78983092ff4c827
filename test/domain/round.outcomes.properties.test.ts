import * as fc from 'fast-check';
import { decide } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { transactionsToResend } from '../../src/domain/round/reconcile';
import { applyWalletOutcome, isRetried } from '../../src/domain/round/apply-wallet-outcome';
import type { Command, RoundState, RoundTransaction } from '../../src/domain/round/types';
import { snapshotOf } from '../../src/domain/round/replies';
import { firstStarts, outcomeFor, picks, roundSettings, steps, type Step } from './arbitraries';
import { AT, deepFreeze, IDENTITY, LATER, settings } from './support';

/* No money is lost or paid twice (docs/interface#settle) when people and reconciliations take a crashed or waiting round in hand, in any order. */

/** One try at a crashed round; a number's bits say which of the open transactions go into which list. */
type Try = { type: 'settle'; accepts: number; names: number; isStale: boolean } | { type: 'reconcile' };

const tries: fc.Arbitrary<Try[]> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('settle' as const),
      accepts: fc.nat(15),
      names: fc.constantFrom(15, 15, 15, 7, 1, 0),
      isStale: fc.boolean(),
    }),
    { arbitrary: fc.record({ type: fc.constant('reconcile' as const) }), weight: 2 },
  ),
  { maxLength: 5 },
);

function crashedBy(
  first: Parameters<typeof createRound>[2],
  over: object,
  firstPicks: number[],
  play: Step[],
): RoundState {
  let state = createRound(IDENTITY, settings(over), first, AT);
  const drive = (choices: readonly number[]): void => {
    for (const pick of choices) {
      if (state.pending === undefined || state.pending.progress === 'awaiting-operator') return;
      state = applyWalletOutcome(state, outcomeFor(state, pick), LATER);
    }
  };
  drive(firstPicks);
  for (const { command, picks: choices } of play) {
    const decision = decide(state, command, LATER);
    if (decision.kind === 'accept') state = decision.state;
    drive(choices);
  }
  return state;
}

const creditsOf = ({ transactions }: RoundState, outcome: RoundTransaction['outcome']): number =>
  transactions
    .filter((one) => one.type === 'credit' && one.outcome === outcome)
    .reduce((sum, { amount = 0 }) => sum + amount, 0);

const wonIn = ({ gameState }: RoundState): number =>
  gameState.reduce((sum, { result }) => sum + result.winAmount, 0);

function openIn({ transactions }: RoundState): string[] {
  const voided = transactions.filter(({ type }) => type === 'void').map(({ hash }) => hash);
  return transactions
    .filter((one) => one.outcome === 'pending' || (one.outcome === 'unknown' && !voided.includes(one.hash)))
    .map(({ hash }) => hash);
}

const settleBy = (key: string, accepted: string[], declined: string[]): Command => ({
  ...{ type: 'settle', key, reason: 'by hand', accepted, declined },
});

test('whoever settles and reconciles, in whatever order: what was won is paid, owed or declined by name', () => {
  const seen = { crashed: 0, waiting: 0, accept: 0, refuse: 0, join: 0, declined: 0 };
  fc.assert(
    fc.property(firstStarts, roundSettings, picks, steps, tries, (first, over, firstPicks, play, plan) => {
      let state = deepFreeze(crashedBy(first, over, firstPicks, play));
      const isWaiting = isRetried(state) && state.pending?.purpose === 'credit';
      if (!state.crashed && !isWaiting) return;
      seen[isWaiting ? 'waiting' : 'crashed'] += 1;
      const won = wonIn(state);
      let givenUp = creditsOf(state, 'declined');
      let before = openIn(state);
      const say = (command: Command, declined: readonly string[] = []): void => {
        const owed = state.transactions.filter(
          ({ type, hash }) => type === 'credit' && declined.includes(hash),
        );
        const decision = decide(state, command, LATER);
        seen[decision.kind] += 1;
        before = openIn(state);
        if (decision.kind !== 'accept') return;
        givenUp += owed.reduce((sum, { amount = 0 }) => sum + amount, 0);
        if (owed.length > 0) seen.declined += 1;
        state = deepFreeze(decision.state);
      };
      for (const [at, one] of plan.entries()) {
        if (one.type === 'reconcile')
          say({ type: 'end', key: 'reconcile', reason: 'reconcile', forReconciliation: true });
        else {
          const named = (one.isStale ? before : openIn(state)).filter(
            (_, index) => one.names & (1 << (index % 4)),
          );
          const isAccepted = (_: string, index: number): boolean => (one.accepts & (1 << (index % 4))) > 0;
          const declined = named.filter((hash, index) => !isAccepted(hash, index));
          say(settleBy(`try-${at}`, named.filter(isAccepted), declined), declined);
        }
        expect(creditsOf(state, 'accepted') + creditsOf(state, 'pending') + givenUp).toBeLessThanOrEqual(won);
        expect(creditsOf(state, 'declined')).toBe(givenUp);
        const names = state.transactions.map(({ type, hash }) => type + hash);
        expect(new Set(names).size).toBe(names.length);
      }
      for (let n = 0; state.status === 'open'; n += 1) {
        expect(n).toBeLessThan(2);
        say(settleBy(`last-${n}`, openIn(state), []));
      }
      expect(state).toMatchObject({ status: 'closed', amountToCollect: 0 });
      expect(creditsOf(state, 'accepted') + givenUp).toBe(won);
      expect(creditsOf(state, 'pending')).toBe(0);
      const resent = transactionsToResend(snapshotOf(state)).filter(({ type }) => type === 'credit');
      expect(resent.reduce((sum, { amount }) => sum + (amount ?? 0), 0)).toBe(won - givenUp);
    }),
    { numRuns: 4_000 },
  );
  // Otherwise it would be worth little.
  expect(Object.entries(seen).filter(([, times]) => times === 0)).toEqual([]);
});
