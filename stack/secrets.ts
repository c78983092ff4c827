import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Secrets {
  /** 32 bytes base64; encrypts tenants' secrets at rest. */
  readonly secretsKey: string;
  readonly backofficeToken: string;
  /** Whether the token was made just now, so that it should be shown. */
  readonly backofficeTokenIsNew: boolean;
}

/** From the environment, else from DATA_DIR, else made and kept there for this user alone. */
export async function loadSecrets(dataDir: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  const key =
    env.SECRETS_KEY || (await kept(dataDir, 'secrets-key', () => randomBytes(32).toString('base64'))).value;
  const token = env.BACKOFFICE_TOKEN
    ? { value: env.BACKOFFICE_TOKEN, isNew: false }
    : await kept(dataDir, 'backoffice-token', () => randomBytes(24).toString('base64url'));
  return { secretsKey: key, backofficeToken: token.value, backofficeTokenIsNew: token.isNew };
}

async function kept(
  dataDir: string,
  name: string,
  make: () => string,
): Promise<{ value: string; isNew: boolean }> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, name);
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (existing.trim() !== '') return { value: existing.trim(), isNew: false };
  const value = make();
  await writeWhole(file, `${value}\n`);
  return { value, isNew: true };
}

/** A key cut short by a crash would lock people out of their data: the file appears whole. */
async function writeWhole(file: string, content: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, content, { mode: 0o600, flush: true });
  await rename(aside, file);
}
