import type { JsonSchema } from './schemas';

/* Texts of the OpenAPI document that do not come from a schema. */

export const DESCRIPTION = `The service between casino operators' wallets and game providers.

Amounts are integers in minor units of the player's currency, at most 2^53 − 1. Bodies are JSON in UTF-8. They have at
most 1 MiB and 64 levels, and they must not contain the key \`__proto__\`. The service ignores unknown fields and refuses
wrong types. It checks the signature of a POST before the fields of its body.

An error response has an \`errorCode\` of \`{id, msg, clientmsg}\`; \`msg\` begins with the error's name. Errors of an
operator are passed through to the provider with the operator's own id and status 400. An unknown path returns 404
NOTFOUND, a wrong method 405 NOTFOUND. Retry only after 5xx and 429.`;

export const TAGS = {
  provider: { name: 'Game engine', description: 'Calls of game providers. The signature covers the body.' },
  operator: { name: 'Operator', description: 'Calls of operators. The signature covers a list of fields.' },
  player: {
    name: 'Player',
    description: 'Calls of the game’s page. They are authenticated by the token only.',
  },
  anyone: { name: 'Service', description: 'Health checks and documentation. No authentication.' },
  operatorCallback: {
    name: 'To the operator',
    description: 'Calls that the service makes to {operator_url}.',
  },
  providerCallback: {
    name: 'To the game provider',
    description: 'Calls that the service makes to {game_url}.',
  },
} as const;

const apiKey = (name: string, description: string): JsonSchema => ({
  ...{ type: 'apiKey', in: 'header', name, description },
});

export const SECURITY_SCHEMES: JsonSchema = {
  ProviderId: apiKey('X-H-AUTH-ID', 'The game provider’s id. It selects the shared secret.'),
  OperatorId: apiKey('X-H-AUTH-ID', 'The operator’s id. It selects the shared secret.'),
  Timestamp: apiKey(
    'X-H-TIMESTAMP',
    'Date and time of the request in ISO 8601, UTC, without a time zone. It may differ from the service’s clock by at ' +
      'most the tenant’s tolerance (300 s by default).',
  ),
  BodySignature: apiKey(
    'X-H-AUTH-SIG',
    'base64(HMAC-SHA256(secret, body + `#` + X-H-TIMESTAMP)), with the exact bytes of the body that is sent.',
  ),
  FieldSignature: apiKey(
    'X-H-AUTH-SIG',
    'base64(HMAC-SHA256(secret, fields joined by `#`)). The fields are: secret, X-H-AUTH-ID, X-H-TIMESTAMP, and the ' +
      'fields that the operation lists.',
  ),
};

const byOperator = [{ OperatorId: [], FieldSignature: [], Timestamp: [] }];

export const SECURITY = {
  provider: [{ ProviderId: [], BodySignature: [], Timestamp: [] }],
  operator: byOperator,
  /** The token in the query is the only authentication. */
  player: [],
  anyone: [],
  /** Our own calls. The id is the receiver's id. */
  service: byOperator,
  unsigned: [{ ProviderId: [], Timestamp: [] }],
} as const;

const requestId = {
  ...{ name: 'X-Request-Id', in: 'header' },
  description:
    'Identifies the call in logs; unique per call. It is also the idempotency key of a command that has no other key.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[^#\\u0000-\\u001f\\u007f-\\u009f]+$' },
};

export const PARAMETERS: JsonSchema = {
  RequiredRequestId: { ...requestId, required: true },
  RequestId: {
    ...requestId,
    required: false,
    description:
      'Identifies the call in logs. A malformed value (see `RequiredRequestId`) is ignored and not returned.',
    schema: { type: 'string' },
  },
};

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({
  description,
  schema,
});

export const HEADERS: JsonSchema = {
  'X-Response-Id': header('A new UUID for each response.', { type: 'string', format: 'uuid' }),
  'X-Request-Id': header('The X-Request-Id of the request, if it was well-formed.'),
  'Retry-After': header('Seconds to wait before the next attempt.'),
};

export function signedText(fields: readonly string[]): string {
  const named = fields.map((field) =>
    field.endsWith('?') ? `${field.slice(0, -1)} (only if present)` : field,
  );
  return `Signed fields: secret, X-H-AUTH-ID, X-H-TIMESTAMP${named.map((field) => `, ${field}`).join('')}.`;
}
