import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RunningServer } from '../sandbox/http/server';
import { startE2eStack, type E2eOptions, type E2eStack, type E2eWallet } from '../test/support/e2e-stack';

/** The whole service as processes on this machine, the wallet included, as the end-to-end tests start it. */
export function startBenchStack({
  bareWallet = false,
  ...options
}: Omit<E2eOptions, 'startWallet' | 'startGame'> & {
  /** True: a wallet that uses almost no time (bare-wallet.ts). Default: the sandbox's wallet. */
  bareWallet?: boolean;
} = {}): Promise<E2eStack> {
  return startE2eStack({
    operators: [{ operatorId: 'op1', walletTimeout: '5s', gameRoundReport: false }],
    ...options,
    env: { LOG_LEVEL: 'warn', MALLOC_ARENA_MAX: '2', ...options.env },
    startWallet: (wallet) => startWallet(bareWallet ? './bare-wallet' : './wallet', wallet),
    startGame: () => Promise.resolve(NO_GAME),
  });
}

/** No game server runs: the benches need no game page, and no round is auto-closed. */
const NO_GAME: RunningServer = { url: 'http://127.0.0.1:9', close: () => Promise.resolve() };

async function startWallet(script: string, options: E2eWallet): Promise<RunningServer> {
  const child = fork(require.resolve(script), { stdio: 'inherit' });
  const exited = once(child, 'exit');
  child.send(options);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    close: async () => {
      child.disconnect();
      await exited;
    },
  };
}

/** Runs a bench. `stopped` is aborted at Ctrl-C or SIGTERM. Exit code 0 if every criterion passed, otherwise 1. */
export function runBench(main: (stopped: AbortSignal) => Promise<boolean>): void {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
  main(stop.signal).then(
    (passed) => process.exit(passed ? 0 : 1),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
