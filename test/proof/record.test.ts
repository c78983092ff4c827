import { factsOf, type Fact } from '../../src/histories/facts';
import { historyFromText } from '../../src/archive/history-text';
import { recordIn } from '../../src/histories/record';
import { createPayloadCodec } from '../../src/payloads/codec';
import { totals } from '../../src/domain/round/replies';
import { recorded } from './support';

/* The record that a history tells, from recorded histories (test/replay/record.ts). */

async function facts(name: string): Promise<Fact[]> {
  return factsOf(historyFromText(await recorded(name)), createPayloadCodec({ keys: [], readKeys: [] }));
}

const told = async (name: string): Promise<object> => {
  const { written, ending, faults, maybe } = recordIn(await facts(name))!;
  const { status, crashed } = written!.snapshot;
  return { status, crashed, ...totals(written!.snapshot), ending, faults, maybe };
};

const over = { ending: 'completed', faults: [], maybe: [], crashed: false };
const BET = 250;

test.each([
  ['spin-lost', { ...over, status: 'closed', totalBetAmount: BET, totalWinAmount: 0 }],
  ['spin-won', { ...over, status: 'closed', totalBetAmount: BET, totalWinAmount: 700 }],
  ['start-win-collect-end', { ...over, status: 'closed', totalBetAmount: BET, totalWinAmount: 305 }],
  ['debit-declined', { ...over, status: 'cancel', totalBetAmount: 0, totalWinAmount: 0 }],
  ['debit-unknown-voided', { ...over, status: 'cancel', totalBetAmount: 0, totalWinAmount: 0 }],
  ['credit-retried', { ...over, status: 'closed', totalBetAmount: BET, totalWinAmount: 40 }],
  ['credit-refused-voided', { ...over, status: 'cancel', totalBetAmount: 0, totalWinAmount: 0 }],
  ['voided', { ...over, status: 'cancel', totalBetAmount: 0, totalWinAmount: 0 }],
  ['follow-up', { ...over, status: 'closed', totalBetAmount: 2 * BET, totalWinAmount: 3 }],
  [
    'crashed',
    { ...over, ending: undefined, status: 'open', crashed: true, totalBetAmount: BET, totalWinAmount: 10 },
  ],
])('%s', async (name, expected) => {
  expect(await told(name)).toEqual(expected);
});

test('a continued round: the first run hands its record to the second, which tells the whole round', async () => {
  const [first, second] = [recordIn(await facts('continued-1'))!, recordIn(await facts('continued-2'))!];
  expect(first.ending).toBe('continued');
  expect(second.ending).toBe('completed');
  const [before, after] = [first.written!.snapshot.gameState, second.written!.snapshot.gameState];
  expect(before.length).toBeGreaterThan(100);
  expect(after.slice(0, before.length)).toHaveLength(before.length);
  // Each win is 1, and the last credit pays them all.
  expect(totals(second.written!.snapshot).totalWinAmount).toBe(after.length - 1);
  expect(second.faults).toEqual([]);
});

test('a write without an answer may have been written, and only that', async () => {
  const all = await facts('start-win-collect-end');
  const at = all.findIndex((fact) => fact.is === 'scheduled' && fact.activity === 'project');
  const { written, maybe } = recordIn(all.slice(0, at + 1))!;
  expect(written!.snapshot.amountToCollect).toBe(5);
  expect(maybe.map(({ snapshot }) => snapshot.amountToCollect)).toEqual([305]);
});

test('a delivery that runs may have written its record, whatever it says', async () => {
  const all = await facts('spin-lost');
  const at = all.findIndex(({ is }) => is === 'scheduled');
  const { written, deliveringAs } = recordIn(all.slice(0, at + 1))!;
  expect(written).toBeUndefined();
  expect(deliveringAs).toEqual([expect.any(Number)]);
});

test('a history that ends otherwise than its record, or without recording its last outcome, contradicts itself', async () => {
  const all = await facts('spin-won');
  const changed = all.map((fact) =>
    fact.is === 'ended' ? { ...fact, values: [{ ...(fact.values?.[0] as object), status: 'cancel' }] } : fact,
  );
  expect(recordIn(changed)!.faults).toEqual([expect.stringContaining('ended as cancel, recorded as closed')]);
  const unrecorded = all.map((fact) =>
    fact.is === 'done' && fact === all.findLast(({ is }) => is === 'done')
      ? { ...fact, result: { ...(fact.result as object), recordedAs: undefined } }
      : fact,
  );
  expect(recordIn(unrecorded)!.faults.join()).toContain('was never recorded');
});
