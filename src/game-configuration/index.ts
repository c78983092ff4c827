import { LRUCache } from 'lru-cache';
import type { ProviderAddress, ProviderClient } from '../clients/types';
import { refuse, refuseBecause } from '../domain/errors';
import type { Logger } from '../logging';
import type { GameDefinition, OperatorSettings } from '../tenants';
import {
  readConfiguration,
  type ConfigurationQuery,
  type GameConfiguration,
  type OperatorConfiguration,
} from './read';
import type { MonotonicClock } from '../domain/time';

export type { OperatorConfiguration } from './read';

/** docs/interface#game-configuration, the version for operators: without `winlineCount`. Amounts in minor units. */
export interface OperatorGameConfiguration {
  config: OperatorConfiguration;
  gameCode: string;
}

export interface GameConfigurations {
  /**
   * A game's configuration in one of the operator's currencies, at most `maxAgeMs` old; older, up to `maxStaleMs`, only
   * while the provider can't be asked or answers wrongly. The stakes are the provider's, to the unit.
   * @throws RefusedError 400 INVALIDREQUEST (a currency the operator doesn't have); 502 GAMEPROVIDERUNAVAILABLE naming
   * what is wrong
   */
  get(
    operator: Pick<OperatorSettings, 'operatorId' | 'currencies'>,
    game: Pick<GameDefinition, 'gameCode' | 'providerId'>,
    currency: string,
  ): Promise<OperatorGameConfiguration>;
}

export interface GameConfigurationOptions {
  provider: Pick<ProviderClient, 'getGameConfiguration'>;
  providerOf: (providerId: string) => ProviderAddress | undefined;
  logger?: Pick<Logger, 'warn'>;
  monotonicNow?: MonotonicClock;
  maxAgeMs?: number;
  maxStaleMs?: number;
  maxEntries?: number;
}

interface Known {
  config: GameConfiguration;
  /** When it was told. */
  at: number;
  /** Not asked again before: the provider has just failed. */
  askAfter: number;
}

const MAX_AGE_MS = 5 * 60_000;
const MAX_STALE_MS = 60 * 60_000;
const MAX_ENTRIES = 2_000;
/** A provider that is down is not asked for every call that something older can answer. */
const PAUSE_MS = 5_000;

export function createGameConfigurations(options: GameConfigurationOptions): GameConfigurations {
  const { provider, providerOf, logger, monotonicNow = () => performance.now() } = options;
  const { maxAgeMs = MAX_AGE_MS, maxStaleMs = MAX_STALE_MS, maxEntries = MAX_ENTRIES } = options;
  const cache = new LRUCache<string, Known>({ max: maxEntries });
  /** One question at a time for each entry; bounded by the games and currencies of the tenants. */
  const asking = new Map<string, Promise<GameConfiguration>>();

  async function ask(key: string, providerId: string, query: ConfigurationQuery): Promise<GameConfiguration> {
    const address = providerOf(providerId);
    if (address === undefined) throw refuse('GAMEPROVIDERUNAVAILABLE', 'the provider is not known');
    const body = await provider.getGameConfiguration(address, query).catch((error: unknown) => {
      throw unavailable(error);
    });
    const read = readConfiguration(body, query);
    if ('fault' in read)
      throw refuse('GAMEPROVIDERUNAVAILABLE', `malformed game configuration: ${read.fault}`);
    const at = monotonicNow();
    cache.set(key, { config: read.config, at, askAfter: at + maxAgeMs });
    return read.config;
  }

  function askOnce(key: string, providerId: string, query: ConfigurationQuery): Promise<GameConfiguration> {
    const running = asking.get(key);
    if (running !== undefined) return running;
    const started = ask(key, providerId, query).finally(() => asking.delete(key));
    asking.set(key, started);
    return started;
  }

  async function current(providerId: string, query: ConfigurationQuery): Promise<GameConfiguration> {
    const key = JSON.stringify([providerId, query.gameCode, query.currency, query.currencyMultiplier]);
    const known = cache.get(key);
    const isUsable = known !== undefined && monotonicNow() - known.at < maxStaleMs;
    if (isUsable && monotonicNow() < known.askAfter) return known.config;
    try {
      return await askOnce(key, providerId, query);
    } catch (error) {
      if (!isUsable || monotonicNow() - known.at >= maxStaleMs) throw error;
      known.askAfter = monotonicNow() + PAUSE_MS;
      logger?.warn({ error, providerId, gameCode: query.gameCode }, 'an older game configuration is used');
      return known.config;
    }
  }

  return {
    async get(operator, game, currency) {
      const multiplier = Object.hasOwn(operator.currencies, currency)
        ? operator.currencies[currency]
        : undefined;
      if (multiplier === undefined) {
        throw refuse('INVALIDREQUEST', 'currency is not configured for this operator');
      }
      const { gameCode, providerId } = game;
      const config = await current(providerId, { currency, currencyMultiplier: multiplier, gameCode });
      return { config: forOperator(config, operator.operatorId), gameCode };
    },
  };
}

/** A copy of its own. The provider was not told who asks: what it may have named as operator is put right. */
function forOperator(
  { winlineCount: _winlineCount, ...config }: GameConfiguration,
  operatorId: string,
): OperatorConfiguration {
  return {
    ...config,
    stakes: [...config.stakes],
    ...(config.operator === undefined ? {} : { operator: operatorId }),
  };
}

/** The client's own errors say what happened, without address or payload. */
function unavailable(error: unknown): Error {
  const why = error instanceof Error ? error.message.slice(0, 200) : 'it can’t be asked';
  return refuseBecause(error, 'GAMEPROVIDERUNAVAILABLE', why);
}
