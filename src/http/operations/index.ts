import type { Operation } from './operation';
import * as gameEngine from './game-engine';
import * as operator from './operator';
import * as others from './player-and-service';

export { CALLBACKS, type Callback } from './callbacks';
export { COMMON_ERRORS, type Caller, type MediaType, type Operation } from './operation';

/** Every operation that the service answers, in the order in which they are read. */
export const OPERATIONS: readonly Operation[] = [
  gameEngine.startGameRound,
  gameEngine.addWin,
  gameEngine.collectWin,
  gameEngine.endGameRound,
  gameEngine.voidGameRound,
  gameEngine.getGameRoundInfo,
  gameEngine.getUncollectedAmount,
  gameEngine.getOpenGameRounds,
  gameEngine.getOpenGameRoundsByGame,
  gameEngine.getLastGameRounds,
  gameEngine.getGameRoundHistoryInfo,
  gameEngine.addSpinCounterGameState,
  gameEngine.getAvailableSpinCounter,
  gameEngine.getBalance,
  gameEngine.getTokenData,
  gameEngine.getTokenForGameRound,
  gameEngine.getRandomResult,
  gameEngine.testPing,
  operator.getGameURL,
  operator.registerPlayer,
  operator.getGameRoundDetails,
  operator.getGameRoundReport,
  operator.reconcileTransactions,
  operator.getGameConfiguration,
  operator.getGameList,
  operator.getGameListOfBackoffice,
  others.connect,
  others.refresh,
  others.logout,
  others.healthLive,
  others.healthReady,
  others.openapi,
  others.docs,
  others.docsFile,
];
