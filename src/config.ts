import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { KEY_BYTES, readKey, readPayloadKeys, type PayloadKey, type PayloadKeys } from './payloads/keys';
import { CALLBACK_ADDRESSES, isBaseUrl, type CallbackAddresses } from './clients/addresses';

/** Settings of the API and worker processes (docs/interface#settings). This file is the only reader of their `process.env`. */
export interface Config {
  http: {
    host: string;
    port: number;
    /** Without a trailing slash: the address under which players' browsers and partners reach the API. */
    baseUrl: string;
    /** Number of proxies in front of the API whose X-Forwarded-For is trusted; 0: none. */
    trustedProxies: number;
    /** Most calls that one process handles at the same time. */
    maxCalls: number;
    /** The page /docs signs calls with the secrets of TENANTS_FILE. */
    pageSigns: boolean;
    /** A 401 has a hint. */
    signatureHints: boolean;
    /** Links of the page `/`. */
    startLinks: { label: string; url: string }[];
  };
  /** Address of the admin port (metrics, health); port 0: any free port. */
  admin: { host: string; port: number };
  dataDir: string;
  tenantsFile: string;
  /** Which addresses the service may call for tenants' URLs. */
  callbackAddresses: CallbackAddresses;
  /** `tls: false` is explicit, since the Temporal client turns TLS on when there is an API key. */
  temporal: { address: string; namespace: string; apiKey?: string; tls?: TemporalTls | false };
  mongodb: { uri: string; database: string };
  logLevel: LogLevel;
  /** The `environment` of round records. */
  environment: string;
  backofficeToken: string;
  /** 32 bytes. Encrypts tenants' secrets in MongoDB. */
  secretsKey: Buffer;
  /** Keys that encrypt the payloads which Temporal stores. */
  payloads: PayloadKeys;
  /** Where histories are exported (src/archive); absent: they are not. `endpoint` is that of an S3-compatible server. */
  exportTo?: { place: string; endpoint?: string | undefined };
  codecServer: {
    host: string;
    port: number;
    /** Origins of Temporal Web, such as `https://temporal.example`. */
    origins: readonly string[];
  };
}

/** PEM contents for the Temporal SDK. An empty object means TLS with the system's certificate authorities. */
export interface TemporalTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Buffer;
  clientCertPair?: { crt: Buffer; key: Buffer };
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Each fault is one line that names the variable. It never shows the value, which may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

const LOCAL = 'local';
/** Environments without real players. Any other name may be production's. */
const HINTED = [LOCAL, 'staging'];
const text = z.string().min(1).max(4096);
export const port = (standard: number) =>
  z.coerce
    .number({ error: 'must be a port, 1 to 65535' })
    .int('must be a port, 1 to 65535')
    .min(1, 'must be a port, 1 to 65535')
    .max(65_535, 'must be a port, 1 to 65535')
    .default(standard);
const portOrAny = (standard: number) =>
  z.coerce
    .number({ error: 'must be a port, or 0 for any free one' })
    .int('must be a port, or 0 for any free one')
    .min(0, 'must be a port, or 0 for any free one')
    .max(65_535, 'must be a port, or 0 for any free one')
    .default(standard);
const KEYS = 'must be a list of id:key, each key 32 bytes in base64';
const payloadKeys = z
  .string()
  .transform((list, context): PayloadKey[] => {
    const keys = readPayloadKeys(list);
    if (keys === undefined) context.addIssue({ code: 'custom', message: KEYS });
    return keys ?? [];
  })
  .default([]);
const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim()))
  .refine((list) => list.every(isOrigin), 'must be a list of origins such as https://temporal.example');
/** These values go into HTTP headers. A library that rejects a header value shows it in its error, so check it first. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;
const headerText = (message: string) => text.regex(HEADER_TEXT, message);
const NO_BLANKS = 'must be printable ASCII without white space';
/** `label url; label url` */
const startLinks = z.string().transform((text, context) =>
  text.split(';').map((part) => {
    const [, label = '', url = ''] = /^\s*(.+?)\s+(https?:\/\/\S+)\s*$/.exec(part) ?? [];
    if (url === '') context.addIssue({ code: 'custom', message: 'must be like: label url; label url' });
    return { label, url };
  }),
);
const switchText = z.enum(['on', 'off'], { error: 'must be on or off' });

const Environment = z
  .object({
    PORT: port(8080),
    HOST: text.default('127.0.0.1'),
    BASE_URL: z
      .string()
      .refine(
        isBaseUrl,
        'must be an http or https URL without query, fragment, user name, password and white space',
      )
      .optional(),
    TRUSTED_PROXIES: z.coerce
      .number({ error: 'must be a number of proxies, 0 to 8' })
      .int('must be a number of proxies, 0 to 8')
      .min(0, 'must be a number of proxies, 0 to 8')
      .max(8, 'must be a number of proxies, 0 to 8')
      .default(0),
    ADMIN_HOST: text.default('127.0.0.1'),
    ADMIN_PORT: portOrAny(8081),
    MAX_CALLS: z.coerce
      .number({ error: 'must be a number, 8 to 100000' })
      .int('must be a number, 8 to 100000')
      .min(8, 'must be a number, 8 to 100000')
      .max(100_000, 'must be a number, 8 to 100000')
      .default(256),
    API_PAGE_SIGNS: switchText.default('off'),
    START_LINKS: startLinks.default([]),
    SIGNATURE_HINTS: switchText.optional(),
    DATA_DIR: text.default('.data'),
    TENANTS_FILE: text.optional(),
    CALLBACK_ADDRESSES: z
      .enum(CALLBACK_ADDRESSES, { error: `must be one of ${CALLBACK_ADDRESSES.join(', ')}` })
      .optional(),
    TEMPORAL_PORT: port(7233),
    TEMPORAL_ADDRESS: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'must be host:port')
      .optional(),
    TEMPORAL_NAMESPACE: headerText(NO_BLANKS).default('default'),
    TEMPORAL_API_KEY: headerText(NO_BLANKS).optional(),
    TEMPORAL_TLS: switchText.optional(),
    TEMPORAL_TLS_SERVER_NAME: text.optional(),
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: text.optional(),
    TEMPORAL_TLS_CLIENT_CERT_PATH: text.optional(),
    TEMPORAL_TLS_CLIENT_KEY_PATH: text.optional(),
    MONGODB_PORT: port(27_017),
    MONGODB_URI: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\/\S+$/, 'must start with mongodb:// or mongodb+srv://')
      .optional(),
    MONGODB_DATABASE: z
      .string()
      .regex(/^[^\s/\\."$*<>:|?]{1,63}$/, 'must be a database name')
      .default('gameround'),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    ENVIRONMENT: z.string().min(1).max(64).default(LOCAL),
    BACKOFFICE_TOKEN: headerText(NO_BLANKS).min(16, 'must have at least 16 characters').max(1024).optional(),
    SECRETS_KEY: z
      .string()
      .refine((text) => readKey(text) !== undefined, 'must be 32 bytes in base64')
      .optional(),
    PAYLOAD_KEYS: payloadKeys,
    PAYLOAD_READ_KEYS: payloadKeys,
    EXPORT_TO: text
      .regex(
        /^(?!s3:)|^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?$/,
        'must be a folder, s3://bucket/prefix, or off',
      )
      .optional(),
    EXPORT_ENDPOINT: z.string().refine(isBaseUrl, 'must be an http or https URL').optional(),
    CODEC_SERVER_HOST: text.default('127.0.0.1'),
    CODEC_SERVER_PORT: port(8234),
    CODEC_SERVER_ORIGINS: origins.optional(),
    TEMPORAL_UI_PORT: port(8233),
  })
  .superRefine((env, context) => {
    if (env.API_PAGE_SIGNS === 'on' && env.ENVIRONMENT !== LOCAL) {
      const message = 'on is for a sandbox: only while ENVIRONMENT is local';
      context.addIssue({ code: 'custom', path: ['API_PAGE_SIGNS'], message });
    }
    const pair = [env.TEMPORAL_TLS_CLIENT_CERT_PATH, env.TEMPORAL_TLS_CLIENT_KEY_PATH];
    const ids = [...env.PAYLOAD_KEYS, ...env.PAYLOAD_READ_KEYS].map(({ id }) => id);
    if (new Set(ids).size < ids.length) {
      const message = 'a key id is used twice in PAYLOAD_KEYS and PAYLOAD_READ_KEYS';
      context.addIssue({ code: 'custom', path: ['PAYLOAD_KEYS'], message });
    }
    if (pair.filter((value) => value !== undefined).length !== 1) return;
    const path = [pair[0] === undefined ? 'TEMPORAL_TLS_CLIENT_CERT_PATH' : 'TEMPORAL_TLS_CLIENT_KEY_PATH'];
    context.addIssue({ code: 'custom', path, message: 'a client certificate and its key must both be set' });
  });
type Environment = z.infer<typeof Environment>;

/**
 * Reads the settings of this process from the environment. White space around a value is removed; an empty value counts as
 * absent. A secret that is not set comes from a file in DATA_DIR, which the first process creates: API and worker on one
 * machine share it.
 * @throws ConfigError
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const data = parse(env);
  const dataDir = resolve(data.DATA_DIR);
  return {
    http: {
      host: data.HOST,
      port: data.PORT,
      baseUrl: (data.BASE_URL ?? `http://${reachable(data.HOST)}:${data.PORT}`).replace(/\/+$/, ''),
      trustedProxies: data.TRUSTED_PROXIES,
      maxCalls: data.MAX_CALLS,
      pageSigns: data.API_PAGE_SIGNS === 'on',
      startLinks: data.START_LINKS,
      signatureHints: (data.SIGNATURE_HINTS ?? (HINTED.includes(data.ENVIRONMENT) ? 'on' : 'off')) === 'on',
    },
    admin: { host: data.ADMIN_HOST, port: data.ADMIN_PORT },
    dataDir,
    tenantsFile: tenantsFile(data.TENANTS_FILE),
    // A developer's wallet and game run on the same machine as the service. In production they never do.
    callbackAddresses: data.CALLBACK_ADDRESSES ?? (data.ENVIRONMENT === LOCAL ? 'loopback' : 'public'),
    temporal: {
      address: data.TEMPORAL_ADDRESS ?? `127.0.0.1:${data.TEMPORAL_PORT}`,
      namespace: data.TEMPORAL_NAMESPACE,
      ...(data.TEMPORAL_API_KEY === undefined ? {} : { apiKey: data.TEMPORAL_API_KEY }),
      ...temporalTls(data),
    },
    mongodb: {
      uri: data.MONGODB_URI ?? `mongodb://127.0.0.1:${data.MONGODB_PORT}/?directConnection=true`,
      database: data.MONGODB_DATABASE,
    },
    logLevel: data.LOG_LEVEL,
    environment: data.ENVIRONMENT,
    backofficeToken:
      data.BACKOFFICE_TOKEN ??
      loadOrCreateSecret(dataDir, 'backoffice-token', 'BACKOFFICE_TOKEN', () => random(24)),
    secretsKey: secretsKey(dataDir, data.SECRETS_KEY),
    payloads: { keys: data.PAYLOAD_KEYS, readKeys: data.PAYLOAD_READ_KEYS },
    ...exportTo(dataDir, data),
    codecServer: {
      host: data.CODEC_SERVER_HOST,
      port: data.CODEC_SERVER_PORT,
      origins: data.CODEC_SERVER_ORIGINS ?? webOrigins(data.TEMPORAL_UI_PORT),
    },
  };
}

function exportTo(
  dataDir: string,
  { EXPORT_TO: to, EXPORT_ENDPOINT: endpoint }: Environment,
): Pick<Config, 'exportTo'> {
  if (to === 'off') return {};
  if (to?.startsWith('s3:')) return { exportTo: { place: to, endpoint } };
  return { exportTo: { place: to === undefined ? join(dataDir, 'histories') : resolve(to) } };
}

/**
 * Reads the files of TEMPORAL_TLS_*_PATH again, so that new certificates take effect.
 * @throws ConfigError
 */
export function readTemporalTls(env: NodeJS.ProcessEnv = process.env): TemporalTls | false | undefined {
  return temporalTls(parse(env)).tls;
}

function parse(env: NodeJS.ProcessEnv): Environment {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()] as const);
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  }
  return parsed.data;
}

/** The settings by variable name, with secrets masked, for the log line at start. */
export function describeConfig(config: Config): Record<string, string | number | boolean> {
  const { http, temporal, mongodb } = config;
  return {
    HOST: http.host,
    PORT: http.port,
    BASE_URL: http.baseUrl,
    TRUSTED_PROXIES: http.trustedProxies,
    MAX_CALLS: http.maxCalls,
    API_PAGE_SIGNS: http.pageSigns,
    SIGNATURE_HINTS: http.signatureHints,
    ADMIN_HOST: config.admin.host,
    ADMIN_PORT: config.admin.port,
    DATA_DIR: config.dataDir,
    TENANTS_FILE: config.tenantsFile,
    CALLBACK_ADDRESSES: config.callbackAddresses,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    TEMPORAL_TLS: temporal.tls !== undefined && temporal.tls !== false,
    TEMPORAL_API_KEY: temporal.apiKey === undefined ? '' : MASK,
    MONGODB_URI: maskedUri(mongodb.uri),
    MONGODB_DATABASE: mongodb.database,
    LOG_LEVEL: config.logLevel,
    ENVIRONMENT: config.environment,
    BACKOFFICE_TOKEN: MASK,
    SECRETS_KEY: MASK,
    PAYLOAD_KEYS: maskedKeys(config.payloads.keys),
    PAYLOAD_READ_KEYS: maskedKeys(config.payloads.readKeys),
    EXPORT_TO: config.exportTo?.place ?? 'off',
  };
}

const MASK = '***';

/** Masks everything before the last `@` (credentials may contain `@`) and all options that are not known to be harmless. */
export function maskedUri(uri: string): string {
  return uri
    .replace(/\/\/.*@/, `//${MASK}@`)
    .replace(/([?&])([^&]*)/g, (option: string, mark: string) =>
      PLAIN_OPTION.test(option) ? option : `${mark}${MASK}`,
    );
}

const PLAIN_OPTION =
  /^[?&](?:replicaSet|directConnection|tls|ssl|retryWrites|retryReads|readPreference|w|journal|authSource|appName|maxPoolSize)=[\w.-]*$/;

function maskedKeys(keys: readonly PayloadKey[]): string {
  return keys.map(({ id }) => `${id}:${MASK}`).join(',');
}

/** The origins of the local Temporal Web UI, by both names of this machine. */
function webOrigins(port: number): string[] {
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}

function isOrigin(value: string): boolean {
  return isBaseUrl(value) && new URL(value).origin === value;
}

/** Turns an address to listen on into an address to connect to. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Finds the folder of package.json, from the sources and from dist/. */
function projectRoot(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return process.cwd();
  }
}

function tenantsFile(given: string | undefined): string {
  if (given === undefined) return join(projectRoot(), 'sandbox', 'tenants.json');
  const fromHere = resolve(given);
  return existsSync(fromHere) ? fromHere : resolve(projectRoot(), given);
}

/** A key or certificate turns TLS on. An API key does too, since it must not be sent unencrypted. */
function temporalTls(env: Environment): { tls?: TemporalTls | false } {
  const ca = env.TEMPORAL_TLS_SERVER_CA_CERT_PATH;
  const crt = env.TEMPORAL_TLS_CLIENT_CERT_PATH;
  const key = env.TEMPORAL_TLS_CLIENT_KEY_PATH;
  const implied = [ca, crt, env.TEMPORAL_TLS_SERVER_NAME, env.TEMPORAL_API_KEY].some(
    (value) => value !== undefined,
  );
  if (env.TEMPORAL_TLS === 'off') return { tls: false };
  if (env.TEMPORAL_TLS === undefined && !implied) return {};
  return {
    tls: {
      ...(env.TEMPORAL_TLS_SERVER_NAME === undefined
        ? {}
        : { serverNameOverride: env.TEMPORAL_TLS_SERVER_NAME }),
      ...(ca === undefined
        ? {}
        : { serverRootCACertificate: certificateOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH', ca) }),
      ...(crt === undefined || key === undefined ? {} : { clientCertPair: clientPair(key, crt) }),
    },
  };
}

function clientPair(keyPath: string, crtPath: string): { crt: Buffer; key: Buffer } {
  const key = privateKeyOf('TEMPORAL_TLS_CLIENT_KEY_PATH', keyPath);
  const crt = certificateOf('TEMPORAL_TLS_CLIENT_CERT_PATH', crtPath);
  if (new X509Certificate(crt).checkPrivateKey(createPrivateKey(key))) return { key, crt };
  throw new ConfigError([
    'TEMPORAL_TLS_CLIENT_KEY_PATH: the key does not belong to the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH',
  ]);
}

function fileOf(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ConfigError([`${variable}: the file cannot be read`]);
  }
}

function certificateOf(variable: string, path: string): Buffer {
  return readable(variable, 'certificate', path, (pem) => new X509Certificate(pem));
}

function privateKeyOf(variable: string, path: string): Buffer {
  return readable(variable, 'private key', path, createPrivateKey);
}

/** Checks the PEM first: the Temporal client's error for a wrong file may show the file's content. */
function readable(variable: string, kind: string, path: string, read: (pem: Buffer) => unknown): Buffer {
  const pem = fileOf(variable, path);
  try {
    read(pem);
  } catch {
    throw new ConfigError([`${variable}: the file does not contain a ${kind} in PEM`]);
  }
  return pem;
}

/** Settings that are secret or contain a secret. */
const SECRET_SETTINGS = [
  ...['TEMPORAL_API_KEY', 'BACKOFFICE_TOKEN', 'SECRETS_KEY', 'PAYLOAD_KEYS', 'PAYLOAD_READ_KEYS'],
  ...['MONGODB_URI', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
];
const SHORTEST_SECRET = 8;

/** Masks the secrets of this process's settings in a text that a library made. */
export function withoutSecrets(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return SECRET_SETTINGS.flatMap((name) => secretsIn(env[name] ?? ''))
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/** The value itself and its parts: a key follows its id, a password follows a user name, and a URI's options may be secret. */
function secretsIn(value: string): string[] {
  const parts = value.trim().split(/[\s,:@/?&=]+/);
  return [value, value.trim(), ...(value.includes('://') || value.includes(':') ? parts : [])].flatMap(
    (secret) => [secret, JSON.stringify(secret).slice(1, -1)],
  );
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function secretsKey(dataDir: string, given: string | undefined): Buffer {
  const value =
    given ??
    loadOrCreateSecret(dataDir, 'secrets-key', 'SECRETS_KEY', () =>
      randomBytes(KEY_BYTES).toString('base64'),
    );
  const key = readKey(value);
  if (key === undefined)
    throw new ConfigError(['SECRETS_KEY: the file secrets-key in DATA_DIR does not hold 32 bytes in base64']);
  return key;
}

/**
 * Creates a folder of a setting, and its parents. Node's own `recursive` never returns for a path such as `/proc/x`: there
 * the system reports ENOENT although the parent exists.
 * @throws ConfigError
 */
export function makeFolder(variable: string, folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(variable, dirname(folder));
  try {
    // The folder holds secrets and rounds, so other users of the machine must not read it.
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new ConfigError([`${variable}: cannot create ${folder} (${code})`]);
  }
}

/**
 * A secret of this machine, created once and readable by this user only. `link` creates the complete file at once and never
 * replaces a file: two processes that start at the same time use the same secret.
 */
function loadOrCreateSecret(dataDir: string, name: string, variable: string, make: () => string): string {
  const file = join(dataDir, name);
  const aside = `${file}.${process.pid}`;
  try {
    makeFolder('DATA_DIR', dataDir);
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    writeFileSync(aside, `${make()}\n`, { mode: 0o600 });
    try {
      linkSync(aside, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError([
      `${variable}: is not set, and a new one cannot be stored in DATA_DIR (${dataDir})`,
    ]);
  } finally {
    rmSync(aside, { force: true });
  }
}
