import type Router from '@koa/router';
import type { CallState, Http } from '../http';

/** For those who run the service (contract §1 "health"). */
export function operationsRoutes({ deps }: Http, router: Router<CallState>): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'live' };
  });

  router.get('/health/ready', async (ctx) => {
    const { ready, degraded, missing } = await deps.health.check();
    ctx.status = ready ? 200 : 503;
    const status = degraded ? 'degraded' : 'ready';
    ctx.body = { status: ready ? status : 'unavailable', missing };
  });

  router.get('/metrics', async (ctx) => {
    const { contentType, text } = await deps.metrics.exposition();
    ctx.type = contentType;
    ctx.body = text;
  });
}

export const OPERATIONS_PATHS: readonly string[] = ['/health/live', '/health/ready', '/metrics'];
