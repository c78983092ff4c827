import { withKnown, withoutKnown, type Recorded } from '../../src/domain/round/known-entries';
import type { GameStateEntry, RoundSnapshot, RoundTransaction } from '../../src/domain/round/types';

/* What is left out of a long round on its way to its record, and put back there (docs/decisions.md). */

const at = '2026-01-02T03:04:05.000Z';

function round(wins: number, credits: number, collected = 0): RoundSnapshot {
  const gameState = Array.from({ length: wins }, (_, index): GameStateEntry => ({
    ...({ hash: `win-${index}`, type: 'genericwin', processedOn: at, amountWagered: 0, reason: '' } as const),
    result: { winAmount: 5, info: {} },
    collected: index < collected ? 5 : 0,
  }));
  const transactions = Array.from({ length: credits }, (_, index): RoundTransaction => ({
    ...({ type: 'credit', hash: `credit-${index}`, currency: 'EUR', timestamp: at, amount: 5 } as const),
    outcome: 'accepted',
  }));
  return {
    ...({ openedAt: at, status: 'open', crashed: false, stake: 1, amountToCollect: 0 } as const),
    identity: {
      ...{ gameround: 'r', operatorId: 'o', playerId: 'p', gameCode: 'g', providerId: 'gp', sessionId: 's' },
      ...{ mode: 'real', currency: 'EUR', currencyMultiplier: 1, language: 'en' },
    },
    transactions,
    gameState,
    spinCounters: {},
    attention: [],
  };
}

const VERSION = 7;

/** As it comes out of a database: nothing is the same object as before. */
function recordOf(snapshot: RoundSnapshot, version = VERSION): Recorded {
  return { snapshot: JSON.parse(JSON.stringify(snapshot)) as RoundSnapshot, version };
}

test('without a record everything is sent', () => {
  expect(withoutKnown(round(40, 20), undefined)).toEqual({
    round: round(40, 20),
    known: { transactions: 0, gameState: 0, version: 0 },
  });
});

test('a short round is always sent as a whole', () => {
  const { known } = withoutKnown(round(15, 15), recordOf(round(14, 15)));
  expect(known).toEqual({ transactions: 0, gameState: 0, version: VERSION });
});

test('of a long round what is new is sent, and the whole comes out', () => {
  const recorded = recordOf(round(40, 20));
  const { round: snapshot, known } = withoutKnown(round(42, 21), recorded);
  expect(known).toEqual({ transactions: 20, gameState: 40, version: VERSION });
  expect(snapshot.gameState.map(({ hash }) => hash)).toEqual(['win-40', 'win-41']);
  expect(snapshot.transactions.map(({ hash }) => hash)).toEqual(['credit-20']);
  expect(withKnown(snapshot, known, recorded)).toEqual(round(42, 21));
});

test('everything from the first entry that has changed is sent', () => {
  const recorded = recordOf(round(40, 20, 17));
  const { round: snapshot, known } = withoutKnown(round(40, 20, 18), recorded);
  expect(known).toEqual({ transactions: 20, gameState: 17, version: VERSION });
  expect(withKnown(snapshot, known, recorded)).toEqual(round(40, 20, 18));
});

test.each([
  ['none', undefined],
  ['an older one', recordOf(round(40, 20), VERSION - 1)],
  ['a newer one, of a run before a reset it may be', recordOf(round(41, 21), VERSION + 1)],
])('%s is not the record that was left out from', (_, recorded) => {
  const { round: snapshot, known } = withoutKnown(round(42, 21), recordOf(round(40, 20)));
  expect(withKnown(snapshot, known, recorded)).toBeUndefined();
});
