import { defineSearchAttributeKey } from '@temporalio/common';

/** Search attributes of a round. The worker and the local stack register them on the namespace. */
export const OPERATOR_ID = defineSearchAttributeKey('OperatorId', 'KEYWORD');
export const PLAYER_ID = defineSearchAttributeKey('PlayerId', 'KEYWORD');
export const GAME_CODE = defineSearchAttributeKey('GameCode', 'KEYWORD');
export const PROVIDER_ID = defineSearchAttributeKey('ProviderId', 'KEYWORD');
/** The marks of a round that needs attention; see ATTENTIONS. */
export const GAMEROUND_ATTENTION = defineSearchAttributeKey('GameroundAttention', 'KEYWORD_LIST');

export const SEARCH_ATTRIBUTES = [OPERATOR_ID, PLAYER_ID, GAME_CODE, PROVIDER_ID, GAMEROUND_ATTENTION];
