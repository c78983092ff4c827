import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The signatures of the interface (docs/interface#signing). Each is base64(HMAC-SHA256(secret, message)). The message differs
 * by API and direction, so use the function for your direction.
 */
export const HEADERS = {
  authId: 'X-H-AUTH-ID',
  signature: 'X-H-AUTH-SIG',
  timestamp: 'X-H-TIMESTAMP',
  requestId: 'X-Request-Id',
  responseId: 'X-Response-Id',
  errorId: 'X-H-ERROR-ID',
} as const;

/** Joins the signed parts. Identifiers must not contain it: otherwise two field lists could have the same signature. */
const SEPARATOR = '#';

function hmac(secret: string, message: string | Buffer): string {
  return createHmac('sha256', secret).update(message).digest('base64');
}

function sameText(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares with every secret, even after a match, so that the time does not show which secret it was. */
function matchesAny(
  signature: string,
  secrets: readonly string[],
  expected: (secret: string) => string,
): boolean {
  let matched = false;
  for (const secret of secrets) matched = sameText(signature, expected(secret)) || matched;
  return matched;
}

/** The message that signFields signs. */
export function fieldsMessage(
  secret: string,
  authId: string,
  timestamp: string,
  fields: readonly string[],
): string {
  return [secret, authId, timestamp, ...fields].join(SEPARATOR);
}

/** For calls of a provider to the service: signs the exact bytes of the body, `#`, and the timestamp header. */
export function signBody(secret: string, rawBody: string | Buffer, timestamp: string): string {
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody;
  return hmac(secret, Buffer.concat([body, Buffer.from(SEPARATOR + timestamp)]));
}

export interface Signed {
  /** All secrets that are valid now, newest first. During a rotation there are two. */
  secrets: readonly string[];
  timestamp: string;
  signature: string;
}

export function verifyBody(signed: Signed, rawBody: string | Buffer): boolean {
  return matchesAny(signed.signature, signed.secrets, (secret) =>
    signBody(secret, rawBody, signed.timestamp),
  );
}

/**
 * For the operator API in both directions, and for calls of the service to a provider: signs secret, X-H-AUTH-ID,
 * X-H-TIMESTAMP and the call's fields.
 */
export function signFields(
  secret: string,
  authId: string,
  timestamp: string,
  fields: readonly string[] = [],
): string {
  return hmac(secret, fieldsMessage(secret, authId, timestamp, fields));
}

export function verifyFields(signed: Signed & { authId: string }, fields: readonly string[] = []): boolean {
  const { authId, timestamp } = signed;
  return matchesAny(signed.signature, signed.secrets, (secret) =>
    signFields(secret, authId, timestamp, fields),
  );
}

/** A field that is signed only if present: an absent or empty value adds no field and no separator. */
function ifPresent(value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [value];
}

interface SignedTransaction {
  hash: string;
  amount?: number | undefined;
}

/** The hash and the amount of each transaction. An amount that is absent or 0 is left out. */
function transactionFields(transactions: readonly SignedTransaction[]): string[] {
  return transactions.flatMap(({ hash, amount }) => (amount ? [hash, String(amount)] : [hash]));
}

/** The signed fields after secret, X-H-AUTH-ID and X-H-TIMESTAMP in the operator API. For a GET, the decoded query values. */
export const operatorFields = {
  doTransactions: (body: {
    playerId: string;
    gameCode: string;
    gameRound: string;
    transactions: readonly SignedTransaction[];
  }): string[] => [body.playerId, body.gameCode, body.gameRound, ...transactionFields(body.transactions)],
  doGameRoundReport: (): string[] => [],
  getBalance: (query: { playerId: string; currency: string; gameCode?: string | undefined }): string[] => [
    query.playerId,
    query.currency,
    ...ifPresent(query.gameCode),
  ],
  reconcileTransactions: (body: { gameRound: string }): string[] => [body.gameRound],
  getGameRoundDetails: (query: { playerId: string; gameRound: string }): string[] => [
    query.playerId,
    query.gameRound,
  ],
  getGameConfiguration: (query: { gameCode: string; currency: string }): string[] => [
    query.gameCode,
    query.currency,
  ],
  getGameURL: (body: {
    playerId?: string | undefined;
    currency: string;
    gameCode: string;
    mode: string;
  }): string[] => [...ifPresent(body.playerId), body.currency, body.gameCode, body.mode],
  getGameRoundReport: (body: { playerId: string; gameRound: string }): string[] => [
    body.playerId,
    body.gameRound,
  ],
  registerPlayer: (body: { playerId: string }): string[] => [body.playerId],
  getGameList: (): string[] => [],
} as const;

/** The signed fields of the service's calls to a provider. doAutoClose is not signed. */
export const providerFields = {
  getGameConfiguration: (query: { currency: string }): string[] => [query.currency],
  getGameResult: (body: { gameRound: string }): string[] => [body.gameRound],
  doGetGameHistory: (body: { gameRound: string }): string[] => [body.gameRound],
} as const;

const FULL_DATE_TIME =
  /^(?<local>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,]\d{1,9})?(?<zone>Z|z|[+-]\d{2}:?\d{2})?$/;

/** Milliseconds since the epoch for a full ISO 8601 date-time. Without a time zone it is UTC. NaN for anything else. */
export function parseTimestamp(text: string): number {
  const { local, zone } = FULL_DATE_TIME.exec(text)?.groups ?? {};
  // Date.parse would turn a 30th of February or a 24:00 into another day.
  const isReal = local !== undefined && toLocal(Date.parse(`${local}Z`)) === local;
  if (!isReal) return Number.NaN;
  const zoned = zone === undefined ? `${text}Z` : text;
  return Date.parse(
    zoned
      .replace(',', '.')
      .replace(/z$/, 'Z')
      .replace(/([+-]\d{2})(\d{2})$/, '$1:$2'),
  );
}

function toLocal(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 19);
}
