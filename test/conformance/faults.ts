import type { Patches } from './patched';

/** A mistake in a wallet, as a change of our own sources, and the rules that it breaks. */
export interface Fault {
  name: string;
  patches: Patches;
  /** The names of the rules. */
  breaks: readonly string[];
}

const rules = (...replacements: [string, string][]): Patches => ({ 'sdk/wallet-rules.ts': replacements });
const wallet = (...replacements: [string, string][]): Patches => ({ 'sdk/wallet.ts': replacements });

const REPEATED_DEBIT =
  'if (repeated !== undefined) return repeated.errorCode ?? mismatch(repeated.amount, amount);';
const REPEATED_CREDIT = 'if (repeated !== undefined) return mismatch(repeated.amount, amount);';
const SECOND_INITIAL = 'if (round !== undefined && isFirstDebit === true)';
const NOT_OPEN = "if (round.status !== 'open') return walletError('GAMEROUNDNOTACTIVE', round.status);";
const VOIDED_ROUND = "if (round.status === 'voided') return walletError('GAMEROUNDNOTACTIVE', 'voided');";
const VOID_BEGINS = 'const round = roundOf(state, call, transaction);\n  if (round.processed';
const VOID_DONE = "round.processed[keyOf('void', hash)] = { amount };";
const PROCESS = 'processOne(state, call, transaction, hasFailed)';
const BALANCES = '...(state.balance === undefined ? {} : balances(state.balance, currency)),';
const DONE = 'status: errorCode === undefined ? 200 : 400,';

/** Ten mistakes in the SDK's wallet kit. */
export const TEN_FAULTS: readonly Fault[] = [
  {
    name: 'not idempotent',
    patches: rules(
      [REPEATED_DEBIT, ''],
      [SECOND_INITIAL, `${SECOND_INITIAL.slice(0, -1)} && round.initialDebit !== hash.toLowerCase())`],
      [
        '{ balance, round }: WalletState,\n  { amount = 0,',
        '{ balance, round }: WalletState,\n  { hash, amount = 0,',
      ],
      [REPEATED_CREDIT, ''],
    ),
    breaks: [
      'idempotency',
      'idempotency-at-once',
      'closed-round-repeat',
      'reconcile-closed-round',
      'reconcile-missed',
    ],
  },
  {
    name: 'a void before its debit is forgotten',
    patches: rules([
      VOID_BEGINS,
      `if (state.round?.processed[keyOf('debit', hash)] === undefined) return;\n${VOID_BEGINS}`,
    ]),
    breaks: ['void-before-debit', 'void-before-follow-up', 'debit-and-void-at-once'],
  },
  {
    name: 'the count is not checked',
    patches: rules([
      "if (count !== transactions.length) return walletError('TRANSACTIONCOUNTMISMATCH');",
      '',
    ]),
    breaks: ['transaction-count'],
  },
  {
    name: 'signatures are not checked',
    patches: wallet(['if (!signed(fields)) throw unauthorised();', '']),
    breaks: ['signature', 'signature-get-balance', 'signature-report'],
  },
  {
    name: 'a failure is answered with 200',
    patches: wallet([DONE, 'status: 200,']),
    breaks: ['error-on-200', 'voided-round'],
  },
  {
    name: 'a second initial debit is taken',
    patches: rules([`${SECOND_INITIAL} return walletError('GAMEROUNDALREADYSTARTED');`, '']),
    breaks: ['second-initial-debit', 'second-initial-debit-at-once'],
  },
  {
    name: 'a voided round takes a credit',
    patches: rules(
      [VOIDED_ROUND, ''],
      [
        NOT_OPEN,
        NOT_OPEN.replace("!== 'open'", "!== 'open' && (type !== 'credit' || round.status !== 'voided')"),
      ],
    ),
    breaks: ['voided-round'],
  },
  {
    name: 'errors have no errorCode',
    patches: wallet(
      ['body: { errorCode: refused.errorCode }', 'body: {}'],
      ['reply = { status: 400, body: { errorCode: refusal } };', 'reply = { status: 400, body: {} };'],
      ['...(errorCode === undefined ? {} : { errorCode }),\n        hashesProcessed,', ''],
      [BALANCES, `${BALANCES} ...(errorCode === undefined ? { hashesProcessed } : {}),`],
    ),
    breaks: [
      'no-error-code',
      // Their answers have to have an id.
      ...['signature', 'signature-get-balance', 'signature-report', 'operator-id', 'timestamp'],
      ...['get-balance-error', 'second-initial-debit', 'transaction-count'],
      // Nor does it have hashesProcessed.
      'failed-call-listed',
    ],
  },
  {
    name: 'only the first transaction of a call is processed',
    patches: rules(
      ['map((transaction): HashProcessed =>', 'map((transaction, index): HashProcessed =>'],
      [PROCESS, `index > 0 ? undefined : ${PROCESS}`],
    ),
    // The reply lists the second transaction, a debit of more than the balance.
    breaks: ['order', 'reconcile-missed', 'reconcile-voided-debit', 'failed-call-listed'],
  },
  {
    name: 'timestamps are ignored',
    patches: wallet([
      '|| !(age <= (tolerance || Number.MAX_VALUE))',
      '|| Number.isNaN(tolerance - age - age * 0)',
    ]),
    breaks: ['timestamp'],
  },
];

/** Mistakes for the rules that the ten above do not break. */
export const MORE_FAULTS: readonly Fault[] = [
  {
    name: 'a credit pays no more than the stake',
    patches: rules(['(state.balance ?? 0) + amount', '(state.balance ?? 0) + Math.min(amount, 10)']),
    breaks: ['round'],
  },
  {
    name: 'a follow-up debit is refused',
    patches: rules([
      'if (serial !== undefined) return',
      "if (isFirstDebit !== true) return walletError('GAMEROUNDNOTACTIVE');\n  if (serial !== undefined) return",
    ]),
    breaks: ['follow-up-debit', 'void-follow-up'],
  },
  {
    name: 'a failed call lists nothing',
    patches: wallet([
      ': { errorCode }),\n        hashesProcessed,',
      ': { errorCode }),\n        hashesProcessed: errorCode === undefined ? hashesProcessed : [],',
    ]),
    breaks: ['failed-call-listed'],
  },
  {
    name: 'the reply has the balance before the call',
    patches: wallet([BALANCES, BALANCES.replaceAll('state.balance', 'before.balance')]),
    breaks: ['balance-in-reply'],
  },
  {
    name: 'an amount of 0 is refused',
    patches: wallet(['(amount as number) >= 0', '(amount as number) > 0']),
    breaks: ['zero-amount'],
  },
  {
    name: 'a void deletes its round',
    patches: rules([VOID_DONE, 'state.round = undefined;']),
    breaks: [
      ...['idempotency-after-void', 'void-before-debit', 'void-before-follow-up', 'void-follow-up'],
      ...['debit-and-void-at-once', 'voided-round'],
    ],
  },
  {
    name: 'a void gives nothing back',
    patches: rules(['state.balance += amount;', '']),
    breaks: [
      ...['void', 'idempotency', 'idempotency-after-void', 'void-follow-up', 'void-closed-round'],
      ...['debit-and-void-at-once', 'voided-round', 'reconcile-voided-debit'],
    ],
  },
  {
    name: 'a void of an unknown debit is refused',
    patches: rules([
      VOID_BEGINS,
      `if (state.round?.processed[keyOf('debit', hash)] === undefined) return walletError('GAMEROUNDNOTSTARTED');\n${VOID_BEGINS}`,
    ]),
    breaks: ['void-unknown', 'void-before-debit', 'void-before-follow-up'],
  },
  {
    name: 'a void of a follow-up debit voids the round',
    patches: rules(['if (hash.toLowerCase() === round.initialDebit) round.status', 'round.status']),
    breaks: ['void-follow-up', 'void-before-follow-up'],
  },
  {
    name: 'a closed round refuses a void',
    patches: rules([
      VOID_BEGINS,
      `if (state.round?.status === 'closed') return walletError('GAMEROUNDNOTACTIVE');\n${VOID_BEGINS}`,
    ]),
    breaks: ['void-closed-round'],
  },
  {
    name: 'a void of a failed debit pays',
    patches: rules(
      ['taken === undefined || taken.errorCode !== undefined ?', 'taken === undefined ?'],
      ['errorCode === undefined ? { amount } : { amount, errorCode };', '{ amount, errorCode };'],
    ),
    breaks: ['void-failed-debit'],
  },
  {
    name: 'a credit after a failed debit of its call is paid',
    patches: rules(['if (hasFailed) return', 'if (hasFailed && amount < 0) return']),
    breaks: ['failed-debit-same-call'],
  },
  {
    name: 'a failed initial debit opens its round',
    patches: rules(["else if (known === undefined) round.status = 'failed';", '']),
    breaks: ['failed-debit-later-calls'],
  },
  {
    name: 'a failed follow-up debit ends its round',
    patches: rules(['else if (known === undefined) round', 'else round']),
    breaks: ['failed-follow-up'],
  },
  {
    name: 'a closed round takes a credit',
    patches: rules([NOT_OPEN, NOT_OPEN.replace("!== 'open'", "!== 'open' && round.status !== 'closed'")]),
    breaks: ['order', 'closed-round'],
  },
  {
    name: 'the debits of a call are processed first',
    patches: rules(
      ['if (firstEnd >= 0 &&', 'if (firstEnd < -1 &&'],
      [
        'call.transactions.map((',
        "[...call.transactions].sort((a, b) => Number(b.type === 'debit') - Number(a.type === 'debit')).map((",
      ],
    ),
    breaks: ['debit-after-end'],
  },
  {
    name: 'a call for a closed round is refused',
    patches: rules([
      'return round === undefined || round.currency === currency',
      "if (round?.status === 'closed') return walletError('GAMEROUNDNOTACTIVE');\n  return round === undefined || round.currency === currency",
    ]),
    breaks: ['idempotency', 'closed-round-repeat', 'reconcile-closed-round', 'void-closed-round'],
  },
  {
    name: 'the operator id is not checked',
    patches: wallet(['if (authId !== operatorId ||', 'if (operatorId === undefined ||']),
    breaks: ['operator-id'],
  },
  {
    name: 'only the first secret verifies',
    patches: {
      'sdk/signing.ts': [['for (const secret of secrets)', 'for (const secret of secrets.slice(0, 1))']],
    },
    breaks: ['secret-rotation'],
  },
  {
    name: 'no balance is real',
    patches: wallet(["type: 'real'", "type: 'cash'"]),
    breaks: ['get-balance'],
  },
  {
    name: 'an unknown player has no balances',
    patches: wallet([
      "throw new Refused(404, walletError('PLAYERNOTFOUND'))",
      'return { body: { balances: [] } }',
    ]),
    breaks: ['get-balance-error', 'no-balances'],
  },
  {
    name: 'replies are no JSON objects',
    patches: wallet([
      'reply = {\n      status',
      'reply = { status: 200, body: [] };\n    const _ = {\n      status',
    ]),
    breaks: [...['not-json', 'voided-round'], ...['second-initial-debit', 'second-initial-debit-at-once']],
  },
  {
    name: 'a refused credit gets 500',
    patches: wallet([
      DONE,
      "status: errorCode === undefined ? 200 : call.transactions[0]?.type === 'credit' ? 500 : 400,",
    ]),
    breaks: ['credit-5xx', 'voided-round'],
  },
  {
    name: 'a refusal has the status 202',
    patches: wallet([
      'reply = { status: 400, body: { errorCode: refusal } };',
      'reply = { status: 202, body: { errorCode: refusal } };',
    ]),
    breaks: ['wrong-status', 'transaction-count'],
  },
  {
    name: 'amounts are texts',
    patches: wallet([
      BALANCES,
      BALANCES.replace('balances(state.balance,', 'balances(String(state.balance) as never,'),
    ]),
    breaks: ['balance-amount'],
  },
  {
    name: 'balances have another currency',
    patches: wallet([BALANCES, BALANCES.replace(', currency)', ", 'XTS')")]),
    breaks: ['balance-currency'],
  },
  {
    name: 'hashesProcessed is missing',
    patches: wallet([': { errorCode }),\n        hashesProcessed,', ': { errorCode }),']),
    breaks: ['hash-not-listed'],
  },
  {
    name: 'hashesProcessed has other hashes',
    patches: wallet([
      ': { errorCode }),\n        hashesProcessed,',
      ": { errorCode }),\n        hashesProcessed: [...hashesProcessed, { hash: 'other' }],",
    ]),
    breaks: ['unknown-hash'],
  },
  {
    name: 'a report is never answered',
    patches: wallet([
      'await options.report?.(',
      'await new Promise(() => undefined); await options.report?.(',
    ]),
    breaks: ['no-reply', 'report'],
  },
];

const LISTED = ': { errorCode }),\n        hashesProcessed,';
const WITHOUT_ERRORS = 'hashesProcessed: hashesProcessed.map(({ hash }) => ({ hash })),';

/** Mistakes, the rules that they break, and the rules that cannot be checked because of one of those. */
export const CAUSES: readonly (Fault & { cause?: string; hides?: readonly string[] })[] = [
  {
    name: 'a refused hash is listed without an errorCode',
    patches: wallet([LISTED, `: { errorCode }),\n        ${WITHOUT_ERRORS}`]),
    breaks: ['failed-call-listed'],
  },
  {
    name: 'a refused hash is listed without an errorCode, and credits after a failed debit are paid',
    patches: {
      ...wallet([LISTED, `: { errorCode }),\n        ${WITHOUT_ERRORS}`]),
      ...rules(
        ['if (hasFailed) return', 'if (hasFailed && amount < 0) return'],
        ["else if (known === undefined) round.status = 'failed';", ''],
      ),
    },
    breaks: ['failed-call-listed', 'failed-debit-same-call', 'failed-debit-later-calls'],
  },
  {
    name: 'a refusal has a list of hashes and no errorCode',
    patches: wallet([LISTED, `: {}),\n        ${WITHOUT_ERRORS}`]),
    breaks: ['no-error-code', 'failed-call-listed', 'second-initial-debit'],
  },
  {
    name: 'a debit of more than the balance is answered with 200 and takes nothing',
    patches: wallet(
      ['one.errorCode !== undefined)', 'one.errorCode !== undefined && one.errorCode.id !== 5001)'],
      [
        LISTED,
        `${LISTED.slice(0, -1)}: errorCode ? hashesProcessed : hashesProcessed.map(({ hash }) => ({ hash })),`,
      ],
    ),
    breaks: ['failed-debit'],
    cause: 'failed-debit',
    hides: ['void-failed-debit', 'failed-call-listed', 'failed-debit-later-calls', 'failed-follow-up'],
  },
  {
    name: 'amounts are in units',
    patches: wallet(["type: 'real', amount,", "type: 'real', amount: amount / 100,"]),
    breaks: ['balance-amount'],
    cause: 'balance-amount',
    hides: ['round', 'balance-in-reply', 'idempotency', 'failed-debit', 'failed-follow-up'],
  },
  {
    name: 'eight bytes of a signature are compared',
    patches: {
      'sdk/signing.ts': [
        [
          'sameText(signature, expected(secret))',
          'sameText(signature.slice(0, 10), expected(secret).slice(0, 10))',
        ],
      ],
    },
    breaks: ['signature', 'signature-get-balance', 'signature-report'],
  },
  {
    name: 'the timestamp of a report is not checked',
    patches: wallet([
      'signatureOf(options, request.headers, seen)',
      "signatureOf(call.endsWith('Report') ? { ...options, timestampToleranceMs: 0 } : options, request.headers, seen)",
    ]),
    breaks: ['timestamp'],
  },
];

const sandbox = (...replacements: [string, string][]): Patches => ({
  'sandbox/wallet/transactions.ts': replacements,
});

/** Mistakes in the sandbox's wallet, which has tickets and discounts. */
export const SANDBOX_FAULTS: readonly Fault[] = [
  {
    name: 'a bet with a ticket takes money too',
    patches: sandbox(['realDelta: 0, bonusDelta: 0, serial }', 'realDelta: -5, bonusDelta: 0, serial }']),
    breaks: ['ticket', 'ticket-at-once'],
  },
  {
    name: 'a ticket can be used more often than its count',
    patches: sandbox([' && ticket.count > 0', '']),
    breaks: ['ticket-at-once'],
  },
  {
    name: 'a discount is not taken off',
    patches: sandbox(['amount - discountAmount', 'amount']),
    breaks: ['discount'],
  },
];
