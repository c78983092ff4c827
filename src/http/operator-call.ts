import type Router from '@koa/router';
import type { z } from 'zod';
import { refuse } from '../domain/errors';
import type { OperatorSettings } from '../tenants';
import { readBody } from './middleware/body';
import { authenticated, unauthenticated, type Answer, type CallState, type Context, type Http } from './http';
import { parseJson } from './json';
import type { Operation, SignedField } from './operations/operation';
import { queryOf } from './query';
import { validated } from './schemas/fields';
import { fieldsSignature, isSignedBy, readAuthHeaders, type AuthHeaders } from './signatures';

/** An operator-facing call whose signature and shape are right. */
export interface OperatorCall<Input> {
  ctx: Context;
  operator: OperatorSettings;
  input: Input;
}

/**
 * The way of every operator-facing call: the fields are read first, since the signature is over them; a GET's are the
 * decoded query values. Their shape is judged only after the signature.
 */
export function operatorRoute<Schema extends z.ZodType>(
  http: Http,
  router: Router<CallState>,
  { method, path, request, signed = [] }: Operation<Schema>,
  handle: (call: OperatorCall<z.infer<Schema>>) => Promise<Answer>,
): void {
  router[method](path, async (ctx: Context): Promise<void> => {
    const headers = readAuthHeaders(ctx.req.headersDistinct);
    if (headers === undefined) throw unauthenticated(http, ctx, 'headers');
    const raw = method === 'post' ? await bodyFields(ctx) : queryOf(ctx);
    const operator = authenticate(http, ctx, headers, signed, raw);
    ctx.state.about.operatorId = operator.operatorId;
    const input = validated(request, raw);
    const answer = await http.admission.within(`operator:${operator.operatorId}`, () =>
      handle({ ctx, operator, input }),
    );
    ctx.status = answer.status;
    ctx.body = answer.body;
  });
}

type Fields = Record<string, unknown>;

async function bodyFields(ctx: Context): Promise<Fields> {
  const value = parseJson(await readBody(ctx));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw refuse('INVALIDREQUEST', 'the body must be an object');
}

function authenticate(
  http: Http,
  ctx: Context,
  headers: AuthHeaders,
  signedFields: readonly SignedField[],
  raw: Fields,
): OperatorSettings {
  const operator = http.deps.tenants.operator(headers.authId);
  const signed = isSigned(headers, operator, signedFields, raw);
  return authenticated(http, ctx, operator, { signed, timestamp: headers.timestamp });
}

/**
 * A required field that is missing may have been left out of the signed list or signed as empty; either proves who
 * calls, and the call is then refused for its shape.
 */
function isSigned(
  headers: AuthHeaders,
  operator: OperatorSettings | undefined,
  signedFields: readonly SignedField[],
  raw: Fields,
): boolean {
  const required = signedFields.flatMap((field) => {
    const value = textOf(raw, field.replace(/\?$/, ''));
    return field.endsWith('?') && value === '' ? [] : [value];
  });
  const present = required.filter((value) => value !== '');
  return [required, present].some((fields) =>
    isSignedBy(operator?.secrets, headers.signature, (secret) => fieldsSignature(secret, headers, fields)),
  );
}

function textOf(raw: Fields, field: string): string {
  const value = Object.hasOwn(raw, field) ? raw[field] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
