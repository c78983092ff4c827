import { setTimeout as sleep } from 'node:timers/promises';
import { COMMANDS, workflowIdOf } from '../../src/contracts/gameround';
import { askRunning } from '../evidence';
import { Player, reconcile } from '../players/player';
import { stream, type Stream } from '../random';
import type { Part } from '../stack';
import { CURRENCY, type Game } from '../tenants';
import { Look } from './look';
import { openRound } from './outage';
import type { Tools } from './tools';

/**
 * The operator refuses a round's wins for good, like an operator that has closed the round on its own side, until the
 * operator or a person decides.
 */
export interface RefusalFault {
  name: string;
  kind: 'refusal';
  /** What was paid before the refusal. `in a reconciliation`: nothing was paid, and the refusal meets a reconciliation. */
  how: 'nothing paid' | 'paid in part' | 'in a reconciliation';
  playerId: string;
  operatorId: string;
  game: Game;
  /** Killed after the refusal, and started again. */
  killed: Part[];
}

/** The stake and the win of `openRound`. */
const STAKE = 100;
const WON = 500;
const MORE = 200;
const REFUSED = { id: 7_910, msg: 'ROUNDCLOSEDHERE', clientmsg: 'Refused.' };
const END_MS = 40_000;
const PAUSE_MS = 500;

/** Returns how often the wallet refused. */
export async function refusal(fault: RefusalFault, tools: Tools): Promise<number> {
  return tools.alone(async () => {
    const { playerId, operatorId, game, how } = fault;
    const player = new Player({ playerId, operatorId, game }, tools);
    const draw = stream(tools.seed, 'refusal', playerId);
    const name = draw.id();
    const gameRound = await openRound(player, name, draw);
    if (gameRound === undefined) return 0;
    const round: Refused = { tools, fault, player, draw, name, gameRound, look: new Look(tools, gameRound) };
    if (how === 'paid in part') await payInPart(round);
    const refuses = await tools.addSwitch('wallet', {
      ...{ fault: 'status', status: 400, errorCode: REFUSED },
      ...{ match: { gameRound, type: 'credit' }, times: 1_000_000 },
    });
    let met: number | undefined;
    const takeBack = async (): Promise<number> => (met ??= await tools.takeAway('wallet', refuses));
    try {
      if (how === 'nothing paid') await refusedAtFirst(round);
      else if (how === 'paid in part') await decidedByAPerson(round);
      else await refusedInReconciliation(round, takeBack);
    } finally {
      await takeBack();
    }
    round.look.tell();
    return takeBack();
  });
}

interface Refused {
  tools: Tools;
  fault: RefusalFault;
  player: Player;
  draw: Stream;
  name: string;
  gameRound: string;
  look: Look;
}

async function payInPart({ player, draw, name, gameRound, look }: Refused): Promise<void> {
  const collect = { gameRound, externalGameProviderTransactionId: draw.id() };
  look.heard('the first win', await player.say(name, '/collectWin', collect), 200);
  const key = draw.id();
  const win = { rngResult: { rngCallId: key, winAmount: MORE }, externalGameProviderTransactionId: key };
  look.heard('the second win', await player.say(name, '/addWin', { gameRound, ...win, collect: false }), 200);
}

/** Nothing was paid: the bet is voided, and the caller gets the operator's error (docs/interface#credit-refused). */
async function refusedAtFirst(round: Refused): Promise<void> {
  const { look } = round;
  look.heard('the end', await end(round), 400, REFUSED.id);
  await killWorkers(round);
  await look.ends('cancel', END_MS, { credited: 0, net: 0 });
  await playsOn(round);
}

/** A win was paid: nothing is voided, and the round waits for a person. Its player can start another round. */
async function decidedByAPerson(round: Refused): Promise<void> {
  const { look } = round;
  look.heard('the end', await end(round), 400, REFUSED.id);
  await look.untilMarked('crashed', END_MS);
  await killWorkers(round);
  look.heard('the end again, under another key', await end(round), 400, 'GAMEROUNDCRASHED');
  await playsOn(round);
  look.heard('the reconciliation', await reconciled(round), 400, REFUSED.id);
  await settleByTheBooks(round);
  await look.ends('closed', END_MS, { credited: WON, net: WON - STAKE });
}

/** The operator reconciles the round but refuses its win: nothing is voided, and the win is paid once it is accepted. */
async function refusedInReconciliation(round: Refused, takeBack: () => Promise<number>): Promise<void> {
  const { look } = round;
  const told = async (): Promise<void> =>
    look.heard('the reconciliation', await reconciled(round), 400, REFUSED.id);
  await told();
  await look.untilMarked('crashed', END_MS);
  await killWorkers(round);
  await told();
  await playsOn(round);
  await takeBack();
  look.heard('the last reconciliation', await reconciled(round), 200);
  await look.ends('closed', END_MS, { credited: WON, net: WON - STAKE });
}

/** Repeats the operator's call while the reconciliation is being carried out (503), which takes long on a busy machine. */
async function reconciled({ tools, fault, gameRound }: Refused): ReturnType<Player['say']> {
  const deadline = Date.now() + END_MS;
  for (;;) {
    const answer = await reconcile(tools, fault.operatorId, gameRound);
    if (answer?.status !== 503 || Date.now() > deadline) return { sentAt: 0, heardAt: 0, answer };
    await sleep(PAUSE_MS);
  }
}

function end({ player, draw, name, gameRound }: Refused): ReturnType<Player['say']> {
  const key = draw.id();
  return player.say(name, '/endGameRound', { gameRound, externalGameProviderTransactionId: key });
}

/** A person settles the round by the operator's books: transactions in the books are accepted, all others declined. */
async function settleByTheBooks({ tools, look, gameRound }: Refused): Promise<void> {
  const { stack, notes } = tools;
  const state = await askRunning(stack, gameRound);
  const books = new Set((await look.movements()).map(({ hash }) => hash));
  const open = state.transactions.filter(({ outcome }) => outcome === 'pending' || outcome === 'unknown');
  const declined = open.filter(({ hash }) => !books.has(hash));
  const givenUp = declined.filter(({ type }) => type === 'credit');
  notes.givenUp.set(
    gameRound,
    givenUp.reduce((sum, { amount = 0 }) => sum + amount, 0),
  );
  await stack.temporal.workflow.getHandle(workflowIdOf(gameRound)).signal(COMMANDS.settle.signal, {
    ...{ type: 'settle', key: 'by-hand', reason: 'the operator has closed the round on its side' },
    accepted: open.filter(({ hash }) => books.has(hash)).map(({ hash }) => hash),
    declined: declined.map(({ hash }) => hash),
  });
}

/** The player of a round that waits for a person starts another round. */
async function playsOn({ player, draw, look }: Refused): Promise<void> {
  const name = draw.id();
  const spin = await player.say(name, '/startGameRound', {
    ...{ rngResult: { rngCallId: draw.id(), winAmount: 0 }, endGame: true, closeOpenGame: false },
    ...{ debitInformation: { currency: CURRENCY, debitAmount: STAKE }, externalGameProviderRoundId: name },
  });
  look.heard('the next round', spin, 200);
}

async function killWorkers({ tools: { stack }, fault: { killed } }: Refused): Promise<void> {
  await Promise.all(killed.map((part) => stack.kill(part)));
  await Promise.all(killed.map((part) => stack.start(part)));
}
