import * as replies from '../schemas/operator-replies';
import * as requests from '../schemas/operator';
import { operation } from './operation';

/* Operator-facing calls (docs/interface#operator-calls). */

export const getGameURL = operation({
  ...({ method: 'post', path: '/getGameURL', caller: 'operator' } as const),
  summary: 'Returns a launch URL, valid once within 60 seconds',
  description:
    'Registers an unknown player. `playerdetails` update the stored details of the player. `playerId` is optional in ' +
    '`mode` demo. `gameround` names the round to show and is required in `mode` history.',
  request: requests.getGameURL,
  signed: ['playerId?', 'currency', 'gameCode', 'mode'],
  replies: { 200: replies.launchReply },
  errors: ['GAMENOTFOUND', 'GAMEROUNDNOTFOUND', 'GAMEROUNDOPEN'],
});

export const registerPlayer = operation({
  ...({ method: 'post', path: '/registerPlayer', caller: 'operator' } as const),
  summary: 'Registers a player, or updates the player’s details',
  request: requests.registerPlayer,
  signed: ['playerId'],
  replies: { 200: replies.registerReply },
  errors: [],
});

export const reconcileTransactions = operation({
  ...({ method: 'post', path: '/reconcileTransactions', caller: 'operator' } as const),
  summary: 'Sends all transactions of a gameround to the wallet again',
  description:
    'One doTransactions call carries all transactions with their original hashes. An open round is closed first. If the ' +
    'operator refuses the call, the reply is 400 with the operator’s own errorCode. If the operator does not respond, it is ' +
    '502. If no transaction was ever accepted, there is no call and `hashesProcessed` is empty. The call can be repeated ' +
    'safely.',
  request: requests.reconcileTransactions,
  signed: ['gameRound'],
  replies: { 200: replies.reconcileReply },
  refused: replies.refusedReconcileReply,
  errors: ['GAMEROUNDNOTFOUND', 'MODENOTALLOWED', 'WALLETUNAVAILABLE', 'OPERATIONBEINGPROCESSED'],
});

export const getGameRoundDetails = operation({
  ...({ method: 'get', path: '/getGameRoundDetails', caller: 'operator' } as const),
  summary: 'Returns the record of a player’s gameround',
  request: requests.playerAndRound,
  signed: ['playerId', 'gameRound'],
  replies: { 200: replies.detailsReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getGameRoundReport = operation({
  ...({ method: 'post', path: '/getGameRoundReport', caller: 'operator' } as const),
  summary: 'Returns the report of a gameround, as doGameRoundReport sends it',
  request: requests.playerAndRound,
  signed: ['playerId', 'gameRound'],
  replies: { 200: replies.reportReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getGameConfiguration = operation({
  ...({ method: 'get', path: '/backoffice/getGameConfiguration', caller: 'operator' } as const),
  summary: 'Returns the configuration of a game in a currency of the operator',
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
export const getGameList = operation({ ...gameList, path: '/getGameList', summary: 'Returns all games' });
export const getGameListOfBackoffice = operation({
  ...{ ...gameList, path: '/backoffice/getGameList' },
  summary: 'Returns all games, as getGameList does',
});
