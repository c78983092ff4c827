import { snapshotOf } from '../../src/domain/round/replies';
import { restoredRound, takeOver } from '../../src/domain/round/restored';
import type { RoundState } from '../../src/domain/round/types';
import {
  ACCEPTED,
  addWin,
  collectWin,
  end,
  LATER,
  settings,
  start,
  TestRound,
  UNKNOWN,
  VOID,
} from './support';

/* A round whose record is ahead of it becomes what the record says (docs/interface#restored-temporal). */

/** As it stood in the copy: a bet, and a win of 40. */
const copied = (): TestRound => new TestRound(start({ winAmount: 40 })).deliver(ACCEPTED);

function restored(record: TestRound, copy = copied()): RoundState {
  return takeOver(copy.state, snapshotOf(record.state), LATER);
}

const outcomes = ({ transactions }: RoundState): string[] =>
  transactions.map(({ type, outcome }) => `${type} ${outcome}`);

test('one that is closed there is closed, and sends nothing', () => {
  const record = copied();
  record.do(end(), ACCEPTED);
  const round = restored(record);
  expect(round).toMatchObject({ status: 'closed', crashed: false, pending: undefined, amountToCollect: 0 });
  expect(snapshotOf(round)).toEqual(snapshotOf(record.state));
});

test('one that is open there is crashed; what it collected since is not open again', () => {
  const record = copied();
  record.do(collectWin('c', 30), ACCEPTED);
  const round = restored(record);
  expect(round).toMatchObject({ status: 'open', crashed: true, amountToCollect: 10, pending: undefined });
  expect(snapshotOf(round).attention).toEqual(['crashed', 'restored']);
});

test('the call that the copy was about to make is dropped with its command: it was not sent', () => {
  const copy = copied();
  copy.send(end('second'));
  const record = copied();
  record.do(end('first'), ACCEPTED);
  const round = restored(record, copy);
  expect(outcomes(round)).toEqual(['debit accepted', 'credit accepted', 'end accepted']);
  expect(Object.keys(round.commands)).toEqual(['start']);
});

test('money that moved since the copy and is not in the record crashes a round that is over there', () => {
  const copy = copied();
  copy.do(end('second'), ACCEPTED);
  const record = copied();
  record.do(end('first'), ACCEPTED);
  const round = restored(record, copy);
  expect(round).toMatchObject({ status: 'open', crashed: true });
  expect(outcomes(round).filter((one) => one === 'credit accepted')).toHaveLength(2);
});

test('a bet that was on its way there is in doubt', () => {
  const followUps = { followUpDebits: true };
  const record = new TestRound(start(), followUps).deliver(ACCEPTED);
  record.send(start({ rngCallId: 'rng-2' }));
  const round = restored(record, new TestRound(start(), followUps).deliver(ACCEPTED));
  expect(outcomes(round)).toEqual(['debit accepted', 'debit unknown']);
});

test.each<[string, (record: TestRound) => TestRound]>([
  ['a void without an answer', (record) => record.deliver(UNKNOWN)],
  ['a voidGameRound', (record) => (record.deliver(ACCEPTED).send(VOID), record)],
])('one that is cancelled there still sends its void: %s', (_, cancel) => {
  const record = cancel(new TestRound());
  const round = restored(record, new TestRound());
  expect(round).toMatchObject({ status: 'cancel', crashed: false, pending: { purpose: 'void' } });
  expect(outcomes(round).filter((one) => one.startsWith('void'))).toEqual(['void pending']);
  expect(round.pending?.transactions[0]?.hash).toBe(record.state.transactions[0]?.hash);
});

test('one that is cancelled there, its void answered, sends nothing', () => {
  const record = new TestRound().deliver(UNKNOWN, ACCEPTED);
  expect(restored(record, new TestRound())).toMatchObject({ status: 'cancel', pending: undefined });
});

test('a round that Temporal does not know is crashed, from its record, and can be reconciled', () => {
  const record = copied();
  record.do(addWin('w', 5));
  const round = new TestRound().replace(
    restoredRound(snapshotOf(record.state), settings(), '2026-01-01T00:00:00.000Z'),
  );
  expect(round.state).toMatchObject({ status: 'open', crashed: true, amountToCollect: 45, commands: {} });
  expect(round.refusal(addWin('x', 1))).toBe('GAMEROUNDCRASHED');
});
