import type Router from '@koa/router';
import { z } from 'zod';
import { ok, type CallState, type Http } from '../http';
import { launchGame } from '../launch';
import { operatorRoute } from '../operator-call';
import { getGameURL, registerPlayer } from '../schemas/operator';

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

  const gameList = operatorRoute(http, z.object({}), [], () => Promise.resolve(ok(gameLists(http))));
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
