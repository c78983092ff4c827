import Koa, { type Context, type Middleware } from 'koa';
import Router from '@koa/router';
import { pino, type Logger } from 'pino';
import { z } from 'zod';
import { keptAnswer, keptBody, CallLog, type RecordedCall } from './calls';
import { parseJson, readBody } from './body';
import { answerWithFault, send } from './fault-effects';
import { type CallFacts, faultRequest, FaultSwitches } from './faults';
import { Holds } from './holds';
import type { ProcessCall } from './reply';
import { addStartPage, type StartLink } from './start-page';

/** The common part of both sandbox servers. It records all calls, and a fault switch can make a call fail. */
export interface Kit {
  app: Koa;
  router: Router;
  faults: FaultSwitches;
  holds: Holds;
  calls: CallLog;
  log: Logger;
  now: () => Date;
}

export interface KitOptions {
  name: string;
  log?: Logger | undefined;
  /** The number of received calls that are stored for `GET /sandbox/calls`. */
  maxCalls?: number | undefined;
  now?: (() => Date) | undefined;
  /** Links of the start page. */
  links?: readonly StartLink[] | undefined;
}

export interface CallState {
  call: RecordedCall;
  raw: Buffer;
  /** The parsed body. Undefined if it is not JSON. */
  json: unknown;
}

const LISTED_BY_DEFAULT = 1_000;

const NOT_FOUND = { status: 404, body: { errorCode: { id: 1005, msg: 'NOTFOUND', clientmsg: '' } } };

export function createKit({
  name,
  log,
  maxCalls = 5_000,
  now = () => new Date(),
  links = [],
}: KitOptions): Kit {
  const kit: Kit = {
    app: new Koa(),
    router: new Router(),
    faults: new FaultSwitches(),
    holds: new Holds(),
    calls: new CallLog(maxCalls),
    log: (log ?? pino({ level: 'silent' })).child({ sandbox: name }),
    now,
  };
  kit.app.silent = true;
  kit.app.on('error', (error: Error) => kit.log.debug({ err: error }, 'connection'));
  kit.app.use(recordCall(kit));
  addAdminRoutes(kit);
  addStartPage(kit.router, `gameround: the sandbox’s ${name}`, links);
  return kit;
}

export function callState(ctx: Context): CallState {
  return ctx.state;
}

/** Answers normally, or with the fault of the first matching switch. */
export async function answer(kit: Kit, ctx: Context, facts: CallFacts, process: ProcessCall): Promise<void> {
  const fault = kit.faults.take(facts);
  if (fault === undefined) return send(ctx, await process());
  callState(ctx).call.fault = fault.fault;
  await answerWithFault(ctx, fault, process, kit.holds);
}

function recordCall(kit: Kit): Middleware {
  return async (ctx, next) => {
    if (ctx.path.startsWith('/sandbox/')) return answerAdmin(kit, ctx, next);
    const call = kit.calls.record(ctx.req, ctx.URL, kit.now());
    ctx.res.once('close', () => noteEnd(kit, ctx, call));
    try {
      const raw = await readBody(ctx.req);
      const json = parseJson(raw);
      call.body = keptBody(raw, json);
      Object.assign(ctx.state, { call, raw, json } satisfies CallState);
      await next();
      if (ctx.respond !== false && ctx.status === 404 && ctx.body === undefined) send(ctx, NOT_FOUND);
    } catch (error) {
      answerFailure(kit, ctx, error);
    }
  };
}

function noteEnd(kit: Kit, ctx: Context, call: RecordedCall): void {
  if (ctx.res.headersSent) call.status = ctx.res.statusCode;
  const answered = ctx.respond === false ? undefined : keptAnswer(ctx.body);
  if (answered !== undefined) call.answer = answered;
  if (!ctx.res.writableFinished) call.clientLeft = true;
  const { method, path, status, fault, headers } = call;
  kit.log.info({ method, path, status, fault, requestId: headers['X-Request-Id'] }, 'call');
}

function answerFailure(kit: Kit, ctx: Context, error: unknown): void {
  if (ctx.respond === false || ctx.res.headersSent) return;
  const status = z.object({ status: z.int().min(400).max(499) }).safeParse(error).data?.status ?? 500;
  if (status === 500) kit.log.error({ err: error }, 'failed');
  const msg = status === 500 ? 'INTERNALERROR' : 'INVALIDREQUEST';
  send(ctx, { status, body: { errorCode: { id: status === 500 ? 1004 : 1000, msg, clientmsg: '' } } });
}

/** These calls are not signed, so they are accepted only from this machine, and not from web pages. */
async function answerAdmin(kit: Kit, ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const remote = ctx.req.socket.remoteAddress ?? '';
  const local = /^(127\.|::1$|::ffff:127\.)/.test(remote) && ctx.get('Origin') === '';
  if (!local) return send(ctx, { status: 403, body: { error: 'for this machine only' } });
  try {
    const raw = await readBody(ctx.req);
    Object.assign(ctx.state, { raw, json: raw.length === 0 ? {} : parseJson(raw) });
    await next();
  } catch (error) {
    answerFailure(kit, ctx, error);
  }
}

/** The value parsed by `schema`. If it does not match, sends a 400 that names the errors and returns undefined. */
export function parsedOr400<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
  value: unknown,
): z.output<Schema> | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  send(ctx, { status: 400, body: { error: z.prettifyError(parsed.error) } });
  return undefined;
}

const callsQuery = z.object({
  path: z.string().optional(),
  gameRound: z.string().optional(),
  playerId: z.string().optional(),
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000_000).default(LISTED_BY_DEFAULT),
});

function addAdminRoutes({ router, faults, holds, calls }: Kit): void {
  router.post('/sandbox/faults', (ctx) => {
    const request = parsedOr400(ctx, faultRequest, callState(ctx).json);
    if (request === undefined) return;
    const fault = faults.add(request);
    if (fault === undefined) return send(ctx, { status: 400, body: { error: 'too many faults' } });
    send(ctx, { status: 201, body: fault });
  });
  router.get('/sandbox/faults', (ctx) =>
    send(ctx, { status: 200, body: { faults: faults.list(), held: holds.count } }),
  );
  router.delete('/sandbox/faults', (ctx) => {
    faults.clear();
    send(ctx, { status: 200, body: {} });
  });
  router.delete('/sandbox/faults/:id', (ctx) => {
    const deleted = faults.delete(Number(ctx.params['id']));
    send(ctx, { status: deleted ? 200 : 404, body: {} });
  });
  router.post('/sandbox/release', async (ctx) => {
    const wanted = parsedOr400(ctx, z.strictObject({ id: z.int().optional() }), callState(ctx).json);
    if (wanted !== undefined) send(ctx, { status: 200, body: { released: await holds.release(wanted.id) } });
  });
  router.get('/sandbox/calls', (ctx) => {
    const query = parsedOr400(ctx, callsQuery, ctx.query);
    if (query === undefined) return;
    send(ctx, { status: 200, body: { calls: calls.list(asAsked(query), query.limit) } });
  });
  router.delete('/sandbox/calls', (ctx) => {
    calls.clear();
    send(ctx, { status: 200, body: {} });
  });
  // The target of a redirect fault. The list of calls shows a client that follows the redirect.
  router.all('/redirected', (ctx) => send(ctx, { status: 200, body: {} }));
}

function asAsked(query: z.output<typeof callsQuery>): (call: RecordedCall) => boolean {
  const said = (call: RecordedCall, name: string): unknown =>
    call.query[name] ??
    (typeof call.body === 'object' && call.body ? Reflect.get(call.body, name) : undefined);
  return (call) =>
    call.n > query.after &&
    (query.path === undefined || call.path === query.path) &&
    (query.gameRound === undefined || said(call, 'gameRound') === query.gameRound) &&
    (query.playerId === undefined || said(call, 'playerId') === query.playerId);
}
