import { randomUUID } from 'node:crypto';
import { HEADERS, operatorFields } from '../../sdk/signing';
import { asArray, type Exchange, isObject, type Wrong } from '../exchange';
import { Broken, type Rule } from '../rule';
import {
  ALTERED_SIGNATURES,
  errorIn,
  isMissing,
  mustAccept,
  mustHaveId,
  mustHaveStatus,
  mustReply,
  skip,
} from '../expect';
import { ruleOfReply } from './reply-rules';
import { AT_ONCE, isAccepted, isListed, type TestedRound, type TestedWallet } from './tested-wallet';
import type { Transaction } from './transaction';

type WalletRule = Rule<TestedWallet>;

const atOnce = <Value>(make: (index: number) => Promise<Value>, times = AT_ONCE): Promise<Value[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => make(index)));

const INITIAL = 'the initial debit';

const MONEY: WalletRule[] = [
  {
    name: 'round',
    anchor: 'operator-api.md#do-transactions',
    text: 'A debit takes its amount, a credit pays its amount, and an end moves no money.',
    check: async (wallet) => {
      const round = wallet.round();
      const amount = 2 * wallet.stake;
      await round.accepts([round.debit({ amount })], INITIAL);
      await wallet.moved(-amount, `a debit of ${amount}`);
      await round.accepts([round.credit(amount)], 'a credit');
      await wallet.moved(0, `a debit and a credit of ${amount}`);
      await round.accepts([round.end()], 'an end');
      await wallet.moved(0, 'an end');
    },
  },
  {
    name: 'follow-up-debit',
    anchor: 'objects.md#operator-transaction',
    text: 'A further debit of an open round, with isFirstDebit false, is taken.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      await round.accepts([round.followUp()], 'a follow-up debit');
      await wallet.moved(-2 * wallet.stake, 'an initial debit and a follow-up debit');
    },
  },
  {
    name: 'balance-in-reply',
    anchor: 'operator-api.md#do-transactions',
    text: 'The reply to doTransactions has the balances after the call.',
    check: async (wallet) => {
      const round = wallet.round();
      const taken = await round.accepts([round.debit()], INITIAL);
      mustTell(wallet, taken, -wallet.stake);
      mustTell(wallet, await round.accepts([round.credit()], 'a credit'), 0);
    },
  },
  {
    name: 'zero-amount',
    anchor: 'README.md#sign-fields',
    text: 'An amount of 0 is allowed. Like a missing one, it is not in the signed fields.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit({ amount: 0 })], 'a debit of 0');
      await round.accepts([round.credit(0)], 'a credit of 0');
      await wallet.moved(0, 'a debit and a credit of 0');
    },
  },
  {
    name: 'order',
    anchor: 'operator-api.md#idempotent-on-hash',
    text: 'All transactions of a call are carried out, in their order.',
    check: async (wallet) => {
      const round = wallet.round();
      const call = [round.debit(), round.credit(), round.end()];
      await round.accepts(call, 'a call with debit, credit and end');
      await wallet.moved(0, 'a debit, a credit of the same amount and an end in one call');
      await round.refuses([round.credit()], 'a new credit after the end of that call');
    },
  },
  {
    name: 'rounds-at-once',
    anchor: 'operator-api.md#do-transactions',
    text: 'Calls of several rounds of one player at the same moment: each moves its money.',
    check: async (wallet) => {
      const rounds = Array.from({ length: AT_ONCE }, () => wallet.round());
      const debits = await Promise.all(rounds.map((round) => round.send([round.debit()])));
      for (const reply of debits) mustAccept(reply, `one of ${AT_ONCE} debits at once`);
      await wallet.moved(-AT_ONCE * wallet.stake, `${AT_ONCE} debits at once`);
      const credits = await Promise.all(rounds.map((round) => round.send([round.credit()])));
      for (const reply of credits) mustAccept(reply, `one of ${AT_ONCE} credits at once`);
      await wallet.moved(0, `${AT_ONCE} credits at once`);
    },
  },
  {
    name: 'failed-debit',
    anchor: 'operator-api.md#no-credit-after-failed-debit',
    text: 'A debit of more than the balance fails and takes no money.',
    check: async (wallet) => {
      await failedDebit(wallet, wallet.round());
      await wallet.moved(0, 'a debit of more than the balance');
    },
  },
];

const IDEMPOTENCY: WalletRule[] = [
  {
    name: 'idempotency',
    anchor: 'operator-api.md#idempotent-on-hash',
    text: 'Each transaction is idempotent on type and hash: a repeat moves no money and gets the first answer.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await twice(wallet, round, debit, -wallet.stake);
      await twice(wallet, round, round.credit(), 0);
      await twice(wallet, round, round.end(), 0);
      const voided = wallet.round();
      const taken = voided.debit();
      await voided.accepts([taken], INITIAL);
      await voided.accepts([voided.void(taken)], 'a void');
      mustBeDone(await voided.send([voided.void(taken)]), 'the repeat of a void');
      await wallet.moved(0, 'a void and its repeat');
    },
  },
  {
    name: 'idempotency-at-once',
    anchor: 'operator-api.md#idempotent-on-hash',
    text: 'Equal calls at the same moment move money once.',
    check: async (wallet) => {
      const round = wallet.round();
      const [debit, credit] = [round.debit(), round.credit()];
      const debits = await atOnce(() => round.send([debit]));
      await wallet.moved(-wallet.stake, `${AT_ONCE} equal debits at once`);
      for (const reply of debits) mustAccept(reply, `one of ${AT_ONCE} equal debits at once`);
      const credits = await atOnce(() => round.send([credit]));
      await wallet.moved(0, `${AT_ONCE} equal credits at once`);
      for (const reply of credits) mustAccept(reply, `one of ${AT_ONCE} equal credits at once`);
    },
  },
  {
    name: 'idempotency-after-void',
    anchor: 'operator-api.md#idempotent-on-hash',
    text: 'A debit that was voided moves no money when it arrives again.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      await round.accepts([round.void(debit)], 'its void');
      mustReply(await round.send([debit]), 'the repeat of a voided debit');
      await wallet.moved(0, 'a debit, its void and the debit again');
    },
  },
];

const VOIDS: WalletRule[] = [
  {
    name: 'void',
    anchor: 'operator-api.md#void-any-state',
    text: 'A void gives its debit back.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      await round.accepts([round.void(debit)], 'its void');
      await wallet.moved(0, 'a debit and its void');
    },
  },
  {
    name: 'void-unknown',
    anchor: 'operator-api.md#void-before-debit',
    text: 'A void of a debit that the wallet does not know is accepted and moves no money.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.void(round.debit())], 'a void of an unknown debit');
      await wallet.moved(0, 'a void of an unknown debit');
    },
  },
  {
    name: 'void-before-debit',
    anchor: 'operator-api.md#void-before-debit',
    text: 'A void can arrive before its debit. The debit is then voided when it arrives, and no money moves.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      mustReply(await round.send([round.void(debit)]), 'a void before its debit');
      mustReply(await round.send([debit]), 'the debit after its void');
      await wallet.moved(0, 'a void and then its debit');
    },
  },
  {
    name: 'void-before-follow-up',
    anchor: 'operator-api.md#void-before-debit',
    text: 'A void can arrive before its follow-up debit. That debit moves no money, and the round stays open.',
    check: async (wallet) => {
      if (wallet.settings.voidsWholeRound) skip('the wallet voids whole rounds (--voids-whole-round)');
      const round = wallet.round();
      const late = round.followUp();
      await round.accepts([round.debit()], INITIAL);
      mustReply(await round.send([round.void(late)]), 'a void before its follow-up debit');
      mustReply(await round.send([late]), 'the follow-up debit after its void');
      await wallet.moved(-wallet.stake, 'a debit, a void of a follow-up debit and then that debit');
      await round.accepts([round.credit()], 'a credit of the round');
    },
  },
  {
    name: 'void-follow-up',
    anchor: 'gameround.md#voids-whole-round',
    text: 'A void of a follow-up debit takes back this one debit, or the whole round for an operator with voidsWholeRound.',
    check: async (wallet) => {
      const round = wallet.round();
      const followUp = round.followUp();
      await round.accepts([round.debit()], INITIAL);
      await round.accepts([followUp], 'a follow-up debit');
      await round.accepts([round.void(followUp)], 'a void of the follow-up debit');
      const left = wallet.settings.voidsWholeRound ? 0 : -wallet.stake;
      await wallet.moved(left, 'two debits and a void of the second');
      if (!wallet.settings.voidsWholeRound) await round.accepts([round.credit()], 'a credit of the round');
    },
  },
  {
    name: 'void-closed-round',
    anchor: 'operator-api.md#void-any-state',
    text: 'A void is processed in any state of the round, so also in a closed one.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      await round.accepts([round.end()], 'an end');
      await round.accepts([round.void(debit)], 'a void in a closed round');
      await wallet.moved(0, 'a debit, an end and a void');
    },
  },
  {
    name: 'void-failed-debit',
    anchor: 'operator-api.md#void-any-state',
    text: 'A void of a debit that failed is accepted and moves no money.',
    check: async (wallet) => {
      const round = wallet.round();
      const { debit } = await failedDebit(wallet, round);
      await round.accepts([round.void(debit)], 'a void of a failed debit');
      await wallet.moved(0, 'a failed debit and its void');
    },
  },
  {
    name: 'debit-and-void-at-once',
    anchor: 'operator-api.md#void-before-debit',
    text: 'A debit and its void at the same moment move no money, whichever is processed first.',
    check: async (wallet) => {
      await atOnce(async (index) => {
        const round = wallet.round();
        const debit = round.debit();
        const call = [round.void(debit)];
        const [first, second] = index % 2 === 0 ? [call, [debit]] : [[debit], call];
        const replies = await Promise.all([round.send(first), round.send(second)]);
        // The service sends a void until it is answered.
        if (replies[index % 2]?.reply?.status !== 200)
          mustBeDone(await round.send(call), 'a void that was sent again');
      });
      await wallet.moved(0, `${AT_ONCE} debits, each with its void at the same moment`);
    },
  },
];

const FAILURES: WalletRule[] = [
  {
    name: 'failed-debit-same-call',
    anchor: 'operator-api.md#no-credit-after-failed-debit',
    text: 'After a failed debit, later credits of the same call are refused. The status is not 200.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      const tooMuch = round.followUp(wallet.tooMuch());
      await mustFail(await round.send([tooMuch, round.credit()]), wallet, round, tooMuch);
      await wallet.moved(-wallet.stake, 'a debit, and a call with a failing debit and a credit');
    },
  },
  {
    name: 'failed-call-listed',
    anchor: 'operator-api.md#do-transactions',
    text: 'In a call that fails, hashesProcessed lists what went through without an errorCode, and only that.',
    check: async (wallet) => {
      const failed = await failedDebit(wallet, wallet.round());
      mustNotList(failed.exchange, failed.debit);
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      const [credit, tooMuch] = [round.credit(), round.followUp(wallet.tooMuch())];
      const exchange = await round.send([credit, tooMuch]);
      await mustFail(exchange, wallet, round, tooMuch);
      mustNotList(exchange, tooMuch);
      // A wallet may also refuse the whole call.
      const isPaid = isListed(exchange, credit);
      const what = `a debit, and a failed call whose credit is ${isPaid ? '' : 'not '}listed as processed`;
      await wallet.moved(isPaid ? 0 : -wallet.stake, what);
      await round.accepts([round.end()], 'an end');
      const late = round.credit();
      const refused = await round.send([late]);
      // The rule closed-round checks that it is refused. The service counts a credit that is listed as paid.
      if (refused.reply?.status !== 200) mustNotList(refused, late);
    },
  },
  {
    name: 'failed-debit-later-calls',
    anchor: 'operator-api.md#no-credit-after-failed-debit',
    text: 'After a failed initial debit, later debits and credits of the round are refused.',
    check: async (wallet) => {
      const round = wallet.round();
      await failedDebit(wallet, round);
      await round.refuses([round.credit()], 'a credit after a failed initial debit');
      await round.refuses([round.followUp()], 'a follow-up debit after a failed initial debit');
      await wallet.moved(0, 'a failed initial debit and what came after it');
    },
  },
  {
    name: 'failed-follow-up',
    anchor: 'gameround.md#follow-up-failed',
    text: 'A follow-up debit that fails leaves its round open.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      const tooMuch = round.followUp(wallet.tooMuch());
      await mustFail(await round.send([tooMuch]), wallet, round, tooMuch);
      await round.accepts([round.credit()], 'a credit after a failed follow-up debit');
      await wallet.moved(0, 'a debit, a failed follow-up debit and a credit');
    },
  },
  {
    name: 'second-initial-debit',
    anchor: 'operator-api.md#second-initial-debit',
    text: 'A second initial debit of a round gets id 12 GAMEROUNDALREADYSTARTED and takes no money.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      const second = await round.refuses([round.debit()], 'a second initial debit');
      mustHaveId(second, 'a second initial debit', 12);
      await wallet.moved(-wallet.stake, 'two initial debits');
    },
  },
  {
    name: 'second-initial-debit-at-once',
    anchor: 'operator-api.md#second-initial-debit',
    text: 'Of several initial debits of a round at the same moment, one is accepted.',
    check: async (wallet) => {
      const round = wallet.round();
      const replies = await atOnce(() => round.send([round.debit()]));
      const taken = replies.filter(({ reply }) => reply?.status === 200 && !errorIn(reply.json));
      if (taken.length !== 1)
        throw new Broken(
          `${taken.length} of ${AT_ONCE} initial debits of a round were accepted`,
          taken.at(-1) ?? replies.at(-1),
        );
      await wallet.moved(-wallet.stake, `${AT_ONCE} initial debits of one round at once`);
    },
  },
];

const STATES: WalletRule[] = [
  {
    name: 'closed-round',
    anchor: 'operator-api.md#void-any-state',
    text: 'A new debit or credit of a closed round is refused.',
    check: async (wallet) => {
      const round = wallet.round();
      await round.accepts([round.debit()], INITIAL);
      await round.close();
      await round.refuses([round.credit()], 'a new credit in a closed round');
      await round.refuses([round.followUp()], 'a new debit in a closed round');
      await wallet.moved(0, 'a closed round and a new debit and credit in it');
    },
  },
  {
    name: 'closed-round-repeat',
    anchor: 'operator-api.md#void-any-state',
    text: 'A transaction of a closed round that was processed before is a repeat, not a new one.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      const { credit, end } = await round.close();
      for (const one of [debit, credit, end])
        await round.accepts([one], `the repeat of the ${one.type} in a closed round`);
      await wallet.moved(0, 'a closed round and the repeats of its transactions');
    },
  },
  {
    name: 'voided-round',
    anchor: 'operator-api.md#void-any-state',
    text: 'A transaction of a voided round gets 400 and moves no money.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      await round.accepts([round.void(debit)], 'its void');
      for (const one of [round.credit(), round.followUp(), round.debit(), round.end()]) {
        const what = `a new ${one.type} in a voided round`;
        mustHaveStatus(await round.send([one]), what, 400);
      }
      await wallet.moved(0, 'a voided round and new transactions in it');
    },
  },
  {
    name: 'debit-after-end',
    anchor: 'operator-api.md#no-debit-after-end',
    text: 'A debit after an end in the same call is refused.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      await round.refuses([round.end(), round.followUp()], 'a call with a debit after an end');
      await wallet.moved(-wallet.stake, 'a debit, and a call with a debit after an end');
      mustBeDone(await round.send([round.void(debit)]), 'a void');
    },
  },
  {
    name: 'transaction-count',
    anchor: 'operator-api.md#transaction-count',
    text: 'If transactionCount is not the number of transactions, the answer is 400 with id 16, and nothing is processed.',
    check: async (wallet) => {
      for (const transactionCount of [2, 0]) {
        const round = wallet.round();
        const what = `one transaction with transactionCount ${transactionCount}`;
        const reply = await round.refuses([round.debit()], what, { transactionCount });
        mustHaveStatus(reply, what, 400);
        mustHaveId(reply, what, 16);
      }
      await wallet.moved(0, 'calls with a wrong transactionCount');
    },
  },
];

const RECONCILIATION: WalletRule[] = [
  {
    name: 'reconcile-closed-round',
    anchor: 'operator-api.md#reconcile-transactions',
    text: 'A reconciliation sends all transactions of a closed round again in one call. They are repeats: accepted, and no money moves.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      const { credit, end } = await round.close();
      await round.accepts([debit, credit, end], 'all transactions of a closed round again');
      await wallet.moved(0, 'a closed round and all of its transactions again');
    },
  },
  {
    name: 'reconcile-missed',
    anchor: 'operator-api.md#reconcile-transactions',
    text: 'Of the transactions that a reconciliation sends, the wallet processes those that it has missed.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      await round.accepts([debit], INITIAL);
      const call = [debit, round.credit(), round.end()];
      await round.accepts(call, 'a known debit with a credit and an end that were missed');
      await wallet.moved(0, 'a reconciliation of a debit with a missed credit');
    },
  },
  {
    name: 'reconcile-voided-debit',
    anchor: 'operator-api.md#reconcile-debits',
    text: 'A debit whose outcome is unknown is sent again only together with its void. Together they move no money.',
    check: async (wallet) => {
      const round = wallet.round();
      const debit = round.debit();
      const call = [debit, round.void(debit)];
      mustReply(await round.send(call), 'a debit with its void in one call');
      await wallet.moved(0, 'a debit and its void in one call');
      mustReply(await round.send(call), 'a debit with its void again');
      await wallet.moved(0, 'a debit and its void in one call, sent twice');
    },
  },
];

const WRONG_SIGNATURES: Record<string, (timestamp: string) => Wrong> = {
  'with another secret': () => ({ secret: 'not-the-secret' }),
  'over other fields': () => ({ fields: [randomUUID()] }),
  'over another timestamp': (signedTimestamp) => ({ signedTimestamp }),
  'that is empty': () => ({ headers: { [HEADERS.signature]: '' } }),
  'that is missing': () => ({ headers: { [HEADERS.signature]: undefined } }),
  ...Object.fromEntries(Object.entries(ALTERED_SIGNATURES).map(([how, wrong]) => [how, () => wrong])),
};

const AUTHENTICATION: WalletRule[] = [
  {
    name: 'signature',
    anchor: 'README.md#signature-refused',
    text: 'A call with a wrong signature gets 401 with id 1001, and nothing is processed.',
    check: async (wallet) => {
      for (const [how, wrong] of Object.entries(WRONG_SIGNATURES)) {
        const round = wallet.round();
        const options = { wrong: wrong(new Date(Date.now() - 1_000).toISOString()) };
        mustBeUnauthorised(await round.send([round.debit()], options), `a debit signed ${how}`);
      }
      const round = wallet.round();
      const [sent, other] = [round.debit(), round.debit({ amount: wallet.stake + 1 })];
      const { playerId, gameCode } = wallet.settings;
      const { gameRound } = round;
      const transactions = [{ ...other, hash: sent.hash }];
      const fields = operatorFields.doTransactions({ playerId, gameCode, gameRound, transactions });
      mustBeUnauthorised(
        await round.send([sent], { wrong: { fields } }),
        'a debit signed over another amount',
      );
      await wallet.moved(0, 'debits with a wrong signature');
    },
  },
  {
    name: 'signature-get-balance',
    anchor: 'README.md#signature-refused',
    text: 'A getBalance with a wrong signature gets 401 with id 1001. gameCode is signed if it is there, externalSessionId is not.',
    check: async (wallet) => {
      for (const [how, wrong] of Object.entries(WRONG_SIGNATURES)) {
        const reply = await wallet.getBalance({ wrong: wrong(new Date(Date.now() - 1_000).toISOString()) });
        mustBeUnauthorised(reply, `getBalance signed ${how}`);
      }
      const { playerId, currency, gameCode } = wallet.settings;
      const wrong = { fields: [playerId, currency] };
      const reply = await wallet.getBalance({ gameCode, wrong });
      mustBeUnauthorised(reply, 'getBalance with a gameCode that is not signed');
      mustAccept(await wallet.getBalance({ gameCode }), 'getBalance with a signed gameCode');
      const session = await wallet.getBalance({ externalSessionId: randomUUID() });
      mustAccept(session, 'getBalance with an externalSessionId');
    },
  },
  {
    name: 'operator-id',
    anchor: 'README.md#signature-refused',
    text: 'A call whose X-H-AUTH-ID is unknown or missing gets 401 with id 1001.',
    check: async (wallet) => {
      const missing = { headers: { [HEADERS.authId]: undefined } };
      mustBeUnauthorised(await wallet.getBalance({ wrong: missing }), 'getBalance without X-H-AUTH-ID');
      const unknown = { authId: `unknown-${randomUUID()}` };
      mustBeUnauthorised(
        await wallet.getBalance({ wrong: unknown }),
        'getBalance with an unknown X-H-AUTH-ID',
      );
    },
  },
  {
    name: 'secret-rotation',
    anchor: 'README.md#secret-rotation',
    text: 'An operator can have several secrets: a call that is signed with any of them is accepted.',
    check: async (wallet) => {
      const { secondSecret: secret } = wallet.settings;
      if (secret === undefined) return skip('--second-secret is not given');
      mustAccept(await wallet.getBalance({ wrong: { secret } }), 'getBalance signed with the second secret');
      const round = wallet.round();
      const reply = await round.send([round.debit()], { wrong: { secret } });
      mustAccept(reply, 'a debit signed with the second secret');
    },
  },
  {
    name: 'timestamp',
    anchor: 'README.md#timestamps',
    text: 'A call whose X-H-TIMESTAMP is no time, or differs from the clock by more than the tolerance, gets 401 with id 1001.',
    check: async (wallet) => {
      const { timestampToleranceMs } = wallet.settings;
      if (timestampToleranceMs === 0) skip('the wallet does not check it (--timestamp-tolerance 0)');
      const off = timestampToleranceMs + 60_000;
      const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
      const times = { 'too old': at(-off), 'too far ahead': at(off), 'no time': 'yesterday' };
      const report = await reportOf(wallet);
      for (const [how, timestamp] of Object.entries(times)) {
        const round = wallet.round();
        const reply = await round.send([round.debit()], { wrong: { timestamp } });
        mustBeUnauthorised(reply, `a debit whose timestamp is ${how}`);
        const balance = await wallet.getBalance({ wrong: { timestamp } });
        mustBeUnauthorised(balance, `getBalance whose timestamp is ${how}`);
        const reported = await report({ timestamp });
        if (!isMissing(reported)) mustBeUnauthorised(reported, `a report whose timestamp is ${how}`);
      }
      await wallet.moved(0, 'debits with a wrong timestamp');
    },
  },
];

const BALANCE: WalletRule[] = [
  {
    name: 'get-balance',
    anchor: 'operator-api.md#get-balance-reply',
    text: 'The reply to getBalance has one balance of type real, and at most one bonus balance; then useBonusFirst says which is used first.',
    check: async (wallet) => {
      for (const change of [{}, { gameCode: wallet.settings.gameCode }]) {
        const exchange = mustAccept(await wallet.getBalance(change), 'getBalance');
        const fault = faultOfBalances(exchange);
        if (fault !== undefined) throw new Broken(fault, exchange);
      }
    },
  },
  {
    name: 'get-balance-error',
    anchor: 'operator-api.md#get-balance-reply',
    text: 'An error of getBalance has a 4xx or 5xx status and an errorCode.',
    check: async (wallet) => {
      const exchange = await wallet.getBalance({ playerId: `unknown-${randomUUID()}` });
      const { reply } = mustReply(exchange, 'getBalance of an unknown player');
      if (reply.status === 200 && wallet.totalIn(exchange) !== undefined)
        skip('the wallet has an account for each player who asks, so getBalance does not fail');
      const isError = reply.status >= 400 && errorIn(reply.json) !== undefined;
      if (!isError)
        throw new Broken('getBalance of an unknown player is no 4xx or 5xx with an errorCode', exchange);
    },
  },
];

const NO_TICKET = 'getBalance with gameCode lists no ticket or free play of the player in this currency';

const GRANTS: WalletRule[] = [
  {
    name: 'ticket',
    anchor: 'gameround.md#ticket-debit',
    text: 'A debit with the serial of a ticket has no amount. It takes a ticket and no money; its void gives the ticket back.',
    check: async (wallet) => {
      const [ticket] = await wallet.tickets();
      if (ticket === undefined) return skip(NO_TICKET);
      const left = async (): Promise<number> =>
        (await wallet.tickets()).find(({ serial }) => serial === ticket.serial)?.count ?? 0;
      const round = wallet.round();
      const debit = round.ticketDebit(ticket.serial);
      const taken = await round.accepts([debit], 'a debit that a ticket pays');
      await wallet.moved(0, 'a debit that a ticket pays');
      mustCount(taken, 'a debit that a ticket pays', await left(), ticket.count - 1);
      await round.accepts([debit], 'its repeat');
      mustCount(taken, 'its repeat', await left(), ticket.count - 1);
      const given = await round.accepts([round.void(debit)], 'its void');
      await wallet.moved(0, 'a debit that a ticket pays, and its void');
      mustCount(given, 'its void', await left(), ticket.count);
    },
  },
  {
    name: 'ticket-at-once',
    anchor: 'gameround.md#tickets',
    text: 'Of several bets at the same moment, no more are accepted than there are tickets.',
    check: async (wallet) => {
      const ticket = (await wallet.tickets()).find(({ count }) => count <= AT_ONCE);
      if (ticket === undefined) return skip(`${NO_TICKET}, or none with a count of at most ${AT_ONCE}`);
      const replies = await atOnce(() => {
        const round = wallet.round();
        return round.send([round.ticketDebit(ticket.serial)]);
      }, ticket.count + 1);
      const taken = replies.filter(({ reply }) => reply?.status === 200);
      if (taken.length !== ticket.count)
        throw new Broken(
          `${taken.length} of ${replies.length} bets at once were accepted with ${ticket.count} tickets`,
          replies.at(-1),
        );
      await wallet.moved(0, 'bets that tickets pay');
    },
  },
  {
    name: 'discount',
    anchor: 'gameround.md#discounts',
    text: 'A debit carries the full stake, and the wallet takes its discount off. Its void gives back what was taken.',
    check: async (wallet) => {
      const [discount] = await wallet.discounts();
      if (discount === undefined) return skip('getBalance has no discountInfo that is valid now');
      const { stake, absoluteDiscountAmount: off } = discount;
      const price = stake - Math.min(off, stake);
      if (price >= wallet.tooMuch()) skip(`the balance is too low for the discounted stake of ${stake}`);
      const round = wallet.round();
      const debit = round.debit({ amount: stake });
      await round.accepts([debit], 'a debit with a discount');
      await wallet.moved(-price, `a debit of ${stake} with a discount of ${off}`);
      await round.accepts([round.void(debit)], 'its void');
      await wallet.moved(0, 'a debit with a discount, and its void');
    },
  },
];

const REPORTS: WalletRule[] = [
  {
    name: 'report',
    anchor: 'operator-api.md#do-game-round-report',
    text: 'doGameRoundReport gets 200 with an empty object. It can come more than once.',
    check: async (wallet) => {
      const send = await reportOf(wallet);
      const first = await send();
      if (isMissing(first)) skip(`the wallet takes no reports: it answers with ${first.reply?.status}`);
      for (const exchange of [first, await send()]) {
        mustHaveStatus(exchange, 'doGameRoundReport', 200);
        if (exchange.reply?.json === undefined)
          throw new Broken('the body of the reply is no JSON object', exchange);
      }
    },
  },
  {
    name: 'signature-report',
    anchor: 'README.md#signature-refused',
    text: 'A doGameRoundReport with a wrong signature gets 401 with id 1001.',
    check: async (wallet) => {
      const send = await reportOf(wallet);
      for (const [how, wrong] of Object.entries(WRONG_SIGNATURES)) {
        const exchange = await send(wrong(new Date(Date.now() - 1_000).toISOString()));
        if (isMissing(exchange))
          skip(`the wallet takes no reports: it answers with ${exchange.reply?.status}`);
        mustBeUnauthorised(exchange, `a report signed ${how}`);
      }
    },
  },
];

export const WALLET_RULES: readonly WalletRule[] = [
  ...AUTHENTICATION,
  ...BALANCE,
  ...MONEY,
  ...IDEMPOTENCY,
  ...VOIDS,
  ...FAILURES,
  ...STATES,
  ...RECONCILIATION,
  ...GRANTS,
  ...REPORTS,
];

/** Plays a round and closes it, so that the report is about a round that the wallet knows. */
async function reportOf(wallet: TestedWallet): Promise<(wrong?: Wrong) => Promise<Exchange>> {
  const { playerId, gameCode, currency, authId } = wallet.settings;
  const round = wallet.round();
  const debit = round.debit();
  await round.accepts([debit], INITIAL);
  const { credit, end } = await round.close();
  const after = await wallet.money();
  const detail = {
    hash: round.gameRound,
    player: playerId,
    mode: 'real',
    game: gameCode,
    operator: authId,
    status: 'closed',
    language: 'en',
    currency,
    environment: 'conformance',
    timestamp: debit.timestamp,
    totalBetAmount: debit.amount,
    totalWinAmount: credit.amount,
    transactions: [debit, credit, end].map((one) => ({ ...one, payed: one.amount, balanceAfter: after })),
    baseStake: debit.amount,
    totalPayedAmount: debit.amount,
    dataStored: {},
    ticketUsed: false,
    balanceAfter: after,
  };
  return (wrong) =>
    wallet.call({
      method: 'POST',
      path: '/doGameRoundReport',
      body: { gameRoundDetail: detail },
      fields: operatorFields.doGameRoundReport(),
      wrong,
    });
}

async function twice(
  wallet: TestedWallet,
  round: TestedRound,
  one: Transaction,
  moved: number,
): Promise<void> {
  await round.accepts([one], `a ${one.type}`);
  await wallet.moved(moved, `a ${one.type}`);
  const repeat = await round.send([one]);
  await wallet.moved(moved, `a ${one.type} and its repeat`);
  mustAccept(repeat, `the repeat of the ${one.type}`);
}

/** Sends an initial debit of more than the player has. */
async function failedDebit(
  wallet: TestedWallet,
  round: TestedRound,
): Promise<{ debit: Transaction; exchange: Exchange }> {
  const debit = round.debit({ amount: wallet.tooMuch() });
  const exchange = await round.send([debit]);
  await mustFail(exchange, wallet, round, debit);
  return { debit, exchange };
}

/** Skips the rule if the wallet gives credit: it takes more than the balance, and the balance becomes negative. */
async function mustFail(
  exchange: Exchange,
  wallet: TestedWallet,
  round: TestedRound,
  debit: Transaction,
): Promise<void> {
  const what = 'a debit of more than the balance';
  mustReply(exchange, what);
  if (!isAccepted(exchange, debit)) return;
  const balance = await wallet.money();
  await round.send([round.void(debit)]);
  if (balance >= 0)
    throw new Broken(
      `${what} was answered with 200 without an errorCode, and the balance is ${balance}`,
      exchange,
      'failed-debit',
    );
  skip(`the wallet accepts ${what}: the balance was ${balance} after it`);
}

function mustNotList(exchange: Exchange, transaction: Transaction): void {
  if (!isListed(exchange, transaction)) return;
  throw new Broken(
    `a refused ${transaction.type} is listed in hashesProcessed without an errorCode, as if it were processed`,
    exchange,
  );
}

function mustTell(wallet: TestedWallet, exchange: Exchange, movement: number): void {
  const told = wallet.totalIn(exchange);
  const expected = wallet.balanceAfter(movement);
  if (told !== expected)
    throw new Broken(
      told === undefined
        ? 'the reply has no balance to compare with'
        : `the reply has the balance ${told} instead of ${expected}`,
      exchange,
      told === undefined ? ruleOfReply(exchange) : undefined,
    );
}

/** Accepts 200, and 400 because the round may already be voided. */
function mustBeDone(exchange: Exchange, what: string): void {
  const { reply } = mustReply(exchange, what);
  if (reply.status !== 200 && reply.status !== 400)
    throw new Broken(`${what} was answered with ${reply.status} instead of 200 or 400`, exchange);
}

function mustBeUnauthorised(exchange: Exchange, what: string): void {
  mustHaveStatus(exchange, what, 401);
  mustHaveId(exchange, what, 1001);
}

function mustCount(exchange: Exchange, after: string, count: number, expected: number): void {
  if (count !== expected)
    throw new Broken(`after ${after} the ticket has a count of ${count} instead of ${expected}`, exchange);
}

function faultOfBalances({ reply }: Exchange): string | undefined {
  const balances = asArray(reply?.json?.['balances']).filter(isObject);
  const types = balances.map(({ type }) => type);
  if (types.filter((type) => type === 'real').length !== 1)
    return 'there is not exactly one balance of type real';
  if (balances.length > 2) return `there are ${balances.length} balances`;
  const hasBonus = balances.length === 2;
  return hasBonus && typeof reply?.json?.['useBonusFirst'] !== 'boolean'
    ? 'there is a bonus balance, and no useBonusFirst'
    : undefined;
}
