import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import {
  addSpinCounterSignal,
  addSpinCounterUpdate,
  addWinSignal,
  addWinUpdate,
  collectWinSignal,
  collectWinUpdate,
  endSignal,
  endUpdate,
  FAILURES,
  settleSignal,
  settleUpdate,
  startSignal,
  startUpdate,
  voidSignal,
  voidUpdate,
  type Actor,
  type RoundReply,
} from '../../src/contracts/gameround';
import { refusal, type Refusal } from '../../src/domain/errors';
import { decide } from '../../src/domain/round/decide';
import { fingerprintOf, keyOf } from '../../src/domain/round/keys';
import { readCommand } from '../../src/domain/round/read-command';
import { replyAbout } from '../../src/domain/round/replies';
import type { Command } from '../../src/domain/round/types';
import { now, type Round } from './round';

/** A command on its way: waiting for its turn, or being carried out. */
export interface Item {
  key: string;
  command: Command;
  /** It came by a signal or with the start: in the history before anything is sent for it. */
  durable: boolean;
  reply?: RoundReply;
}

export interface Inbox {
  /** First in, first out: one command at a time touches the round. */
  queue: Item[];
  /** Waiting or being carried out, by key: a repeat joins. */
  active: Map<string, Item>;
  /** The last commands that were refused without being kept, newest last. */
  refusals: { at: string; command: string; errorCode: string }[];
  updates: number;
  /** The newest answers by key, for callers whose update comes after the end. */
  answers: Map<string, RoundReply>;
}

const MAX_REFUSALS = 20;
const MAX_ANSWERS = 24;

const COMMANDS = [
  ['start', startSignal, startUpdate],
  ['addWin', addWinSignal, addWinUpdate],
  ['end', endSignal, endUpdate],
  ['void', voidSignal, voidUpdate],
  ['collectWin', collectWinSignal, collectWinUpdate],
  ['addSpinCounter', addSpinCounterSignal, addSpinCounterUpdate],
  ['settle', settleSignal, settleUpdate],
] as const;

/**
 * Takes commands in. Each is a signal and an update of one name: whichever comes first is carried out, the other
 * joins it by its key. A signal never throws (that would fail the workflow): what it refuses, it records.
 */
export function openInbox(round: Round, inbox: Inbox): void {
  for (const [type, signal, update] of COMMANDS) {
    setHandler(signal, (raw: unknown, actor?: Actor) => {
      const taken = take(round, inbox, type, raw, actor);
      if ('refusal' in taken) record(inbox, type, taken.refusal);
      else if (!post(inbox, taken.command, taken.key, true))
        record(inbox, type, refusal('IDEMPOTENCYMISMATCH'));
    });
    setHandler(
      update,
      async (raw: unknown, actor?: Actor): Promise<RoundReply> => {
        inbox.updates += 1;
        const taken = take(round, inbox, type, raw, actor);
        if ('refusal' in taken) return replyAbout(round.state, taken.refusal);
        const item = post(inbox, taken.command, taken.key, false);
        if (item === undefined) return replyAbout(round.state, refusal('IDEMPOTENCYMISMATCH'));
        await condition(() => item.reply !== undefined || round.guardLost);
        if (item.reply === undefined) throw ApplicationFailure.nonRetryable('guard lost', FAILURES.guardLost);
        return item.reply;
      },
      { validator: (raw: unknown, actor?: Actor) => validate(round, inbox, type, raw, actor) },
    );
  }
}

type Taken = { refusal: Refusal } | { command: Command; key: string };

/** Reads a command and refuses what may not even wait for its turn. */
function take(round: Round, inbox: Inbox, type: Command['type'], raw: unknown, actor?: Actor): Taken {
  const read = readCommand(type, raw);
  if ('fault' in read) return { refusal: refusal('INVALIDREQUEST', read.fault) };
  if (actor && !isOwn(round, actor)) return { refusal: refusal('GAMEROUNDNOTFOUND') };
  const key = keyOf(round.state, read.command);
  // Money is being retried: nothing else is taken until that is settled, but a repeat joins it.
  if (
    !waitsItsTurn(read.command) &&
    round.state.pending?.stalled &&
    !inbox.active.has(key) &&
    !Object.hasOwn(round.state.commands, key)
  ) {
    return { refusal: refusal('OPERATIONBEINGPROCESSED') };
  }
  return { command: read.command, key };
}

/**
 * Refuses before anything is written to the history, where that can be told at once. The details hold the same reply
 * that the update would have given.
 */
function validate(round: Round, inbox: Inbox, type: Command['type'], raw: unknown, actor?: Actor): void {
  const taken = take(round, inbox, type, raw, actor);
  const refused = 'refusal' in taken ? taken.refusal : refusedAtOnce(round, inbox, taken.command);
  if (refused === undefined) return;
  throw ApplicationFailure.create({
    message: refused.errorCode.msg,
    type: FAILURES.refused,
    nonRetryable: true,
    details: [replyAbout(round.state, refused)],
  });
}

function refusedAtOnce(round: Round, inbox: Inbox, command: Command): Refusal | undefined {
  if (inbox.active.size > 0 || round.state.pending !== undefined) return undefined;
  const decision = decide(round.state, command, now());
  return decision.kind === 'refuse' ? decision.refusal : undefined;
}

/** Puts a command in the queue, or finds the one that it repeats; undefined when that one differs in money. */
function post(inbox: Inbox, command: Command, key: string, durable: boolean): Item | undefined {
  const waiting = inbox.active.get(key);
  if (waiting !== undefined) {
    waiting.durable ||= durable;
    return fingerprintOf(waiting.command) === fingerprintOf(command) ? waiting : undefined;
  }
  const item: Item = { key, command, durable };
  inbox.queue.push(item);
  inbox.active.set(key, item);
  return item;
}

/** Answers a command; from now on its key is looked up in the round's own table. */
export function answer(inbox: Inbox, item: Item, reply: RoundReply): void {
  item.reply = reply;
  inbox.active.delete(item.key);
  inbox.answers.delete(item.key);
  inbox.answers.set(item.key, reply);
  for (const key of inbox.answers.keys()) {
    if (inbox.answers.size <= MAX_ANSWERS) break;
    inbox.answers.delete(key);
  }
  if (reply.refusal !== undefined) record(inbox, item.command.type, reply.refusal);
}

/** Refuses everything that waits: the command in front of it has to be retried, for who knows how long. */
export function refuseWaiting(round: Round, inbox: Inbox): void {
  for (const item of inbox.queue.splice(0)) {
    if (waitsItsTurn(item.command)) {
      inbox.queue.push(item);
      continue;
    }
    answer(inbox, item, replyAbout(round.state, refusal('OPERATIONBEINGPROCESSED')));
  }
}

/** Reconciliation and settling wait behind money that is being retried. */
function waitsItsTurn(command: Command): boolean {
  return command.type === 'settle' || (command.type === 'end' && command.gentle === true);
}

function record(inbox: Inbox, command: string, refused: Refusal): void {
  inbox.refusals.push({ at: now(), command, errorCode: refused.errorCode.msg });
  inbox.refusals.splice(0, inbox.refusals.length - MAX_REFUSALS);
}

function isOwn(round: Round, actor: Actor): boolean {
  const { operatorId, playerId, gameCode, providerId } = round.state.identity;
  return (
    actor.operatorId === operatorId &&
    actor.playerId === playerId &&
    actor.gameCode === gameCode &&
    actor.providerId === providerId
  );
}
