import Router from '@koa/router';
import type { PayloadCodec } from '@temporalio/common';
import Koa, { type Context, type Next } from 'koa';
import helmet from 'koa-helmet';
import getRawBody from 'raw-body';
import { UnreadablePayloadError } from '../contracts/payloads';
import type { Logger } from '../logging';
import { signInPage } from './page';
import { createCodecSessions, SESSION_SECONDS, type CodecSessions } from './sessions';
import { carriedOut, type CodecStep } from './wire';
import type { MonotonicClock } from '../domain/time';

export interface CodecServerDeps {
  codec: PayloadCodec;
  /** BACKOFFICE_TOKEN. The CLI sends it as `Authorization: Bearer`, people sign in with it. */
  token: string;
  /** The origins of Temporal Web. */
  origins: readonly string[];
  /** Whether X-Forwarded-Proto of the proxy in front is trusted. */
  proxied: boolean;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
  monotonicNow: MonotonicClock;
}

/** Temporal's limit of a message is 4 MiB, and base64 needs a third more. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_FORM_BYTES = 4_096;
const COOKIE = 'codec_session';
const PREFLIGHT_SECONDS = '600';

/**
 * Temporal's remote codec: `POST /encode` and `POST /decode` for Temporal Web and the CLI. Temporal Web runs in a browser and
 * can't send the token, but it can send a cookie. A person gets the cookie by signing in at `/`.
 */
export function createCodecApp(deps: CodecServerDeps): Koa {
  const sessions = createCodecSessions(deps.token, deps.clock, deps.monotonicNow);
  const router = new Router();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'live' };
  });
  router.get('/', (ctx) => page(ctx, { isIn: hasSession(sessions, ctx) }));
  router.post('/sign-in', (ctx) => signIn(sessions, ctx));
  for (const step of ['encode', 'decode'] as const) {
    router.post(`/${step}`, (ctx) => answer(deps, sessions, ctx, step));
  }

  const app = new Koa();
  app.proxy = deps.proxied;
  app.on('error', (error: unknown) => deps.logger.error({ error }, 'reply failed'));
  app.use(helmet());
  app.use(async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    await next();
  });
  app.use((ctx, next) => sharedWith(deps.origins, ctx, next));
  app.use((ctx, next) => plainErrors(deps.logger, ctx, next));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** Allows cross-origin calls of Temporal Web only. */
async function sharedWith(origins: readonly string[], ctx: Context, next: Next): Promise<void> {
  ctx.vary('Origin');
  const origin = ctx.get('Origin');
  if (!origins.includes(origin)) {
    await next();
    return;
  }
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Allow-Credentials', 'true');
  // Helmet's default would make browsers block the response for a page of another origin.
  ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (ctx.method !== 'OPTIONS') {
    await next();
    return;
  }
  ctx.set('Access-Control-Allow-Methods', 'POST');
  ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Namespace, Caller-Type');
  ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  ctx.status = 204;
}

async function plainErrors(logger: Logger, ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof UnreadablePayloadError) return refuse(ctx, 400, error.message);
    const { type } = error as { type?: string };
    if (type === 'entity.too.large')
      return refuse(ctx, 413, `the body must have at most ${MAX_BODY_BYTES} bytes`);
    if (type?.startsWith('request.'))
      return refuse(ctx, 400, 'the body is incomplete or does not match its Content-Length');
    logger.error({ error }, 'unexpected error');
    refuse(ctx, 500, 'something went wrong');
  }
}

async function answer(
  { codec, origins }: CodecServerDeps,
  sessions: CodecSessions,
  ctx: Context,
  step: CodecStep,
): Promise<void> {
  if (!mayUse(sessions, origins, ctx)) {
    ctx.set('WWW-Authenticate', 'Bearer');
    return refuse(ctx, 401, 'sign in at the codec server first, or send its token in the request');
  }
  const body = await carriedOut(codec, step, await read(ctx, MAX_BODY_BYTES));
  if (body === undefined) return refuse(ctx, 400, 'the body must be {"payloads": [{"metadata", "data"}]}');
  ctx.body = body;
}

/** A cookie is accepted only from a known origin, since browsers send it with calls of any page. */
function mayUse(sessions: CodecSessions, origins: readonly string[], ctx: Context): boolean {
  const [, bearer] = /^Bearer (.{1,1024})$/i.exec(ctx.get('Authorization')) ?? [];
  if (bearer !== undefined) return sessions.isToken(bearer) === true;
  return origins.includes(ctx.get('Origin')) && hasSession(sessions, ctx);
}

function hasSession(sessions: CodecSessions, ctx: Context): boolean {
  return sessions.isValid(ctx.cookies.get(COOKIE) ?? '');
}

async function signIn(sessions: CodecSessions, ctx: Context): Promise<void> {
  const given = new URLSearchParams(await read(ctx, MAX_FORM_BYTES)).get('token') ?? '';
  const isToken = sessions.isToken(given);
  if (isToken !== true) {
    ctx.status = isToken === undefined ? 429 : 401;
    return page(ctx, {
      isIn: false,
      problem: isToken === undefined ? 'Too many tries; wait a minute.' : 'Wrong token.',
    });
  }
  ctx.set('Set-Cookie', cookie(ctx, sessions.make()));
  ctx.redirect('/');
  ctx.status = 303;
}

/** With TLS, pages of other sites may send the cookie. Without TLS, only pages of the same host may, on any port. */
function cookie(ctx: Context, session: string): string {
  const how = ctx.secure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  return `${COOKIE}=${session}; Path=/; HttpOnly; Max-Age=${SESSION_SECONDS}; ${how}`;
}

function page(ctx: Context, shown: { isIn: boolean; problem?: string }): void {
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  ctx.type = 'html';
  ctx.body = signInPage(shown);
}

function read(ctx: Context, limit: number): Promise<string> {
  return getRawBody(ctx.req, { length: ctx.request.length ?? null, limit, encoding: 'utf8' });
}

function refuse(ctx: Context, status: number, message: string): void {
  if (status === 413) ctx.set('Connection', 'close');
  ctx.status = status;
  ctx.body = { message };
}
