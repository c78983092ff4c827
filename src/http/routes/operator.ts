import type Router from '@koa/router';
import { refuse } from '../../domain/errors';
import { ok, type CallState, type Http } from '../http';
import { launchGame } from '../launch';
import { operatorRoute } from '../operator-call';
import { getGameConfiguration, getGameURL, noFields, registerPlayer } from '../schemas/operator';

/** Operator-facing calls (spec "Operator-facing calls", contract §6). */
export function operatorRoutes(http: Http, router: Router<CallState>): void {
  router.post(
    '/getGameURL',
    operatorRoute(
      http,
      getGameURL,
      ['playerId?', 'currency', 'gameCode', 'mode'],
      async ({ operator, input }) => ok(await launchGame(http, operator, input)),
    ),
  );

  router.post(
    '/registerPlayer',
    operatorRoute(http, registerPlayer, ['playerId'], async ({ operator, input }) =>
      ok(await http.deps.sessions.register(operator.operatorId, input.playerId, input.playerdetails)),
    ),
  );

  router.get(
    '/backoffice/getGameConfiguration',
    operatorRoute(http, getGameConfiguration, ['gameCode', 'currency'], async ({ operator, input }) => {
      const game = http.deps.tenants.game(input.gameCode);
      if (game === undefined) throw refuse('GAMENOTFOUND');
      const { config, gameCode } = await http.deps.gameConfigurations.get(operator, game, input.currency);
      return ok({ config, gameCode });
    }),
  );

  const gameList = operatorRoute(http, noFields, [], () => Promise.resolve(ok(gameLists(http))));
  router.get('/getGameList', gameList);
  router.get('/backoffice/getGameList', gameList);
}

function gameLists({ deps }: Http): object {
  const games = [...deps.tenants.games()];
  return {
    gameList: Object.fromEntries(games.map(({ gameCode, name }) => [gameCode, name])),
    extendedGameList: Object.fromEntries(
      games.map(({ gameCode, name, studio }) => [gameCode, { name, studio }]),
    ),
  };
}
