import { randomUUID } from 'node:crypto';
import { InterfaceError, LostResponse } from '../sdk';
import tenants from '../sandbox/tenants.json';
import { configuration, launch } from './tour/launches';
import { recordsOfDemo, recordsOfReal } from './tour/records';
import { history, playRound, type Round, WIN } from './tour/round';
import {
  begin,
  chapter,
  check,
  checkRefused,
  counts,
  currentStep,
  showExchanges,
  Unexpected,
} from './tour/show';
import { createStage, fetchJson, type Settings, type Stage } from './tour/stage';

/*
 * `npm run tour`: makes every kind of call once against a running `npm start`, in the order in which a reader of
 * docs/interface would try them. Prints every call and reply. Exit code 0 if every reply is as specified. At the first
 * other reply it prints the difference and ends with 1.
 */

/** The settings from the environment of `npm start` and TOUR_CURRENCY. The tour plays as the sandbox's tenants. */
function settings(env: NodeJS.ProcessEnv): Settings {
  const [operator] = tenants.operators;
  const [provider] = tenants.providers;
  const [game] = tenants.games;
  const baseUrl = env['BASE_URL'] ?? `http://127.0.0.1:${env['PORT'] ?? 8080}`;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    walletUrl: `http://127.0.0.1:${env['SANDBOX_WALLET_PORT'] ?? 9001}`,
    operator: { operatorId: operator!.operatorId, secret: operator!.secrets[0]! },
    provider: { providerId: provider!.providerId, secret: provider!.secrets[0]! },
    gameCode: game!.gameCode,
    currency: env['TOUR_CURRENCY'] ?? 'EUR',
  };
}

async function real(stage: Stage): Promise<{ playerId: string; round: Round }> {
  chapter('Real mode');
  const playerId = `tour-${randomUUID()}`;
  begin('register: the operator makes a player known');
  const registered = await stage.operator.registerPlayer({ playerId, playerdetails: { country: 'DE' } });
  check('the player is new', registered.isNew, true);

  const session = await launch(stage, 'real', { playerId });
  const [stake = 0] = await configuration(stage);

  begin('a ticket: the operator (the sandbox) grants a free play, and the game sees it');
  const { gameCode, currency } = stage;
  const ticket = { playerId, gameCode, currency, stake, count: 1, serial: randomUUID() };
  await fetchJson(`${stage.walletUrl}/sandbox/tickets`, ticket);
  const { tickets } = await stage.provider.getBalance({ token: session.token });
  check(
    'tickets',
    tickets?.map(({ serial, count }) => ({ serial, count })),
    [{ serial: ticket.serial, count: 1 }],
  );

  const round = await playRound(stage, session, { stake, paidBy: 'ticket' });
  await history(stage, round);
  await recordsOfReal(stage, { playerId, round, balanceBefore: session.balance.totalBalance });
  return { playerId, round };
}

async function demo(stage: Stage): Promise<void> {
  chapter('Demo mode: the same on pretend money');
  const session = await launch(stage, 'demo');
  const [stake = 0] = await configuration(stage);
  const round = await playRound(stage, session, { stake, paidBy: 'money' });
  await history(stage, round);
  await recordsOfDemo(stage, { playerId: session.tokenData.playerId, round });
}

async function replay(stage: Stage, { playerId, round }: { playerId: string; round: Round }): Promise<void> {
  chapter('History mode: the real round again');
  const { gameRound } = round;
  const session = await launch(stage, 'history', { playerId, gameround: gameRound });
  check('the session is for this round', session.tokenData.gameRound, gameRound);
  check('what the game tells of it', typeof session.gameHistory, 'object');
  const replayed = { token: session.token, gameRound };
  await history(stage, replayed);

  begin('getGameRoundInfo');
  const info = await stage.provider.getGameRoundInfo(replayed);
  check('what was won', info.totalWinAmount, WIN);

  begin('nothing can be played in it');
  const { currency } = stage;
  const bet = { token: session.token, rngResult: {}, debitInformation: { debitAmount: 1, currency } };
  await checkRefused('startGameRound', stage.provider.startGameRound(bet), {
    status: 400,
    msg: 'MODENOTALLOWED',
  });
}

async function main(): Promise<void> {
  showExchanges();
  const stage = createStage(settings(process.env));
  const played = await real(stage);
  await demo(stage);
  await replay(stage, played);
  console.log(`\n\nThe tour is over: ${counts()}, all as specified.`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Unexpected) return error.message;
  if (error instanceof InterfaceError) return `refused: ${error.message}`;
  const text = error instanceof Error ? error.message : String(error);
  const isAbsent = error instanceof LostResponse ? error.neverSent : text === 'fetch failed';
  const hint = 'is `npm start` running, on the ports that PORT and SANDBOX_WALLET_PORT name?';
  return isAbsent ? `nothing answers there; ${hint}` : text;
}

main().catch((error: unknown) => {
  console.error(`\ntour: ${currentStep()}: ${reasonOf(error)}`);
  process.exitCode = 1;
});
