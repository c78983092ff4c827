import { defineSearchAttributeKey } from '@temporalio/common';

/** What operations people search for; registered on the namespace by the worker and the embedded stack. */
export const OPERATOR_ID = defineSearchAttributeKey('OperatorId', 'KEYWORD');
export const PLAYER_ID = defineSearchAttributeKey('PlayerId', 'KEYWORD');
export const GAME_CODE = defineSearchAttributeKey('GameCode', 'KEYWORD');
export const PROVIDER_ID = defineSearchAttributeKey('ProviderId', 'KEYWORD');
/** Why somebody should look at the round; see ATTENTIONS. */
export const GAMEROUND_ATTENTION = defineSearchAttributeKey('GameroundAttention', 'KEYWORD_LIST');

export const SEARCH_ATTRIBUTES = [OPERATOR_ID, PLAYER_ID, GAME_CODE, PROVIDER_ID, GAMEROUND_ATTENTION];
