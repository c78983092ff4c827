import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';
import { HEADERS } from '../../sdk/signing';
import { type Fault, type FaultErrorCode, MAX_WAIT_MS } from './faults';
import type { Holds } from './holds';
import type { ProcessCall, Reply } from './reply';
import { resetConnection } from './reset';

const DEFAULT_ERROR_ID = 9_999;
/** Pause between two bytes of an endless body. */
const DRIP_MS = 100;
const CHUNK = 'x'.repeat(64 * 1024);

export async function answerWithFault(
  ctx: Context,
  fault: Fault,
  process: ProcessCall,
  holds: Holds,
): Promise<void> {
  switch (fault.fault) {
    case 'status':
    case 'errorOn200':
      return answerError(ctx, fault, process);
    case 'hang':
      if (fault.when === 'after') await process();
      return hang(ctx);
    case 'slow':
      return answerSlowly(ctx, fault.when, fault.delayMs, process);
    case 'dropReply':
      await process();
      return drop(ctx);
    case 'cutReply':
      return cutReply(ctx, await process());
    case 'reset':
      return reset(ctx);
    case 'hold':
      return answerIfStillThere(ctx, await holds.wait(fault, process));
    case 'duplicate':
      send(ctx, await process());
      holds.later(fault.delayMs, process);
      return;
    case 'omit':
      return send(ctx, without(await process(), fault.fields));
    case 'garbage':
    case 'array':
    case 'redirect':
    case 'huge':
    case 'endless':
      if (fault.when === 'after') await process();
      return answerNonsense(ctx, fault);
  }
}

export function send(ctx: Context, reply: Reply): void {
  ctx.status = reply.status;
  ctx.set(reply.headers ?? {});
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(reply.body);
}

type ErrorFault = Extract<Fault, { fault: 'status' | 'errorOn200' }>;

async function answerError(ctx: Context, fault: ErrorFault, process: ProcessCall): Promise<void> {
  const status = fault.fault === 'status' ? fault.status : 200;
  const errorCode = fault.errorCode === undefined ? undefined : complete(fault.errorCode);
  if (fault.where === 'hash') {
    const refusing = {
      type: fault.match.type,
      processed: fault.when === 'after',
      errorCode: errorCode ?? complete({ id: DEFAULT_ERROR_ID }),
      status,
    };
    return send(ctx, await process(refusing));
  }
  if (fault.when === 'after') await process();
  if (fault.fault === 'status') {
    if (fault.retryAfter !== undefined) ctx.set('Retry-After', fault.retryAfter);
    return answerStatus(ctx, status, fault.body ?? (errorCode && { errorCode }));
  }
  const onTop = errorCode ?? complete({ id: DEFAULT_ERROR_ID });
  if (fault.errorIdHeader) ctx.set(HEADERS.errorId, String(onTop.id));
  send(ctx, { status, body: { errorCode: onTop } });
}

/** Without a body the answer looks like that of a proxy in front of the wallet. */
function answerStatus(ctx: Context, status: number, body: unknown): void {
  if (body !== undefined) return send(ctx, { status, body });
  ctx.status = status;
  ctx.type = 'text/plain';
  ctx.body = `${ctx.message}\n`;
}

function complete({
  id,
  msg = 'SANDBOXFAULT',
  clientmsg = 'The operator refused the request.',
}: FaultErrorCode) {
  return { id, msg, clientmsg };
}

async function hang(ctx: Context): Promise<void> {
  ctx.respond = false;
  const timer = setTimeout(() => ctx.res.destroy(), MAX_WAIT_MS);
  timer.unref();
  if (!ctx.res.closed) await once(ctx.res, 'close');
  clearTimeout(timer);
}

async function answerSlowly(
  ctx: Context,
  when: 'before' | 'after',
  delayMs: number,
  process: ProcessCall,
): Promise<void> {
  if (when === 'before') await sleep(delayMs);
  const reply = await process();
  if (when === 'after') await sleep(delayMs);
  answerIfStillThere(ctx, reply);
}

function answerIfStillThere(ctx: Context, reply: Reply | undefined): void {
  if (reply === undefined || ctx.res.closed) return drop(ctx);
  send(ctx, reply);
}

function drop(ctx: Context): void {
  ctx.respond = false;
  ctx.res.destroy();
}

function reset(ctx: Context): void {
  ctx.respond = false;
  resetConnection(ctx.req.socket);
}

/** Sends half of the real answer with the full Content-Length and closes the connection. */
function cutReply(ctx: Context, reply: Reply): void {
  ctx.respond = false;
  const body = Buffer.from(JSON.stringify(reply.body));
  ctx.res.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  ctx.res.write(body.subarray(0, body.length >> 1), () => ctx.res.destroy());
}

type Nonsense = Extract<Fault, { fault: 'garbage' | 'array' | 'redirect' | 'huge' | 'endless' }>;

function answerNonsense(ctx: Context, fault: Nonsense): void {
  switch (fault.fault) {
    case 'garbage':
      ctx.status = 200;
      ctx.type = 'application/json';
      ctx.body = fault.text;
      return;
    case 'array':
      return send(ctx, { status: 200, body: [] });
    case 'redirect':
      ctx.status = fault.status;
      ctx.set('Location', fault.location);
      ctx.body = '';
      return;
    case 'huge':
      return answerHuge(ctx, fault.bytes, fault.compressed);
    case 'endless':
      ctx.respond = false;
      void drip(ctx.res);
      return;
  }
}

/** Answers with a JSON object that is correct but very large. Compressed, few bytes are sent. */
function answerHuge(ctx: Context, bytes: number, compressed: boolean): void {
  const body = Readable.from(hugeObject(bytes), { objectMode: false });
  ctx.status = 200;
  ctx.type = 'application/json';
  if (compressed) ctx.set('Content-Encoding', 'gzip');
  ctx.body = compressed ? body.pipe(createGzip()) : body;
}

function* hugeObject(bytes: number): Generator<string> {
  yield '{"balances":[{"type":"real","amount":0,"currency":"EUR"}],"filler":"';
  for (let sent = 0; sent < bytes; sent += CHUNK.length) yield CHUNK.slice(0, bytes - sent);
  yield '"}';
}

async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const end = performance.now() + MAX_WAIT_MS;
  while (!response.closed && performance.now() < end) {
    response.write(' ');
    await sleep(DRIP_MS, undefined, { ref: false });
  }
  response.destroy();
}

function without(reply: Reply, fields: readonly string[]): Reply {
  const body = structuredClone(reply.body);
  for (const field of fields) removePath(body, field.split('.'));
  return { ...reply, body };
}

function removePath(value: unknown, [first, ...rest]: string[]): void {
  if (typeof value !== 'object' || value === null || first === undefined) return;
  if (rest.length === 0) Reflect.deleteProperty(value, first);
  else removePath(Reflect.get(value, first), rest);
}
