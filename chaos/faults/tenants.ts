import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { resumeSignal, workflowIdOf } from '../../src/contracts/gameround';
import { callAsProvider, type Party } from '../../test/support/e2e-http';
import { callsOf, type WalletCall } from '../evidence';
import { Player, type Who } from '../players/player';
import { stream, type Stream } from '../random';
import { CURRENCY, MOVING_GAME, otherProvider, provider } from '../tenants';
import { Look } from './look';
import { openRound } from './outage';
import type { Tools } from './tools';

/** The tenants' file changes while rounds are open, and the processes are restarted as docs/operations.md says. */
export interface TenantsFault {
  name: string;
  kind: 'tenants';
  /**
   * `secret changed`: the operator changes its secret and refuses the old one before the file has the new one.
   * `time-out`: the operator's time-out becomes longer. `game moved`: a game goes to another provider.
   */
  what: 'secret changed' | 'time-out' | 'game moved';
  /** Who resumes the rounds that waited for the new secret: a person, or the round itself. */
  by: 'person' | 'itself';
  playerId: string;
  operatorId: string;
}

/** The stake and the win of `openRound`. */
const STAKE = 100;
const WON = 500;
const MARK_MS = 15_000;
/** The service looks for new secrets at least once a minute. */
const RESUMED_MS = 100_000;
const END_MS = 40_000;
/** A call that is retried is sent again within this time. */
const NO_RETRY_MS = 4_000;

/** Returns how many rounds met the change. */
export async function tenantsChange(fault: TenantsFault, tools: Tools): Promise<number> {
  return tools.alone(() => {
    switch (fault.what) {
      case 'secret changed':
        return secretChanged(fault, tools);
      case 'time-out':
        return timeoutChanged(fault, tools);
      case 'game moved':
        return gameMoved(fault, tools);
    }
  });
}

/** A win and a void get 401 and wait, and a bet is declined. With the new secret, win and void are accepted once. */
async function secretChanged({ operatorId, playerId, by }: TenantsFault, tools: Tools): Promise<number> {
  const { stack } = tools;
  const draw = stream(tools.seed, 'secret', playerId);
  const sit = (who: string): Player =>
    new Player({ playerId: `${playerId}-${who}`, operatorId, game: 'chaos-cards' }, tools);
  const players = { winner: sit('winner'), voider: sit('voider'), late: sit('late') };
  const names = { winner: draw.id(), voider: draw.id(), late: draw.id() };
  const winner = await openRound(players.winner, names.winner, draw);
  const voider = await openRound(players.voider, names.voider, draw);
  // This player connects before the change, because a connect asks for the balance, which is refused as well.
  await players.late.spin(1);
  if (winner === undefined || voider === undefined) return 0;
  const [win, back] = [new Look(tools, winner), new Look(tools, voider)];
  const refuses = await tools.addSwitch('wallet', {
    ...{ fault: 'status', status: 401, errorCode: { id: 1001, msg: 'SIGNATUREWRONG', clientmsg: '' } },
    ...{ match: { tenantId: operatorId, path: '/doTransactions' }, times: 1_000_000 },
  });
  try {
    const last = { gameRound: winner, externalGameProviderTransactionId: draw.id() };
    win.heard('the end', await players.winner.say(names.winner, '/endGameRound', last), 503);
    const other = { gameRound: winner, externalGameProviderTransactionId: draw.id() };
    const inVain = await players.winner.say(names.winner, '/collectWin', other, { inVain: true });
    win.heard('another command', inVain, 503);
    back.heard(
      'the void',
      await players.voider.say(names.voider, '/voidGameRound', { gameRound: voider }),
      503,
    );
    await win.untilMarked('credit-unauthorised', MARK_MS);
    await back.untilMarked('void-refused', MARK_MS);
    await notRetried(win, tools, 'credit');
    await notRetried(back, tools, 'void');
    const bet = await players.late.say(names.late, '/startGameRound', newRound(draw, names.late));
    win.heard('a bet', bet, 502, 'WALLETUNAVAILABLE');
  } finally {
    // During the restart some processes still sign with the old secret, so the operator accepts both secrets again.
    await tools.takeAway('wallet', refuses);
  }
  const { rotations } = stack.tenants;
  await stack.changeTenants({
    rotations: { ...rotations, [operatorId]: (rotations[operatorId] ?? 0) + 1 },
  });
  if (by === 'person') {
    // A round that has already found the new secrets itself may be over by now.
    for (const gameRound of [winner, voider])
      await stack.temporal.workflow
        .getHandle(workflowIdOf(gameRound))
        .signal(resumeSignal)
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
  }
  await win.ends('closed', RESUMED_MS, { credited: WON, net: WON - STAKE });
  await back.ends('cancel', RESUMED_MS, { credited: 0, net: 0 });
  win.tell();
  back.tell();
  return 3;
}

/** A call that was refused with 401 is not retried until the secrets change or a person resumes it. */
async function notRetried(look: Look, { stack }: Tools, type: string): Promise<void> {
  const sent = async (): Promise<number> => deliveries(await callsOf(stack), look.gameround, type).length;
  const before = await sent();
  await sleep(NO_RETRY_MS);
  const after = await sent();
  if (after > before) look.note(`a ${type} that was refused 401 was sent ${after - before} times more`);
}

function deliveries(
  calls: ReadonlyMap<string, readonly WalletCall[]>,
  gameround: string,
  type: string,
): WalletCall[] {
  const isOf = ({ body }: WalletCall): boolean => body.transactions.some((one) => one.type === type);
  return (calls.get(gameround) ?? []).filter(isOf);
}

/** A round from before the change is paid under the new time-out, with one delivery whose answer arrives in time. */
async function timeoutChanged({ operatorId, playerId }: TenantsFault, tools: Tools): Promise<number> {
  const { stack } = tools;
  const draw = stream(tools.seed, 'time-out', playerId);
  const player = new Player({ playerId, operatorId, game: 'chaos-cards' }, tools);
  const name = draw.id();
  const gameRound = await openRound(player, name, draw);
  if (gameRound === undefined) return 0;
  const look = new Look(tools, gameRound);
  const { walletTimeouts } = stack.tenants;
  await stack.changeTenants({ walletTimeouts: { ...walletTimeouts, [operatorId]: '9s' } });
  // Longer than any time-out at the start of the run, plus the margin of a delivery.
  const slow = await tools.addSwitch('wallet', {
    ...{
      fault: 'slow',
      when: 'after',
      delayMs: 7_500,
      match: { gameRound, type: 'credit' },
      times: 1_000_000,
    },
  });
  try {
    const last = { gameRound, externalGameProviderTransactionId: draw.id() };
    const end = await player.say(name, '/endGameRound', last);
    // The wallet takes most of the command's time, so on a busy machine the caller may get 503.
    if (end.answer?.status !== 503) look.heard('the end', end, 200);
    await look.ends('closed', END_MS, { credited: WON, net: WON - STAKE });
    const sent = deliveries(await callsOf(stack), gameRound, 'credit').length;
    if (sent !== 1) look.note(`its win was delivered ${sent} times`);
  } finally {
    await tools.takeAway('wallet', slow);
  }
  look.tell();
  await stack.changeTenants({ walletTimeouts });
  return 1;
}

/** The old provider ends its round. The new provider can't see that round, and plays with the same player. */
async function gameMoved({ operatorId, playerId }: TenantsFault, tools: Tools): Promise<number> {
  const { stack } = tools;
  const draw = stream(tools.seed, 'moved', playerId);
  const who: Who = { playerId, operatorId, game: MOVING_GAME };
  const old = stack.tenants.mover;
  const next = old.id === provider.id ? otherProvider : provider;
  const before = new Player({ ...who, provider: old }, tools);
  const name = draw.id();
  const gameRound = await openRound(before, name, draw);
  if (gameRound === undefined) return 0;
  const look = new Look(tools, gameRound);
  await stack.changeTenants({ mover: next });
  const after = new Player({ ...who, provider: next }, tools);
  const fresh = draw.id();
  const theirs = await openRound(after, fresh, draw);
  if (theirs === undefined) look.note('the new provider can’t play');
  const seen = await after.say(fresh, '/endGameRound', { gameRound, externalGameProviderTransactionId: 'x' });
  look.heard('the old round, ended by the new provider', seen, 404, 'GAMEROUNDNOTFOUND');
  if (await listsIt(stack.api, next, gameRound)) look.note('the new provider’s list shows the old round');
  const last = { gameRound, externalGameProviderTransactionId: draw.id() };
  look.heard('the end', await before.say(name, '/endGameRound', last), 200);
  await look.ends('closed', END_MS, { credited: WON, net: WON - STAKE });
  look.tell();
  if (theirs !== undefined) {
    const own = new Look(tools, theirs);
    const end = { gameRound: theirs, externalGameProviderTransactionId: draw.id() };
    own.heard('the end', await after.say(fresh, '/endGameRound', end), 200);
    await own.ends('closed', END_MS, { credited: WON, net: WON - STAKE });
    own.tell();
  }
  return 1;
}

async function listsIt(api: string, party: Party, gameRound: string): Promise<boolean> {
  const { body } = await callAsProvider(api, party, '/getOpenGameRoundsByGame', { gameCode: MOVING_GAME });
  return JSON.stringify(body).includes(gameRound);
}

function newRound(draw: Stream, name: string): Record<string, unknown> {
  return {
    rngResult: { rngCallId: draw.id(), winAmount: 0 },
    debitInformation: { currency: CURRENCY, debitAmount: STAKE },
    ...{ endGame: false, closeOpenGame: false, externalGameProviderRoundId: name },
  };
}
