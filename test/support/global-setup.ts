import { startTestServers, type TestServers } from './servers';

/** Passes the servers to the global teardown, which jest runs in the same process. */
export interface WithServers {
  gameroundTestServers?: TestServers;
}

export default async function globalSetup(): Promise<void> {
  (globalThis as WithServers).gameroundTestServers = await startTestServers();
}
