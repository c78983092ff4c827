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

/** docs/interface#game-configuration for operators, without `winlineCount`. Amounts are in minor units. */
export interface OperatorGameConfiguration {
  config: OperatorConfiguration;
  gameCode: string;
}

export interface GameConfigurations {
  /**
   * A game's configuration in one of the operator's currencies, at most `maxAgeMs` old. While the provider does not respond
   * or its reply is wrong, it may be up to `maxStaleMs` old. The stakes are passed through unchanged.
   * @throws RefusedError 400 INVALIDREQUEST (the operator doesn't have the currency); 502 GAMEPROVIDERUNAVAILABLE with the
   * reason
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
  monotonicNow?: MonotonicClock | undefined;
  maxAgeMs?: number;
  maxStaleMs?: number;
  maxEntries?: number;
}

interface Known {
  config: GameConfiguration;
  /** When the provider sent it. */
  at: number;
  /** The provider is not asked again before this time. */
  askAfter: number;
}

const MAX_AGE_MS = 5 * 60_000;
const MAX_STALE_MS = 60 * 60_000;
const MAX_ENTRIES = 2_000;
/** After a failure, use the older configuration for this long before asking the provider again. */
const PAUSE_MS = 5_000;

export function createGameConfigurations(options: GameConfigurationOptions): GameConfigurations {
  const { provider, providerOf, logger, monotonicNow = () => performance.now() } = options;
  const { maxAgeMs = MAX_AGE_MS, maxStaleMs = MAX_STALE_MS, maxEntries = MAX_ENTRIES } = options;
  const cache = new LRUCache<string, Known>({ max: maxEntries });
  /** Concurrent calls for the same entry share one request. */
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

/** A copy for the operator. The provider does not know which operator asks, so `operator` is set here. */
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

/** The client's errors contain no address or payload, so their text may be passed on. */
function unavailable(error: unknown): Error {
  const why = error instanceof Error ? error.message.slice(0, 200) : 'it can’t be asked';
  return refuseBecause(error, 'GAMEPROVIDERUNAVAILABLE', why);
}
