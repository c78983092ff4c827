import type { Command, Mark, PendingCall, RoundState } from '../../src/domain/round/types';
import { describe } from '../../src/domain/classify-wallet-reply';
import { ERRORS } from '../../src/domain/errors';
import { moneyText } from '../../src/domain/money';
import { amountAtRisk } from '../../src/domain/round/marks';
import { openTransactions } from '../../src/domain/round/transactions';
import type { WalletCall } from '../../src/domain/wallet-call';

/* What a person reads in Temporal Web. No rule depends on these texts. */

/** A wallet call in a line: `credit 7.00 EUR and end to op1`. */
export function callText({ transactions }: WalletCall, { identity, ...round }: RoundState): string {
  const parts = transactions.map(({ type, hash, amount, currency, serial }) => {
    if (type === 'end') return type;
    if (serial !== undefined && amount === undefined) return `${type} by ticket ${serial}`;
    const voided = round.transactions.find((one) => one.type === 'debit' && one.hash === hash);
    const money = type === 'void' ? (voided?.amount ?? voided?.freePlayStake) : amount;
    return money === undefined ? type : `${type} ${moneyText(money, currency)}`;
  });
  return `${parts.join(' and ')} to ${identity.operatorId}`;
}

/** The round in a few words: `open, 7.00 EUR to collect`. */
export function statusText({ identity, status, crashed, amountToCollect }: RoundState): string {
  return [
    status,
    ...(crashed ? ['crashed'] : []),
    ...(amountToCollect > 0 ? [`${moneyText(amountToCollect, identity.currency)} to collect`] : []),
  ].join(', ');
}

/** How long a pause is, for summaries of timers: `24 h`, `90 s`. */
export function durationText(ms: number): string {
  const [unit, length] = ms >= 3_600_000 ? ['h', 3_600_000] : ms >= 60_000 ? ['min', 60_000] : ['s', 1_000];
  return `${Math.round((10 * ms) / length) / 10} ${unit}`;
}

const DOING: Record<PendingCall['progress'], string> = {
  'first-delivery': 'Sending',
  retrying: 'Sending again until it is answered:',
  'awaiting-operator': 'Waiting to be resumed:',
};

const WHAT_TO_DO: Record<Mark, string> = {
  crashed:
    'the service cannot decide what has become of the money. Have it reconciled by the operator (`reconcileTransactions`), or decide each transaction by the update `settle`',
  restored:
    'the round had come further than this workflow knows: Temporal was restored from an older copy, or a person has reset or terminated the workflow. The round sends nothing. Have it reconciled by the operator (`reconcileTransactions`), or decide each transaction by the update `settle`',
  'credit-unauthorised':
    'the operator does not accept our signature. Mend its secrets in the tenants’ file, then the update `resume` sends the win at once',
  'void-refused':
    'the operator does not accept our signature. Mend its secrets in the tenants’ file, then the update `resume` sends the void at once',
  'credit-pending':
    'nothing, unless it lasts: the win is sent until it is accepted. The pending activity has the last answer of the wallet',
  'void-pending':
    'nothing, unless it lasts: the void is sent until it is answered. The pending activity has the last answer of the wallet',
  'auto-close-failing':
    'the provider does not close the round. Call the provider, or close it by the update `end`',
  'void-unconfirmed':
    'a void was answered 400 the first time it was sent. Have the round reconciled by the operator (`reconcileTransactions`), or compare with its books',
  'debit-unconfirmed': 'the database can not say whether the bet was sent. Look at MongoDB',
  'result-pending': 'the provider does not answer getGameResult. Call the provider',
  'report-pending': 'the operator does not take the report. Call the operator',
  'projection-pending': 'the record in MongoDB lags behind. Look at MongoDB; the round goes on',
};

const BUTTONS = [
  '**Terminate: never.** Calls to the wallet would stay unfinished, and the player’s money in doubt. If it has happened, run `npm run repair-records -- --since 2026-01-02T03:04:05Z` with a time before the round’s start.',
  '**Reset: not to get a round going.** A round that had come further is crashed and sends nothing.',
  '**Request Cancellation** has no effect. **Pause** and **Reset** of a pending activity delay or repeat its call; its **Update** changes our limits: leave it.',
  '**Send an Update** answers at once whether a command was taken. **Send a Signal** says only that it arrived: refusals are in the query `state`.',
].join('\n\n');

const MAX_OPEN = 20;

/** `2026-01-02 03:04:05 UTC` */
function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The current details of the workflow (Markdown). They are not in the history. */
export function detailsText(state: RoundState, marks: readonly Mark[], since: Date | undefined): string {
  const { identity, pending, status, stake } = state;
  const money = (amount: number): string => moneyText(amount, identity.currency);
  const waits =
    marks.length === 0 || since === undefined
      ? []
      : [`Waits since ${utcText(since)}, ${money(amountAtRisk(state))} at risk`];
  // A restored round is crashed, too, though the operator need not have refused anything.
  const isTold = (mark: Mark): boolean => mark !== 'crashed' || !marks.includes('restored');
  const sending =
    pending === undefined
      ? []
      : [
          `${DOING[pending.progress]} ${callText(pending, state)}` +
            (pending.lastAnswer === undefined ? '' : `. Last answer: ${quoted(pending.lastAnswer)}`),
        ];
  // What a settle decides, with the hashes that it names.
  const open = state.crashed ? openTransactions(state.transactions).slice(0, MAX_OPEN) : [];
  const refused = marks.includes('crashed') ? refusalIn(state) : undefined;
  return [
    `**${statusText(state)}**, bet ${money(stake)}`,
    ...waits,
    ...marks.filter(isTold).map((mark) => `\`${mark}\`: ${WHAT_TO_DO[mark]}`),
    ...(refused === undefined ? [] : [`The wallet refused: ${quoted(refused)}`]),
    ...open.map(
      ({ type, amount, hash, outcome }) =>
        `- ${outcome}: ${type}${amount === undefined ? '' : ` ${money(amount)}`} \`${hash}\``,
    ),
    ...sending,
    ...(status === 'open' || pending !== undefined ? [BUTTONS] : []),
  ].join('\n\n');
}

/** The error that crashed the round: that of the last command that was refused with another one than GAMEROUNDCRASHED. */
function refusalIn({ commands }: RoundState): string | undefined {
  const refusals = Object.values(commands).flatMap(({ answer }) => answer?.refusal ?? []);
  const last = refusals.findLast(({ errorCode }) => errorCode.id !== ERRORS.GAMEROUNDCRASHED.id);
  return last && describe(last.errorCode);
}

/** A partner's text, of which nothing counts as Markdown. */
function quoted(text: string): string {
  return `\`${text.slice(0, 200).replaceAll(/[`\s]+/g, ' ')}\``;
}

interface Described {
  signal: string;
  update: string;
}

function forService(does: string): Described {
  const text = `For the service only: ${does}`;
  return { signal: text, update: text };
}

function forPeople(does: string, input: string): Described {
  const update = `${does} Input: ${input}`;
  return { signal: `${update}. Better send the update: it answers whether the command was taken.`, update };
}

/** What each command does, shown where a person chooses it. */
export const COMMAND_TEXTS: Record<Command['type'] | 'resume', Described> = {
  start: forService('takes a further bet from the player.'),
  addWin: forService('adds a win, which the player gets with the round’s end.'),
  collectWin: forService('pays open winnings, and the round stays open.'),
  addSpinCounter: forService('counts free spins.'),
  end: forPeople(
    'Pays the open winnings and closes the round. Can’t be undone.',
    '{} or {"key":"ticket-4711","reason":"…"}',
  ),
  void: forPeople(
    'Gives every bet back and cancels the round: the player keeps no win. Refused once a win was paid, or may have been. Can’t be undone.',
    '{} or {"reason":"…"}',
  ),
  settle: forPeople(
    'Decides transactions of a crashed or waiting round by the operator’s books. Can’t be undone: the service never pays a declined win.',
    '{"key":"ticket-4711","reason":"…","accepted":["<hash>"],"declined":["<hash>"]}',
  ),
  resume: forPeople(
    'Sends a win or void again whose signature the operator did not accept. Safe to repeat.',
    'none',
  ),
};
