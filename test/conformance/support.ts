import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { WalletRound, WalletState } from '../../sdk';
import type * as sdkWallet from '../../sdk/wallet';
import { loadPatched, type Patches } from './patched';

/* The SDK’s wallet kit at work, with changes in its sources. */

export const OPERATOR = {
  operatorId: 'op1',
  secrets: ['sandbox-only-operator-secret-op1', 'the-second-secret'],
};

interface Storage {
  balances: Map<string, number>;
  rounds: Map<string, WalletRound>;
}

type Transact = sdkWallet.WalletOptions['transact'];

export const atomic =
  (storage: Storage): Transact =>
  (key, change) =>
    Promise.resolve(write(storage, key, change(read(storage, key))));

/** Other calls come between the read and the write. */
export const torn =
  (storage: Storage): Transact =>
  async (key, change) => {
    const before = read(storage, key);
    await setTimeout(50);
    write(storage, key, change(before));
  };

/** The same, but the balance is changed by an increment. */
export const tornWithIncrement =
  (storage: Storage): Transact =>
  async (key, change) => {
    const before = read(storage, key);
    await setTimeout(50);
    const { balance = 0, round } = change(before);
    write(storage, key, {
      round,
      balance: (read(storage, key).balance ?? 0) + balance - (before.balance ?? 0),
    });
  };

type Key = Parameters<Transact>[0];

const accountOf = ({ playerId, currency }: Key): string => `${playerId} ${currency}`;

function read({ balances, rounds }: Storage, key: Key): WalletState {
  return { balance: balances.get(accountOf(key)), round: rounds.get(key.gameRound) };
}

function write({ balances, rounds }: Storage, key: Key, { balance, round }: WalletState): void {
  if (balance !== undefined) balances.set(accountOf(key), balance);
  if (round === undefined) rounds.delete(key.gameRound);
  else rounds.set(key.gameRound, round);
}

export interface RunningWallet {
  url: string;
  close: () => void;
}

export async function kitWallet(patches: Patches = {}, transact = atomic): Promise<RunningWallet> {
  const { createWallet } = loadPatched<typeof sdkWallet>('sdk/wallet.ts', patches);
  const storage: Storage = { balances: new Map([['alice EUR', 10_000]]), rounds: new Map() };
  const { balances } = storage;
  const wallet = createWallet({
    ...OPERATOR,
    balance: ({ playerId, currency }) => Promise.resolve(balances.get(`${playerId} ${currency}`)),
    transact: transact(storage),
    onError: (error) => {
      throw error;
    },
  });
  const server: Server = createServer(wallet.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
