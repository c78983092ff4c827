import type { z } from 'zod';
import type * as sdk from '../../sdk';
import type * as replies from '../../src/http/schemas/replies';
import type * as operatorReplies from '../../src/http/schemas/operator-replies';

/*
 * The SDK's types of successful replies are those of the service: what is always there is not optional, what may be missing
 * is. The compiler says so (`npm run check`): each can stand for the other.
 */

type Same<Sdk, Schema extends z.ZodType> = [Sdk, z.output<Schema>] extends [z.output<Schema>, Sdk]
  ? true
  : false;
type Replies = typeof replies;
type OperatorReplies = typeof operatorReplies;
type Reply<Call extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Call>>;
type Provider = sdk.ProviderClient;
type Operator = sdk.OperatorClient;

const SAME = {
  startGameRound: true satisfies Same<Reply<Provider['startGameRound']>, Replies['gameReply']>,
  addWin: true satisfies Same<Reply<Provider['addWin']>, Replies['gameReply']>,
  endGameRound: true satisfies Same<Reply<Provider['endGameRound']>, Replies['gameReply']>,
  collectWin: true satisfies Same<Reply<Provider['collectWin']>, Replies['gameReply']>,
  addSpinCounterGameState: true satisfies Same<
    Reply<Provider['addSpinCounterGameState']>,
    Replies['spinCounterReply']
  >,
  getAvailableSpinCounter: true satisfies Same<
    Reply<Provider['getAvailableSpinCounter']>,
    Replies['availableSpinsReply']
  >,
  getGameRoundInfo: true satisfies Same<Reply<Provider['getGameRoundInfo']>, Replies['roundInfoReply']>,
  getGameRoundHistoryInfo: true satisfies Same<
    Reply<Provider['getGameRoundHistoryInfo']>,
    Replies['historyReply']
  >,
  getBalance: true satisfies Same<Reply<Provider['getBalance']>, Replies['balance']>,
  getTokenForGameRound: true satisfies Same<
    Reply<Provider['getTokenForGameRound']>,
    Replies['tokenDataReply']
  >,
  getTokenData: true satisfies Same<Reply<Provider['getTokenData']>, Replies['tokenDataReply']>,
  getUncollectedAmount: true satisfies Same<
    Reply<Provider['getUncollectedAmount']>,
    Replies['uncollectedReply']
  >,
  getOpenGameRounds: true satisfies Same<Reply<Provider['getOpenGameRounds']>, Replies['openRoundsReply']>,
  getOpenGameRoundsByGame: true satisfies Same<
    Reply<Provider['getOpenGameRoundsByGame']>,
    Replies['openRoundsReply']
  >,
  getLastGameRounds: true satisfies Same<Reply<Provider['getLastGameRounds']>, Replies['lastRoundsReply']>,
  getRandomResult: true satisfies Same<Reply<Provider['getRandomResult']>, Replies['randomReply']>,
  getGameURL: true satisfies Same<Reply<Operator['getGameURL']>, OperatorReplies['launchReply']>,
  registerPlayer: true satisfies Same<Reply<Operator['registerPlayer']>, OperatorReplies['registerReply']>,
  reconcileTransactions: true satisfies Same<
    Reply<Operator['reconcileTransactions']>,
    OperatorReplies['reconcileReply']
  >,
  getGameRoundDetails: true satisfies Same<
    Reply<Operator['getGameRoundDetails']>,
    OperatorReplies['detailsReply']
  >,
  getGameRoundReport: true satisfies Same<
    Reply<Operator['getGameRoundReport']>,
    OperatorReplies['reportReply']
  >,
  getGameList: true satisfies Same<Reply<Operator['getGameList']>, OperatorReplies['gameListReply']>,
};

test('every call whose reply has fields of its own is compared', () => {
  expect(Object.keys(SAME)).toHaveLength(22);
});
