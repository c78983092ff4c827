import type { Endpoint } from '../endpoint';
import * as documentation from './documentation';
import { getGameURL } from './get-game-url';
import { getRandomResult } from './get-random-result';
import * as health from './health';
import * as history from './history';
import * as operator from './operator';
import * as operatorRounds from './operator-rounds';
import * as player from './player';
import * as reads from './reads';
import * as rounds from './round-commands';
import { testPing } from './test-ping';

/** Every endpoint of the service, in the order in which they are read. */
export const ENDPOINTS: readonly Endpoint[] = [
  rounds.startGameRound,
  rounds.addWin,
  rounds.collectWin,
  rounds.endGameRound,
  rounds.voidGameRound,
  reads.getGameRoundInfo,
  reads.getUncollectedAmount,
  history.getOpenGameRounds,
  history.getOpenGameRoundsByGame,
  history.getLastGameRounds,
  history.getGameRoundHistoryInfo,
  rounds.addSpinCounterGameState,
  rounds.getAvailableSpinCounter,
  reads.getBalance,
  reads.getTokenData,
  reads.getTokenForGameRound,
  getRandomResult,
  testPing,
  getGameURL,
  operator.registerPlayer,
  operatorRounds.getGameRoundDetails,
  operatorRounds.getGameRoundReport,
  operatorRounds.reconcileTransactions,
  operator.getGameConfiguration,
  operator.getGameList,
  operator.getGameListOfBackoffice,
  player.connect,
  player.refresh,
  player.logout,
  health.healthLive,
  health.healthReady,
  documentation.openapi,
  documentation.docs,
  documentation.docsFile,
];
