import type Router from '@koa/router';
import { refuse } from '../../domain/errors';
import { ok, type CallState, type RouteContext } from '../route-context';
import { launchGame } from '../launch';
import { operatorRoute } from '../operator-call';
import * as operations from '../operations/operator';

/** Operator-facing calls (docs/interface#operator-calls). */
export function operatorRoutes(http: RouteContext, router: Router<CallState>): void {
  operatorRoute(http, router, operations.getGameURL, async ({ operator, input }) =>
    ok(await launchGame(http, operator, input)),
  );

  operatorRoute(http, router, operations.registerPlayer, async ({ operator, input }) =>
    ok(await http.deps.sessions.register(operator.operatorId, input.playerId, input.playerdetails)),
  );

  operatorRoute(http, router, operations.getGameConfiguration, async ({ operator, input }) => {
    const game = http.deps.tenants.game(input.gameCode);
    if (game === undefined) throw refuse('GAMENOTFOUND');
    const { config, gameCode } = await http.deps.gameConfigurations.get(operator, game, input.currency);
    return ok({ config, gameCode });
  });

  for (const operation of [operations.getGameList, operations.getGameListOfBackoffice]) {
    operatorRoute(http, router, operation, () => Promise.resolve(ok(gameLists(http))));
  }
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
