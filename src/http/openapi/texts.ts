import { ERRORS, type ErrorName } from '../../domain/errors';
import type { JsonSchema } from './schemas';

/* Texts of the OpenAPI document that do not come from a schema. */

export const DESCRIPTION = `The service stands between game providers and the wallets of casino operators. It keeps each gameround and makes sure that no
bet is taken twice and no win is lost or paid twice.

| you are | you call | you answer |
|---|---|---|
| a game provider | **Game engine**: start a round, add wins, end it | **To the game provider**: configuration, auto-close, result, history |
| an operator | **Operator**: launch a game, look at rounds, reconcile | **To the operator**: debits, credits, voids, balances |
| a game's page | **Player**: connect, refresh, logout | – |

Nothing is released yet: formats may change in any commit until the first release. The CHANGELOG.md of the repository says what changes.

A first round: the operator gets a launch URL (\`getGameURL\`), the game's page connects with its token (\`connect\`), the game's server starts a round
(\`startGameRound\`), adds wins (\`addWin\`) and ends it (\`endGameRound\`). The examples on this page are from such a run.

## Signing

Three headers authenticate a call: \`X-H-AUTH-ID\` (your id), \`X-H-TIMESTAMP\` (now, ISO 8601, UTC) and \`X-H-AUTH-SIG\`. The signature is
base64(HMAC-SHA256(secret, message)). The message depends on who calls whom:

| call | message |
|---|---|
| game provider → service | the bytes of the body, \`#\`, the text of \`X-H-TIMESTAMP\` |
| operator → service, service → operator, service → game provider | secret, \`X-H-AUTH-ID\`, \`X-H-TIMESTAMP\` and the fields that the call lists, joined by \`#\` |
| doAutoClose (service → game provider) | none: it has no signature |

Serialise a body once, sign these bytes, and send these bytes. Fields are values: the decoded query values of a GET, the strings of a JSON body. The
timestamp may differ from the service's clock by at most the tenant's tolerance (300 s by default), so sign each attempt anew. Anything wrong gets
401 with id 1001. A game-engine call also needs \`X-Request-Id\`: without it the answer is 400 INVALIDREQUEST, after the signature was checked. Outside production (SIGNATURE_HINTS) its \`hint\` says which part is wrong and which string was signed, and \`testPing\` says what it saw.

## Retries

Retry after 5xx, after 429, and if no reply came. Wait longer each time, and at least the seconds of \`Retry-After\`. Never retry another 4xx. A retry
has the same ids and a new timestamp and signature. If the reply to a command is lost, ask getGameRoundInfo what became of it.

The service does the same with its own calls. It does not retry a doTransactions with a debit: it voids the debit, if the outcome is unknown. It retries
credits, ends and voids until the wallet gives a definite answer.

## Idempotency

A repeated command moves no money: it gets the first reply again. The key of a command is the first of these that it has:

| command | key |
|---|---|
| startGameRound | \`externalGameProviderRoundId\`, \`rngResult.rngCallId\`, \`X-Request-Id\` |
| addWin, collectWin, endGameRound, addSpinCounterGameState | \`externalGameProviderTransactionId\`, \`rngResult.rngCallId\`, \`X-Request-Id\` |
| doTransactions (at the operator) | type and \`hash\` of each transaction |

A new bet or win needs a new key. A key that comes with other money gets IDEMPOTENCYMISMATCH. After a round is over, its commands get GAMEROUNDNOTACTIVE.

## Amounts and bodies

Amounts are integers in minor units of the player's currency, at most 2^53 − 1. They include the currency multiplier. Bodies are JSON in UTF-8. They have
at most 1 MiB and 64 levels, and they must not contain the key \`__proto__\`. The service ignores unknown fields and refuses wrong types. It checks
the signature of a POST before the fields of its body. An unknown path returns 404 NOTFOUND, a wrong method 405 NOTFOUND.`;

const CORRECT = 'Correct the call. Do not retry it.';
const SAME_CALL = 'Send the same call with the same ids.';
const LAUNCH_AGAIN = 'Ask the player to launch the game again.';

/** What each error means, and what its receiver does (docs/interface#error-catalogue). CommonMark. */
export const ERROR_TEXTS: Readonly<Record<ErrorName, { when: string; then: string }>> = {
  GAMEROUNDALREADYSTARTED: {
    when: 'another round is open; at an operator: a second initial debit',
    then: 'Go on with the open round of `gameRoundInfo`, or start with `closeOpenGame`.',
  },
  GAMEROUNDNOTSTARTED: {
    when: 'getGameRoundInfo by an unknown external id, or without an open round',
    then: 'The start has not arrived: send it again with the same ids.',
  },
  TRANSACTIONCOUNTMISMATCH: {
    when: '`transactionCount` is wrong; used by operators',
    then: 'An operator processes none of the transactions.',
  },
  DISCOUNTNOTELIGIBLE: {
    when: 'used by operators',
    then: 'Show `clientmsg`. A bet without the discount is a new round.',
  },
  INVALIDREQUEST: { when: 'a field is wrong; `msg` names it', then: CORRECT },
  SIGNATUREWRONG: {
    when: 'the call is not authenticated',
    then: 'Compare the string that you sign with `hint`, or ask for the log line of the call. Do not retry it.',
  },
  REQUESTTOOLARGE: { when: 'the body has more than 1 MiB', then: CORRECT },
  RATELIMITEXCEEDED: {
    when: 'the caller’s share of calls is used up',
    then: `Wait for the seconds of \`Retry-After\`. ${SAME_CALL}`,
  },
  INTERNALERROR: {
    when: 'a fault of the service',
    then: `${SAME_CALL} If it stays, report its \`X-Response-Id\`.`,
  },
  NOTFOUND: { when: 'there is no such route', then: CORRECT },
  GAMEROUNDNOTACTIVE: {
    when: 'the round is not open',
    then: 'Look at `gameRoundInfo.status`: `closed` or `cancel`. Nothing was changed.',
  },
  GAMEROUNDNOTFOUND: { when: 'the round is unknown, or another’s', then: CORRECT },
  IDEMPOTENCYMISMATCH: {
    when: 'the key was used with other money',
    then: 'Use a new key for a new bet or win.',
  },
  PLAYERNOTFOUND: { when: 'used by operators', then: 'Show `clientmsg`. No bet was taken.' },
  GAMENOTFOUND: { when: 'the game is unknown, or another’s', then: CORRECT },
  TOKENNOTFOUND: { when: 'the token is unknown, or another’s', then: LAUNCH_AGAIN },
  TOKENEXPIRED: {
    when: 'the session is over',
    then: `${LAUNCH_AGAIN} Its open rounds can still be finished.`,
  },
  LAUNCHURLSPENT: { when: 'the launch token was used, or is too old', then: LAUNCH_AGAIN },
  NOTICKETAVAILABLE: {
    when: 'no ticket fits the bet',
    then: 'Ask getBalance for the tickets, or bet with money.',
  },
  SPINCOUNTEREXHAUSTED: {
    when: 'more spins are used than were awarded',
    then: 'Ask getAvailableSpinCounter what is left.',
  },
  MODENOTALLOWED: { when: 'not in this mode, not with this token, not for this game', then: CORRECT },
  CREDITALREADYPROCESSED: {
    when: 'voidGameRound after a credit',
    then: 'End the round. What the player won is paid and stays paid.',
  },
  GAMEROUNDCRASHED: {
    when: 'the round waits for a reconciliation',
    then: 'Show `clientmsg`. The operator reconciles the round. The player may start a new one.',
  },
  UNCOLLECTEDAMOUNTTOOLOW: {
    when: 'collectWin of more than is open, or with nothing open',
    then: 'Ask getUncollectedAmount what is open.',
  },
  GAMEROUNDOPEN: {
    when: 'history of an open round',
    then: 'Use getGameRoundInfo, or wait for the end of the round.',
  },
  WALLETUNAVAILABLE: {
    when: 'the operator’s wallet gave no answer',
    then: 'With the status `cancel` the bet is not in play: a new round is a new bet. With `open` only this follow-up bet is not. Without a round: retry.',
  },
  OPERATIONBEINGPROCESSED: {
    when: 'the outcome is not known yet',
    then: `${SAME_CALL} Repeat it until it gets another answer.`,
  },
  SERVICEUNAVAILABLE: {
    when: 'Temporal or MongoDB is down, or there is no room',
    then: `Usually nothing was done, but this is not certain. ${SAME_CALL}`,
  },
  GAMEPROVIDERUNAVAILABLE: {
    when: 'the provider gave no answer, or a malformed one',
    then: 'Retry. If it stays, the log says what was wrong with the answer.',
  },
  DEBITDECLINED: {
    when: 'the operator declined a bet without an errorCode',
    then: 'Show `clientmsg`. The bet was not taken. `gameRoundInfo.status` says whether the round goes on.',
  },
};

export function errorTable(): string {
  const rows = (Object.keys(ERRORS) as ErrorName[]).map((name) => {
    const { id, status } = ERRORS[name];
    return `| ${id} | ${name} | ${status} | ${ERROR_TEXTS[name].when} | ${ERROR_TEXTS[name].then} |`;
  });
  return [
    '## Errors',
    '',
    'A refusal has `errorCode`: `id`, `msg` for your log (it begins with the name), `clientmsg` for the player. Errors of an operator reach the ' +
      'provider with the operator’s own id and status 400. A refusal by a round also has its `gameRoundInfo`.',
    '',
    '| id | name | status | when | what to do |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

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
  example: '60247ccc-a887-4a50-aa1c-2d6650d424b1',
};

export const PARAMETERS: JsonSchema = {
  RequiredRequestId: { ...requestId, required: true },
  ServiceRequestId: {
    ...requestId,
    required: true,
    description:
      'Identifies the call in logs; new for each call. It is no idempotency key: each transaction of doTransactions has its type and hash for that.',
  },
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
    field.endsWith('?')
      ? `${field.slice(0, -1)} (${field === 'amount?' ? 'left out if absent or 0' : 'only if present'})`
      : field,
  );
  return `Signed fields: secret, X-H-AUTH-ID, X-H-TIMESTAMP${named.map((field) => `, ${field}`).join('')}.`;
}
