import type { PlainEvent } from '../../proof/dossier/events';
import { knownIn, outcomeOf } from '../../proof/dossier/outcomes';
import { reconciliationsIn } from '../../proof/dossier/reconciliations';
import { marksText, reasonText, stepsOf } from '../../proof/dossier/story';
import type { RoundSnapshot, RoundTransaction } from '../../src/domain/round/types';

/* Odd histories: values that a person has written by hand, and names that each object has. No server is needed. */

const AT = '2026-11-29T20:00:00.000Z';
const SERVICE = { identity: 'gameround:1@test' };

const event = (id: number, type: string, about: Record<string, unknown>): PlainEvent => ({
  ...{ id, at: AT, type, about },
});

/** An activity, completed by the service. */
const call = (id: number, name: string, input: unknown, result: unknown): PlainEvent[] => [
  event(id, 'ActivityTaskScheduled', { activityType: { name }, input }),
  event(id + 1, 'ActivityTaskStarted', { scheduledEventId: String(id) }),
  event(id + 2, 'ActivityTaskCompleted', { scheduledEventId: String(id), result, ...SERVICE }),
];

const CREDIT = { type: 'credit', hash: 'h1', outcome: 'accepted', amount: 5 } as RoundTransaction;
const SNAPSHOT = {
  crashed: false,
  transactions: [],
  identity: { currency: 'EUR' },
} as unknown as RoundSnapshot;

/** A reconciliation whose `resend` was answered with this balance. */
function reconciled(balance: unknown): PlainEvent[] {
  const settle = { type: 'settle', key: 'reconcile', reason: 'reconcile', accepted: ['h1'] };
  return [
    event(1, 'WorkflowExecutionStarted', { workflowType: { name: 'reconcile' }, input: ['g'], ...SERVICE }),
    ...call(2, 'resend', [{}], [{ kind: 'accepted', balance }]),
    ...call(5, 'settleCrashed', ['g', ['h1']], [{}]),
    event(8, 'WorkflowExecutionSignaled', { signalName: 'settle', input: [settle, null, 'c1'], ...SERVICE }),
  ];
}

test.each([
  ['nothing', null, undefined],
  ['no list', 'x', undefined],
  ['an empty list', { balances: [] }, undefined],
  ['nothing in its list', { balances: [null] }, undefined],
  ['a number in its list', { balances: [5] }, undefined],
  ['an amount that is a text', { balances: [{ type: 'real', amount: '5' }] }, undefined],
  ['an endless amount', { balances: [{ type: 'real', amount: Infinity }] }, undefined],
  ['a part of a cent', { balances: [{ type: 'real', amount: 0.5 }] }, undefined],
  ['a currency that is none', { balances: [{ type: 'real', amount: 5, currency: {} }] }, undefined],
  ['another currency', { balances: [{ type: 'real', amount: 100, currency: 'USD' }] }, undefined],
  ['one entry that can not be read', { balances: [{ type: 'real', amount: 1 }, null] }, undefined],
  [
    'two amounts',
    {
      balances: [
        { type: 'real', amount: 1 },
        { type: 'bonus', amount: 2 },
      ],
    },
    '0.03 EUR',
  ],
])('a balance of a reconciliation that has %s', (_, balance, expected) => {
  const events = reconciled(balance);
  const outcome = outcomeOf(CREDIT, SNAPSHOT, knownIn([events]));
  expect(outcome.outcome).toContain('accepted by the operator in a reconciliation');
  expect(outcome.balanceAfter).toBe(expected);
  expect(stepsOf(events, 1, 'EUR').map(({ what }) => what)).toContainEqual(
    expect.stringContaining('The operator accepts all of them'),
  );
});

test('a reconciliation without a definite answer says so, and what it asks as asked', () => {
  const end = { type: 'end', key: 'reconcile', reason: 'reconcile', forReconciliation: true };
  const events = [
    event(1, 'WorkflowExecutionStarted', { workflowType: { name: 'reconcile' }, input: ['g'], ...SERVICE }),
    ...call(2, 'closeAndRead', ['g'], [{}]),
    event(5, 'WorkflowExecutionSignaled', { signalName: 'end', input: [end, null, 'c1'], ...SERVICE }),
    ...call(6, 'resend', [{}], [{ kind: 'unreachable' }]),
  ];
  expect(stepsOf(events, 1, 'EUR', reconciliationsIn([events])).map(({ what }) => what)).toEqual([
    'The operator asks for a reconciliation of the round',
    'The round is to be closed for the reconciliation',
    'The service sends every transaction of the round to the operator again',
    'There is no definite answer of the operator',
  ]);
});

test.each(['toString', '__proto__', 'constructor'])(
  'a name that each object has, %s, is only a name',
  (name) => {
    const unknown = { kind: 'unknown', reason: name };
    const events = [
      event(1, 'WorkflowExecutionSignaled', { signalName: name, input: [{}], identity: 'ann' }),
      ...call(2, name, [], []),
      ...call(5, 'deliver', [{ call: { transactions: [CREDIT] } }], [{ result: unknown }]),
      event(8, 'WorkflowExecutionCompleted', { result: [{ status: name }] }),
    ];
    expect(stepsOf(events, 1, 'EUR').map(({ what }) => what.replace(/ \(hash.*/, ''))).toEqual([
      `There is no command ${name}, so nothing is done (sent by ann)`,
      "The service asks the operator's wallet to pay a win of 0.05 EUR",
      `It is not known whether the wallet took the bet: ${name}`,
      `The round is over: ${name}`,
    ]);
    expect([reasonText(name), marksText([name])]).toEqual([name, name]);
  },
);

test.each([undefined, {}, null])('values that are absent (%j) do not stop the dossier', (values) => {
  const transactions = [CREDIT];
  const events = [
    event(1, 'WorkflowExecutionStarted', { input: values, ...SERVICE }),
    event(2, 'WorkflowExecutionSignaled', { signalName: 'settle', input: values, identity: 'ann' }),
    event(3, 'WorkflowExecutionUpdateAccepted', {
      acceptedRequest: { input: { name: 'void', args: values }, meta: { updateId: 'u', identity: 'ann' } },
    }),
    event(4, 'WorkflowExecutionUpdateCompleted', { meta: { updateId: 'u' }, outcome: { success: values } }),
    ...call(5, 'deliver', [{ call: { transactions } }], values),
    ...call(8, 'resend', values, values),
    event(11, 'WorkflowExecutionCompleted', { result: values }),
  ];
  expect(knownIn([events]).decisions).toEqual([]);
  expect(stepsOf(events, 1, 'EUR').map(({ what }) => what)).toEqual([
    "The command settle can't be read: its key is wrong (sent by ann)",
    'The round is to be taken back: every bet returned (reason: by hand) (sent by ann)',
    expect.stringContaining('pay a win'),
    "The answer can't be read: undefined",
    'The service sends every transaction of the round to the operator again',
    "The answer can't be read: undefined",
  ]);
});
