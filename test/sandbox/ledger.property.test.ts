import * as fc from 'fast-check';
import { applyEvent, createLedger, type Ledger } from '../../sandbox/wallet/ledger';
import type { LedgerEvent, TransactionsCall, WalletTransaction } from '../../sandbox/wallet/ledger-types';
import { processCall } from '../../sandbox/wallet/transactions';

const OPTIONS = { defaultBalance: 1_000, voidsWholeRound: false, maxRounds: 1_000 };
const AT = '2026-01-01T00:00:00.000Z';

/** Few hashes, rounds and players: repeats, collisions and races are the point. Amounts follow from the hash. */
const hash = fc.constantFrom('a', 'b', 'c', 'd');
const amountOf = (name: string): number => name.charCodeAt(0) * 5;
const debit = hash.map((name): WalletTransaction => ({
  type: 'debit',
  hash: name,
  amount: amountOf(name),
  currency: 'EUR',
  isFirstDebit: name < 'c',
}));
const credit = hash.map((name): WalletTransaction => ({
  type: 'credit',
  hash: name,
  amount: amountOf(name) + 1,
  currency: 'EUR',
}));
const end = hash.map((name): WalletTransaction => ({ type: 'end', hash: name }));
const voidOf = hash.map((name): WalletTransaction => ({ type: 'void', hash: name }));
const call = fc
  .record({
    round: fc.constantFrom('r1', 'r2', 'r3'),
    transactions: fc.array(fc.oneof(debit, debit, credit, end, voidOf), { minLength: 1, maxLength: 4 }),
  })
  // A hash names one transaction of one round, so the round is part of it.
  .map(({ round, transactions }): TransactionsCall => ({
    playerId: round === 'r3' ? 'p2' : 'p1',
    gameCode: 'g1',
    gameRound: round,
    transactions: transactions.map((one) => ({ ...one, hash: `${round}-${one.hash}` })),
  }));
const calls = fc.array(call, { maxLength: 30 });

function play(sequence: readonly TransactionsCall[]): { ledger: Ledger; events: LedgerEvent[] } {
  const ledger = createLedger(OPTIONS);
  const events = sequence.flatMap((one) => processCall(ledger, one, AT).events);
  return { ledger, events };
}

const balances = (ledger: Ledger): Record<string, number> =>
  Object.fromEntries([...ledger.accounts].map(([key, { real, bonus }]) => [key, real + bonus]));
const total = (ledger: Ledger): number => Object.values(balances(ledger)).reduce((sum, one) => sum + one, 0);

/** What the movements of a kind in a round add up to, by the amounts that the test chose. */
const sumOf = (ledger: Ledger, gameRound: string, type: string): number =>
  ledger.movements
    .filter((one) => one.gameRound === gameRound && one.type === type)
    .reduce((sum, { realDelta, bonusDelta }) => sum + realDelta + bonusDelta, 0);

test('money is conserved: players and house are opposite, and each balance is its movements', () => {
  fc.assert(
    fc.property(calls, (sequence) => {
      const { ledger } = play(sequence);
      expect(total(ledger) + (ledger.house.get('EUR') ?? 0)).toBe(0);
      for (const player of ['p1', 'p2']) {
        const moved = (ledger.movementsOfPlayer.get(player) ?? []).filter(
          ({ currency }) => currency === 'EUR',
        );
        const expected = moved.reduce((sum, { realDelta, bonusDelta }) => sum + realDelta + bonusDelta, 0);
        expect(balances(ledger)[JSON.stringify([player, 'EUR'])] ?? 0).toBe(expected);
        if (moved.length > 0) expect(moved.at(-1)?.balanceAfter).toBe(expected);
      }
    }),
  );
});

test('no balance goes below nothing', () => {
  fc.assert(
    fc.property(calls, (sequence) => {
      for (const { balanceAfter } of play(sequence).ledger.movements) {
        expect(balanceAfter).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('each (type, hash) is effective at most once, and the whole sequence again changes nothing', () => {
  fc.assert(
    fc.property(calls, (sequence) => {
      const { ledger } = play(sequence);
      const named = ledger.movements.flatMap(({ type, hash: name }) =>
        type === 'adjustment' ? [] : [`${type} ${name}`],
      );
      expect(new Set(named).size).toBe(named.length);
      const before = balances(ledger);
      // What was declined while something was missing may succeed later, debits excepted: so only what was taken.
      const taken = new Set(named);
      for (const one of sequence) {
        const transactions = one.transactions.filter(({ type, hash: name }) => taken.has(`${type} ${name}`));
        processCall(ledger, { ...one, transactions }, AT);
      }
      expect(balances(ledger)).toEqual(before);
    }),
  );
});

test('a debit and its void are nothing, whichever comes first and however often', () => {
  const first: WalletTransaction = {
    type: 'debit',
    hash: 'x',
    amount: 250,
    currency: 'EUR',
    isFirstDebit: true,
  };
  const deliveries = fc.array(fc.constantFrom<WalletTransaction>(first, { type: 'void', hash: 'x' }), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(deliveries, (transactions) => {
      const head = { playerId: 'p1', gameCode: 'g1', gameRound: 'r' };
      const { ledger } = play(transactions.map((one) => ({ ...head, transactions: [one] })));
      const voided = transactions.some(({ type }) => type === 'void');
      expect(sumOf(ledger, 'r', 'debit') + sumOf(ledger, 'r', 'void')).toBe(voided ? 0 : -250);
    }),
  );
});

test('what a round gives back is never more than what it took, and nothing enters a voided or failed one', () => {
  fc.assert(
    fc.property(calls, (sequence) => {
      const { ledger } = play(sequence);
      for (const round of ledger.rounds.values()) {
        const [taken, given] = [
          -sumOf(ledger, round.gameRound, 'debit'),
          sumOf(ledger, round.gameRound, 'void'),
        ];
        expect(given).toBeLessThanOrEqual(taken);
        if (round.status === 'failed')
          expect(round.debits.size + round.credits.size + round.ends.size).toBe(0);
        const voided = round.voids.get(round.initialDebit)?.seq ?? Number.POSITIVE_INFINITY;
        const later = ledger.movements.filter(
          ({ gameRound, type, seq }) => gameRound === round.gameRound && type !== 'void' && seq > voided,
        );
        expect(later).toEqual([]);
      }
    }),
  );
});

test('the events alone make the same books', () => {
  fc.assert(
    fc.property(calls, (sequence) => {
      const { ledger, events } = play(sequence);
      const again = createLedger(OPTIONS);
      for (const event of JSON.parse(JSON.stringify(events)) as LedgerEvent[]) applyEvent(again, event);
      expect(again.movements).toEqual(ledger.movements);
      expect(balances(again)).toEqual(balances(ledger));
      expect([...again.rounds.values()].map(({ status }) => status)).toEqual(
        [...ledger.rounds.values()].map(({ status }) => status),
      );
    }),
  );
});
