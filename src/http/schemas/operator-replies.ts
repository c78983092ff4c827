import { z } from 'zod';
import {
  BOOLEAN_SETTINGS,
  NUMBER_LIST_SETTINGS,
  NUMBER_SETTINGS,
  STRING_LIST_SETTINGS,
  STRING_SETTINGS,
} from '../../domain/game-settings';
import { configurationFields } from '../../game-configuration/read';
import {
  balance,
  errorObject,
  freeForm,
  freePlay,
  instant,
  money,
  recordTransaction,
  roundStatus,
  text,
  tokenData,
} from './replies';

/* Replies to operators and to players' pages, and the shapes that our own calls share with them. */

const number = z.number();

/** docs/interface#round-record, with two additional entries: `crashed` and `dataStored`. */
export const gameroundRecord = z.object({
  hash: text,
  player: text,
  mode: text,
  game: text,
  operator: text,
  status: roundStatus,
  language: text,
  currency: text,
  environment: text,
  timestamp: instant,
  totalBetAmount: money,
  totalWinAmount: money,
  transactions: z.array(recordTransaction),
  crashed: z.literal(true).exactOptional().meta({ description: 'The round needs a reconciliation.' }),
  dataStored: freeForm.exactOptional().meta({ description: 'The reply of the provider to getGameResult.' }),
});

/** docs/interface#round-detail */
export const gameRoundDetail = gameroundRecord.extend({
  transactions: z.array(
    recordTransaction.extend({ payed: money.exactOptional(), balanceAfter: number.exactOptional() }),
  ),
  baseStake: number,
  totalPayedAmount: money,
  dataStored: freeForm,
  ticketUsed: z.boolean(),
  balanceAfter: number.exactOptional(),
});

export const hashProcessed = z.object({ hash: text, errorCode: errorObject.exactOptional() });

export const reconcileReply = z.object({
  gameRound: gameroundRecord,
  hashesProcessed: z.array(hashProcessed),
  balance: number
    .exactOptional()
    .meta({ description: 'Sum of the balances in the operator’s reply, minor units.' }),
  currency: text,
  mode: text,
});
export const refusedReconcileReply = reconcileReply.partial().extend({ errorCode: errorObject });

export const detailsReply = z.object({ gameRound: gameroundRecord });
export const reportReply = z.object({ gameRoundDetail });

const configEntries = configurationFields({ stakes: z.array(money).min(1), text, number, amount: number });

/** docs/interface#game-configuration: stakes and limits include the currency multiplier, in minor units. */
export const operatorConfig = z.object(configEntries).catchall(z.unknown());
export const providerConfig = z
  .object({ ...configEntries, winlineCount: number.exactOptional() })
  .catchall(z.unknown());
export const operatorConfiguration = z.object({ config: operatorConfig, gameCode: text });
export const providerConfiguration = z.object({ config: providerConfig, gameCode: text });

export const launchReply = z.object({ url: text, isNew: z.boolean(), internalPlayerId: text });
export const registerReply = z.object({ internalPlayerId: text, isNew: z.boolean() });
export const gameListReply = z.object({
  gameList: freeForm,
  extendedGameList: z.record(z.string(), z.object({ name: text, studio: text })),
});

const all = <Value extends z.ZodType>(names: readonly string[], value: Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value]));

/** docs/interface#game-settings: a reply always has all settings. */
export const gameSettings = z.object({
  ...all(BOOLEAN_SETTINGS, z.boolean()),
  ...all(NUMBER_SETTINGS, number),
  ...all(STRING_SETTINGS, text),
  ...all(NUMBER_LIST_SETTINGS, z.array(number)),
  ...all(STRING_LIST_SETTINGS, z.array(text)),
});

export const connectReply = z.object({
  token: text.meta({ description: 'The token of the session.' }),
  backendUrl: text,
  refreshUrl: text,
  logoutUrl: text,
  balance,
  gameSettings,
  tokenData,
  freePlaysAvailable: z.array(freePlay),
  gameHistory: freeForm.exactOptional().meta({
    description: 'Only in history mode, for games with `historyCallback`: the reply to doGetGameHistory.',
  }),
});
export const refreshReply = z.object({ token: text, tokenData });
export const emptyReply = z.object({});

export const liveReply = z.object({ status: z.literal('live') });
export const readyReply = z.object({
  status: z.enum(['ready', 'degraded', 'unavailable']),
  missing: z.array(z.enum(['temporal', 'mongodb', 'worker'])),
});
