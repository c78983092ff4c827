import { createWalletApp, type WalletOptions } from '../sandbox/wallet/wallet';

/* The sandbox's wallet in its own process, so that it does not share our event loop. bench/stack.ts starts it. */

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
