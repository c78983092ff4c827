import { defineQuery, defineSignal, defineUpdate, type Sinks } from '@temporalio/workflow';
import type {
  AddWinCommand,
  CollectWinCommand,
  Command,
  EndCommand,
  RoundIdentity,
  RoundSettings,
  RoundSnapshot,
  RoundState,
  RoundStatus,
  RoundTransaction,
  SettleCommand,
  SpinCounterCommand,
  StartCommand,
  VoidCommand,
} from '../domain/round/types';
import type { ErrorObject } from '../domain/errors';
import type { OwnVersions } from '../domain/round/known-entries';
import type { RoundReply } from '../domain/round/replies';
import type { Owner } from '../domain/session';

export type { FreePlayInfo, GameRoundInfo, RoundReply } from '../domain/round/replies';

export const GAMEROUND_WORKFLOW = 'gameround';
export const TASK_QUEUE = 'gameround';

export function workflowIdOf(gameround: string): string {
  return `gameround-${gameround}`;
}

/** Who sends a command. To other actors than its owner a round answers as if it did not exist. */
export type Actor = Owner;

/** The argument of the workflow. It holds the command of the first debit, which is so durable before anything is sent. */
export interface GameroundStart {
  identity: RoundIdentity;
  settings: RoundSettings;
  command: StartCommand;
  /** Id of the call that starts the round; see the comment above the signals. */
  call?: string;
  /** Set by continue-as-new. */
  continued?: Continued;
}

export interface Continued {
  state: RoundState;
  autoCloseAt: number;
  version: number;
  autoCloseAttempts: number;
  /** Commands that wait for their turn. */
  queue?: WaitingCommand[];
  /** The id under which the run before began. It has another one if a reset made it. */
  before?: string;
  /** The newest run so far that a reset made. */
  resetRun?: string | undefined;
}

export interface WaitingCommand {
  key: string;
  command: Command;
  calls: string[];
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/*
 * Every command is a signal (durable before any wallet call) and an update of the same name (returns the answer). The first
 * of the two carries the command out, the other joins by its key. A person may send either from Temporal Web.
 * The third argument is the id of the call that sends both. The round keeps the call's answer for the update, also if the
 * signal has ended the round meanwhile. An update with a fourth argument (`Look`) only asks and changes nothing; it fails
 * with one of FAILURES.
 */
/** `first` asks whether the round would take the command. `again` asks for the outcome, after the answer `held`. */
export type Look = 'first' | 'again';

/** The signal that makes a command durable, and the update that returns its answer. */
function signalAndUpdate<Sent extends Command>(type: Sent['type']) {
  return {
    signal: defineSignal<[Sent, Actor?, string?]>(type),
    update: defineUpdate<RoundReply, [Sent, (Actor | undefined)?, string?, (Look | undefined)?]>(type),
  };
}

export const COMMANDS = {
  start: signalAndUpdate<StartCommand>('start'),
  addWin: signalAndUpdate<AddWinCommand>('addWin'),
  end: signalAndUpdate<EndCommand>('end'),
  void: signalAndUpdate<VoidCommand>('void'),
  collectWin: signalAndUpdate<CollectWinCommand>('collectWin'),
  addSpinCounter: signalAndUpdate<SpinCounterCommand>('addSpinCounter'),
  settle: signalAndUpdate<SettleCommand>('settle'),
} as const satisfies Record<Command['type'], object>;

/**
 * A person sends this to retry a call whose signature the operator rejected (marks `credit-unauthorised` and
 * `void-refused`).
 */
export const resumeSignal = defineSignal('resume');
/** The same, with an answer: what is sent again. */
export const resumeUpdate = defineUpdate<{ resumed: string }>('resume');

/** The state of a round for people and the API. */
export interface RoundStateView extends RoundSnapshot {
  /** `starting` until the first debit is decided. */
  phase: 'starting' | 'idle' | 'busy' | 'retrying';
  /** The newest version of the record. */
  version: number;
  /** The versions of the record that this run has written. */
  ownVersions: OwnVersions;
  /** The last commands that were refused and not stored, newest last. */
  refusals: { at: string; command: string; key?: string; errorCode: Pick<ErrorObject, 'id' | 'msg'> }[];
}

/** Messages of a workflow to its worker process. They are lost if no API in this process listens. */
export interface CallSinks extends Sinks {
  calls: {
    /** The call's answer is ready, but no activity delivers it. The caller has to fetch it by the update. */
    askNow(call: string): void;
  };
}

export const stateQuery = defineQuery<RoundStateView>('state');
/**
 * Returns the same as the query `state`. The service uses this update for running rounds. Its validator always refuses it,
 * so that nothing is written to the history; the answer is in the details of the failure (`FAILURES.stateReply`). A query
 * on a round that is not in the worker's memory may carry out newer events before their task arrives, and then the history
 * does not replay (docs/decisions.md).
 */
export const stateUpdate = defineUpdate<never>('state');
export const transactionsQuery = defineQuery<RoundTransaction[]>('transactions');

/** Failure types of the workflow and its updates. */
export const FAILURES = {
  /** The command was refused and not stored. Details: the Refusal. */
  refused: 'CommandRefused',
  /** The command was answered before. Details: the same reply. The validator of an update with a call id fails with this. */
  answered: 'CommandAnswered',
  /** The command is in progress, and the update may not wait for it; callers ask again. Details: a reply, and its key. */
  held: 'CommandHeld',
  /** The round does not know the command and would take it: the answer to an update with `Look`. */
  free: 'CommandFree',
  /** The answer to `stateUpdate`. Details: the RoundStateView, or nothing if it is too large; then ask the query. */
  stateReply: 'StateTold',
  /** Another round holds the open-round guard. No debit was sent, and the name of the round stays free. */
  guardLost: 'GuardLost',
} as const;

/** The answer to a person's update, which has no call id. `taken`: the round has stored the command. */
export interface ReplyByHand extends RoundReply {
  key: string;
  taken: boolean;
}

/** The result of the workflow when the round is over. */
export interface GameroundResult {
  gameround: string;
  status: RoundStatus;
  /**
   * The newest answers by call id, and the answer of the command that ended the round by its key. A finished workflow
   * cannot answer later updates, so callers read the answer here.
   */
  answers: Record<string, RoundReply>;
}
