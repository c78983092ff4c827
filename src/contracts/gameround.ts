import { defineQuery, defineSignal, defineUpdate, type Sinks } from '@temporalio/workflow';
import type {
  AddWinCommand,
  CollectWinCommand,
  Command,
  EndCommand,
  RoundIdentity,
  RoundPolicy,
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

/** Who sends a command; a round that belongs to somebody else answers as if it did not exist. */
export type Actor = Owner;

/** The argument of the workflow. The first debit's command is in it: durable before anything is sent. */
export interface GameroundStart {
  identity: RoundIdentity;
  policy: RoundPolicy;
  command: StartCommand;
  /** The call that starts it; see above the signals. */
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
}

export interface WaitingCommand {
  key: string;
  command: Command;
  calls: string[];
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/*
 * Every command is a signal (durable before any wallet call) and an update of the same name (which answers);
 * whichever arrives first carries it out, the other joins by its key. A person may send either from Temporal Web.
 * The third argument is the call that both belong to: its answer is kept for the update, also when the signal has
 * ended the round meanwhile. An update with a fourth argument only looks (FAILURES): nothing is carried out for it.
 */
/** `first`: whether the command would be taken. `again`: what became of it, after it was being carried out (`held`). */
export type Look = 'first' | 'again';

export const startSignal = defineSignal<[StartCommand, Actor?, string?]>('start');
export const addWinSignal = defineSignal<[AddWinCommand, Actor?, string?]>('addWin');
export const endSignal = defineSignal<[EndCommand, Actor?, string?]>('end');
export const voidSignal = defineSignal<[VoidCommand, Actor?, string?]>('void');
export const collectWinSignal = defineSignal<[CollectWinCommand, Actor?, string?]>('collectWin');
export const addSpinCounterSignal = defineSignal<[SpinCounterCommand, Actor?, string?]>('addSpinCounter');

export const settleSignal = defineSignal<[SettleCommand, Actor?, string?]>('settle');

export const startUpdate = defineUpdate<RoundReply, [StartCommand, Actor?, string?, Look?]>('start');
export const addWinUpdate = defineUpdate<RoundReply, [AddWinCommand, Actor?, string?, Look?]>('addWin');
export const endUpdate = defineUpdate<RoundReply, [EndCommand, Actor?, string?, Look?]>('end');
export const voidUpdate = defineUpdate<RoundReply, [VoidCommand, Actor?, string?, Look?]>('void');
export const collectWinUpdate = defineUpdate<RoundReply, [CollectWinCommand, Actor?, string?, Look?]>(
  'collectWin',
);
export const addSpinCounterUpdate = defineUpdate<RoundReply, [SpinCounterCommand, Actor?, string?, Look?]>(
  'addSpinCounter',
);

export const settleUpdate = defineUpdate<RoundReply, [SettleCommand, Actor?, string?, Look?]>('settle');

/**
 * A person's word that a call whose signature the operator refused (attention `credit-unauthorised`, `void-refused`) is to be
 * sent again.
 */
export const resumeSignal = defineSignal('resume');

/** A round's state as people and the API read it. */
export interface RoundStateView extends RoundSnapshot {
  /** `starting` until the first debit is decided. */
  phase: 'starting' | 'idle' | 'busy' | 'retrying';
  /** The newest that its record was given. */
  version: number;
  /** The versions of its record that are this run's own. */
  own: OwnVersions;
  /** The last commands that were refused without being kept, newest last. */
  refusals: { at: string; command: string; errorCode: Pick<ErrorObject, 'id' | 'msg'> }[];
}

/** What a workflow tells the process that it runs in; lost where that has nobody who listens. */
export interface CallSinks extends Sinks {
  calls: {
    /** The call has its answer, and no activity brings it: the update fetches it. */
    askNow(call: string): void;
  };
}

export const stateQuery = defineQuery<RoundStateView>('state');
/**
 * The question of `state` as the service itself asks it of a running round: an update that is always refused, before
 * anything is written to the history, with the answer in the details of its failure (`FAILURES.told`). A query that a
 * worker takes for a round that it hasn't in memory may carry out newer events before their task is there, and then the
 * history doesn't replay (docs/decisions.md).
 */
export const stateUpdate = defineUpdate<never>('state');
export const transactionsQuery = defineQuery<RoundTransaction[]>('transactions');

/** Failure types of the workflow and its updates. */
export const FAILURES = {
  /** An update was refused before it was kept: details hold the Refusal. */
  refused: 'CommandRefused',
  /** The command was answered before: details hold the same reply. An update that carries a call hears it from its validator. */
  answered: 'CommandAnswered',
  /** The command is being carried out, for longer than an update waits: its callers ask again. Details: a reply, and its key. */
  held: 'CommandHeld',
  /** Nothing of the command is known, and it would be taken: the answer to an update that only looks. */
  free: 'CommandFree',
  /** The answer to `stateUpdate`: details hold the RoundStateView, or nothing where that is too large; a query has it. */
  stateReply: 'StateTold',
  /** Another round holds the open-round guard: no debit was sent and the name stays free. */
  guardLost: 'GuardLost',
} as const;

/** What the workflow returns when the round is over. */
export interface GameroundResult {
  gameround: string;
  status: RoundStatus;
  /** The newest answers by call, and by key of what ended the round: it can't answer an update that comes after. */
  answers: Record<string, RoundReply>;
}
