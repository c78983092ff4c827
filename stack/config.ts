import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, loadConfig, port, reachable, type Config } from '../src/config';
import { UserError } from './user-error';

/** The settings of the service, and the further settings of `npm start`. */
export interface StackConfig {
  readonly service: Config;
  /** Undefined if the sandbox is not started. */
  readonly sandbox?: { readonly walletPort: number; readonly gamePort: number };
  readonly temporalPort: number;
  readonly temporalUiPort: number;
  readonly mongodbPort: number;
  /**
   * URL of the codec server, which decrypts payloads for the embedded Temporal's Web UI. Undefined without encryption keys, and
   * with an external Temporal.
   */
  readonly codecServer?: string;
  /** The address of a Temporal that already runs. If set, `npm start` starts none. */
  readonly externalTemporal?: string | undefined;
  readonly externalMongodb?: string | undefined;
  /** The file of a new back office token. The token is shown once, at this start. */
  readonly newTokenFile?: string;
}

const text = z.string().optional();
const Env = z.object({
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  TEMPORAL_ADDRESS: text,
  MONGODB_PORT: port(27_017),
  MONGODB_URI: text,
  SANDBOX: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  SANDBOX_WALLET_PORT: port(9001),
  SANDBOX_GAME_PORT: port(9002),
  DATA_DIR: z.string().default('.data'),
});

/** Creates the stored secrets if they do not exist. @throws UserError with a line for each wrong setting */
export function readStackConfig(env: NodeJS.ProcessEnv): StackConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Env.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new UserError(`The settings are not usable:\n  ${lines.join('\n  ')}`);
  }
  const { data } = parsed;
  const tokenFile = join(data.DATA_DIR, 'backoffice-token');
  // Checked before serviceConfig, which creates the file.
  const tokenIsNew = given.BACKOFFICE_TOKEN === undefined && !existsSync(tokenFile);
  const service = serviceConfig(given);
  return {
    service,
    ...(data.SANDBOX === 'off'
      ? {}
      : { sandbox: { walletPort: data.SANDBOX_WALLET_PORT, gamePort: data.SANDBOX_GAME_PORT } }),
    temporalPort: data.TEMPORAL_PORT,
    temporalUiPort: data.TEMPORAL_UI_PORT,
    mongodbPort: data.MONGODB_PORT,
    ...(data.TEMPORAL_ADDRESS === undefined ? codecServerOf(service) : {}),
    externalTemporal: data.TEMPORAL_ADDRESS,
    externalMongodb: data.MONGODB_URI,
    ...(tokenIsNew ? { newTokenFile: tokenFile } : {}),
  };
}

function codecServerOf({ payloads, codecServer: { host, port } }: Config): Pick<StackConfig, 'codecServer'> {
  const isNeeded = payloads.keys.length + payloads.readKeys.length > 0;
  return isNeeded ? { codecServer: `http://${reachable(host)}:${port}` } : {};
}

function serviceConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(env);
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}
