import type { WithServers } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as WithServers).gameroundTestServers?.stop();
}
