import type Router from '@koa/router';
import { readinessReply } from '../health';
import type { CallState, RouteContext } from '../route-context';
import * as operations from '../operations/player-and-service';

/** Health checks for load balancers (docs/interface#health). Metrics are on the admin port (src/admin.ts). */
export function serviceRoutes({ deps }: RouteContext, router: Router<CallState>): void {
  router.get(operations.healthLive.path, (ctx) => {
    ctx.body = { status: 'live' };
  });

  router.get(operations.healthReady.path, async (ctx) => {
    const { status, body } = readinessReply(await deps.health.check());
    ctx.status = status;
    ctx.body = body;
  });
}

export const QUIET_PATHS: readonly string[] = [operations.healthLive, operations.healthReady].map(
  ({ path }) => path,
);
