import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { createGameApp } from './game/game';
import type { RunningServer } from './http/server';
import { startLinks } from './http/start-page';
import { createWalletApp } from './wallet/wallet';

/** Composition root of the sandbox: wallet and game in one process. It runs until a signal or the end of its parent. */
const port = (preset: number) => z.coerce.number().int().min(0).max(65_535).default(preset);
const environment = z.object({
  SANDBOX_WALLET_PORT: port(9001),
  SANDBOX_GAME_PORT: port(9002),
  SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_RNG: z.enum(['service', 'own']).default('service'),
  /** Default: this machine, with the port in PORT. */
  SERVICE_URL: z.url().optional(),
  PORT: port(8080),
  DATA_DIR: z.string().min(1).default('.data'),
  LOG_LEVEL: z.string().min(1).default('info'),
  START_LINKS: z.string().default(''),
});

async function main(): Promise<void> {
  const parsed = environment.safeParse(process.env);
  if (!parsed.success) {
    process.stderr.write(`sandbox: ${z.prettifyError(parsed.error)}\n`);
    process.exitCode = 1;
    return;
  }
  const env = parsed.data;
  const log = pino({ level: env.LOG_LEVEL, base: { process: 'sandbox' } });
  const serviceUrl = (env.SERVICE_URL ?? `http://127.0.0.1:${env.PORT}`).replace(/\/$/, '');
  const shared = {
    host: env.SANDBOX_HOST,
    serviceUrl,
    log,
    links: env.START_LINKS === '' ? undefined : startLinks(env.START_LINKS),
  };
  const wallet = await createWalletApp({
    ...shared,
    port: env.SANDBOX_WALLET_PORT,
    dataDir: join(env.DATA_DIR, 'sandbox'),
  }).start();
  const game = await createGameApp({
    ...shared,
    port: env.SANDBOX_GAME_PORT,
    rng: env.SANDBOX_RNG,
    walletUrl: wallet.url,
  }).start();
  log.info({ wallet: wallet.url, game: game.url, service: serviceUrl }, 'sandbox ready');
  process.send?.({ type: 'ready', wallet: wallet.url, game: game.url });
  stopWhenAsked([game, wallet]);
}

/**
 * Closes the servers and ends the process. Further signals have no effect: Ctrl-C reaches the whole process group and the
 * parent sends a signal, too. The servers close within about a second.
 */
function stopWhenAsked(servers: RunningServer[]): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void Promise.allSettled(servers.map((server) => server.close())).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
