import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { ProviderClient } from '../../sdk';
import { createKit } from '../http/kit';
import type { StartLink } from '../http/start-page';
import { listen, type ListenOptions, type RunningServer } from '../http/server';
import { sandboxProviders, type SandboxProvider } from '../tenants';
import { addCallbacks } from './callbacks';
import { addPage } from './page';
import { addPageApi } from './page-api';
import { seededNumbers } from './reels';
import { Table } from './table';
import { Tracer } from './trace';
import { WalletDesk } from './wallet-desk';

export interface GameOptions extends ListenOptions {
  /** The provider of this game. Default: the first of sandbox/tenants.json. */
  provider?: SandboxProvider | undefined;
  /** The address of the gameround service. */
  serviceUrl?: string | undefined;
  /** The source of random numbers: the service's generator (default) or the game's own. */
  rng?: 'service' | 'own' | undefined;
  /** Seed of the game's own generator. The same seed gives the same spins. */
  seed?: number | undefined;
  timestampToleranceMs?: number | undefined;
  /** The address of the sandbox's wallet. With it the page has switches for the wallet's faults. */
  walletUrl?: string | undefined;
  /** Timeout of one call to the service. */
  timeoutMs?: number | undefined;
  /** The most attempts of one call to the service. Default: that of the SDK. */
  maxAttempts?: number | undefined;
  maxCalls?: number | undefined;
  log?: Logger | undefined;
  now?: (() => Date) | undefined;
  links?: readonly StartLink[] | undefined;
}

/** A demo game: the provider's server, the callbacks for the service, and a page for players. */
export function createGameApp(options: GameOptions = {}): { start(): Promise<RunningServer> } {
  return { start: () => startGame(options) };
}

async function startGame(options: GameOptions): Promise<RunningServer> {
  const provider = options.provider ?? sandboxProviders[0];
  const secret = provider?.secrets[0];
  if (provider === undefined || secret === undefined)
    throw new Error('the demo game needs a provider with a secret');
  const { serviceUrl = 'http://127.0.0.1:8080', seed = randomInt(2 ** 32), walletUrl } = options;
  const { timeoutMs, maxAttempts, now } = options;
  const tracer = new Tracer({ providerId: provider.providerId, secret });
  const kit = createKit({ name: 'game', ...options });
  const client = new ProviderClient({
    baseUrl: serviceUrl,
    providerId: provider.providerId,
    secret,
    timeoutMs,
    maxAttempts,
    now,
    debug: tracer.debug,
  });
  const numbers = options.rng === 'own' ? seededNumbers(seed) : 'service';
  const table = new Table({ client, numbers });
  addCallbacks({ kit, table, provider, timestampToleranceMs: options.timestampToleranceMs ?? 300_000 });
  const desk = walletUrl === undefined ? undefined : new WalletDesk(walletUrl);
  addPageApi({ kit, table, client, serviceUrl, tracer, desk });
  addPage(kit);
  kit.app.use(kit.router.routes());
  const handle = kit.app.callback();
  const server = await listen((request, response) => void handle(request, response), options);
  return {
    url: server.url,
    close: async () => {
      kit.holds.close();
      await server.close();
    },
  };
}
