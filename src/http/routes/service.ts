import type Router from '@koa/router';
import type { CallState, Http } from '../http';
import * as operations from '../operations/others';

/** For those who run the service (contract §1 "health"). */
export function serviceRoutes({ deps }: Http, router: Router<CallState>): void {
  router.get(operations.healthLive.path, (ctx) => {
    ctx.body = { status: 'live' };
  });

  router.get(operations.healthReady.path, async (ctx) => {
    const { ready, degraded, missing } = await deps.health.check();
    ctx.status = ready ? 200 : 503;
    const status = degraded ? 'degraded' : 'ready';
    ctx.body = { status: ready ? status : 'unavailable', missing };
  });

  router.get(operations.metrics.path, async (ctx) => {
    const { contentType, text } = await deps.metrics.exposition();
    ctx.type = contentType;
    ctx.body = text;
  });
}

export const QUIET_PATHS: readonly string[] = [
  operations.healthLive,
  operations.healthReady,
  operations.metrics,
].map(({ path }) => path);
