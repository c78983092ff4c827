import { resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from './user-error';

/** What `npm start` itself needs to know; the service's own settings are read by src/config.ts in its processes. */
export interface StackConfig {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly tenantsFile?: string;
  readonly sandbox: boolean;
  readonly temporal: { readonly port: number; readonly uiPort: number; readonly externalAddress?: string };
  readonly mongodb: { readonly port: number; readonly externalUri?: string };
}

const port = (standard: number) => z.coerce.number().int().min(1).max(65_535).default(standard);
const text = z.string().min(1).optional();

const Env = z.object({
  PORT: port(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  TENANTS_FILE: text,
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  TEMPORAL_ADDRESS: text,
  MONGODB_PORT: port(27_017),
  MONGODB_URI: text,
  SANDBOX: z.enum(['on', 'off']).default('on'),
});

/** Throws UserError with a line for each setting that is wrong; values are not repeated, they may be secret. */
export function readStackConfig(env: NodeJS.ProcessEnv): StackConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Env.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new UserError(`The environment is not usable:\n  ${lines.join('\n  ')}`);
  }
  const { data } = parsed;
  return {
    host: data.HOST,
    port: data.PORT,
    baseUrl: data.BASE_URL ?? `http://${reachable(data.HOST)}:${data.PORT}`,
    dataDir: resolve(data.DATA_DIR),
    ...(data.TENANTS_FILE === undefined ? {} : { tenantsFile: resolve(data.TENANTS_FILE) }),
    sandbox: data.SANDBOX === 'on',
    temporal: {
      port: data.TEMPORAL_PORT,
      uiPort: data.TEMPORAL_UI_PORT,
      ...(data.TEMPORAL_ADDRESS === undefined ? {} : { externalAddress: data.TEMPORAL_ADDRESS }),
    },
    mongodb: {
      port: data.MONGODB_PORT,
      ...(data.MONGODB_URI === undefined ? {} : { externalUri: data.MONGODB_URI }),
    },
  };
}

/** An address to connect to, for one to listen on. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
