import * as replies from '../schemas/operator-replies';
import * as requests from '../schemas/operator';
import { operation } from './operation';

/* Operator-facing calls (docs/interface#operator-calls). */

export const getGameURL = operation({
  ...({ method: 'post', path: '/getGameURL', caller: 'operator' } as const),
  summary: 'A launch URL: one use, within 60 seconds',
  description:
    'An unknown player is registered; `playerdetails` are added to what is known of the player. `mode` demo needs no ' +
    'playerId, `mode` history the `gameround` to be shown.',
  request: requests.getGameURL,
  signed: ['playerId?', 'currency', 'gameCode', 'mode'],
  replies: { 200: replies.launchReply },
  errors: ['GAMENOTFOUND', 'GAMEROUNDNOTFOUND', 'GAMEROUNDOPEN'],
});

export const registerPlayer = operation({
  ...({ method: 'post', path: '/registerPlayer', caller: 'operator' } as const),
  summary: 'Registers a player, or adds to what is known of one',
  request: requests.registerPlayer,
  signed: ['playerId'],
  replies: { 200: replies.registerReply },
  errors: [],
});

export const reconcileTransactions = operation({
  ...({ method: 'post', path: '/reconcileTransactions', caller: 'operator' } as const),
  summary: 'Sends every transaction of a gameround again',
  description:
    'In one doTransactions call, with the original hashes; an open round is closed first. The reply mirrors the ' +
    'operator’s answer: its refusal is 400 with its own errorCode, no answer 502. Where nothing was ever accepted there ' +
    'is no call and an empty list. Repeats are harmless.',
  request: requests.reconcileTransactions,
  signed: ['gameRound'],
  replies: { 200: replies.reconcileReply },
  refused: replies.refusedReconcileReply,
  errors: ['GAMEROUNDNOTFOUND', 'MODENOTALLOWED', 'WALLETUNAVAILABLE', 'OPERATIONBEINGPROCESSED'],
});

export const getGameRoundDetails = operation({
  ...({ method: 'get', path: '/getGameRoundDetails', caller: 'operator' } as const),
  summary: 'The record of a player’s gameround',
  request: requests.playerAndRound,
  signed: ['playerId', 'gameRound'],
  replies: { 200: replies.detailsReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getGameRoundReport = operation({
  ...({ method: 'post', path: '/getGameRoundReport', caller: 'operator' } as const),
  summary: 'What doGameRoundReport tells of a gameround',
  request: requests.playerAndRound,
  signed: ['playerId', 'gameRound'],
  replies: { 200: replies.reportReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getGameConfiguration = operation({
  ...({ method: 'get', path: '/backoffice/getGameConfiguration', caller: 'operator' } as const),
  summary: 'A game’s configuration in a currency of the operator',
  request: requests.getGameConfiguration,
  signed: ['gameCode', 'currency'],
  replies: { 200: replies.operatorConfiguration },
  errors: ['GAMENOTFOUND', 'GAMEPROVIDERUNAVAILABLE'],
});

const gameList = {
  ...({ method: 'get', caller: 'operator' } as const),
  request: requests.noFields,
  signed: [],
  replies: { 200: replies.gameListReply },
  errors: [],
};
export const getGameList = operation({ ...gameList, path: '/getGameList', summary: 'All games' });
export const getGameListOfBackoffice = operation({
  ...{ ...gameList, path: '/backoffice/getGameList' },
  summary: 'All games, as getGameList',
});
