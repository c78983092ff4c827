import { randomUUID } from 'node:crypto';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Semaphore, withTimeout } from 'async-mutex';
import {
  FAILURES,
  GAMEROUND_WORKFLOW,
  stateQuery,
  stateUpdate,
  workflowIdOf,
  COMMANDS,
  type Actor,
  type Look,
  type GameroundResult,
  type GameroundStart,
  type RoundReply,
  type RoundStateView,
} from '../contracts/gameround';
import { BEFORE_ANY_ATTEMPT } from '../contracts/guards';
import { attributesOf } from '../contracts/search-attributes';
import { refuse, refuseBecause } from '../domain/errors';
import { moneyText } from '../domain/money';
import type { IdleHistory } from '../domain/round/record';
import { readCommand } from '../domain/round/read-command';
import type { Command, RoundState } from '../domain/round/types';
import { definitionsOf } from './command-definitions';
import { firstAnswer, type LocalWorker } from './local-worker';
import {
  commandDeadline,
  msLeft,
  OutOfTimeError,
  TASK_TIMEOUT,
  withinCommandTime,
  type Waiting,
} from './deadline';

/** The server accepts ten updates of one run at a time. Several processes share them, so each uses only a few. */
const IN_FLIGHT_PER_ROUND = 4;
const READING_PER_ROUND = 1;
const WAITING_PER_ROUND = 200;

/** Pauses between two questions about a command for which the update may not wait. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;
/** Time that the last question before the deadline needs. */
const LOOK_MS = 500;

/** No workflow with this id runs: the round is over or never existed. */
export type NotRunning = 'gone';

export interface RoundClient {
  /** Starts the round, or joins it if it already runs. */
  start(
    start: GameroundStart,
    actor: Actor,
    deadline?: number,
  ): Promise<RoundReply | NotRunning | 'guard-lost'>;
  /**
   * Makes the command durable by a signal, and gets its answer by an update. If the round is known to wait for its wallet,
   * it is first asked whether it would take the command: a refused command then leaves nothing in the history.
   */
  signalThenUpdate: (
    gameround: string,
    sent: Command,
    actor?: Actor,
    about?: Sending,
  ) => Promise<RoundReply | NotRunning>;
  /** Gets an answer by an update without a signal, for commands that can only be repeats. */
  updateOnly: (
    gameround: string,
    sent: Command,
    actor?: Actor,
    deadline?: number,
  ) => Promise<RoundReply | NotRunning>;
  /** The round's state, also after its close within retention. Undefined if there is no such workflow. */
  state(gameround: string, deadline?: number): Promise<RoundStateView | undefined>;
  isRunning(gameround: string, deadline?: number): Promise<boolean>;
  /** Whether the round runs, and nothing has happened to it since this history. Asks the server only, no worker. */
  isIdleAt(gameround: string, history: IdleHistory, deadline?: number): Promise<boolean>;
  /** Starts the workflow of a round again, if Temporal does not know it. */
  restore(state: RoundState, version: number): Promise<void>;
}

export interface Sending {
  deadline?: number;
  /** The caller knows that the round waits for its wallet. */
  isWaiting?: boolean;
}

export function createRoundClient(client: Client, taskQueue: string, local?: LocalWorker): RoundClient {
  const limit = perRoundLimiter(IN_FLIGHT_PER_ROUND);
  const reading = perRoundLimiter(READING_PER_ROUND);
  const waiting = waitingRounds();
  const handleOf = (gameround: string): WorkflowHandle => client.workflow.getHandle(workflowIdOf(gameround));

  const running = (gameround: string, deadline?: number): Promise<WorkflowExecutionDescription | undefined> =>
    withinCommandTime(client, () => runningOf(handleOf(gameround)), { deadline });

  /** Limits the calls to a round in flight. The wait for a free place counts toward the deadline. */
  const limited = <T>(gameround: string, run: () => Promise<T>, about: Waiting): Promise<T> =>
    withinCommandTime(client, () => limit(gameround, run, about.deadline), about);

  async function update(
    gameround: string,
    sent: Command,
    asked: PendingAsk,
    look?: Look,
  ): Promise<UpdateResult> {
    const { update: definition } = definitionsOf(sent);
    const { actor, call } = asked;
    return tell(gameround, asked, () =>
      handleOf(gameround).executeUpdate(definition, { args: [sent, actor, call, look] }),
    );
  }

  async function tell(
    gameround: string,
    asked: PendingAsk,
    run: () => Promise<RoundReply>,
  ): Promise<UpdateResult> {
    try {
      return { reply: await limited(gameround, run, asked) };
    } catch (error) {
      return updateResultOf(
        error,
        () => limited(gameround, () => answersOf(handleOf(gameround)), asked),
        asked,
      );
    }
  }

  /** Asks again while the command is being carried out. At the deadline it returns 503 OPERATIONBEINGPROCESSED. */
  async function askUntilDone(
    gameround: string,
    sent: Command,
    asked: PendingAsk,
    first: UpdateResult,
  ): Promise<RoundReply | NotRunning> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let answered = first; ; answered = await update(gameround, sent, asked, 'again')) {
      // The command was refused and not stored while this call waited. Send it again.
      if (answered === 'free') answered = await update(gameround, sent, asked);
      // The round lost its guard while this call waited. Nothing was sent, so the round does not exist.
      if (answered === 'gone' || answered === 'free' || answered === 'guard-lost') return 'gone';
      if (answered.reply.refusal?.errorCode.msg === 'OPERATIONBEINGPROCESSED') waiting.note(gameround);
      const leftMs = msLeft(asked.deadline) - LOOK_MS;
      if (answered.heldKey === undefined || leftMs <= 0) return answered.reply;
      asked.key = answered.heldKey;
      await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /**
   * Starts the round so that its first task goes to this process's worker, and confirms the guard while the task runs. False
   * if the workflow already exists.
   */
  async function startHere(
    { guards, waitingCalls }: LocalWorker,
    eager: Client,
    start: GameroundStart,
    asked: PendingAsk,
  ): Promise<boolean> {
    const options = { ...startOptions(start), taskQueue, requestEagerStart: true };
    const run = (): Promise<unknown> => eager.workflow.start<GameroundWorkflow>(GAMEROUND_WORKFLOW, options);
    try {
      await withinCommandTime(eager, run, asked);
      asked.isTaken = true;
      const { identity } = start;
      waitingCalls.confirming(asked.call, guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT));
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  async function startAndAsk(
    start: GameroundStart,
    asked: PendingAsk,
  ): Promise<RoundReply | NotRunning | 'guard-lost'> {
    const { command, identity } = start;
    const { gameround } = identity;
    const first = await tell(gameround, asked, () =>
      client.workflow.executeUpdateWithStart(COMMANDS.start.update, {
        startWorkflowOperation: startOperation(start, taskQueue),
        args: [command, asked.actor, asked.call],
      }),
    );
    return first === 'guard-lost' ? first : askUntilDone(gameround, command, asked, first);
  }

  return {
    start: async (start, actor, deadline = commandDeadline()) => {
      assertReadable(start.command);
      const call = randomUUID();
      const asked: PendingAsk = { actor, call, deadline };
      const begun = { ...start, call };
      const ask = (): Promise<RoundReply | NotRunning | 'guard-lost'> => startAndAsk(begun, asked);
      const eager = local?.client;
      if (local === undefined || eager === undefined) return ask();
      return firstAnswer(
        local,
        { call, gameround: start.identity.gameround },
        () => startHere(local, eager, begun, asked),
        ask,
      );
    },
    signalThenUpdate: async (
      gameround,
      sent,
      actor,
      { deadline = commandDeadline(), isWaiting = false } = {},
    ) => {
      assertReadable(sent);
      const asked: PendingAsk = { actor, call: randomUUID(), deadline };
      if (isWaiting || waiting.has(gameround)) {
        const answered = await update(gameround, sent, asked, 'first');
        if (answered !== 'free') return askUntilDone(gameround, sent, asked, answered);
      }
      const { signal } = definitionsOf(sent);
      const { call } = asked;
      const signalled = async (): Promise<boolean> => {
        // Send the signal once. Only the question for the answer is repeated, since each signal enters the history.
        await limited(gameround, () => handleOf(gameround).signal(signal, sent, actor, call), asked);
        return local?.waitingCalls.isLocal(gameround) ?? false;
      };
      const ask = async (): Promise<RoundReply | NotRunning> => {
        const taken = { ...asked, isTaken: true };
        return askUntilDone(gameround, sent, taken, await update(gameround, sent, taken));
      };
      return firstAnswer(local, { call, gameround }, signalled, ask).catch(notRunningOrThrow);
    },
    updateOnly: async (gameround, sent, actor, deadline = commandDeadline()) => {
      assertReadable(sent);
      const asked: PendingAsk = { actor, call: randomUUID(), deadline };
      return askUntilDone(gameround, sent, asked, await update(gameround, sent, asked));
    },
    state: (gameround, until) =>
      withinCommandTime(client, () => reading(gameround, () => stateOf(handleOf(gameround)), until), {
        deadline: until,
      }),
    isRunning: async (gameround, deadline) => (await running(gameround, deadline)) !== undefined,
    isIdleAt: async (gameround, { runId, events }, deadline) => {
      const found = await running(gameround, deadline);
      return found?.runId === runId && found.historyLength <= events;
    },
    restore: async (state, version) => {
      const { identity, settings, stake } = state;
      const autoCloseAt = new Date(state.openedAt).getTime() + settings.autoCloseAfterMs;
      await client.workflow.start<GameroundWorkflow>(GAMEROUND_WORKFLOW, {
        ...startOptions({
          ...{ identity, settings },
          // Not carried out again: the round goes on from `continued`.
          command: {
            type: 'start',
            stake,
            currency: identity.currency,
            useTicket: false,
            endGame: false,
            winAmount: 0,
          },
          continued: { state, version, autoCloseAt, autoCloseAttempts: 0 },
        }),
        taskQueue,
      });
    },
  };
}

/** Refuses an invalid command here. In the workflow it would enter the history before it is refused. */
function assertReadable(command: Command): void {
  const read = readCommand(command.type, command);
  if ('fault' in read) throw refuse('INVALIDREQUEST', read.fault);
}

/** A call to a round that waits for its answer. */
interface PendingAsk extends Waiting {
  actor: Actor | undefined;
  call: string;
  deadline: number;
  /** The key of the command, known once the round carries it out. */
  key?: string;
}

/** The result of an update: the answer, or (with `heldKey`) the state of the round while the command is in progress. */
type UpdateResult = { reply: RoundReply; heldKey?: string | undefined } | NotRunning | 'free' | 'guard-lost';

/** The server fails an update with this type if the workflow ends before the update. */
const ENDED_BY_FORCE = 'AcceptedUpdateCompletedWorkflow';

/** A round's validator answers by failing the update, which leaves nothing in the history. This reads that failure. */
async function updateResultOf(
  error: unknown,
  answers: () => Promise<Answers>,
  { call, key = call }: PendingAsk,
): Promise<UpdateResult> {
  const { type, details } = failureOf(error) ?? {};
  switch (type) {
    case FAILURES.guardLost:
      return 'guard-lost';
    case FAILURES.free:
      return 'free';
    case FAILURES.refused:
    case FAILURES.answered:
    case FAILURES.held: {
      const reply = details?.[0] as RoundReply | undefined;
      // A round of another owner returns no details.
      if (reply === undefined) throw refuse('GAMEROUNDNOTFOUND');
      return { reply, heldKey: type === FAILURES.held ? (details?.[1] as string) : undefined };
    }
    // A person has terminated the workflow. The outcome of the command is unknown until the round is repaired.
    case ENDED_BY_FORCE:
      throw refuseBecause(error, 'SERVICEUNAVAILABLE');
    default:
      notRunningOrThrow(error);
  }
  // A command that ended the round at once has its answer in the round's result.
  const kept = await answers();
  const reply = kept[call] ?? kept[key];
  return reply === undefined ? 'gone' : { reply };
}

/** After a round refused a call because it waits for its wallet, ask it before sending further signals for this long. */
const KNOWN_TO_WAIT_MS = 15_000;
const MAX_WAITING_ROUNDS = 10_000;

/** Remembers rounds that waited for their wallet a moment ago. */
function waitingRounds(): { note(gameround: string): void; has(gameround: string): boolean } {
  const until = new Map<string, number>();
  return {
    note(gameround) {
      until.delete(gameround);
      until.set(gameround, performance.now() + KNOWN_TO_WAIT_MS);
      const [oldest] = until.keys();
      if (until.size > MAX_WAITING_ROUNDS && oldest !== undefined) until.delete(oldest);
    },
    has: (gameround) => (until.get(gameround) ?? 0) > performance.now(),
  };
}

type Answers = Partial<Record<string, RoundReply>>;

/** The answers in the round's result. Empty if the round failed (it lost its guard) or never existed. */
async function answersOf(handle: WorkflowHandle): Promise<Answers> {
  try {
    return ((await handle.result()) as GameroundResult).answers;
  } catch (error) {
    if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return {};
    throw error;
  }
}

/**
 * Reads the state of a running round by an update, which leaves nothing in the history. Uses a query if the round is over (no
 * events can follow), or if the state is too large for an update.
 */
async function stateOf(handle: WorkflowHandle): Promise<RoundStateView | undefined> {
  const answered = await readRunningState(handle);
  if (answered !== 'over' && answered !== 'too large') return answered;
  try {
    const state = await handle.query(stateQuery);
    // A workflow that lost the guard has failed. It sent nothing, so the round does not exist.
    return answered === 'over' && state.phase === 'starting' ? undefined : state;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function readRunningState(handle: WorkflowHandle): Promise<RoundStateView | 'over' | 'too large'> {
  try {
    return await handle.executeUpdate(stateUpdate);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'over';
    if (failureType(error) !== FAILURES.stateReply) throw error;
    return (detailOf(error) as RoundStateView | undefined) ?? 'too large';
  }
}

async function runningOf(handle: WorkflowHandle): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const found = await handle.describe();
    return found.status.name === 'RUNNING' ? found : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

type GameroundWorkflow = (start: GameroundStart) => Promise<GameroundResult>;

function startOperation(
  start: GameroundStart,
  taskQueue: string,
): WithStartWorkflowOperation<GameroundWorkflow> {
  return new WithStartWorkflowOperation<GameroundWorkflow>(GAMEROUND_WORKFLOW, {
    ...startOptions(start),
    taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

function startOptions(start: GameroundStart) {
  const { identity } = start;
  return {
    workflowId: workflowIdOf(identity.gameround),
    args: [start] as [GameroundStart],
    workflowTaskTimeout: TASK_TIMEOUT,
    // After a completed workflow the name is used up. After a failed one it is free: it lost the guard before anything was sent.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    typedSearchAttributes: attributesOf(identity),
    staticSummary: `${identity.gameCode}: ${identity.playerId} of ${identity.operatorId}`,
    staticDetails: staticDetails(start),
  } as const;
}

function staticDetails({ identity, command }: GameroundStart): string {
  const external = identity.externalGameProviderRoundId;
  return [
    `gameround ${identity.gameround}`,
    `stake ${moneyText(command.stake, identity.currency)}`,
    ...(external === undefined ? [] : [`externalGameProviderRoundId ${external}`]),
  ].join('\n\n');
}

function failureType(error: unknown): string | undefined {
  return failureOf(error)?.type ?? undefined;
}

function detailOf(error: unknown): unknown {
  return failureOf(error)?.details?.[0];
}

/** The failure of an update. */
function failureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}

function notRunningOrThrow(error: unknown): NotRunning {
  const isGone =
    error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError;
  if (isGone) return 'gone';
  throw error;
}

type Limiter = <T>(gameround: string, run: () => Promise<T>, deadline?: number) => Promise<T>;

/** Lets a few calls per round run at the same time. A limited number of others wait, at most until the deadline. */
function perRoundLimiter(inFlight: number): Limiter {
  const rounds = new Map<string, { semaphore: Semaphore; callers: number }>();
  return async (gameround, run, deadline = commandDeadline()) => {
    const entry = rounds.get(gameround) ?? { semaphore: new Semaphore(inFlight), callers: 0 };
    if (entry.callers >= WAITING_PER_ROUND) throw refuse('OPERATIONBEINGPROCESSED');
    rounds.set(gameround, entry);
    entry.callers += 1;
    try {
      const waiting = withTimeout(entry.semaphore, Math.max(msLeft(deadline), 1), new OutOfTimeError());
      return await waiting.runExclusive(run);
    } finally {
      entry.callers -= 1;
      if (entry.callers === 0) rounds.delete(gameround);
    }
  };
}
