import {
  TOO_LATE_REASON,
  type CommandEnd,
  type Delivered,
  type AnswerForCallers,
  type WalletDelivery,
} from '../../src/contracts/activities';
import {
  COMMANDS,
  type Actor,
  type GameroundResult,
  type GameroundStart,
  type RoundReply,
} from '../../src/contracts/gameround';
import { creditIn } from '../../src/contracts/activity-results';
import { afterDelivery, walletOutcomeIn } from '../../src/histories/record';
import type { ReconcileOutcome } from '../../src/domain/round/reconcile';
import { normalId } from '../../src/domain/hashes';
import { debitKeyPrefix } from '../../src/domain/round/keys';
import { readCommand } from '../../src/domain/round/read-command';
import { asArray } from '../../src/domain/classify-wallet-reply';
import { moneyText } from '../../src/domain/money';
import type { Answer, Mark, Command, RoundSnapshot } from '../../src/domain/round/types';
import type { OperatorTransaction, WalletBalance, WalletCall } from '../../src/domain/wallet-call';
import { isOwnIdentity } from '../../src/temporal-identity';
import { updateIn, valuesIn, type PlainEvent } from './events';
import { isByReconciliation, isReserved, type Reconciliations } from './reconciliations';

/** One thing that happened, in plain words. */
export interface Step {
  /** ISO 8601, UTC. */
  at: string;
  who: 'game' | 'service' | 'wallet' | 'operator' | 'person';
  what: string;
  /** What the game was answered, if the history has it: this is what the player's game could show. */
  answer?: string;
  /** Where the history has it: the number of the run in the dossier, and of the event. */
  run: number;
  event: number;
}

const AGAIN = 'The call comes again: ';

interface Call {
  activity: string;
  args: unknown[];
  scheduled: PlainEvent;
  startedAt?: string;
  attempt?: number;
  failure?: string;
}

/** The commands in earlier runs: by the id of the service's call, by key, and by text those that have neither. */
export interface SeenCommands {
  calls: Set<string>;
  keys: Set<string>;
  texts: Map<string, number>;
}

export function noCommands(): SeenCommands {
  return { calls: new Set(), keys: new Set(), texts: new Map() };
}

/**
 * What a run of a round, or of its reconciliation, did. `run` is its number in the dossier. Only a command that the service's
 * own client has sent can be the game's or the operator's; all others are shown with their sender. Notes its commands in
 * `seen`: a reset gives those that came later to the new run again.
 */
export function stepsOf(
  events: readonly PlainEvent[],
  run: number,
  currency: string,
  reconciliations: Reconciliations = new Set(),
  seen: SeenCommands = noCommands(),
): Step[] {
  const money = (amount: number): string => moneyText(amount, currency);
  const answers = answersIn(events);
  const calls = new Map<number, Call>();
  const { calls: seenCalls, keys: seenKeys } = seen;
  const steps: Step[] = [];
  let firstRngCallId: string | undefined;
  // A run that a reset has made begins with the events of the run before.
  const from = events.findLast(({ about }) => Boolean(about.newRunId))?.id ?? 0;

  const add = ({ id, at }: PlainEvent, who: Step['who'], what: string, answer?: string): void => {
    if (id >= from)
      steps.push({ at, who, what, ...(answer === undefined ? {} : { answer }), run, event: id });
  };

  /** A command comes as a signal, an update, or both with the same call id. */
  const command = (event: PlainEvent, name: unknown, args: unknown[], sender: unknown): void => {
    const type = text(name);
    const [raw, actor, call] = args;
    const isOwn = isOwnIdentity(sender);
    const by = ` (sent by ${text(sender)})`;
    const byPerson = (what: string, answer?: string): void => {
      const firstRun = seen.texts.get(what) ?? run;
      seen.texts.set(what, firstRun);
      add(event, 'person', `${firstRun < run ? AGAIN : ''}${what}`, answer);
    };
    if (type === 'resume') return byPerson(`A person asks for the waiting wallet call to be sent again${by}`);
    if (!Object.hasOwn(COMMANDS, type))
      return byPerson(`There is no command ${type}, so nothing is done${by}`);
    if (isOwn && typeof call === 'string') {
      if (seenCalls.has(call)) return;
      seenCalls.add(call);
    }
    const read = readCommand(type as Command['type'], raw);
    if ('fault' in read) return byPerson(`${unreadableText(type, read.fault)}${by}`);
    if (isReserved(read.command, call)) {
      const refused = 'The answer is that this is refused: its key is that of reconciliations';
      return byPerson(`${commandText(read.command, money, 'A person')}${by}`, refused);
    }
    const key = keyOf(read.command, firstRngCallId);
    const again = seenKeys.has(key) ? AGAIN : '';
    seenKeys.add(key);
    const isGame = isOwn && typeof (Object(actor) as Partial<Actor>).providerId === 'string';
    const isReconciliation = isOwn && isByReconciliation(read.command, reconciliations);
    const who = isGame ? 'game' : isReconciliation ? 'operator' : 'person';
    const subject = isGame ? 'The game' : isReconciliation ? 'The operator' : 'A person';
    const answer = answers.get(String(call)) ?? answers.get(key);
    const said = answer && answerText(answer, currency, isGame);
    const what = commandText(read.command, money, subject);
    add(event, who, `${again}${what}${who === 'person' ? by : ''}`, said);
  };

  for (const event of events) {
    const { about } = event;
    switch (event.type) {
      case 'WorkflowExecutionStarted': {
        const [start] = valuesIn(about.input) as [
          (GameroundStart & { command?: Command }) | string | null | undefined,
        ];
        const isOwn = isOwnIdentity(about.identity);
        const by = isOwn ? '' : ` (sent by ${text(about.identity)})`;
        const [who, subject] = isOwn ? (['game', 'The game'] as const) : (['person', 'A person'] as const);
        if (typeof start === 'string')
          add(
            event,
            isOwn ? 'operator' : 'person',
            `${isOwn ? 'The operator' : 'A person'} asks for a reconciliation of the round${by}`,
          );
        else firstRngCallId = start?.continued?.state.firstRngCallId ?? start?.command?.rngCallId;
        if (
          start &&
          typeof start === 'object' &&
          start.command !== undefined &&
          start.continued === undefined
        ) {
          if (start.call !== undefined) seenCalls.add(start.call);
          seenKeys.add('start');
          const read = readCommand('start', start.command);
          if ('fault' in read) {
            add(event, 'person', `${unreadableText('start', read.fault)}${by}`);
            break;
          }
          const answer = answers.get(start.call ?? '') ?? answers.get('start');
          const said = answer && answerText(answer, currency, isOwn);
          add(event, who, `${commandText(read.command, money, subject)}${by}`, said);
        }
        break;
      }
      case 'WorkflowExecutionSignaled':
        command(event, about.signalName, valuesIn(about.input), about.identity);
        break;
      case 'WorkflowExecutionUpdateAdmitted':
      case 'WorkflowExecutionUpdateAccepted': {
        const update = updateIn(event);
        if (update === undefined) break;
        const { input, meta } = update;
        command(event, input?.name, valuesIn(input?.args), meta?.identity);
        break;
      }
      case 'ActivityTaskScheduled': {
        const { name } = Object(about.activityType) as { name?: string };
        calls.set(event.id, { activity: name ?? '', args: valuesIn(about.input), scheduled: event });
        break;
      }
      case 'ActivityTaskStarted': {
        const call = calls.get(Number(about.scheduledEventId));
        if (call === undefined) break;
        call.startedAt = event.at;
        call.attempt = Number(about.attempt ?? 1);
        const { message } = Object(about.lastFailure) as { message?: string };
        if (message !== undefined) call.failure = message;
        break;
      }
      case 'ActivityTaskCompleted':
      case 'ActivityTaskFailed':
      case 'ActivityTaskTimedOut':
      case 'ActivityTaskCanceled': {
        const call = calls.get(Number(about.scheduledEventId));
        if (call === undefined) break;
        calls.delete(Number(about.scheduledEventId));
        for (const told of callTexts(call, event, currency)) {
          const sentAt = told.sentAt ?? call.startedAt;
          if (sentAt !== undefined) add({ ...event, at: sentAt }, 'service', told.sent);
          add({ ...event, at: told.answeredAt ?? event.at }, told.by, told.answered);
        }
        break;
      }
      case 'WorkflowTaskFailed':
        if (about.newRunId)
          add(
            event,
            'person',
            `A person resets the program of the round to this step (reason: ${resetReason(about)}; Temporal does not say who)`,
          );
        break;
      case 'WorkflowExecutionTerminated':
        add(
          event,
          'person',
          `The program of the round is stopped from outside (reason: ${text(about.reason)}; sent by ${text(about.identity)})`,
        );
        break;
      case 'WorkflowExecutionCompleted': {
        const { status } = Object(valuesIn(about.result)[0]) as Partial<GameroundResult>;
        if (typeof status === 'string') add(event, 'service', `The round is over: ${wordIn(STATUS, status)}`);
        break;
      }
      case 'WorkflowExecutionFailed':
        add(event, 'service', `The program of the round ends with an error: ${failureOf(about)}`);
        break;
      default:
        break;
    }
  }
  // Calls that are under way, or that were when the run was stopped or reset: they may have had an effect.
  for (const call of calls.values()) {
    const { betVersion } = Object(call.args[1]) as Partial<CommandEnd>;
    const win = betVersion === undefined ? '' : '; if the bet was taken, the win may have been paid, too';
    for (const told of callTexts(call, call.scheduled, currency)) {
      add(call.scheduled, 'service', told.sent);
      add(call.scheduled, 'service', `This history has no answer to it${win}`);
    }
  }
  return steps;
}

function unreadableText(type: string, fault: string): string {
  return `The command ${type} can't be read: its ${fault} is wrong`;
}

const STATUS: Record<string, string> = {
  open: 'open',
  closed: 'closed',
  cancel: 'cancelled, as if it had never been',
};

export function statusText({ status, crashed, settled, attention }: RoundSnapshot): string {
  if (crashed && attention.includes('restored'))
    return 'open, and waiting for a decision: its program was lost or set back to an earlier step, and sends nothing until the operator has said what it has';
  if (crashed) return 'open, and waiting for a decision: the operator and the service disagree';
  // Only a crashed round is closed by a decision.
  return settled !== undefined && status === 'closed'
    ? 'closed; it was crashed before: it waited until it was decided what became of its money'
    : wordIn(STATUS, status);
}

const MARK_TEXTS: Record<Mark, string> = {
  crashed: 'a decision, since the operator and the service disagree',
  restored: 'a decision, since its program was lost or set back to an earlier step',
  'credit-unauthorised': "the operator's acceptance of the signature of a win",
  'void-refused': "the operator's acceptance of the signature of a returned bet",
  'credit-pending': "the wallet's answer to a win",
  'void-pending': "the wallet's answer to a returned bet",
  'auto-close-failing': 'the game, which does not close the round',
  'void-unconfirmed': "a look at the operator's books: nothing confirms that the bet was returned",
  'debit-unconfirmed': 'the database, which does not say whether the bet was sent',
  'result-pending': 'the result, which the game does not give',
  'report-pending': 'the operator, which does not take the report',
  'projection-pending': 'its record in the database, which is older than the round',
};

/** The word for a name from outside, which may be a name that each object has, such as `toString`. */
export function wordIn(words: Record<string, string>, name: string): string {
  return Object.hasOwn(words, name) ? words[name]! : name;
}

/** A restored round has the mark `crashed`, too, though the operator need not have refused anything. */
export function marksText(marks: readonly string[]): string {
  const shown = marks.includes('restored') ? marks.filter((mark) => mark !== 'crashed') : marks;
  return shown.map((mark) => wordIn(MARK_TEXTS, mark)).join('; ');
}

const REASONS: Record<string, string> = {
  ECONNRESET: 'the connection broke',
  ECONNREFUSED: 'nothing listens at the address of the wallet',
  ENOTFOUND: 'the name of the wallet has no address',
  'time-out': 'no answer came in time',
};

/** Why there is no definite answer. */
export function reasonText(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? `${REASONS[reason]} (${reason})` : reason;
}

type Money = (amount: number) => string;

/** The key under which a round stores the command (src/domain/round/keys.ts), as far as its commands say it. */
function keyOf(command: Command, firstRngCallId: string | undefined): string {
  if (command.type === 'void') return 'void';
  if (command.type !== 'start') return `${command.type}:${command.key}`;
  const { rngCallId } = command;
  const isFollowUp =
    rngCallId !== undefined &&
    firstRngCallId !== undefined &&
    normalId(rngCallId) !== normalId(firstRngCallId);
  return isFollowUp ? `${debitKeyPrefix}${normalId(rngCallId)}` : 'start';
}

function commandText(command: Command, money: Money, subject: string): string {
  switch (command.type) {
    case 'start': {
      const { stake, ticket, discount, winAmount, endGame, result, rngCallId } = command;
      return joined([
        ticket === undefined
          ? `${subject} places a bet of ${money(stake)}`
          : `${subject} places a bet of ${money(stake)}, paid by the free play ${ticket.serial}`,
        discount !== undefined && `less a discount of ${money(discount.amount)}`,
        winAmount > 0 && `reports a win of ${money(winAmount)}`,
        endGame && 'ends the round with it',
        ...shown(result, rngCallId),
      ]);
    }
    case 'addWin':
      return joined([
        `${subject} reports a win of ${money(command.winAmount)}`,
        command.collect && 'asks to pay out all open winnings',
        ...shown(command.result, command.rngCallId, command.betData),
      ]);
    case 'collectWin':
      return command.amount === undefined
        ? `${subject} asks to pay out all open winnings`
        : `${subject} asks to pay out ${money(command.amount)} of the open winnings`;
    case 'end':
      if (command.forReconciliation === true)
        return subject === 'The operator'
          ? 'The round is to be closed for the reconciliation'
          : 'The round is to be closed as for a reconciliation';
      return command.reason === 'endGameRound' && subject === 'The game'
        ? 'The game ends the round; open winnings are to be paid'
        : `The round is to be ended, and open winnings paid (reason: ${command.reason})`;
    case 'void':
      return `The round is to be taken back: every bet returned (reason: ${command.reason})`;
    case 'addSpinCounter':
      return `${subject} counts ${command.counterType}: ${command.awarded} awarded, ${command.used} used`;
    case 'settle':
      return joined([
        `It is decided what became of transactions in doubt (reason: ${command.reason})`,
        command.accepted.length > 0 && `taken or paid: ${command.accepted.join(', ')}`,
        (command.declined ?? []).length > 0 && `never: ${(command.declined ?? []).join(', ')}`,
      ]);
  }
}

function shown(result?: string, rngCallId?: string, data?: Record<string, string>): (string | false)[] {
  return [
    result !== undefined && result !== '' && `the game's own result: ${result}`,
    data !== undefined && Object.keys(data).length > 0 && `the game's own data: ${JSON.stringify(data)}`,
    rngCallId !== undefined && `random number call ${rngCallId}`,
  ];
}

function joined(parts: (string | false)[]): string {
  return parts.filter((part) => part !== false).join('; ');
}

/** What the wallet is asked with a transaction. */
export function transactionText(
  { type, amount, serial }: Pick<OperatorTransaction, 'type' | 'amount' | 'serial'>,
  money: Money,
): string {
  if (type === 'debit')
    return serial === undefined
      ? `take a bet of ${money(amount ?? 0)}`
      : `take a bet paid by the free play ${serial}`;
  if (type === 'credit') return `pay a win of ${money(amount ?? 0)}`;
  if (type === 'void') return 'give the bet back';
  return 'note the end of the round';
}

interface CallText {
  sent: string;
  by: Step['who'];
  answered: string;
  /** ISO 8601; absent: the times of the activity. */
  sentAt?: string | undefined;
  answeredAt?: string | undefined;
}

/** What an activity has sent. An activity that sends a bet may also send the credit that follows. */
function callTexts(call: Call, event: PlainEvent, currency: string): CallText[] {
  const { activity, args, attempt = 1, failure } = call;
  const money: Money = (amount) => moneyText(amount, currency);
  const isDone = event.type === 'ActivityTaskCompleted';
  const [result] = valuesIn(event.about.result);
  const times = attempt > 1 ? ` (attempt ${attempt}; the attempt before: ${failure ?? 'no answer'})` : '';
  const { identity } = event.about;
  const isByHand = isDone && !isOwnIdentity(identity);
  const answerer = isByHand ? 'person' : 'wallet';
  const byHand = isByHand ? `A person enters this answer (sent by ${text(identity)}): ` : '';
  const noAnswer = `There is no answer: ${isDone ? '' : failureOf(event.about)}`;
  const walletText = ({ transactions }: WalletCall, outcome: unknown): CallText => {
    const asked = transactions
      .map((one) => `${transactionText(one, money)} (hash ${one.hash})`)
      .join(' and to ');
    const { kind, reason, notSent } = Object(outcome) as Outcome;
    const isSent = !notSent && kind !== 'guard-lost' && kind !== 'ahead' && reason !== TOO_LATE_REASON;
    return {
      sent: `The service ${isSent ? 'asks' : 'is about to ask'} the operator's wallet to ${asked}${times}`,
      by: isByHand || (isDone && isSent && HAS_ANSWERED.has(kind ?? '')) ? answerer : 'service',
      answered: isDone ? `${byHand}${outcomeText(outcome, currency)}` : noAnswer,
    };
  };
  if (activity === 'deliver' || activity === 'deliverUntilDefinite') {
    const first = walletText((args[0] as WalletDelivery).call, walletOutcomeIn(activity, result));
    const { at } = Object(result) as Partial<Delivered>;
    const credit = isDone ? creditIn(result) : undefined;
    if (credit === undefined) return [first];
    return [
      { ...first, answeredAt: at },
      { ...walletText(credit.call, credit.result), sentAt: at },
    ];
  }
  if (activity === 'resend')
    return [
      {
        sent: 'The service sends every transaction of the round to the operator again',
        by: isDone ? answerer : 'service',
        answered: isDone ? `${byHand}${reconcileText(result, currency)}` : noAnswer,
      },
    ];
  if (!Object.hasOwn(OTHER_CALLS, activity)) return [];
  const sent = `${OTHER_CALLS[activity]}${times}`;
  return [{ sent, by: 'service', answered: isDone ? `${byHand}It is answered` : noAnswer }];
}

const OTHER_CALLS: Record<string, string> = {
  autoClose: 'The service asks the game to close the round, which was left open',
  fetchResult: "The service asks the game for the round's result",
  report: 'The service sends the operator a report of the round',
};

/** The other outcomes are what the service concludes without an answer. */
const HAS_ANSWERED = new Set(['accepted', 'declined', 'rejected']);

interface Outcome {
  kind?: string;
  reason?: string;
  errorCode?: { id?: number; msg?: string } | null;
  endRejected?: { id?: number; msg?: string } | null;
  balance?: WalletBalance;
  unauthorised?: boolean;
  /** The reason in a declined debit; true in a credit or void that is sent later. */
  notSent?: string | true;
}

function outcomeText(outcome: unknown, currency: string): string {
  const { kind, reason, errorCode, endRejected, balance, notSent } = Object(outcome) as Outcome;
  const error = errorCode ? `: error ${errorCode.id} ${errorCode.msg}` : '';
  switch (kind) {
    case 'accepted':
      return joined([
        'The wallet accepts',
        endRejected ? `but not the end of the round: error ${endRejected.id} ${endRejected.msg}` : false,
        balance !== undefined && balanceText(balance, currency),
      ]);
    case 'declined':
      return notSent
        ? `Nothing was sent: ${reasonText(String(notSent))}`
        : `The wallet declines the bet${error}`;
    case 'rejected':
      return `The wallet refuses${error}`;
    case 'unknown':
      return `It is not known whether the wallet took the bet: ${reasonText(String(reason))}`;
    case 'retryable':
      return `There is no definite answer, so it is sent again: ${reasonText(String(reason))}`;
    case 'guard-lost':
      return 'Nothing was sent: another round of the player was open';
    case 'ahead':
      return 'Nothing was sent: the record of the round is newer than this run';
    default:
      return `The answer can't be read: ${JSON.stringify(outcome)}`;
  }
}

function reconcileText(outcome: unknown, currency: string): string {
  const { kind, errorCode, balance } = Object(outcome) as Partial<ReconcileOutcome>;
  if (kind === 'nothing') return 'Nothing was to be sent';
  if (kind === 'unreachable') return 'There is no definite answer of the operator';
  if (kind !== 'accepted' && kind !== 'rejected')
    return `The answer can't be read: ${JSON.stringify(outcome)}`;
  const told =
    kind === 'accepted'
      ? 'The operator accepts all of them'
      : `The operator refuses: error ${errorCode?.id} ${errorCode?.msg}`;
  return joined([told, balance !== undefined && balanceText(balance, currency)]);
}

function balanceText(balance: unknown, currency: string): string | false {
  const each = balancesIn(balance, currency).map(({ type, amount, currency: own }) => {
    const isWhole = Number.isSafeInteger(amount) && amount >= 0;
    const is = isWhole ? moneyText(amount, own) : `${amount} minor units of ${own}`;
    return type === 'real' ? is : `${is} (${type})`;
  });
  return each.length > 0 && `balance ${each.join(' and ')}`;
}

interface Balance {
  type: string;
  amount: number;
  currency: string;
}

/** None if one can't be read: a person may have written them by hand. */
export function balancesIn(balance: unknown, currency: string): Balance[] {
  const all = asArray((Object(balance) as { balances?: unknown }).balances).map((one) => {
    const { type = 'real', amount, currency: own = currency } = Object(one) as Record<string, unknown>;
    return { type, amount, currency: own };
  });
  return all.every(isBalance) ? all : [];
}

function isBalance(one: Record<keyof Balance, unknown>): one is Balance {
  return typeof one.type === 'string' && typeof one.amount === 'number' && typeof one.currency === 'string';
}

type Told = Partial<Answer & RoundReply>;

/** The answers by call id and by command key. */
export function answersIn(events: readonly PlainEvent[]): Map<string, Told> {
  const answers = new Map<string, Told>();
  const callOfUpdate = new Map<string, string>();
  const calls = new Map<number, { activity: string; args: unknown[] }>();
  const told = (name: string | undefined, answer: Told | undefined): void => {
    if (name !== undefined && answer !== undefined) answers.set(name, answer);
  };
  for (const event of events) {
    const { id, type, about } = event;
    const update = updateIn(event);
    const { input, result, activityType, meta, outcome, scheduledEventId } = about as Record<
      string,
      unknown
    > & {
      activityType?: { name?: string };
      meta?: { updateId?: string };
      outcome?: { success?: unknown };
      scheduledEventId?: string;
    };
    if (type === 'WorkflowExecutionStarted') {
      const { continued } = Object(valuesIn(input)[0]) as Partial<GameroundStart>;
      for (const [key, { answer }] of Object.entries(continued?.state.commands ?? {})) told(key, answer);
    } else if (type === 'ActivityTaskScheduled') {
      calls.set(id, { activity: activityType?.name ?? '', args: valuesIn(input) });
      if (activityType?.name === 'project') {
        const answering = valuesIn(input)[1] as AnswerForCallers | null | undefined;
        for (const call of answering?.calls ?? []) told(call, answering?.answer);
      }
    } else if (type === 'ActivityTaskCompleted') {
      const call = calls.get(Number(scheduledEventId));
      const end = call?.activity === 'deliver' ? (call.args[1] as CommandEnd | null | undefined) : undefined;
      if (!end) continue;
      const answer = answerAfter(end, valuesIn(result)[0]);
      for (const name of [end.key, ...end.calls]) told(name, answer);
    } else if (update !== undefined) {
      const call = valuesIn(update.input?.args)[2];
      if (typeof call === 'string') callOfUpdate.set(String(update.meta?.updateId), call);
    } else if (type === 'WorkflowExecutionUpdateCompleted') {
      told(callOfUpdate.get(String(meta?.updateId)), valuesIn(outcome?.success)[0] as RoundReply | undefined);
    } else if (type === 'WorkflowExecutionCompleted') {
      const ended = Object(valuesIn(result)[0]) as Partial<GameroundResult>;
      for (const [name, answer] of Object.entries(ended.answers ?? {})) told(name, answer);
    }
  }
  return answers;
}

/** The answer to a command whose wallet call was its last step, by the rules. */
function answerAfter(end: CommandEnd, delivered: unknown): Answer | undefined {
  try {
    const { commands = {} } = afterDelivery(end.state, end, delivered as Delivered) ?? {};
    return Object.hasOwn(commands, end.key) ? commands[end.key]?.answer : undefined;
    // eslint-disable-next-line no-restricted-syntax -- an outcome that a person has written by hand may not fit
  } catch {
    return undefined;
  }
}

function answerText(answer: Told, currency: string, isGame: boolean): string {
  const { refusal, amountToCollect, amountCredited, balance } = answer;
  const told = isGame ? 'The answer to the game is' : 'The answer is';
  const status = answer.status ?? answer.gameRoundInfo?.status ?? '';
  return joined([
    refusal === undefined
      ? `${told} that the round is ${wordIn(STATUS, status)}`
      : `${told} that this is refused: ${refusal.errorCode.msg} (“${refusal.errorCode.clientmsg}”)`,
    amountCredited !== undefined && amountCredited > 0 && `paid now ${moneyText(amountCredited, currency)}`,
    amountToCollect !== undefined && `open winnings ${moneyText(amountToCollect, currency)}`,
    balance !== undefined && balanceText(balance, currency),
  ]);
}

function failureOf(about: Record<string, unknown>): string {
  const { message, cause } = Object(about.failure) as { message?: string; cause?: { message?: string } };
  return [message, cause?.message].filter(Boolean).join(': ') || 'no reason';
}

function resetReason({ failure }: Record<string, unknown>): string {
  return (Object(failure) as { message?: string }).message ?? 'none';
}

function text(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : 'unknown';
}
