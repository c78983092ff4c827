import type Router from '@koa/router';
import type { z } from 'zod';
import { refuse } from '../domain/errors';
import type { OperatorSettings } from '../tenants';
import { readBody } from './middleware/body';
import {
  authenticated,
  claimOf,
  type Answer,
  type CallState,
  type Claim,
  type Context,
  type RouteContext,
} from './route-context';
import { parseJson } from './json';
import type { Described, Endpoint, SignedField } from './endpoint';
import { queryOf } from './query';
import { validated } from './schemas/fields';
import { fieldsMessage, fieldsSignature, isSignedBy } from './signatures';

/** An operator-facing call with a valid signature and valid fields. */
export interface OperatorCall<Input> {
  ctx: Context;
  operator: OperatorSettings;
  input: Input;
}

/**
 * Every operator-facing call: reads the fields first, since the signature covers them (for a GET the decoded query values),
 * then checks the signature, and validates the fields last.
 */
export function operatorEndpoint<Schema extends z.ZodType>(
  described: Described<Schema> & Pick<Endpoint, 'method'>,
  handle: (http: RouteContext, call: OperatorCall<z.infer<Schema>>) => Promise<Answer>,
): Endpoint<Schema> {
  const { method, path, request, signed = [] } = described;
  const register = (http: RouteContext, router: Router<CallState>): void => {
    router[method](path, async (ctx: Context): Promise<void> => {
      const claim = claimOf(http, ctx, (id) => http.deps.tenants.operator(id));
      const raw = method === 'post' ? await bodyFields(http, ctx, claim.authId) : queryOf(ctx);
      const fields = fieldsOf(signed, raw);
      const operator = authenticated(http, ctx, claim, isSigned(claim, fields), () =>
        fieldsMessage('<secret>', claim, fields),
      );
      ctx.state.logFields.operatorId = operator.operatorId;
      const input = validated(request, raw);
      const answer = await http.admission.within(`operator:${operator.operatorId}`, () =>
        handle(http, { ctx, operator, input }),
      );
      ctx.status = answer.status;
      ctx.body = answer.body;
    });
  };
  return { ...described, caller: 'operator', register };
}

type Fields = Record<string, unknown>;

async function bodyFields(http: RouteContext, ctx: Context, authId: string): Promise<Fields> {
  const value = parseJson(await readBody(http, ctx, authId));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw refuse('INVALIDREQUEST', 'the body must be an object');
}

function fieldsOf(signedFields: readonly SignedField[], raw: Fields): string[] {
  return signedFields.flatMap((field) => {
    const value = textOf(raw, field.replace(/\?$/, ''));
    return field.endsWith('?') && value === '' ? [] : [value];
  });
}

/**
 * Accepts two signatures if a required field is missing: the field may be signed as an empty text or left out. Both prove
 * who calls, and the validation then refuses the missing field.
 */
function isSigned(claim: Claim<OperatorSettings>, required: readonly string[]): boolean {
  const present = required.filter((value) => value !== '');
  return [required, present].some((fields) =>
    isSignedBy(claim.tenant.secrets, claim.signature, (secret) => fieldsSignature(secret, claim, fields)),
  );
}

function textOf(raw: Fields, field: string): string {
  const value = Object.hasOwn(raw, field) ? raw[field] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
