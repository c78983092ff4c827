import type { Logger } from 'pino';
import { createKit } from '../http/kit';
import type { StartLink } from '../http/start-page';
import { listen, type ListenOptions, type RunningServer } from '../http/server';
import { sandboxOperators, type SandboxOperator } from '../tenants';
import { addWalletAdmin } from './admin';
import { Books } from './books';
import { addLaunch } from './launch';
import { addOperatorApi } from './operator-api';

export interface WalletOptions extends ListenOptions {
  /** The operators of this wallet. X-H-AUTH-ID selects one. Default: those of sandbox/tenants.json. */
  operators?: readonly SandboxOperator[] | undefined;
  /** The folder of the ledger's journal. Without it the ledger is lost when the process ends. */
  dataDir?: string | undefined;
  /** The balance of a new player in each currency, in minor units. */
  defaultBalance?: number | undefined;
  /** The largest allowed difference of X-H-TIMESTAMP from the clock. 0 turns the check off. */
  timestampToleranceMs?: number | undefined;
  /** The gameround service, for `GET /launch`. */
  serviceUrl?: string | undefined;
  maxRounds?: number | undefined;
  maxCalls?: number | undefined;
  log?: Logger | undefined;
  now?: (() => Date) | undefined;
  links?: readonly StartLink[] | undefined;
}

export interface SandboxApp {
  /** Listens on the given port, or on a port that the system chooses. */
  start(): Promise<RunningServer>;
}

/** A test operator: a wallet with the rules of docs/interface/operator-api.md, its books, and fault switches. */
export function createWalletApp(options: WalletOptions = {}): SandboxApp {
  return { start: () => startWallet(options) };
}

const OWN_LINKS: readonly StartLink[] = [{ label: 'Play', url: '/launch?redirect=1' }];

async function startWallet(options: WalletOptions): Promise<RunningServer> {
  const operators = options.operators ?? sandboxOperators;
  const kit = createKit({ name: 'wallet', ...options, links: options.links ?? OWN_LINKS });
  const books = await Books.open({
    operators,
    defaultBalance: options.defaultBalance ?? 100_000,
    maxRounds: options.maxRounds ?? 1_000_000,
    dataDir: options.dataDir,
  });
  addOperatorApi({
    kit,
    books,
    operators,
    timestampToleranceMs: options.timestampToleranceMs ?? 300_000,
  });
  addWalletAdmin({ kit, books, operators });
  addLaunch({ kit, operators, serviceUrl: options.serviceUrl ?? 'http://127.0.0.1:8080' });
  kit.app.use(kit.router.routes());
  const handle = kit.app.callback();
  const server = await listen(
    (request, response) => void handle(request, response),
    options,
    () => books.close(),
  );
  return {
    url: server.url,
    close: async () => {
      kit.holds.close();
      await server.close();
    },
  };
}
