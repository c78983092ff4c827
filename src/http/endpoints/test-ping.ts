import { parseTimestamp } from '../../domain/time';
import { gameEngineEndpoint } from '../game-engine-call';
import { ok, type RouteContext } from '../route-context';
import { anyJson, object } from '../schemas/fields';
import * as replies from '../schemas/replies';
import type { AuthHeaders } from '../signatures';

export const testPing = gameEngineEndpoint(
  {
    path: '/testPing',
    summary: 'Returns testData: checks the caller’s signature',
    description:
      'With SIGNATURE_HINTS (by default outside production) `seen` says which string was signed, and how far the clocks differ.',
    request: object({ testData: anyJson.optional() }),
    replies: { 200: replies.testPingReply },
    errors: [],
  },
  (http, { headers, body, input }) =>
    Promise.resolve(ok({ testData: input.testData, seen: seenIn(http, headers, body) })),
);

/** What helps to write a signer. The signature is right. */
function seenIn(
  { deps }: RouteContext,
  { authId: id, timestamp }: AuthHeaders,
  body: Buffer,
): object | undefined {
  const at = parseTimestamp(timestamp);
  if (!deps.signatureHints || at === undefined) return undefined;
  const signed = `${body.toString()}#${timestamp}`;
  return { id, bytes: body.length, signed, ageSeconds: (deps.clock() - at) / 1_000 };
}
