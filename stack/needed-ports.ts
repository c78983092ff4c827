import { setTimeout as sleep } from 'node:timers/promises';
import type { StackConfig } from './config';
import { isPortFree } from './ports';
import { UserError } from './user-error';

interface Needed {
  readonly port: number;
  readonly host: string;
  readonly what: string;
  readonly remedy: string;
}

const LOCAL = '127.0.0.1';
const TRIES = 10;
const PAUSE_MS = 200;

/** @throws UserError with a line for each port that is in use or configured twice */
export async function requireFreePorts(config: StackConfig): Promise<void> {
  const all = needed(config);
  const free = await Promise.all(all.map(({ port, host }) => isFreeSoon(port, host)));
  const taken = all
    .filter((_, at) => free[at] === false)
    .map(({ port, what, remedy }) => {
      return `Port ${port}, needed for ${what}, is in use. End the program that holds it, or ${remedy}.`;
    });
  const twice = all
    .filter(({ port }, at) => all.findIndex((other) => other.port === port) !== at)
    .map(
      ({ port, what, remedy }) =>
        `Port ${port}, needed for ${what}, is given to something else too: ${remedy}.`,
    );
  if (taken.length + twice.length > 0) throw new UserError([...taken, ...twice].join('\n'));
}

/** Tries several times: the port of a program that has just ended becomes free a moment later. */
async function isFreeSoon(port: number, host: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await isPortFree(port, host)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

function needed(config: StackConfig): Needed[] {
  const { host, port } = config.service.http;
  const list: Needed[] = [{ port, host, what: 'the API', remedy: 'set PORT to a free one' }];
  const { admin } = config.service;
  if (admin.port !== 0) {
    list.push({ ...admin, what: 'health and metrics', remedy: 'set ADMIN_PORT to a free one' });
  }
  if (config.externalTemporal === undefined) {
    list.push(
      { port: config.temporalPort, host: LOCAL, what: 'Temporal', remedy: 'set TEMPORAL_PORT to a free one' },
      {
        port: config.temporalUiPort,
        host: LOCAL,
        what: 'Temporal Web',
        remedy: 'set TEMPORAL_UI_PORT to a free one',
      },
    );
  }
  if (config.codecServer !== undefined) {
    const { host: at, port: wanted } = config.service.codecServer;
    const remedy = 'set CODEC_SERVER_PORT to a free one';
    list.push({ port: wanted, host: at, what: 'the codec server', remedy });
  }
  if (config.externalMongodb === undefined) {
    list.push({
      port: config.mongodbPort,
      host: LOCAL,
      what: 'MongoDB',
      remedy: 'set MONGODB_PORT to a free one',
    });
  }
  if (config.sandbox) {
    const orOff = 'to a free one or leave the sandbox out with SANDBOX=off';
    const { walletPort, gamePort } = config.sandbox;
    list.push(
      {
        port: walletPort,
        host: LOCAL,
        what: 'the sandbox wallet',
        remedy: `set SANDBOX_WALLET_PORT ${orOff}`,
      },
      { port: gamePort, host: LOCAL, what: 'the demo game', remedy: `set SANDBOX_GAME_PORT ${orOff}` },
    );
  }
  return list;
}
