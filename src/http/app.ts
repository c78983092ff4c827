import Router from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { errorObject, statusOf } from '../domain/errors';
import { DEFAULT_LIMITS, type HttpDeps } from './deps';
import { ENDPOINTS } from './endpoints';
import { QUIET_PATHS } from './endpoints/health';
import { createRouteContext, type CallState } from './route-context';
import { limitInFlight } from './middleware/in-flight';
import { errorReplies } from './middleware/errors';
import { requestLog } from './middleware/request-log';
import { openApiDocument } from './openapi/document';
import { startPage } from './start-page';

/** Creates the HTTP interface. It does not listen: pass `createApp(deps).callback()` to a server. */
export function createApp(deps: HttpDeps): Koa<CallState> {
  const http = createRouteContext(deps, JSON.stringify(openApiDocument(deps.baseUrl)));
  const router = new Router<CallState>({ strict: true, sensitive: true });
  for (const endpoint of ENDPOINTS) endpoint.register(http, router);

  const app = new Koa<CallState>();
  app.proxy = deps.trustedProxies > 0;
  app.maxIpsCount = deps.trustedProxies;
  app.on('error', (error: unknown) => deps.logger.error({ error }, 'reply failed'));
  app.use(async (ctx, next) => {
    // Refuse a request target that is no URL (`GET http://[`): the later middleware can't read its path.
    if (URL.canParse(ctx.req.url ?? '', 'http://localhost')) {
      await next();
      return;
    }
    ctx.status = statusOf('INVALIDREQUEST');
    ctx.body = { errorCode: errorObject('INVALIDREQUEST', 'the request target is not a URL') };
  });
  app.use(
    requestLog({
      logger: deps.logger,
      metrics: deps.metrics,
      routeOf: (path) => router.match(path, 'GET').path[0]?.path.toString(),
      isQuiet: (path) => QUIET_PATHS.includes(path),
    }),
  );
  app.use(helmet());
  app.use(async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    await next();
  });
  app.use(errorReplies(deps.logger));
  app.use(limitInFlight({ ...DEFAULT_LIMITS, ...deps.limits }.crowd, (path) => QUIET_PATHS.includes(path)));
  app.use(startPage(deps.startLinks));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
