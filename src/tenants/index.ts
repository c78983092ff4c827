import type { Db } from 'mongodb';
import type { CallbackAddresses } from '../clients/addresses';
import { ConfigError } from '../config';
import type { Logger } from '../logging';
import { gameOf, operatorOf, providerOf, readTenantsFile, warningsOf, type TenantEntries } from './file';
import { createTenantStore, type TenantStore } from './store';
import type { GameDefinition, OperatorSettings, ProviderSettings, Tenants } from './types';

export type { GameDefinition, OperatorSettings, ProviderSettings, Tenants } from './types';
export { TenantsFileError, type LaunchQuery } from './file';

const REFRESH_MS = 30_000;
const RETRY_MS = 1_000;

interface Snapshot {
  operators: ReadonlyMap<string, OperatorSettings>;
  providers: ReadonlyMap<string, ProviderSettings>;
  games: ReadonlyMap<string, GameDefinition>;
}

/**
 * Reads TENANTS_FILE, writes it to MongoDB, and reads MongoDB every `refreshMs`. Returns after the first attempt: while
 * MongoDB is down, only the tenants of the file are known.
 * @throws TenantsFileError, ConfigError (MongoDB's secrets are encrypted with another SECRETS_KEY)
 */
export async function loadTenants(options: {
  /** Without it, only MongoDB's tenants are known, and none is written. */
  file: string | undefined;
  db: Db;
  secretsKey: Buffer;
  logger: Logger;
  /** Used to warn about URLs that the service may not call. */
  callbackAddresses?: CallbackAddresses;
  refreshMs?: number;
  retryMs?: number;
}): Promise<Tenants> {
  const { logger, callbackAddresses = 'any' } = options;
  const entries = options.file === undefined ? NO_ENTRIES : readTenantsFile(options.file);
  warningsOf(entries, callbackAddresses).forEach((warning) => logger.warn(warning));
  const tenants = new RefreshedTenants(entries, createTenantStore(options.db, options.secretsKey, logger), {
    refreshMs: options.refreshMs ?? REFRESH_MS,
    retryMs: options.retryMs ?? RETRY_MS,
    logger,
  });
  await tenants.start();
  return tenants;
}

const NO_ENTRIES: TenantEntries = { operators: [], providers: [], games: [] };

/** Tenants in memory only, for tests and for tools without MongoDB. */
export function tenantsInMemory(entries: TenantEntries): Tenants {
  return { ...answersFrom(() => snapshotOf(entries)), complete: true, refresh: nothing, close: nothing };
}

class RefreshedTenants implements Tenants {
  readonly operator: Tenants['operator'];
  readonly provider: Tenants['provider'];
  readonly game: Tenants['game'];
  readonly games: Tenants['games'];
  complete = false;
  #snapshot: Snapshot;
  #filePending = true;
  #failing = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(
    private readonly entries: TenantEntries,
    private readonly store: TenantStore,
    private readonly options: { refreshMs: number; retryMs: number; logger: Logger },
  ) {
    this.#snapshot = snapshotOf(entries);
    const answers = answersFrom(() => this.#snapshot);
    this.operator = answers.operator;
    this.provider = answers.provider;
    this.game = answers.game;
    this.games = answers.games;
  }

  async start(): Promise<void> {
    await this.refresh().then(
      () => this.#learned(),
      (error: unknown) => {
        if (error instanceof ConfigError) throw error;
        this.#missed(error);
      },
    );
    if (this.#closed) return;
    const { refreshMs, retryMs } = this.options;
    this.#timer = setTimeout(
      () => void this.start().catch((error: unknown) => this.#missed(error)),
      this.#failing ? retryMs : refreshMs,
    ).unref();
  }

  /** Concurrent calls share one read. Rejects if MongoDB cannot be read; the tenants in memory stay. */
  refresh(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    // eslint-disable-next-line no-restricted-syntax -- the refresh logs its own error
    await this.#running?.catch(() => undefined);
  }

  async #read(): Promise<void> {
    if (this.#filePending) await this.store.upsert(this.entries);
    this.#filePending = false;
    this.#snapshot = snapshotOf(await this.store.readAll());
    this.complete = true;
  }

  #learned(): void {
    if (this.#failing) this.options.logger.info('tenants are read from MongoDB again');
    this.#failing = false;
  }

  /** Logs the first failure only, not one line per second. */
  #missed(error: unknown): void {
    if (!this.#failing) {
      this.options.logger.warn(
        { error },
        'MongoDB cannot be read: going on with the tenants in memory, trying again',
      );
    }
    this.#failing = true;
  }
}

function snapshotOf({ operators, providers, games }: TenantEntries): Snapshot {
  return {
    operators: new Map(operators.map((entry) => [entry.operatorId, operatorOf(entry)])),
    providers: new Map(providers.map((entry) => [entry.providerId, providerOf(entry)])),
    games: new Map(games.map((entry) => [entry.gameCode, gameOf(entry)])),
  };
}

function answersFrom(snapshot: () => Snapshot): Pick<Tenants, 'operator' | 'provider' | 'game' | 'games'> {
  return {
    operator: (operatorId) => snapshot().operators.get(operatorId),
    provider: (providerId) => snapshot().providers.get(providerId),
    game: (gameCode) => snapshot().games.get(gameCode),
    games: () => [...snapshot().games.values()],
  };
}

async function nothing(): Promise<void> {
  // Tenants in memory need no refresh and no close.
}
