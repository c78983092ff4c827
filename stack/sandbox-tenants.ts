import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackConfig } from './config';

/** The ports in the sandbox's tenants file. */
const STANDARD = { wallet: 9001, game: 9002 };

/**
 * Returns the tenants file to use. This is the configured file. If that is the sandbox's own file and the sandbox listens
 * on other ports, it is a copy in DATA_DIR with those ports.
 */
export async function sandboxTenants(config: StackConfig, env: NodeJS.ProcessEnv): Promise<string> {
  const { tenantsFile, dataDir } = config.service;
  const { walletPort, gamePort } = config.sandbox ?? { walletPort: STANDARD.wallet, gamePort: STANDARD.game };
  const isStandard = walletPort === STANDARD.wallet && gamePort === STANDARD.game;
  if (env.TENANTS_FILE || isStandard) return tenantsFile;
  const original = await readFile(tenantsFile, 'utf8');
  const moved = original.replace(/127\.0\.0\.1:(9001|9002)\b/g, (_, port: string) => {
    return `127.0.0.1:${Number(port) === STANDARD.wallet ? walletPort : gamePort}`;
  });
  const copy = join(dataDir, 'sandbox-tenants.json');
  await writeFile(copy, moved, { mode: 0o600 });
  return copy;
}

/** Whether all tenants are the sandbox's own. Their secrets are in the repository. */
export function isPlainSandbox({ sandbox, service }: StackConfig, env: NodeJS.ProcessEnv): boolean {
  return sandbox !== undefined && !env.TENANTS_FILE && service.environment === 'local';
}
