import { randomUUID } from 'node:crypto';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, type SearchAttributePair } from '@temporalio/common';
import { Semaphore, withTimeout } from 'async-mutex';
import {
  FAILURES,
  GAMEROUND_WORKFLOW,
  stateQuery,
  stateUpdate,
  workflowIdOf,
  startUpdate,
  type Actor,
  type GameroundResult,
  type GameroundStart,
  type RoundReply,
  type RoundStateView,
} from '../contracts/gameround';
import { GAME_CODE, OPERATOR_ID, PLAYER_ID, PROVIDER_ID } from '../contracts/search-attributes';
import { refuse } from '../domain/errors';
import { readCommand } from '../domain/round/read-command';
import type { Command, RoundIdentity, RoundState } from '../domain/round/types';
import { channels } from './channels';
import { commandDeadline, msLeft, TASK_TIMEOUT, withinCommandTime } from './deadline';

/** A server takes ten updates of one run at a time; several processes share that. */
const IN_FLIGHT_PER_ROUND = 4;
const READING_PER_ROUND = 1;
const WAITING_PER_ROUND = 200;

/** No workflow of that id runs: the round is over, or there never was one. */
export type Gone = 'gone';

export interface RoundClient {
  /** Starts the round, or joins it when it runs already. */
  start(start: GameroundStart, actor: Actor, deadline?: number): Promise<RoundReply | Gone | 'guard-lost'>;
  /** Makes the command durable by a signal and fetches its answer by an update. */
  send: (gameround: string, sent: Command, actor?: Actor, deadline?: number) => Promise<RoundReply | Gone>;
  /** Fetches an answer without making anything durable first: for what can only be a repeat. */
  ask: (gameround: string, sent: Command, actor?: Actor, deadline?: number) => Promise<RoundReply | Gone>;
  /** The round's state, also of a closed one within retention; undefined where there never was a round. */
  state(gameround: string, deadline?: number): Promise<RoundStateView | undefined>;
  isRunning(gameround: string, deadline?: number): Promise<boolean>;
  /** Begins a round anew whose workflow Temporal does not know. */
  restore(state: RoundState, version: number): Promise<void>;
}

export function createRoundClient(client: Client, taskQueue: string): RoundClient {
  const limit = perRoundLimiter(IN_FLIGHT_PER_ROUND);
  const reading = perRoundLimiter(READING_PER_ROUND);
  const handleOf = (gameround: string): WorkflowHandle => client.workflow.getHandle(workflowIdOf(gameround));

  const within = <T>(run: () => Promise<T>, deadline?: number): Promise<T> =>
    withinCommandTime(client, run, deadline);

  async function update(
    gameround: string,
    sent: Command,
    actor?: Actor,
    call?: string,
  ): Promise<RoundReply | Gone> {
    const { command, update: definition } = channels(sent);
    try {
      return await handleOf(gameround).executeUpdate(definition, { args: [command, actor, call] });
    } catch (error) {
      // It lost the guard while this waited for its turn: nothing was sent, so there was no round.
      return failureType(error) === FAILURES.guardLost ? 'gone' : refusedReply(error);
    }
  }

  /** A command that ended the round at once has its answer in the round's result. */
  async function updateOrResult(
    gameround: string,
    sent: Command,
    actor: Actor | undefined,
    call: string,
  ): Promise<RoundReply | Gone> {
    try {
      return await update(gameround, sent, actor, call);
    } catch (error) {
      goneOr(error);
      return (await answersOf(handleOf(gameround)))[call] ?? 'gone';
    }
  }

  return {
    start: async (start, actor, until) => {
      mustBeReadable(start.command);
      const call = randomUUID();
      const { gameround } = start.identity;
      return limit(
        gameround,
        (deadline) =>
          within(async () => {
            try {
              return await client.workflow.executeUpdateWithStart(startUpdate, {
                startWorkflowOperation: startOperation({ ...start, call }, taskQueue),
                args: [start.command, actor, call],
              });
            } catch (error) {
              if (failureType(error) === FAILURES.guardLost) return 'guard-lost';
              if (error instanceof WorkflowUpdateFailedError) return refusedReply(error);
              goneOr(error);
              // Its task was repeated under our call, and it was over before we came again.
              return (await answersOf(handleOf(gameround)))[call] ?? 'gone';
            }
          }, deadline),
        until,
      );
    },
    send: async (gameround, sent, actor, until) => {
      mustBeReadable(sent);
      return limit(
        gameround,
        (deadline) =>
          within(async () => {
            try {
              const { command, signal } = channels(sent);
              const call = randomUUID();
              await handleOf(gameround).signal(signal, command, actor, call);
              return await updateOrResult(gameround, sent, actor, call);
            } catch (error) {
              return goneOr(error);
            }
          }, deadline),
        until,
      );
    },
    ask: async (gameround, sent, actor, until) => {
      mustBeReadable(sent);
      return limit(
        gameround,
        (deadline) =>
          within(async () => {
            try {
              return await update(gameround, sent, actor);
            } catch (error) {
              return goneOr(error);
            }
          }, deadline),
        until,
      );
    },
    state: (gameround, until) =>
      reading(gameround, (deadline) => within(() => stateOf(handleOf(gameround)), deadline), until),
    isRunning: (gameround, deadline) => within(() => isRunning(handleOf(gameround)), deadline),
    restore: async (state, version) => {
      const { identity, policy, stake } = state;
      const autoCloseAt = new Date(state.openedAt).getTime() + policy.autoCloseAfterMs;
      await client.workflow.start<GameroundWorkflow>(GAMEROUND_WORKFLOW, {
        ...startOptions({
          ...{ identity, policy },
          // It was carried out before: what goes on is `continued`.
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

/** What its round could not read must not reach it: it would be in the history, and its debit sent, before it is refused. */
function mustBeReadable(command: Command): void {
  const read = readCommand(command.type, command);
  if ('fault' in read) throw refuse('INVALIDREQUEST', read.fault);
}

/** None for a round that failed: it lost the guard and carried out nothing. */
async function answersOf(handle: WorkflowHandle): Promise<Partial<Record<string, RoundReply>>> {
  try {
    return ((await handle.result()) as GameroundResult).answers;
  } catch (error) {
    if (error instanceof WorkflowFailedError) return {};
    throw error;
  }
}

/**
 * A running round is asked by the update that leaves nothing behind; one that is over, when nothing can come in between,
 * by a query. So is one with more to tell than updates may carry.
 */
async function stateOf(handle: WorkflowHandle): Promise<RoundStateView | undefined> {
  const told = await toldState(handle);
  if (told !== 'over' && told !== 'too large') return told;
  try {
    const state = await handle.query(stateQuery);
    // A workflow that lost the guard has failed: it sent nothing, so there was no round.
    return told === 'over' && state.phase === 'starting' ? undefined : state;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function toldState(handle: WorkflowHandle): Promise<RoundStateView | 'over' | 'too large'> {
  try {
    return await handle.executeUpdate(stateUpdate);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'over';
    if (failureType(error) !== FAILURES.told) throw error;
    return (detailOf(error) as RoundStateView | undefined) ?? 'too large';
  }
}

async function isRunning(handle: WorkflowHandle): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
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
    // Completed: the name is used up. Failed: the guard was lost before anything was sent, so it is not.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    typedSearchAttributes: searchAttributes(identity),
    staticSummary: `${identity.gameCode}: ${identity.playerId} of ${identity.operatorId}`,
    staticDetails: staticDetails(start),
  } as const;
}

function searchAttributes(identity: RoundIdentity): SearchAttributePair[] {
  return [
    { key: OPERATOR_ID, value: identity.operatorId },
    { key: PLAYER_ID, value: identity.playerId },
    { key: GAME_CODE, value: identity.gameCode },
    { key: PROVIDER_ID, value: identity.providerId },
  ];
}

function staticDetails({ identity, command }: GameroundStart): string {
  const external = identity.externalGameProviderRoundId;
  return [
    `gameround ${identity.gameround}`,
    `stake ${command.stake} ${identity.currency}`,
    ...(external === undefined ? [] : [`externalGameProviderRoundId ${external}`]),
  ].join('\n\n');
}

/** A refusal by the round's validator is an answer like any other; other errors go on. */
function refusedReply(error: unknown): RoundReply {
  if (failureType(error) === FAILURES.refused) {
    const reply = detailOf(error);
    // A round of somebody else says nothing about itself.
    if (reply === undefined) throw refuse('GAMEROUNDNOTFOUND');
    return reply as RoundReply;
  }
  throw error;
}

function failureType(error: unknown): string | undefined {
  return failureOf(error)?.type ?? undefined;
}

function detailOf(error: unknown): unknown {
  return failureOf(error)?.details?.[0];
}

/** What an update has failed with. */
function failureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}

function goneOr(error: unknown): Gone {
  const isGone =
    error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError;
  if (isGone) return 'gone';
  throw error;
}

type Limiter = <T>(gameround: string, run: (deadline: number) => Promise<T>, deadline?: number) => Promise<T>;

/** A few calls of a round go out at a time; a bounded rest waits, within the command's time. */
function perRoundLimiter(inFlight: number): Limiter {
  const rounds = new Map<string, { semaphore: Semaphore; callers: number }>();
  return async (gameround, run, deadline = commandDeadline()) => {
    const entry = rounds.get(gameround) ?? { semaphore: new Semaphore(inFlight), callers: 0 };
    if (entry.callers >= WAITING_PER_ROUND) throw refuse('OPERATIONBEINGPROCESSED');
    rounds.set(gameround, entry);
    entry.callers += 1;
    try {
      const waiting = withTimeout(
        entry.semaphore,
        Math.max(msLeft(deadline), 1),
        refuse('OPERATIONBEINGPROCESSED'),
      );
      return await waiting.runExclusive(() => run(deadline));
    } finally {
      entry.callers -= 1;
      if (entry.callers === 0) rounds.delete(gameround);
    }
  };
}
