import type { ProviderClient } from '../../src/clients/types';
import type { RoundService } from '../../src/commands/types';
import type { RoundReply } from '../../src/contracts/gameround';
import type { ListedRound } from '../../src/domain/round/record';
import type { RoundSnapshot } from '../../src/domain/round/types';
import type { ConfigurationsOfGames, HttpDeps, RoundLists } from '../../src/http/deps';

/* Mocks of the parts behind the HTTP app. */

export type FakeCommands = {
  [Name in keyof RoundService]: jest.MockedFunction<RoundService[Name]>;
};

export interface Pretended {
  lists: { [Name in keyof RoundLists]: jest.MockedFunction<RoundLists[Name]> };
  reconcile: jest.MockedFunction<HttpDeps['reconcile']>;
  doGetGameHistory: jest.MockedFunction<ProviderClient['doGetGameHistory']>;
  gameConfiguration: jest.MockedFunction<ConfigurationsOfGames['get']>;
}

export function pretendedParts(): Pretended {
  const none = () => Promise.resolve([]);
  const unexpected = () => Promise.reject(new Error('not expected in this test'));
  return {
    lists: {
      openRoundsOfPlayer: jest.fn<Promise<ListedRound[]>, Parameters<RoundLists['openRoundsOfPlayer']>>(none),
      openRoundsByGame: jest.fn<Promise<ListedRound[]>, Parameters<RoundLists['openRoundsByGame']>>(none),
      closedRounds: jest.fn<Promise<ListedRound[]>, Parameters<RoundLists['closedRounds']>>(none),
    },
    reconcile: jest.fn<ReturnType<HttpDeps['reconcile']>, Parameters<HttpDeps['reconcile']>>(unexpected),
    doGetGameHistory: jest.fn<
      Promise<Record<string, string>>,
      Parameters<ProviderClient['doGetGameHistory']>
    >(unexpected),
    gameConfiguration: jest.fn<
      ReturnType<ConfigurationsOfGames['get']>,
      Parameters<ConfigurationsOfGames['get']>
    >(unexpected),
  };
}

export function fakeCommands(): FakeCommands {
  const unexpected = <Name extends Exclude<keyof RoundService, 'describeRound'>>(name: Name) =>
    jest.fn<Promise<RoundReply>, Parameters<RoundService[Name]>>(() =>
      Promise.reject(new Error(`${name} is not expected in this test`)),
    );
  return {
    startGameRound: unexpected('startGameRound'),
    addWin: unexpected('addWin'),
    endGameRound: unexpected('endGameRound'),
    collectWin: unexpected('collectWin'),
    voidGameRound: unexpected('voidGameRound'),
    addSpinCounterGameState: unexpected('addSpinCounterGameState'),
    describeRound: jest.fn<Promise<RoundSnapshot | undefined>, [string]>(() => Promise.resolve(undefined)),
  };
}
