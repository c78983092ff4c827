import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AnswerForCallers } from '../../src/contracts/activities';
import {
  FAILURES,
  stateQuery,
  stateUpdate,
  transactionsQuery,
  type GameroundResult,
  type Continued,
  type GameroundStart,
  type RoundStateView,
} from '../../src/contracts/gameround';
import { refusal } from '../../src/domain/errors';
import { decide, type Decision } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { readCommand } from '../../src/domain/round/read-command';
import { replyAbout, replyTo, snapshotOf } from '../../src/domain/round/replies';
import { refusedAsRestored } from '../../src/domain/round/restored';
import { isRetried, owesNothing } from '../../src/domain/round/apply-wallet-outcome';
import type { PendingCall, RoundState } from '../../src/domain/round/types';
import {
  EVENTS_PER_RUN,
  MAX_BYTES_PER_RUN,
  MAX_EVENTS_PER_RUN,
  MAX_STATE_REPLY_CHARS,
  MAX_UPDATES_PER_RUN,
  QUIET_MS,
  UPDATES_PER_RUN,
} from '../policies';
import { createPostClose, type PostClose } from './post-close';
import { createAutoClose, type AutoClose } from './auto-close';
import {
  completeCommand,
  answersForResult,
  newInbox,
  openInbox,
  restoreQueued,
  queueForNextRun,
  refuseWaiting,
  type Inbox,
  type QueuedCommand,
} from './inbox';
import { createProjection, type Projection } from './projection';
import { nowIso, publisher, startedAt, type Round } from './round';
import { createWallet, type Decisions, type Wallet } from './wallet';

/**
 * One gameround: takes the bet, adds wins, closes or voids. It runs until nothing is owed.
 * `setup` connects the parts and registers the handlers; `run` carries out one command after another.
 */
export async function gameround(start: GameroundStart): Promise<GameroundResult> {
  assertReadable(start);
  const parts = setup(start);
  // A cancel request from outside must not stop a wallet call half-way. A round ends by its own commands only.
  await CancellationScope.nonCancellable(() => run(parts));
  const { identity, status } = parts.round.state;
  return { gameround: identity.gameround, status, answers: answersForResult(parts.inbox) };
}

/** A person may have started the workflow. Fail before anything is sent if the bet is invalid. */
function assertReadable({ command }: GameroundStart): void {
  const read = readCommand('start', command);
  if ('fault' in read) throw ApplicationFailure.nonRetryable(`the bet's ${read.fault} is invalid`);
}

function neverAccepted(): never {
  throw ApplicationFailure.nonRetryable('a question is answered by its validator');
}

interface Parts {
  start: GameroundStart;
  round: Round;
  inbox: Inbox;
  wallet: Wallet;
  projection: Projection;
  autoClose: AutoClose;
  postClose: PostClose;
  publish: () => void;
}

function setup(start: GameroundStart): Parts {
  const { identity, settings, command, continued } = start;
  const round: Round = {
    state: continued?.state ?? createRound(identity, settings, command, startedAt()),
    guardLost: false,
    takenOver: false,
    resetRun: resetRunBefore(continued),
  };
  const publish = publisher(round);
  const inbox = newInbox(publish);
  for (const item of continued?.queue ?? []) restoreQueued(inbox, item);
  const projection = createProjection(round, continued?.version, publish);
  const closeAt = continued?.autoCloseAt ?? workflowInfo().startTime.getTime() + settings.autoCloseAfterMs;
  const plan = { closeAt, attempts: continued?.autoCloseAttempts ?? 0 };
  if (continued === undefined)
    inbox.active.set('start', {
      key: 'start',
      command,
      calls: start.call === undefined ? [] : [start.call],
      acceptedAt: workflowInfo().startTime.getTime(),
    });

  setHandler(stateQuery, () => view(round, inbox, projection), {
    description: 'The whole round, its marks, and the last commands that it refused. Amounts in minor units.',
  });
  setHandler(stateUpdate, neverAccepted, {
    description: 'For the service only: use the query.',
    validator: () => {
      const state = view(round, inbox, projection);
      throw ApplicationFailure.create({
        message: 'the state of the round',
        type: FAILURES.stateReply,
        nonRetryable: true,
        details: JSON.stringify(state).length > MAX_STATE_REPLY_CHARS ? [] : [state],
      });
    },
  });
  setHandler(transactionsQuery, () => round.state.transactions, {
    description: 'What was sent to the operator, with hashes and outcomes. Amounts in minor units.',
  });
  openInbox(round, inbox);
  return {
    start,
    round,
    inbox,
    wallet: createWallet(round, projection, publish),
    projection,
    autoClose: createAutoClose(round, plan, () => {
      publish();
      projection.projectSoon();
    }),
    postClose: createPostClose(round, projection, publish),
    publish,
  };
}

async function run(parts: Parts): Promise<void> {
  const { round, inbox, autoClose, projection, publish } = parts;
  const first = inbox.active.get('start');
  if (first !== undefined) await finish(parts, first);
  publish();
  // The record of a restored round doesn't show the mark yet.
  if (round.state.keptMarks.includes('restored')) projection.projectSoon();
  autoClose.watch();
  // The previous run ended while this call was being retried.
  if (round.state.pending !== undefined)
    await finish(parts, commandOfRetriedCall(round.state.pending, parts));
  while (!isOver(parts)) {
    if (mustContinueNow(parts)) await continueInNewRun(parts);
    const item = inbox.queue.shift();
    if (item !== undefined) await carryOut(parts, item);
    else if (isFull(parts)) await continueWhenQuiet(parts);
    else await condition(() => inbox.queue.length > 0 || isOver(parts) || isFull(parts));
  }
  await condition(allHandlersFinished);
}

/** The command of a retried call in a new run. It has no calls: its callers ask for the answer by the key. */
function commandOfRetriedCall(pending: PendingCall, { round, start }: Parts): QueuedCommand {
  const { voidCommandKey = '' } = round.state;
  const key = pending.purpose === 'void' ? voidCommandKey : pending.commandKey;
  return { key, command: start.command, calls: [], acceptedAt: Date.now() };
}

async function carryOut(parts: Parts, item: QueuedCommand): Promise<void> {
  const { round, inbox } = parts;
  round.takenOver = false;
  const decision = decideSafely(round, item);
  switch (decision.kind) {
    case 'refuse':
      return completeCommand(inbox, item, replyAbout(round.state, decision.refusal));
    case 'join':
      return answerIfDone(parts, item);
    case 'accept':
      round.state = decision.state;
      return finish(parts, item);
  }
}

/** Refuses a command for which the rules throw. It stays in the history, so without this the round would stop for ever. */
function decideSafely(round: Round, item: QueuedCommand): Decision {
  try {
    return decide(round.state, item.command, nowIso());
  } catch (error) {
    log.error('a command could not be decided', { command: item.command.type, reason: String(error) });
    return { kind: 'refuse', refusal: refusal('INTERNALERROR') };
  }
}

/** Makes the wallet calls of the command, writes the record and answers. */
async function finish(parts: Parts, item: QueuedCommand): Promise<void> {
  const { round, inbox, wallet, projection, autoClose, publish } = parts;
  answerBeforeVoids(parts, item);
  const driven = await wallet.drive(
    item,
    () => {
      if (isRetried(round.state)) {
        autoClose.watch();
        refuseWaiting(round, inbox);
        projection.projectSoon();
      }
      answerBeforeVoids(parts, item);
      publish();
    },
    decisionsIn(parts),
    () => isFull(parts),
  );
  if (driven === 'full') return continueInNewRun(parts);
  if (round.guardLost) {
    // Nothing was sent, so the name of the round stays free: a failed workflow may be started again.
    await condition(allHandlersFinished);
    throw ApplicationFailure.nonRetryable('another round holds the open-round guard', FAILURES.guardLost);
  }
  // Not every command calls the wallet, but each may change the marks and details of the workflow.
  publish();
  // Write the record before the answer, so that a caller with an answer finds the outcome there (unless MongoDB is down).
  if (driven !== 'recorded') await projection.project(answerForCallers(round, item));
  answerIfDone(parts, item);
  if (!round.takenOver) parts.postClose.begin();
}

/** The answer for the callers of this command that still wait. */
function answerForCallers(
  { state }: Round,
  { key, calls, reply }: QueuedCommand,
): AnswerForCallers | undefined {
  const answer = state.commands[key]?.answer;
  if (answer === undefined || reply !== undefined || calls.length === 0) return undefined;
  const { lastBalance } = state;
  // The answer to a start contains its own balance only (replyTo).
  const isAlone = key === 'start' || answer.balance === undefined;
  return { calls, answer, ...(isAlone ? {} : { lastBalance }) };
}

/** A person's settle can end the wait for a wallet. All other commands wait for their turn. */
function decisionsIn(parts: Parts): Decisions {
  const { round, inbox, projection } = parts;
  const next = (): { item: QueuedCommand; state: RoundState } | undefined => {
    for (const item of inbox.queue.filter(({ command }) => command.type === 'settle')) {
      const decision = decideSafely(round, item);
      if (decision.kind === 'accept') return { item, state: decision.state };
    }
    return undefined;
  };
  return {
    exist: () => next() !== undefined,
    apply() {
      const found = next();
      if (found === undefined) return;
      inbox.queue.splice(inbox.queue.indexOf(found.item), 1);
      round.state = found.state;
      answerIfDone(parts, found.item);
      projection.projectSoon();
    },
  };
}

/** Answers before a void for which no caller waits, since it may take long. The record is written in the background. */
function answerBeforeVoids(parts: Parts, item: QueuedCommand): void {
  const { round, projection } = parts;
  if (round.state.pending === undefined) return;
  answerIfDone(parts, item);
  if (item.reply !== undefined) projection.projectSoon();
}

function answerIfDone(parts: Parts, item: QueuedCommand): void {
  const { round, inbox } = parts;
  if (item.reply !== undefined) return;
  if (round.takenOver)
    return completeCommand(inbox, item, replyAbout(round.state, refusedAsRestored(round.state)));
  const known = round.state.commands[item.key]?.answer;
  if (known !== undefined) completeCommand(inbox, item, replyTo(round.state, known), 'stored');
}

/** The round is not open, owes the wallet nothing, has its record written, and no command waits. */
function isOver({ round, inbox, projection, autoClose, postClose }: Parts): boolean {
  return (
    round.state.status !== 'open' &&
    owesNothing(round.state) &&
    inbox.queue.length === 0 &&
    inbox.waiting === 0 &&
    projection.isIdle() &&
    postClose.isDone() &&
    !autoClose.isAsking()
  );
}

/** Whether a long round should continue as new, now that nothing is in flight. A retried wallet call moves to the new run. */
function isFull({ round, inbox, ...parts }: Parts): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  const full = historyLength > EVENTS_PER_RUN || continueAsNewSuggested || inbox.updates > UPDATES_PER_RUN;
  const isWaiting = isRetried(round.state);
  const idle = isWaiting || (owesNothing(round.state) && inbox.queue.length === 0 && inbox.active.size === 0);
  return full && idle && isCalm(parts) && allHandlersFinished();
}

function isCalm({ projection, autoClose, postClose }: Omit<Parts, 'round' | 'inbox'>): boolean {
  return projection.isIdle() && postClose.isDone() && !autoClose.isAsking();
}

/** Whether the run is so long that it must end even while commands wait. They move to the new run. */
function mustContinueNow({ round, inbox, ...parts }: Parts): boolean {
  const { historyLength, historySize } = workflowInfo();
  const isLong =
    historyLength > MAX_EVENTS_PER_RUN ||
    historySize > MAX_BYTES_PER_RUN ||
    inbox.updates > MAX_UPDATES_PER_RUN;
  return isLong && owesNothing(round.state) && isCalm(parts);
}

/** Ends the run in a pause. A command that arrives while the run ends makes the server repeat the task. */
async function continueWhenQuiet(parts: Parts): Promise<void> {
  const { inbox } = parts;
  const isBusy = await condition(() => inbox.queue.length > 0 || isOver(parts), QUIET_MS, {
    summary: 'continue in a new run if no command arrives',
  });
  if (!isBusy && isFull(parts)) await continueInNewRun(parts);
}

async function continueInNewRun({ start, round, inbox, projection, autoClose }: Parts): Promise<void> {
  inbox.isEnding = true;
  await condition(allHandlersFinished);
  const { closeAt, attempts } = autoClose.plan();
  await continueAsNew<typeof gameround>({
    ...start,
    continued: {
      state: round.state,
      version: projection.version(),
      autoCloseAt: closeAt,
      autoCloseAttempts: attempts,
      queue: queueForNextRun(round, inbox),
      before: workflowInfo().originalExecutionRunId,
      resetRun: round.resetRun,
    },
  });
}

/** The run before, if a reset made it: then it runs under another id than the one that it began with. */
function resetRunBefore(continued: Continued | undefined): string | undefined {
  const { continuedFromExecutionRunId } = workflowInfo();
  const isReset = continued?.before !== undefined && continued.before !== continuedFromExecutionRunId;
  return isReset ? continuedFromExecutionRunId : continued?.resetRun;
}

function view(round: Round, inbox: Inbox, projection: Projection): RoundStateView {
  const { state } = round;
  const decided = state.transactions.some(({ outcome }) => outcome !== 'pending');
  const phase = isRetried(state) ? 'retrying' : state.pending ? 'busy' : 'idle';
  return {
    ...snapshotOf(state),
    phase: decided ? phase : 'starting',
    version: projection.version(),
    ownVersions: projection.ownVersions(),
    refusals: inbox.refusals,
  };
}
