import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { Logger } from '../logging';
import { ConfigError } from '../config';
import { decryptSecrets, encryptSecrets } from './encryption';
import { GameEntry, OperatorEntry, ProviderEntry, type TenantEntries } from './file';

/** `entry` is the tenant as in TENANTS_FILE, without its secrets. Defaults are added when it is read. */
interface TenantDocument {
  _id: string;
  entry: Record<string, unknown>;
  secrets?: string;
  updatedAt: Date;
}

type Kind = 'operator' | 'provider' | 'game';
const COLLECTIONS = { operator: 'operators', provider: 'providers', game: 'games' } as const;
const TENANT_LIMIT = 100_000;

/** Tenants in MongoDB, with encrypted secrets. */
export interface TenantStore {
  /** Adds and replaces entries. Tenants that are not in the file stay. Unchanged entries are not written again. */
  upsert(entries: TenantEntries): Promise<void>;
  /** All tenants that can be read with this SECRETS_KEY. Others are logged and left out. */
  readAll(): Promise<TenantEntries>;
}

export function createTenantStore(db: Db, secretsKey: Buffer, logger: Logger): TenantStore {
  const collection = (kind: Kind): Collection<TenantDocument> =>
    db.collection<TenantDocument>(COLLECTIONS[kind]);

  async function put(kind: Kind, id: string, tenant: Record<string, unknown>): Promise<void> {
    const { secrets, ...entry } = tenant as { secrets?: string[] };
    const now = await collection(kind).findOne({ _id: id });
    if (now !== null && sameTenant(kind, now, entry, secrets)) return;
    const owner = ownerOf(kind, id);
    await collection(kind).replaceOne(
      { _id: id },
      {
        entry,
        ...(secrets === undefined ? {} : { secrets: encryptSecrets(secretsKey, owner, secrets) }),
        updatedAt: new Date(),
      },
      { upsert: true },
    );
    logger.info({ tenant: owner }, now === null ? 'tenant added' : 'tenant changed');
  }

  function sameTenant(
    kind: Kind,
    now: TenantDocument,
    entry: object,
    secrets: string[] | undefined,
  ): boolean {
    if (secrets === undefined) return JSON.stringify(now.entry) === JSON.stringify(entry);
    const kept = JSON.stringify(readable(kind, now));
    if (JSON.stringify(now.entry) !== JSON.stringify(entry)) return false;
    return kept === JSON.stringify(secrets);
  }

  /**
   * Secrets of another key are never overwritten: a process with the wrong key would lock out all other processes.
   * @throws ConfigError
   */
  function readable(kind: Kind, document: TenantDocument): string[] | undefined {
    try {
      return secretsOf(kind, document);
    } catch {
      throw new ConfigError([
        `SECRETS_KEY: the secrets in MongoDB (${ownerOf(kind, document._id)}) are encrypted with another key; every process needs the same key`,
      ]);
    }
  }

  function secretsOf(kind: Kind, document: TenantDocument): string[] | undefined {
    if (document.secrets === undefined) return undefined;
    return decryptSecrets(secretsKey, ownerOf(kind, document._id), document.secrets);
  }

  async function read<Schema extends z.ZodType>(kind: Kind, schema: Schema): Promise<z.infer<Schema>[]> {
    const documents = await collection(kind).find({}, { limit: TENANT_LIMIT }).toArray();
    return documents.flatMap((document) => {
      try {
        return [schema.parse({ ...document.entry, ...withSecrets(secretsOf(kind, document)) })];
      } catch (error) {
        const reason =
          error instanceof z.ZodError
            ? z.prettifyError(error)
            : 'its secrets are encrypted with another SECRETS_KEY';
        logger.error({ tenant: ownerOf(kind, document._id), reason }, 'tenant left out');
        return [];
      }
    });
  }

  return {
    upsert: async ({ operators, providers, games }) => {
      for (const operator of operators) await put('operator', operator.operatorId, operator);
      for (const provider of providers) await put('provider', provider.providerId, provider);
      for (const game of games) await put('game', game.gameCode, game);
    },
    readAll: async () => {
      const [operators, providers, games] = await Promise.all([
        read('operator', OperatorEntry),
        read('provider', ProviderEntry),
        read('game', GameEntry),
      ]);
      return { operators, providers, games };
    },
  };
}

function withSecrets(secrets: string[] | undefined): { secrets?: string[] } {
  return secrets === undefined ? {} : { secrets };
}

function ownerOf(kind: Kind, id: string): string {
  return `${kind}:${id}`;
}
