import * as fc from 'fast-check';
import type { Command, RoundSettings, RoundState, StartCommand } from '../../src/domain/round/types';
import type { WalletOutcome } from '../../src/domain/wallet-call';
import {
  ACCEPTED,
  addWin,
  collectWin,
  DECLINED,
  DECLINED_BUT_PROCESSED,
  end,
  END_REJECTED,
  rejected,
  retryable,
  spins,
  start,
  UNAUTHORISED_DEBIT,
  UNCONFIRMED,
  UNKNOWN,
  VOID,
} from './support';

/** Few keys and amounts, so that repeats, mismatches and exhausted winnings are common. */
const key = fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k4', '__proto__');
const money = fc.constantFrom(0, 1, 25, 40, 1000);

const starts = fc
  .record({
    rngCallId: fc.constantFrom(undefined, 'rng-1', 'rng-2', 'rng-3', 'rng-4'),
    debitAmount: fc.constantFrom(100, 100, 30),
    winAmount: fc.constantFrom(0, 0, 7),
    endGame: fc.constantFrom(false, false, false, true),
  })
  .map((over) => start(over));

export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(key, money, fc.constantFrom(false, false, false, true))
      .map(([id, winAmount, collect]) => addWin(id, winAmount, { collect })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(key, fc.constantFrom(undefined, 1, 10, 40))
      .map(([id, amount]) => collectWin(id, amount)),
  },
  { weight: 5, arbitrary: starts },
  {
    weight: 2,
    arbitrary: fc
      .tuple(key, fc.constantFrom('free', '__proto__'), fc.nat(3), fc.nat(3))
      .map(([id, type, awarded, used]) => spins(id, type, awarded, used)),
  },
  { weight: 1, arbitrary: key.map((id) => end(id)) },
  { weight: 1, arbitrary: fc.constant<Command>(VOID) },
);

export const roundSettings: fc.Arbitrary<Partial<RoundSettings>> = fc.record({
  followUpDebits: fc.constantFrom(true, true, false),
  voidsWholeRound: fc.boolean(),
});

export const firstStarts: fc.Arbitrary<StartCommand> = fc
  .record({
    winAmount: fc.constantFrom(0, 40),
    endGame: fc.constantFrom(false, false, false, true),
  })
  .map((over) => start(over));

/** Stands for one outcome of whatever call is pending; see `outcomeFor`. */
export const picks = fc.array(fc.nat(9), { maxLength: 4 });

export interface Step {
  command: Command;
  /** Outcomes while the command's calls are driven; a call that is left over waits for the next step. */
  picks: number[];
}

export const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ command: commands, picks }), {
  maxLength: 14,
});

/** An outcome that the judge can give for the pending call, given what it knows from earlier deliveries. */
export function outcomeFor(state: RoundState, pick: number): WalletOutcome {
  const { pending } = state;
  if (pending === undefined) throw new Error('nothing is pending');
  const has = (type: string): boolean =>
    pending.transactions.some((transaction) => transaction.type === type);
  const whole = has('end') ? END_REJECTED : ACCEPTED;
  switch (pending.purpose) {
    case 'debit':
      return [whole, DECLINED, DECLINED_BUT_PROCESSED, UNKNOWN, UNAUTHORISED_DEBIT][pick - 5] ?? ACCEPTED;
    case 'credit':
      return creditOutcome(state, pick, has('credit'), whole);
    case 'void':
      return [UNCONFIRMED, retryable(), retryable(), rejected({ unauthorised: true })][pick - 6] ?? ACCEPTED;
  }
}

function creditOutcome(
  state: RoundState,
  pick: number,
  hasCredit: boolean,
  whole: WalletOutcome,
): WalletOutcome {
  const hashes = state.pending?.transactions.map(({ hash }) => hash) ?? [];
  const creditAccepted = state.transactions.some(
    ({ type, hash, outcome }) => type === 'credit' && outcome === 'accepted' && hashes.includes(hash),
  );
  const known = { creditAccepted, maybePaid: state.maybePaid };
  const outcomes = [
    whole,
    retryable(known),
    retryable({ ...known, maybePaid: state.maybePaid || hasCredit }),
    retryable({ ...known, creditAccepted: hasCredit }),
    hasCredit ? rejected(known) : END_REJECTED,
    rejected({ ...known, unauthorised: true }),
  ];
  return outcomes[pick - 4] ?? ACCEPTED;
}
