import { readFileSync } from 'node:fs';
import { parse as parseYaml, type YAMLParseError } from 'yaml';
import { z } from 'zod';
import { isBaseUrl, isPlainUrl, namesRefusedAddress, type CallbackAddresses } from '../clients/addresses';
import {
  BOOLEAN_SETTINGS,
  LINK_SETTINGS,
  MONEY_SETTINGS,
  NUMBER_LIST_SETTINGS,
  NUMBER_SETTINGS,
  STRING_LIST_SETTINGS,
  STRING_SETTINGS,
  type SomeGameSettings,
} from '../domain/game-settings';
import { MAX_AMOUNT } from '../domain/money';
import { MAX_WALLET_TIMEOUT_MS } from '../domain/wallet-call';
import type { GameDefinition, OperatorSettings, ProviderSettings } from './types';

/** TENANTS_FILE is invalid. Each fault is one line that names the place. It does not show values: some are secrets. */
export class TenantsFileError extends Error {
  override readonly name = 'TenantsFileError';
  constructor(file: string, faults: readonly string[]) {
    super(`TENANTS_FILE ${file} is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** The secrets of sandbox/tenants.json begin with this. They are public, so a real tenant must not use them. */
const PUBLISHED_SECRET = 'sandbox-only-';
const MAX_DURATION_MS = 90 * UNIT_MS.d;

function durationMs(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  return match === null
    ? Number.NaN
    : Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
}

/** "24h", "5s", "0s": a number and one of ms, s, m, h, d. Stored as text, so that people see what they wrote. */
const duration = (minMs: number, maxMs = MAX_DURATION_MS) =>
  z.string().refine(
    (text) => {
      const ms = durationMs(text);
      return ms >= minMs && ms <= maxMs;
    },
    `must be a duration such as "5s", from ${minMs} ms to ${maxMs / 1_000} s`,
  );

/** Ids and codes go into headers, signatures and keys: printable ASCII without `#`. */
const id = z
  .string()
  .regex(/^[!"$-~]([ !"$-~]{0,126}[!"$-~])?$/, 'must be 1 to 128 printable characters without #');
const HTTP = /^https?:\/\//;
const httpUrl = z
  .string()
  .max(2_048)
  .refine((text) => HTTP.test(text) && URL.canParse(text), 'must be an http or https URL')
  .meta({ pattern: HTTP.source });
/** A URL that the service calls. It appends paths, so there is no query. */
const baseUrl = z
  .string()
  .max(2_048)
  .refine(
    isBaseUrl,
    'must be an http or https URL without query, fragment, user name, password and white space',
  );
/** The query parameters that a launch adds to a game's URL. */
const LAUNCH_QUERY = ['token', 'login', 'language', 'mode', 'gameCode', 'gameRound'] as const;
export type LaunchQuery = (typeof LAUNCH_QUERY)[number];
/** A URL that players open. */
const launchUrl = z
  .string()
  .max(2_048)
  .refine(isPlainUrl, 'must be an http or https URL without user name, password and white space')
  .refine(
    (text) => !URL.canParse(text) || LAUNCH_QUERY.every((name) => !new URL(text).searchParams.has(name)),
    `must not have the query parameters ${LAUNCH_QUERY.join(', ')}: the service adds them at a launch`,
  );
const secrets = z.array(z.string().min(1).max(512)).min(1).max(10);
const multiplier = z.number().positive().max(1e9);
const name = z.string().min(1).max(128);
const all = <Names extends readonly string[], Schema extends z.ZodType>(names: Names, schema: Schema) =>
  Object.fromEntries(names.map((key) => [key, schema.optional()]));

const NUMBER = `must be a number from -${MAX_AMOUNT} to ${MAX_AMOUNT}`;

/** The schema of each game setting, by name. */
export const gameSettingsShape = {
  ...all(BOOLEAN_SETTINGS, z.boolean()),
  ...all(NUMBER_SETTINGS, z.number({ error: NUMBER }).min(-MAX_AMOUNT, NUMBER).max(MAX_AMOUNT, NUMBER)),
  ...all(MONEY_SETTINGS, z.number().int().min(0)),
  ...all(STRING_SETTINGS, z.string().max(2_048)),
  ...all(LINK_SETTINGS, z.union([httpUrl, z.literal('')])),
  ...all(NUMBER_LIST_SETTINGS, z.array(z.number().int().min(0)).max(1_000)),
  ...all(STRING_LIST_SETTINGS, z.array(z.string().max(256)).max(1_000)),
};

/** Strict, since an unknown setting is most likely a typing error. */
const GameSettingsEntry: z.ZodType<SomeGameSettings> = z.strictObject(gameSettingsShape);

export const OperatorEntry = z.strictObject({
  operatorId: id,
  operatorUrl: baseUrl,
  secrets,
  autoCloseAfter: duration(1_000).default('24h'),
  gameRoundReport: z.boolean().default(false),
  walletTimeout: duration(100, MAX_WALLET_TIMEOUT_MS).default('5s'),
  timestampTolerance: duration(0).default('300s'),
  currencies: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, 'must be a currency code'), multiplier)
    .refine((codes) => Object.keys(codes).length > 0, 'must name at least one currency'),
  gameSettings: GameSettingsEntry.default({}),
  profiles: z.record(name, GameSettingsEntry).default({}),
  repeatableErrorIds: z.array(z.number().int()).max(1_000).default([]),
  voidsWholeRound: z.boolean().default(false),
  strictReplies: z.boolean().default(false),
  demoBalance: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(100_000),
});

export const ProviderEntry = z.strictObject({
  providerId: id,
  gameUrl: baseUrl,
  secrets,
  timestampTolerance: duration(0).default('300s'),
});

export const GameEntry = z.strictObject({
  gameCode: id,
  providerId: id,
  name,
  studio: z.string().max(128).default(''),
  launchUrl,
  serviceRng: z.boolean().default(false),
  followUpDebits: z.boolean().default(false),
  resultCallback: z.boolean().default(false),
  historyCallback: z.boolean().default(false),
});

export type OperatorEntry = z.infer<typeof OperatorEntry>;
export type ProviderEntry = z.infer<typeof ProviderEntry>;
export type GameEntry = z.infer<typeof GameEntry>;

export interface TenantEntries {
  operators: OperatorEntry[];
  providers: ProviderEntry[];
  games: GameEntry[];
}

const Entries = z
  .strictObject({
    operators: z.array(OperatorEntry).max(10_000).default([]),
    providers: z.array(ProviderEntry).max(10_000).default([]),
    games: z.array(GameEntry).max(100_000).default([]),
  })
  .superRefine((entries, context) => {
    const issue = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    repeated(entries.operators, ({ operatorId }) => operatorId).forEach((at) =>
      issue(['operators', at, 'operatorId'], 'is used twice'),
    );
    const providers = new Set(entries.providers.map(({ providerId }) => providerId));
    repeated(entries.providers, ({ providerId }) => providerId).forEach((at) =>
      issue(['providers', at, 'providerId'], 'is used twice'),
    );
    repeated(entries.games, ({ gameCode }) => gameCode).forEach((at) =>
      issue(['games', at, 'gameCode'], 'is used twice'),
    );
    entries.games.forEach(({ providerId }, at) => {
      if (!providers.has(providerId))
        issue(['games', at, 'providerId'], 'is not the id of a provider in this file');
    });
  });

function repeated<Entry>(entries: readonly Entry[], idOf: (entry: Entry) => string): number[] {
  const ids = entries.map(idOf);
  return ids.flatMap((value, at) => (ids.indexOf(value) < at ? [at] : []));
}

/** Reads JSON or YAML (docs/interface#tenants-file). @throws TenantsFileError */
export function readTenantsFile(file: string): TenantEntries {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new TenantsFileError(file, ['the file cannot be read']);
  }
  return parseTenants(file, text);
}

export function parseTenants(file: string, text: string): TenantEntries {
  // Some editors write a byte order mark first, which neither parser accepts.
  const source = text.replace(/^\ufeff/, '');
  let content: unknown;
  try {
    content = file.endsWith('.json') ? JSON.parse(source) : parseYaml(source, { maxAliasCount: 100 });
  } catch (error) {
    // The parser's own message quotes the text, which holds secrets.
    const kind = file.endsWith('.json') ? 'JSON' : 'YAML';
    throw new TenantsFileError(file, [`the file is not well-formed ${kind}${placeOf(error, source)}`]);
  }
  const parsed = Entries.safeParse(content);
  if (!parsed.success) {
    throw new TenantsFileError(
      file,
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
    );
  }
  return parsed.data;
}

/** The line and column of a parser's error, or an empty text if the parser gives none. */
function placeOf(error: unknown, source: string): string {
  const { message, linePos } = error as Partial<YAMLParseError>;
  if (linePos !== undefined) return `: line ${linePos[0].line}, column ${linePos[0].col}`;
  const position = /in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message ?? '')?.[1];
  if (position === undefined) return '';
  const lines = source.slice(0, Number(position)).split('\n');
  return `: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

export function operatorOf(entry: OperatorEntry): OperatorSettings {
  const { autoCloseAfter, walletTimeout, timestampTolerance, ...rest } = entry;
  return {
    ...rest,
    autoCloseAfterMs: durationMs(autoCloseAfter),
    walletTimeoutMs: durationMs(walletTimeout),
    timestampToleranceMs: durationMs(timestampTolerance),
  };
}

export function providerOf({ timestampTolerance, ...rest }: ProviderEntry): ProviderSettings {
  return { ...rest, timestampToleranceMs: durationMs(timestampTolerance) };
}

export function gameOf(entry: GameEntry): GameDefinition {
  return entry;
}

/** Warnings for entries that are valid but unusual or unsafe (docs/interface#tenants-file). */
export function warningsOf(entries: TenantEntries, callbackAddresses: CallbackAddresses): string[] {
  const unusual = entries.operators.flatMap(({ operatorId, autoCloseAfter }) => {
    const ms = durationMs(autoCloseAfter);
    const usual = ms >= 12 * UNIT_MS.h && ms <= 48 * UNIT_MS.h;
    return usual
      ? []
      : [`operator ${operatorId}: autoCloseAfter ${autoCloseAfter} is outside the usual 12 to 48 hours`];
  });
  const tenants = [
    ...entries.operators.map((one) => ({
      ...one,
      tenant: `operator ${one.operatorId}`,
      url: one.operatorUrl,
    })),
    ...entries.providers.map((one) => ({ ...one, tenant: `provider ${one.providerId}`, url: one.gameUrl })),
  ];
  const published = tenants.filter(({ secrets }) =>
    secrets.some((secret) => secret.startsWith(PUBLISHED_SECRET)),
  );
  const uncallable = tenants.filter(({ url }) => namesRefusedAddress(url, callbackAddresses));
  return [
    ...unusual,
    ...published.map(({ tenant }) => `${tenant}: it uses a secret of the sandbox, which anyone can read`),
    ...uncallable.map(
      ({ tenant }) =>
        `${tenant}: the service will not call its URL: CALLBACK_ADDRESSES does not allow the address`,
    ),
  ];
}
