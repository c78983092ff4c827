import { createWalletApp, type WalletOptions } from '../sandbox/wallet/wallet';

/* The sandbox's wallet as a process of its own, started by bench/stack.ts: it must not share our event loop. */

const RICH = 1_000_000_000_000;

process.once('message', (options: WalletOptions) => {
  createWalletApp({ ...options, maxCalls: 1_000, maxRounds: 10_000_000, defaultBalance: RICH })
    .start()
    .then(
      ({ url }) => process.send?.({ url }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
});
process.once('disconnect', () => process.exit(0));
