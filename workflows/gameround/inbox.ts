import {
  ApplicationFailure,
  CancellationScope,
  condition,
  proxySinks,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  COMMANDS,
  FAILURES,
  resumeSignal,
  resumeUpdate,
  type Actor,
  type CallSinks,
  type Look,
  type ReplyByHand,
  type RoundReply,
  type RoundStateView,
  type WaitingCommand,
} from '../../src/contracts/gameround';
import { refusal, type Refusal } from '../../src/domain/errors';
import { isRetried, resume } from '../../src/domain/round/apply-wallet-outcome';
import { decide } from '../../src/domain/round/decide';
import { fingerprintOf, keyOf, RECONCILE } from '../../src/domain/round/keys';
import { readCommand } from '../../src/domain/round/read-command';
import { replyAbout, replyTo } from '../../src/domain/round/replies';
import type { Command } from '../../src/domain/round/types';
import { owns } from '../../src/domain/session';
import { nowIso, type Publish, type Round } from './round';
import { callText, COMMAND_TEXTS } from './texts';

/** A command that waits for its turn or is being carried out. */
export interface QueuedCommand {
  key: string;
  command: Command;
  /** Ids of the calls whose signals brought the command. Each may still send its update. */
  calls: string[];
  /** When the round accepted the command; milliseconds since the epoch. */
  acceptedAt: number;
  /** Id of the start event of the task that brought the signal; absent for the round's start. */
  acceptedBefore?: number;
  reply?: RoundReply;
}

export interface Inbox {
  publish: Publish;
  /** First in, first out: one command at a time changes the round. */
  queue: QueuedCommand[];
  /** Commands that wait or are being carried out, by key. A repeat joins them. */
  active: Map<string, QueuedCommand>;
  /** The last commands that were refused and not stored, newest last. */
  refusals: RoundStateView['refusals'];
  /** How many updates this run has accepted. */
  updates: number;
  /** How many updates wait now. */
  waiting: number;
  /** The run ends, so no update may wait any more. */
  isEnding: boolean;
  /** The newest answers by call id, for updates that arrive after their signal was carried out. */
  answers: Map<string, RoundReply>;
}

const MAX_REFUSALS = 20;
const MAX_ANSWERS = 12;
const MAX_ANSWER_CHARS = 512 * 1024;

/**
 * Registers the handlers of all commands. A command is a signal and an update of the same name. The first of the two is
 * carried out, the other joins by its key. A signal handler never throws, which would fail the workflow: it records what it
 * refuses.
 */
export function openInbox(round: Round, inbox: Inbox): void {
  const takeSignal = (type: Command['type'], raw: unknown, actor?: Actor, call?: string): void => {
    const taken = parseCommand(round, inbox, type, raw, actor, call);
    const known = 'refusal' in taken ? undefined : replyToRepeat(round, inbox, taken);
    const item =
      'refusal' in taken || known !== undefined ? undefined : enqueueOrJoin(inbox, taken.command, taken.key);
    if (item !== undefined) {
      if (call !== undefined) item.calls.push(call);
      return;
    }
    const refused = 'refusal' in taken ? taken.refusal : refusal('IDEMPOTENCYMISMATCH');
    const reply = known ?? replyAbout(round.state, refused);
    const key = 'refusal' in taken ? taken.key : givenKey(taken);
    if (reply.refusal !== undefined) noteRefusal(inbox, type, key, reply.refusal);
    if (call !== undefined && !isHidden(refused)) answerCall(inbox, call, reply);
  };
  const takeResume = (): void => {
    if (isResumable(round)) round.state = resume(round.state);
    else noteRefusal(inbox, 'resume', undefined, NOTHING_TO_RESUME);
  };
  for (const type of Object.keys(COMMANDS) as Command['type'][]) {
    const { signal, update } = COMMANDS[type];
    setHandler(signal, (raw: unknown, actor?: Actor, call?: string) => takeSignal(type, raw, actor, call), {
      description: COMMAND_TEXTS[type].signal,
    });
    const answerUpdate = async (
      raw: unknown,
      actor?: Actor,
      call?: string,
    ): Promise<RoundReply | ReplyByHand> => {
      inbox.updates += 1;
      inbox.waiting += 1;
      try {
        await otherEvents();
        const taken = parseCommand(round, inbox, type, raw, actor, call);
        if ('refusal' in taken) throw refusedUpdate(round, taken);
        const reply = await carriedOut(taken, call);
        if (call !== undefined) return reply;
        return { key: givenKey(taken), taken: Object.hasOwn(round.state.commands, taken.key), ...reply };
      } finally {
        inbox.waiting -= 1;
      }
    };
    const carriedOut = async (taken: KeyedCommand, call: string | undefined): Promise<RoundReply> => {
      const known = replyToRepeat(round, inbox, taken);
      if (known !== undefined) return known;
      const item = enqueueOrJoin(inbox, taken.command, taken.key);
      if (item === undefined) return replyAbout(round.state, refusal('IDEMPOTENCYMISMATCH'));
      // A cancel request from outside has no effect: the command goes on, and its caller gets an answer.
      await CancellationScope.nonCancellable(() =>
        condition(
          () => item.reply !== undefined || round.guardLost || isHeldUp(round, inbox, taken.command, call),
        ),
      );
      if (item.reply !== undefined) return item.reply;
      if (round.guardLost) throw ApplicationFailure.nonRetryable('guard lost', FAILURES.guardLost);
      throw heldFailure(round, taken, 'taken, and its wallet call is being retried');
    };
    const validator = (raw: unknown, actor?: Actor, call?: string, look?: Look): void =>
      validate(round, inbox, { type, raw, actor, call, look });
    const description = COMMAND_TEXTS[type].update;
    setHandler(update, answerUpdate, { validator, description });
  }
  setHandler(resumeSignal, takeResume, { description: COMMAND_TEXTS.resume.signal });
  setHandler(
    resumeUpdate,
    () => {
      const { pending } = round.state;
      round.state = resume(round.state);
      return { resumed: pending === undefined ? '' : callText(pending, round.state) };
    },
    {
      description: COMMAND_TEXTS.resume.update,
      validator: () => {
        if (!isResumable(round)) throw refusedUpdate(round, { refusal: NOTHING_TO_RESUME });
      },
    },
  );
}

/** How many conditions in a row may follow from one event. */
const MAX_CONDITIONS_IN_A_ROW = 4;

/**
 * Waits until the round has carried out the other events of this task.
 * Why: if the two tasks before an update have left no events, the SDK (1.24) carries out the newer one together with the
 * update, and the update comes first. A replay carries out one after the other (test/workflows/cold-update.test.ts).
 */
async function otherEvents(): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    for (let count = 0; count < MAX_CONDITIONS_IN_A_ROW; count += 1) {
      let isLater = false;
      void Promise.resolve().then(() => (isLater = true));
      await condition(() => isLater);
    }
  });
}

const NOTHING_TO_RESUME = refusal('INVALIDREQUEST', 'no call of this round waits to be resumed');

function isResumable({ state }: Round): boolean {
  return state.pending?.progress === 'awaiting-operator';
}

/**
 * Only a few updates may wait at the same time: the server accepts ten updates per run, and state reads are updates, too.
 * No update waits while a wallet call is being retried, or while the run ends. Callers ask again, which leaves nothing in
 * the history.
 */
const MAX_WAITING = 4;

function isHeldUp(round: Round, inbox: Inbox, command: Command, call: string | undefined): boolean {
  // A person's settle ends the retries, so it gets its answer soon.
  const endsRetries = command.type === 'settle' && call === undefined;
  return inbox.isEnding || (isRetried(round.state) && !endsRetries);
}

/** The key as its sender has given it. */
function givenKey({ command, key }: KeyedCommand): string {
  return 'key' in command ? command.key : key;
}

/** A repeat of an answered command gets its answer at once, whatever the round does now. */
function replyToRepeat(round: Round, inbox: Inbox, { command, key }: KeyedCommand): RoundReply | undefined {
  const { commands } = round.state;
  const known = Object.hasOwn(commands, key) ? commands[key]?.answer : undefined;
  if (known === undefined || inbox.active.has(key)) return undefined;
  const decision = decide(round.state, command, nowIso());
  if (decision.kind === 'refuse') return replyAbout(round.state, decision.refusal);
  // The round accepts this command again (a reconciliation repeats its settle), so it is no repeat.
  if (decision.kind === 'accept') return undefined;
  return { ...replyTo(round.state, known), isRepeat: true };
}

interface KeyedCommand {
  command: Command;
  key: string;
}
/** The key is absent if the input can't be read, or is not the sender's to know. */
type RefusedCommand = { refusal: Refusal; key?: string };
type ParsedCommand = RefusedCommand | KeyedCommand;

/** The service sends each command of a reconciliation with a call id. A person's command has none. */
const RESERVED_KEY = `key: ${RECONCILE} is the key of reconciliations`;

/** Reads a command, and refuses one that must not wait in the queue. */
function parseCommand(
  round: Round,
  inbox: Inbox,
  type: Command['type'],
  raw: unknown,
  actor?: Actor,
  call?: string,
): ParsedCommand {
  const read = readCommand(type, raw);
  if ('fault' in read) return { refusal: refusal('INVALIDREQUEST', read.fault) };
  if ('key' in read.command && read.command.key === RECONCILE && typeof call !== 'string')
    return { refusal: refusal('INVALIDREQUEST', RESERVED_KEY), key: RECONCILE };
  if (actor && !owns(actor, round.state.identity)) return { refusal: refusal('GAMEROUNDNOTFOUND') };
  const key = keyOf(round.state, read.command);
  // A command on a round that is over is refused at once, also while its void is still being retried. So is a wrong settle.
  const isDecided = round.state.status !== 'open' || (type === 'settle' && isRetried(round.state));
  if (isDecided && !inbox.active.has(key)) {
    const decision = decide(round.state, read.command, nowIso());
    if (decision.kind === 'refuse')
      return { refusal: decision.refusal, key: givenKey({ command: read.command, key }) };
  }
  // A wallet call is being retried: refuse other commands until it has an outcome. A repeat joins.
  if (
    !waitsItsTurn(read.command) &&
    isRetried(round.state) &&
    !inbox.active.has(key) &&
    !Object.hasOwn(round.state.commands, key)
  ) {
    return { refusal: refusal('OPERATIONBEINGPROCESSED'), key: givenKey({ command: read.command, key }) };
  }
  return { command: read.command, key };
}

interface Asked {
  type: Command['type'];
  raw: unknown;
  actor: Actor | undefined;
  call: string | undefined;
  look: Look | undefined;
}

/**
 * Answers at once if possible, before anything is written to the history. The details of the failure hold the reply that the
 * update would have returned. Updates of a person have no call id: they are accepted and return a stored answer themselves.
 */
function validate(round: Round, inbox: Inbox, { type, raw, actor, call, look }: Asked): void {
  const kept = call === undefined ? undefined : inbox.answers.get(call);
  if (kept !== undefined) throw replyByFailure(FAILURES.answered, kept);
  const joined = look === 'again' ? answerToJoined(round, inbox, type, raw) : undefined;
  if (joined !== undefined) throw replyByFailure(FAILURES.answered, joined);
  const taken = parseCommand(round, inbox, type, raw, actor, call);
  if ('refusal' in taken) throw refusedUpdate(round, taken);
  const known = replyToRepeat(round, inbox, taken);
  if (known !== undefined) {
    if (call !== undefined) throw replyByFailure(FAILURES.answered, known);
    return;
  }
  const refused = refusedAtOnce(round, inbox, taken);
  if (refused !== undefined) throw refusedUpdate(round, { refusal: refused, key: givenKey(taken) });
  const isHeld = isHeldUp(round, inbox, taken.command, call) || inbox.waiting >= MAX_WAITING;
  if (isHeld || (look && inbox.active.has(taken.key))) {
    throw heldFailure(round, taken, 'not taken by this update; send it again');
  }
  if (look) throw replyByFailure(FAILURES.free);
}

/** Callers that have joined a command get its answer, even if it has ended the round. */
function answerToJoined(
  round: Round,
  inbox: Inbox,
  type: Command['type'],
  raw: unknown,
): RoundReply | undefined {
  const read = readCommand(type, raw);
  if ('fault' in read) return undefined;
  const key = keyOf(round.state, read.command);
  const entry = Object.hasOwn(round.state.commands, key) ? round.state.commands[key] : undefined;
  if (entry?.answer === undefined || inbox.active.has(key)) return undefined;
  return entry.fingerprint === fingerprintOf(read.command) ? replyTo(round.state, entry.answer) : undefined;
}

function heldFailure(round: Round, command: KeyedCommand, why: string): ApplicationFailure {
  const refused = refusal('OPERATIONBEINGPROCESSED');
  return updateFailure(FAILURES.held, `${refused.errorCode.msg} (key ${givenKey(command)}): ${why}`, [
    replyAbout(round.state, refused),
    command.key,
  ]);
}

function replyByFailure(type: string, ...details: unknown[]): ApplicationFailure {
  return updateFailure(type, type, details);
}

/** The message is for a person. The service reads type and details. */
function refusedUpdate(round: Round, { refusal: refused, key }: RefusedCommand): ApplicationFailure {
  const { msg } = refused.errorCode;
  const message = key === undefined ? msg : `${msg} (key ${key})`;
  return updateFailure(
    FAILURES.refused,
    message,
    isHidden(refused) ? [] : [replyAbout(round.state, refused)],
  );
}

function updateFailure(type: string, message: string, details: unknown[]): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nonRetryable: true, details });
}

/** A refused actor that does not own the round learns nothing about it. */
function isHidden({ errorCode }: Refusal): boolean {
  return errorCode.msg === 'GAMEROUNDNOTFOUND';
}

function refusedAtOnce(round: Round, inbox: Inbox, { command, key }: KeyedCommand): Refusal | undefined {
  const waiting = inbox.active.get(key);
  if (waiting !== undefined) {
    return fingerprintOf(waiting.command) === fingerprintOf(command)
      ? undefined
      : refusal('IDEMPOTENCYMISMATCH');
  }
  const isCarriedOut = Object.hasOwn(round.state.commands, key);
  if (!isCarriedOut && (inbox.active.size > 0 || round.state.pending !== undefined)) return undefined;
  const decision = decide(round.state, command, nowIso());
  return decision.kind === 'refuse' ? decision.refusal : undefined;
}

export function newInbox(publish: Publish): Inbox {
  return {
    publish,
    queue: [],
    active: new Map(),
    refusals: [],
    updates: 0,
    waiting: 0,
    isEnding: false,
    answers: new Map(),
  };
}

/** Puts a command from the previous run into the queue. */
export function restoreQueued(inbox: Inbox, { key, command, calls, acceptedAt }: WaitingCommand): void {
  const item: QueuedCommand = { key, command, calls: [...calls], acceptedAt };
  inbox.queue.push(item);
  inbox.active.set(key, item);
}

/** Queues a command, or returns the one that it repeats. Undefined if the money fields differ. */
function enqueueOrJoin(inbox: Inbox, command: Command, key: string): QueuedCommand | undefined {
  const waiting = inbox.active.get(key);
  if (waiting !== undefined) {
    return fingerprintOf(waiting.command) === fingerprintOf(command) ? waiting : undefined;
  }
  const acceptedBefore = workflowInfo().historyLength;
  const item: QueuedCommand = { key, command, calls: [], acceptedAt: Date.now(), acceptedBefore };
  // A bet that waits for its turn leaves an event. The SDK (1.24) may replay a task without events at the time of a later
  // one, so the bet would seem younger than it is (test/workflows/waiting-bet.test.ts).
  if (command.type === 'start' && inbox.active.size > 0) inbox.publish('always');
  inbox.queue.push(item);
  inbox.active.set(key, item);
  return item;
}

/** Answers a command. From now on repeats find its answer in the state of the round. */
export function completeCommand(
  inbox: Inbox,
  item: QueuedCommand,
  reply: RoundReply,
  isStored?: 'stored',
): void {
  item.reply = reply;
  inbox.active.delete(item.key);
  for (const call of item.calls) answerCall(inbox, call, reply);
  // The workflow may end before the callers that joined the command ask again, so keep the answer for its result.
  if (reply.gameRoundInfo.status !== 'open') cacheReply(inbox, item.key, reply);
  // A settle that was taken may leave the round crashed. Its answer says so, but it was not refused.
  const isTaken = isStored && item.command.type === 'settle';
  if (reply.refusal !== undefined && !isTaken)
    noteRefusal(inbox, item.command.type, givenKey(item), reply.refusal);
}

const { calls } = proxySinks<CallSinks>();

/** Stores the answer and tells the caller to fetch it by the update. */
function answerCall(inbox: Inbox, call: string, reply: RoundReply): void {
  cacheReply(inbox, call, reply);
  calls.askNow(call);
}

/** Keeps the answer to a call for its update. The oldest answers are dropped. */
function cacheReply(inbox: Inbox, call: string, reply: RoundReply): void {
  inbox.answers.set(call, reply);
  for (const oldest of inbox.answers.keys()) {
    if (inbox.answers.size <= MAX_ANSWERS) break;
    inbox.answers.delete(oldest);
  }
}

/** The newest answers, as many as fit into the round's result. */
export function answersForResult({ answers }: Inbox): Record<string, RoundReply> {
  const fitting: [string, RoundReply][] = [];
  let chars = 0;
  for (const entry of [...answers].reverse()) {
    chars += JSON.stringify(entry).length;
    if (chars > MAX_ANSWER_CHARS && fitting.length > 0) break;
    fitting.unshift(entry);
  }
  return Object.fromEntries(fitting);
}

/** Enough for the lists of a person's settle. A command that does not fit is refused. */
const MAX_QUEUE_CHARS = 16 * 1024;

/** The waiting commands, for the next run. */
export function queueForNextRun(round: Round, inbox: Inbox): WaitingCommand[] {
  let chars = 0;
  return inbox.queue.flatMap((item) => {
    const { key, command, calls, acceptedAt } = item;
    const waiting = { key, command, calls, acceptedAt };
    chars += JSON.stringify(waiting).length;
    if (chars <= MAX_QUEUE_CHARS) return [waiting];
    completeCommand(inbox, item, replyAbout(round.state, refusal('OPERATIONBEINGPROCESSED')));
    return [];
  });
}

/** Refuses the waiting commands, since the wallet call of the current one is being retried for an unknown time. */
export function refuseWaiting(round: Round, inbox: Inbox): void {
  for (const item of inbox.queue.splice(0)) {
    if (waitsItsTurn(item.command)) {
      inbox.queue.push(item);
      continue;
    }
    completeCommand(inbox, item, replyAbout(round.state, refusal('OPERATIONBEINGPROCESSED')));
  }
}

/** A reconciliation waits for a wallet call that is being retried. A settle can end that wait. */
function waitsItsTurn(command: Command): boolean {
  return command.type === 'settle' || (command.type === 'end' && command.forReconciliation === true);
}

function noteRefusal(inbox: Inbox, command: string, key: string | undefined, refused: Refusal): void {
  const { id, msg } = refused.errorCode;
  inbox.refusals.push({
    at: nowIso(),
    command,
    ...(key === undefined ? {} : { key }),
    errorCode: { id, msg },
  });
  inbox.refusals.splice(0, inbox.refusals.length - MAX_REFUSALS);
}
