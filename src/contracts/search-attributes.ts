import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { RoundIdentity } from '../domain/round/types';

/** Search attributes of a round. The worker and the local stack register them on the namespace. */
export const OPERATOR_ID = defineSearchAttributeKey('OperatorId', 'KEYWORD');
export const PLAYER_ID = defineSearchAttributeKey('PlayerId', 'KEYWORD');
export const GAME_CODE = defineSearchAttributeKey('GameCode', 'KEYWORD');
export const PROVIDER_ID = defineSearchAttributeKey('ProviderId', 'KEYWORD');
export const CURRENCY = defineSearchAttributeKey('Currency', 'KEYWORD');
/** The marks of a round (`marksOf`). */
export const GAMEROUND_ATTENTION = defineSearchAttributeKey('GameroundAttention', 'KEYWORD_LIST');
/** Of a round with a mark: the money in doubt, in major units of `Currency` (see amountAtRisk), and since when it has a mark. */
export const AMOUNT_AT_RISK = defineSearchAttributeKey('AmountAtRisk', 'DOUBLE');
export const WAITING_SINCE = defineSearchAttributeKey('WaitingSince', 'DATETIME');

export const SEARCH_ATTRIBUTES = [
  OPERATOR_ID,
  PLAYER_ID,
  GAME_CODE,
  PROVIDER_ID,
  CURRENCY,
  GAMEROUND_ATTENTION,
  AMOUNT_AT_RISK,
  WAITING_SINCE,
];

/** Of every round, from its start. */
export function attributesOf(identity: RoundIdentity): SearchAttributePair[] {
  return [
    { key: OPERATOR_ID, value: identity.operatorId },
    { key: PLAYER_ID, value: identity.playerId },
    { key: GAME_CODE, value: identity.gameCode },
    { key: PROVIDER_ID, value: identity.providerId },
    { key: CURRENCY, value: identity.currency },
  ];
}
