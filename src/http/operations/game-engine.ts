import * as replies from '../schemas/replies';
import * as requests from '../schemas/game-engine';
import { COMMAND_ERRORS, operation, ROUND_ERRORS, TOKEN_ERRORS } from './operation';

const { refusedGameReply } = replies;

/* The game-engine API: calls of game providers (docs/interface#game-engine-api). */

export const startGameRound = operation({
  ...({ method: 'post', path: '/startGameRound', caller: 'provider' } as const),
  summary: 'Debits the bet and opens a gameround',
  description:
    'With `endGame` the winnings are credited and the round is closed in the same call; with `closeOpenGame` an open ' +
    'round of the player in this game is collected and closed first. The round is named by ' +
    '`externalGameProviderRoundId`, else `rngResult.rngCallId`, else X-Request-Id: the same name again is a repeat and ' +
    'gets the first reply. After a lost reply ask getGameRoundInfo. `debitAmount` is already multiplied; it may be ' +
    'left out with a ticket only.',
  request: requests.startGameRound,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: [
    ...TOKEN_ERRORS,
    ...(['GAMENOTFOUND', 'GAMEROUNDALREADYSTARTED', 'GAMEROUNDNOTACTIVE', 'GAMEROUNDCRASHED'] as const),
    ...(['IDEMPOTENCYMISMATCH', 'NOTICKETAVAILABLE', 'DEBITDECLINED'] as const),
    ...(['WALLETUNAVAILABLE', 'OPERATIONBEINGPROCESSED'] as const),
  ],
});

const REPEATS =
  'Named by `externalGameProviderTransactionId`, else `rngResult.rngCallId`, else X-Request-Id: the same name again, ' +
  'while the round is open, gets the first reply.';

export const addWin = operation({
  ...({ method: 'post', path: '/addWin', caller: 'provider' } as const),
  summary: 'Adds a win to an open gameround',
  description: `With \`collect\` the open winnings are credited and the round is closed. ${REPEATS}`,
  request: requests.addWin,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: COMMAND_ERRORS,
});

export const endGameRound = operation({
  ...({ method: 'post', path: '/endGameRound', caller: 'provider' } as const),
  summary: 'Credits the open winnings and closes the gameround',
  description: `${REPEATS} Afterwards GAMEROUNDNOTACTIVE.`,
  request: requests.endGameRound,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: COMMAND_ERRORS,
});

export const collectWin = operation({
  ...({ method: 'post', path: '/collectWin', caller: 'provider' } as const),
  summary: 'Credits open winnings; the gameround stays open',
  description: `All of them, or \`amount\`. ${REPEATS}`,
  request: requests.collectWin,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'UNCOLLECTEDAMOUNTTOOLOW'],
});

export const voidGameRound = operation({
  ...({ method: 'post', path: '/voidGameRound', caller: 'provider' } as const),
  summary: 'Takes the bets back and cancels the gameround',
  description:
    'Refused when the round is not open, or when any credit was processed. 200 always means success.',
  request: requests.voidGameRound,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'CREDITALREADYPROCESSED'],
});

export const addSpinCounterGameState = operation({
  ...({ method: 'post', path: '/addSpinCounterGameState', caller: 'provider' } as const),
  summary: 'Awards or consumes a counter such as free spins',
  description: `\`result.awarded\` awards, \`result.used\` consumes; no more than was awarded. ${REPEATS}`,
  request: requests.addSpinCounterGameState,
  replies: { 200: replies.spinCounterReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'SPINCOUNTEREXHAUSTED'],
});

export const getAvailableSpinCounter = operation({
  ...({ method: 'post', path: '/getAvailableSpinCounter', caller: 'provider' } as const),
  summary: 'What is left of a counter',
  request: requests.getAvailableSpinCounter,
  replies: { 200: replies.availableSpinsReply },
  errors: ROUND_ERRORS,
});

export const getGameRoundInfo = operation({
  ...({ method: 'post', path: '/getGameRoundInfo', caller: 'provider' } as const),
  summary: 'How a gameround stands, open or closed',
  description:
    'Named by `gameRound`, by `externalGameProviderRoundId`, or by neither: then the token’s open round. This is the ' +
    'call to make after a lost reply.',
  request: requests.getGameRoundInfo,
  replies: { 200: replies.roundInfoReply },
  errors: [...ROUND_ERRORS, 'GAMEROUNDNOTSTARTED'],
});

export const getGameRoundHistoryInfo = operation({
  ...({ method: 'post', path: '/getGameRoundHistoryInfo', caller: 'provider' } as const),
  summary: 'A gameround that is over, with what the provider told of it',
  description: 'Closed and cancelled rounds; an open one is GAMEROUNDOPEN: ask getGameRoundInfo.',
  request: requests.tokenAndRound,
  replies: { 200: replies.historyReply },
  errors: [...ROUND_ERRORS, 'GAMEROUNDOPEN'],
});

export const getLastGameRounds = operation({
  ...({ method: 'post', path: '/getLastGameRounds', caller: 'provider' } as const),
  summary: 'The player’s rounds that closed recently, newest first',
  description:
    'With up to 4 MiB of their `gameSpecificDetails` in all; older rounds beyond that are left out.',
  request: requests.getLastGameRounds,
  replies: { 200: replies.lastRoundsReply },
  errors: TOKEN_ERRORS,
});

export const getOpenGameRounds = operation({
  ...({ method: 'post', path: '/getOpenGameRounds', caller: 'provider' } as const),
  summary: 'The player’s open rounds in the provider’s games, newest first',
  request: requests.tokenOnly,
  replies: { 200: replies.openRoundsReply },
  errors: TOKEN_ERRORS,
});

export const getOpenGameRoundsByGame = operation({
  ...({ method: 'post', path: '/getOpenGameRoundsByGame', caller: 'provider' } as const),
  summary: 'Open rounds of all players of one of the provider’s games, newest first',
  request: requests.getOpenGameRoundsByGame,
  replies: { 200: replies.openRoundsReply },
  errors: ['GAMENOTFOUND'],
});

export const getBalance = operation({
  ...({ method: 'post', path: '/getBalance', caller: 'provider' } as const),
  summary: 'The player’s balance, as the operator tells it now',
  request: requests.tokenOnly,
  replies: { 200: replies.balance },
  errors: [...TOKEN_ERRORS, 'WALLETUNAVAILABLE'],
});

export const getUncollectedAmount = operation({
  ...({ method: 'post', path: '/getUncollectedAmount', caller: 'provider' } as const),
  summary: 'The open winnings of a gameround',
  request: requests.tokenAndRound,
  replies: { 200: replies.uncollectedReply },
  errors: ROUND_ERRORS,
});

export const getTokenData = operation({
  ...({ method: 'post', path: '/getTokenData', caller: 'provider' } as const),
  summary: 'What a token stands for',
  request: requests.tokenOnly,
  replies: { 200: replies.tokenDataReply },
  errors: TOKEN_ERRORS,
});

export const getTokenForGameRound = operation({
  ...({ method: 'post', path: '/getTokenForGameRound', caller: 'provider' } as const),
  summary: 'A token for one gameround, to finish it with',
  description: 'What doAutoClose is answered with: the token serves its own round only and starts none.',
  request: requests.roundOnly,
  replies: { 200: replies.tokenDataReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getRandomResult = operation({
  ...({ method: 'post', path: '/getRandomResult', caller: 'provider' } as const),
  summary: 'Draws from the service’s random-number generator',
  description:
    'For games marked `serviceRng`. `getDoubles`: uniform in [min, max); `getIntegers`: uniform from min to max, both ' +
    'included; `getShuffle`: a permutation of min to max, whose `count` is max − min + 1. Each draw is logged for audit ' +
    'under its `rngRequestId`.',
  request: requests.getRandomResult,
  replies: { 200: replies.randomReply },
  errors: TOKEN_ERRORS,
});

export const testPing = operation({
  ...({ method: 'post', path: '/testPing', caller: 'provider' } as const),
  summary: 'Gives `testData` back: a check of one’s signature',
  request: requests.testPing,
  replies: { 200: replies.testPingReply },
  errors: [],
});
