import { randomUUID } from 'node:crypto';
import { refuse } from '../domain/errors';
import { gameSettingsOf, type SomeGameSettings } from '../domain/game-settings';
import { timesMultiplier } from '../domain/money';
import type { SessionSeed } from '../sessions';
import type { GameDefinition, LaunchQuery, OperatorSettings } from '../tenants';
import type { RouteContext } from './route-context';
import type { GetGameURL } from './schemas/operator';

/** Fixed values of tokenData (docs/interface#token-data). */
export const WALLET_MODE = 'seamless';
export const DEFAULT_DEVICE = 'desktop';

export interface Launched {
  url: string;
  isNew: boolean;
  internalPlayerId: string;
}

/**
 * POST /getGameURL (docs/interface#get-game-url): checks the request, registers the player, makes a launch token.
 * @throws RefusedError GAMENOTFOUND, INVALIDREQUEST (currency, profile), and in history mode GAMEROUNDNOTFOUND, GAMEROUNDOPEN
 */
export async function launchGame(
  http: RouteContext,
  operator: OperatorSettings,
  asked: GetGameURL,
): Promise<Launched> {
  const { deps } = http;
  const game = deps.tenants.game(asked.gameCode);
  if (game === undefined) throw refuse('GAMENOTFOUND');
  const multiplier = multiplierOf(operator, asked.currency);
  const layers = [operator.gameSettings, ...profilesOf(operator, asked.profile), settingsIn(asked.options)];
  if (asked.mode === 'history') await mustBeOver(http, operator, asked);
  const player = await playerOf(http, operator, asked);
  const token = await deps.sessions.launch({
    operatorId: operator.operatorId,
    playerId: player.playerId,
    gameCode: game.gameCode,
    providerId: game.providerId,
    mode: asked.mode,
    currency: asked.currency,
    currencyMultiplier: multiplier,
    language: asked.language,
    device: asked.options?.device ?? DEFAULT_DEVICE,
    walletMode: WALLET_MODE,
    gameSettings: gameSettingsOf(layers, multiplier),
    ...modeSeed(operator, asked, multiplier),
  });
  return {
    url: launchUrl(deps.baseUrl, game, asked, token),
    isNew: player.isNew,
    internalPlayerId: player.internalPlayerId,
  };
}

/** @throws INVALIDREQUEST if the operator does not have the currency */
function multiplierOf({ currencies }: OperatorSettings, currency: string): number {
  const multiplier = Object.hasOwn(currencies, currency) ? currencies[currency] : undefined;
  if (multiplier === undefined)
    throw refuse('INVALIDREQUEST', 'currency is not configured for this operator');
  return multiplier;
}

function modeSeed(operator: OperatorSettings, asked: GetGameURL, multiplier: number): Partial<SessionSeed> {
  if (asked.mode === 'history') return { onlyGameround: asked.gameround! };
  if (asked.mode !== 'demo') return {};
  const amount = timesMultiplier(operator.demoBalance, multiplier, 'down');
  return { balance: { balances: [{ type: 'real', amount, currency: asked.currency }] } };
}

function launchUrl(baseUrl: string, game: GameDefinition, asked: GetGameURL, token: string): string {
  const url = new URL(game.launchUrl);
  const { language, mode, gameCode, gameround } = asked;
  const query: Partial<Record<LaunchQuery, string>> = {
    ...{ token, login: `${baseUrl}/connect`, language, mode, gameCode },
    ...(mode === 'history' ? { gameRound: gameround! } : {}),
  };
  // Append text instead of using searchParams, which would rewrite the game's own query.
  url.search += `${url.search === '' ? '' : '&'}${new URLSearchParams(query).toString()}`;
  return url.href;
}

/** Refuses an unknown profile: ignoring it could drop settings that a jurisdiction requires. */
function profilesOf(operator: OperatorSettings, profile: string | undefined): SomeGameSettings[] {
  const names = (profile ?? '').split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '')
    .map((name) => {
      const settings = Object.hasOwn(operator.profiles, name) ? operator.profiles[name] : undefined;
      if (settings === undefined) throw refuse('INVALIDREQUEST', 'profile contains an unknown name');
      return settings;
    });
}

function settingsIn(options: GetGameURL['options']): SomeGameSettings {
  const { device: _device, ...settings } = options ?? {};
  return settings;
}

/** A demo player without a playerId gets a random id, which is not registered. */
async function playerOf({ deps }: RouteContext, operator: OperatorSettings, asked: GetGameURL) {
  if (asked.playerId === undefined) {
    const internalPlayerId = randomUUID();
    return { playerId: `demo-${internalPlayerId}`, internalPlayerId, isNew: true };
  }
  const registered = await deps.sessions.register(operator.operatorId, asked.playerId, asked.playerdetails);
  return { playerId: asked.playerId, ...registered };
}

async function mustBeOver(
  { deps }: RouteContext,
  operator: OperatorSettings,
  asked: GetGameURL,
): Promise<void> {
  const round = await deps.rounds.commands.describeRound(asked.gameround!);
  const isTheirs =
    round?.identity.operatorId === operator.operatorId &&
    round.identity.playerId === asked.playerId &&
    round.identity.gameCode === asked.gameCode;
  if (!isTheirs) throw refuse('GAMEROUNDNOTFOUND');
  if (round.status === 'open') throw refuse('GAMEROUNDOPEN');
}
