import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../src/contracts/gameround';
import type { Answer } from '../../test/support/e2e-http';
import type { Violation } from '../checks/check';
import { tryNow } from '../drain';
import { movementsOf } from '../evidence';
import type { Heard } from '../players/notes';
import { Player } from '../players/player';
import { stream, type Stream } from '../random';
import type { Part } from '../stack';
import { CURRENCY, type Game } from '../tenants';
import type { Tools } from './tools';

/**
 * A wallet is away while callers send many calls to a round that waits for it, one right after the other. They are as
 * many as callers would send in half an hour or more.
 */
export interface OutageFault {
  name: string;
  kind: 'outage';
  playerId: string;
  operatorId: string;
  game: Game;
  /** The transaction that the round owes. */
  waitsFor: 'credit' | 'void';
  /** How the wallet fails: a switch of the sandbox without `match` and `times`. */
  how: object;
  /** Number of new commands, each under a new key. */
  commands: number;
  /** No new call is made after this time. */
  maxMs: number;
  /** Killed half-way and started again, so that the round's history is replayed. */
  killed: Part[];
}

/** The observations of the callers of a waiting round. */
export interface Siege {
  gameround: string;
  refused: Heard[];
  repeats: Heard[];
  reads: Heard[];
  /** When workers were killed, ms since the epoch. */
  killedAt: number;
  /** Events of the round's history before and after. */
  eventsBefore: number;
  eventsAfter: number;
  /** The win that the round owed, and the credits in the wallet's books. `credited` is undefined if it has not ended. */
  owed: number;
  credited: number | undefined;
}

const WIN = 500;
const COMMAND_CALLERS = 6;
const REPEAT_CALLERS = 2;
const READ_EVERY_MS = 300;
const STALL_MS = 15_000;
const PAID_MS = 60_000;
/** The service answers within 10 s. */
const CALL_MS = 10_000;
/** On a loaded machine timers fire late, and a caller notes an answer late. */
const MARGIN_MS = 1_500;
/** For this time after a kill a read may get 503: workers start, and Temporal has to give up their sticky queues. */
const WITHOUT_WORKERS_MS = 20_000;
/** Events that come with time (an auto-close, a mark), and those of the replay after the kill. */
const EVENTS_OF_TIME = 60;
/** A repeat is an update that waits. It brings an accepted and a completed event, and the events of their tasks. */
const EVENTS_PER_REPEAT = 6;

/** Returns how many calls the waiting round got. */
export async function outage(fault: OutageFault, tools: Tools): Promise<number> {
  return tools.alone(async () => {
    const { playerId, operatorId, game } = fault;
    const player = new Player({ playerId, operatorId, game }, tools);
    const siege = await besiege(fault, tools, player);
    if (siege === undefined) return 0;
    const { refused, repeats, reads } = siege;
    const made = refused.length + repeats.length + reads.length;
    tools.saw('besieged', made, brokenBy(siege));
    const { eventsBefore, eventsAfter } = siege;
    tools.log(
      `${fault.name}: ${refused.length} refused, ${repeats.length} repeats, ${reads.length} reads, ${eventsBefore} → ${eventsAfter} events`,
    );
    return made;
  });
}

async function besiege(fault: OutageFault, tools: Tools, player: Player): Promise<Siege | undefined> {
  const { stack } = tools;
  const draw = stream(tools.seed, 'siege', player.who.playerId);
  const name = draw.id();
  const gameRound = await openRound(player, name, draw);
  if (gameRound === undefined) return undefined;
  const away = await tools.addSwitch('wallet', {
    ...fault.how,
    match: { tenantId: fault.operatorId, path: '/doTransactions' },
    times: 1_000_000,
  });
  const siege: Siege = {
    ...{ gameround: gameRound, refused: [], repeats: [], reads: [] },
    ...{ killedAt: 0, eventsBefore: 0, eventsAfter: 0, credited: undefined },
    owed: fault.waitsFor === 'credit' ? WIN : 0,
  };
  try {
    const last: Said =
      fault.waitsFor === 'credit'
        ? ['/endGameRound', { gameRound, externalGameProviderTransactionId: draw.id() }]
        : ['/voidGameRound', { gameRound }];
    const first = player.say(name, ...last);
    if (!(await isStalled(tools, gameRound))) return undefined;
    siege.eventsBefore = await eventsOf(tools, gameRound);
    const until = Date.now() + fault.maxMs;
    let left = fault.commands;
    const goesOn = (): boolean => left > 0 && Date.now() < until && !tools.isOver();
    const callers = Array.from({ length: COMMAND_CALLERS }, async () => {
      while (goesOn()) {
        left -= 1;
        const heard = await player.say(name, ...newCommand(draw, gameRound), { inVain: true });
        siege.refused.push(heard);
      }
    });
    const repeaters = Array.from({ length: REPEAT_CALLERS }, async () => {
      while (goesOn()) siege.repeats.push(await player.say(name, ...last));
    });
    const reader = async (): Promise<void> => {
      while (goesOn()) {
        siege.reads.push(await player.read(name, gameRound));
        await sleep(READ_EVERY_MS);
      }
    };
    const killer = async (): Promise<void> => {
      while (goesOn() && left > fault.commands / 2 && Date.now() < until - fault.maxMs / 2) await sleep(50);
      siege.killedAt = Date.now();
      await Promise.all(fault.killed.map((part) => stack.kill(part)));
      await Promise.all(fault.killed.map((part) => stack.start(part)));
    };
    await Promise.all([...callers, ...repeaters, reader(), killer()]);
    siege.repeats.push(await first);
    siege.eventsAfter = await eventsOf(tools, gameRound);
  } finally {
    await tools.takeAway('wallet', away);
  }
  if (await isOver(tools, player, name, gameRound)) siege.credited = await creditedIn(tools, gameRound);
  return siege;
}

type Said = [path: string, request: Record<string, unknown>];

export async function openRound(player: Player, name: string, draw: Stream): Promise<string | undefined> {
  const start = await player.say(name, '/startGameRound', {
    rngResult: { rngCallId: draw.id(), winAmount: 0 },
    debitInformation: { currency: CURRENCY, debitAmount: 100 },
    endGame: false,
    closeOpenGame: true,
    externalGameProviderRoundId: name,
  });
  const gameRound = start.answer?.status === 200 ? start.answer.body.gameRoundInfo?.hash : undefined;
  if (gameRound === undefined) return undefined;
  const key = draw.id();
  const win = { rngCallId: key, winAmount: WIN };
  const won = await player.say(name, '/addWin', {
    ...{ gameRound, rngResult: win, collect: false, externalGameProviderTransactionId: key },
  });
  return won.answer?.status === 200 ? gameRound : undefined;
}

/** A command that a caller may send who doesn't know that the round waits. */
function newCommand(draw: Stream, gameRound: string): Said {
  const key = draw.id();
  const named = { gameRound, externalGameProviderTransactionId: key };
  return draw.pick<Said>([
    ['/addWin', { ...named, rngResult: { rngCallId: key, winAmount: 70 }, collect: draw.chance(0.3) }],
    ['/collectWin', named],
    ['/endGameRound', named],
    [
      '/addSpinCounterGameState',
      { ...named, counterType: 'siege', rngResult: { rngCallId: key, result: { awarded: 1, used: 0 } } },
    ],
  ]);
}

/** True once the first delivery has failed and the round waits for the next one. False if that takes too long. */
async function isStalled({ stack }: Tools, gameRound: string): Promise<boolean> {
  const deadline = Date.now() + STALL_MS;
  while (Date.now() < deadline) {
    const { raw } = await stack.temporal.workflow.getHandle(workflowIdOf(gameRound)).describe();
    if (
      (raw.pendingActivities ?? []).some(({ activityType }) => activityType?.name === 'deliverUntilDefinite')
    )
      return true;
    await sleep(100);
  }
  return false;
}

async function eventsOf({ stack }: Tools, gameRound: string): Promise<number> {
  return (await stack.temporal.workflow.getHandle(workflowIdOf(gameRound)).describe()).historyLength;
}

/** The wallet is back. Waits until the round ends without another command. False if that takes too long. */
async function isOver(tools: Tools, player: Player, name: string, gameRound: string): Promise<boolean> {
  const deadline = Date.now() + PAID_MS;
  while (Date.now() < deadline) {
    await tryNow(tools.stack, gameRound).catch(() => undefined);
    const { answer } = await player.read(name, gameRound);
    const status = answer?.body.gameRoundInfo?.status;
    if (answer?.status === 200 && status !== undefined && status !== 'open') return true;
    await sleep(500);
  }
  return false;
}

async function creditedIn({ stack }: Tools, gameRound: string): Promise<number> {
  const movements = (await movementsOf(stack)).get(gameRound) ?? [];
  return movements.reduce((sum, { type, amount }) => sum + (type === 'credit' ? amount : 0), 0);
}

/** Broken promises to callers of a waiting round: answers come in time, reads succeed, and the history stays short. */
export function brokenBy(siege: Siege): Violation[] {
  const { gameround, refused, repeats, reads, killedAt, eventsBefore, eventsAfter, owed, credited } = siege;
  const wrong: string[] = [];
  const late = [...refused, ...repeats, ...reads].filter(
    ({ sentAt, heardAt, answer }) => answer === undefined || heardAt - sentAt > CALL_MS + MARGIN_MS,
  );
  if (late.length > 0) wrong.push(`${late.length} calls ended after more than 10 s: ${examples(late)}`);
  const taken = refused.filter(({ answer }) => answer !== undefined && !isRefusal(answer));
  if (taken.length > 0) wrong.push(`${taken.length} new commands were not refused: ${examples(taken)}`);
  const hidden = reads.filter(
    ({ answer, sentAt, heardAt }) => answer?.status !== 200 && !isNear(killedAt, sentAt, heardAt),
  );
  if (hidden.length > 0) wrong.push(`${hidden.length} reads failed: ${examples(hidden)}`);
  const grown = eventsAfter - eventsBefore;
  if (grown > EVENTS_OF_TIME + EVENTS_PER_REPEAT * repeats.length)
    wrong.push(`${refused.length} refused calls and ${repeats.length} repeats left ${grown} events`);
  if (credited !== owed)
    wrong.push(`${credited ?? 'nothing yet'} was credited when the wallet was back, ${owed} was owed`);
  return wrong.map((what) => ({ gameround, what }));
}

/** 400 GAMEROUNDNOTACTIVE, too: a round that waits for a void is already over. */
function isRefusal({ status, body }: Answer): boolean {
  return status === 503 || (status === 400 && body.errorCode?.msg === 'GAMEROUNDNOTACTIVE');
}

function isNear(killedAt: number, sentAt: number, heardAt: number): boolean {
  return killedAt > 0 && heardAt >= killedAt && sentAt <= killedAt + WITHOUT_WORKERS_MS;
}

function examples(heard: readonly Heard[]): string {
  return heard
    .slice(0, 3)
    .map(({ sentAt, heardAt, answer }) => {
      const what =
        answer === undefined ? 'no answer' : `${answer.status} ${answer.body.errorCode?.msg ?? ''}`;
      return `${what.trim()} after ${heardAt - sentAt} ms`;
    })
    .join(', ');
}
