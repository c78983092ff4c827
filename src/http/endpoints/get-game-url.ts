import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { refuse } from '../../domain/errors';
import { gameSettingsOf, type SomeGameSettings } from '../../domain/game-settings';
import { timesMultiplier } from '../../domain/money';
import type { SessionSeed } from '../../sessions';
import type { GameDefinition, LaunchQuery, OperatorSettings } from '../../tenants';
import { gameSettingsShape } from '../../tenants/file';
import { operatorEndpoint } from '../operator-call';
import { ok, type RouteContext } from '../route-context';
import { currency, details, identifier, object, roundHash } from '../schemas/fields';
import * as replies from '../schemas/operator-replies';

/** Fixed values of tokenData (docs/interface#token-data). */
export const WALLET_MODE = 'seamless';
export const DEFAULT_DEVICE = 'desktop';

const MODES = ['real', 'demo', 'history'] as const;

const ANY_CASE = {
  real: '[Rr][Ee][Aa][Ll]',
  demo: '[Dd][Ee][Mm][Oo]',
  history: '[Hh][Ii][Ss][Tt][Oo][Rr][Yy]',
} as const;
const MODE_PATTERN = `^(${Object.values(ANY_CASE).join('|')})$`;

/** The fields that a mode requires in addition, as JSON Schema. */
const inMode = (mode: keyof typeof ANY_CASE, ...required: string[]) => ({
  required: ['mode', ...required],
  properties: { mode: { pattern: `^${ANY_CASE[mode]}$` } },
});

/** docs/interface#get-game-url. The mode may have any letter case (docs/interface#launch-mode). */
const request = object({
  playerId: identifier().optional(),
  currency,
  gameCode: identifier(),
  language: identifier(35).default('en'),
  mode: z
    .string({ error: 'must be real, demo or history' })
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(MODES, { error: 'must be real, demo or history' }))
    .meta({
      description: 'Any letter case. The signature covers the text as it is sent.',
      pattern: MODE_PATTERN,
      examples: ['real'],
    }),
  gameround: roundHash.optional(),
  playerdetails: details.optional(),
  profile: z.string({ error: 'must be a string' }).max(1_024, 'must have at most 1024 characters').optional(),
  options: object({ ...gameSettingsShape, device: identifier(32).optional() }).optional(),
})
  .refine(({ playerId, mode }) => playerId !== undefined || mode === 'demo', {
    path: ['playerId'],
    message: 'is required',
  })
  .refine(({ gameround, mode }) => gameround !== undefined || mode !== 'history', {
    path: ['gameround'],
    message: 'is required',
  })
  .meta({ anyOf: [inMode('real', 'playerId'), inMode('demo'), inMode('history', 'playerId', 'gameround')] });

type Asked = z.infer<typeof request>;

export const getGameURL = operatorEndpoint(
  {
    method: 'post',
    path: '/getGameURL',
    summary: 'Returns a launch URL, valid once within 60 seconds',
    description:
      'Registers an unknown player. `playerdetails` update the stored details of the player. `playerId` is optional in ' +
      '`mode` demo. `gameround` names the round to show and is required in `mode` history.',
    request,
    signed: ['playerId?', 'currency', 'gameCode', 'mode'],
    replies: { 200: replies.launchReply },
    errors: ['GAMENOTFOUND', 'GAMEROUNDNOTFOUND', 'GAMEROUNDOPEN'],
  },
  async (http, { operator, input }) => ok(await launchGame(http, operator, input)),
);

interface Launched {
  url: string;
  isNew: boolean;
  internalPlayerId: string;
}

/**
 * Checks the request, registers the player, makes a launch token.
 * @throws RefusedError GAMENOTFOUND, INVALIDREQUEST (currency, profile), and in history mode GAMEROUNDNOTFOUND, GAMEROUNDOPEN
 */
async function launchGame(http: RouteContext, operator: OperatorSettings, asked: Asked): Promise<Launched> {
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

function modeSeed(operator: OperatorSettings, asked: Asked, multiplier: number): Partial<SessionSeed> {
  if (asked.mode === 'history') return { onlyGameround: asked.gameround! };
  if (asked.mode !== 'demo') return {};
  const amount = timesMultiplier(operator.demoBalance, multiplier, 'down');
  return { balance: { balances: [{ type: 'real', amount, currency: asked.currency }] } };
}

function launchUrl(baseUrl: string, game: GameDefinition, asked: Asked, token: string): string {
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

function settingsIn(options: Asked['options']): SomeGameSettings {
  const { device: _device, ...settings } = options ?? {};
  return settings;
}

/** A demo player without a playerId gets a random id, which is not registered. */
async function playerOf({ deps }: RouteContext, operator: OperatorSettings, asked: Asked) {
  if (asked.playerId === undefined) {
    const internalPlayerId = randomUUID();
    return { playerId: `demo-${internalPlayerId}`, internalPlayerId, isNew: true };
  }
  const registered = await deps.sessions.register(operator.operatorId, asked.playerId, asked.playerdetails);
  return { playerId: asked.playerId, ...registered };
}

async function mustBeOver({ deps }: RouteContext, operator: OperatorSettings, asked: Asked): Promise<void> {
  const round = await deps.rounds.commands.describeRound(asked.gameround!);
  const isTheirs =
    round?.identity.operatorId === operator.operatorId &&
    round.identity.playerId === asked.playerId &&
    round.identity.gameCode === asked.gameCode;
  if (!isTheirs) throw refuse('GAMEROUNDNOTFOUND');
  if (round.status === 'open') throw refuse('GAMEROUNDOPEN');
}
