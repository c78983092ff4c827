import * as fc from 'fast-check';
import { isDeliveryResult } from '../../src/contracts/activity-results';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { snapshotOf } from '../../src/domain/round/replies';
import type { WalletCall, WalletPurpose } from '../../src/domain/wallet-call';
import { opened, start } from './support';

/* Whatever a wallet answers, its outcome is a result that the workflow takes. */

const hash = 'a0000000-0000-8000-a000-000000000001';
const CALLS: Record<WalletPurpose, readonly ('debit' | 'credit' | 'end' | 'void')[]> = {
  debit: ['debit', 'end'],
  credit: ['credit', 'end'],
  void: ['void'],
};
/** Values at the places that a reply has, and anything else. */
const bodies = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      errorCode: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), msg: fc.jsonValue() })),
      balances: fc.array(
        fc.record({
          type: fc.jsonValue(),
          currency: fc.jsonValue(),
          amount: fc.oneof(fc.double(), fc.jsonValue()),
        }),
      ),
      hashesProcessed: fc.array(fc.oneof(fc.constant({ hash }), fc.constant(hash), fc.jsonValue())),
      tickets: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
      discountInfo: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);

test.each(Object.keys(CALLS) as WalletPurpose[])('a %s', (purpose) => {
  const transactions = CALLS[purpose].map((type) => ({
    ...{ type, hash, currency: 'EUR', amount: 100, timestamp: '2026-03-01T10:00:00.000Z' },
  }));
  fc.assert(
    fc.property(
      bodies,
      fc.constantFrom(200, 400, 401, 404, 500, 503),
      fc.record({
        ...{ redelivered: fc.boolean(), maybePaid: fc.boolean(), creditAccepted: fc.boolean() },
        strictReplies: fc.boolean(),
      }),
      (body, status, facts) => {
        const answer = { kind: 'answer' as const, status, body };
        const outcome = classifyWalletReply({ purpose, transactions } as WalletCall, answer, {
          repeatableErrorIds: [],
          ...facts,
        });
        // As it arrives from the activity.
        expect(isDeliveryResult(JSON.parse(JSON.stringify(outcome)), purpose, 'round')).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('a record ahead is one of the same round', () => {
  const snapshot = snapshotOf(opened(start()).state);
  const ahead = { kind: 'ahead', record: JSON.parse(JSON.stringify({ version: 3, snapshot })) as unknown };
  expect(isDeliveryResult(ahead, 'credit', snapshot.identity.gameround)).toBe(true);
  expect(isDeliveryResult(ahead, 'credit', 'another')).toBe(false);
});
