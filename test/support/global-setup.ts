import { startTestServers, type TestServers } from './servers';

/** Where global teardown, which jest runs in this same process, finds what was started. */
export interface WithServers {
  gameroundTestServers?: TestServers;
}

export default async function globalSetup(): Promise<void> {
  (globalThis as WithServers).gameroundTestServers = await startTestServers();
}
