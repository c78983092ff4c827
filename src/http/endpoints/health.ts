import { FOR_ANYONE, type Endpoint } from '../endpoint';
import { readinessReply } from '../health';
import * as replies from '../schemas/operator-replies';

/* Health checks for load balancers (docs/interface#health). Metrics are on the admin port (src/admin.ts). */

export const healthLive: Endpoint = {
  ...{ ...FOR_ANYONE, path: '/health/live', summary: 'Returns 200 if the process runs' },
  replies: { 200: replies.liveReply },
  register: (_http, router) =>
    router.get(healthLive.path, (ctx) => {
      ctx.body = { status: 'live' };
    }),
};

export const healthReady: Endpoint = {
  ...FOR_ANYONE,
  path: '/health/ready',
  summary: 'Returns whether this process can take calls, and what is missing',
  replies: { 200: replies.readyReply, 503: replies.readyReply },
  register: ({ deps }, router) =>
    router.get(healthReady.path, async (ctx) => {
      const { status, body } = readinessReply(await deps.health.check());
      ctx.status = status;
      ctx.body = body;
    }),
};

export const QUIET_PATHS: readonly string[] = [healthLive.path, healthReady.path];
