import { refuse } from '../../domain/errors';
import type { Endpoint } from '../endpoint';
import { operatorEndpoint } from '../operator-call';
import { ok, type RouteContext } from '../route-context';
import { currency, identifier, object, details } from '../schemas/fields';
import * as replies from '../schemas/operator-replies';
import * as requests from '../schemas/shared-requests';

/* Calls of operators besides those about one round (docs/interface#operator-calls). */

export const registerPlayer = operatorEndpoint(
  {
    method: 'post',
    path: '/registerPlayer',
    summary: 'Registers a player, or updates the player’s details',
    request: object({ playerId: identifier(), playerdetails: details.optional() }),
    signed: ['playerId'],
    replies: { 200: replies.registerReply },
    errors: [],
  },
  async (http, { operator, input }) =>
    ok(await http.deps.sessions.register(operator.operatorId, input.playerId, input.playerdetails)),
);

export const getGameConfiguration = operatorEndpoint(
  {
    method: 'get',
    path: '/backoffice/getGameConfiguration',
    summary: 'Returns the configuration of a game in a currency of the operator',
    request: object({ gameCode: identifier(), currency }),
    signed: ['gameCode', 'currency'],
    replies: { 200: replies.operatorConfiguration },
    errors: ['GAMENOTFOUND', 'GAMEPROVIDERUNAVAILABLE'],
  },
  async (http, { operator, input }) => {
    const game = http.deps.tenants.game(input.gameCode);
    if (game === undefined) throw refuse('GAMENOTFOUND');
    const { config, gameCode } = await http.deps.gameConfigurations.get(operator, game, input.currency);
    return ok({ config, gameCode });
  },
);

export const getGameList = gameList('/getGameList', 'Returns all games');
export const getGameListOfBackoffice = gameList(
  '/backoffice/getGameList',
  'Returns all games, as getGameList does',
);

function gameList(path: string, summary: string): Endpoint {
  return operatorEndpoint(
    {
      method: 'get',
      path,
      summary,
      request: requests.noFields,
      signed: [],
      replies: { 200: replies.gameListReply },
      errors: [],
    },
    (http) => Promise.resolve(ok(gameLists(http))),
  );
}

function gameLists({ deps }: RouteContext): object {
  const games = [...deps.tenants.games()];
  return {
    gameList: Object.fromEntries(games.map(({ gameCode, name }) => [gameCode, name])),
    extendedGameList: Object.fromEntries(
      games.map(({ gameCode, name, studio }) => [gameCode, { name, studio }]),
    ),
  };
}
