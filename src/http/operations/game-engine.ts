import * as replies from '../schemas/replies';
import * as requests from '../schemas/game-engine';
import { COMMAND_ERRORS, operation, ROUND_ERRORS, TOKEN_ERRORS } from './operation';

const { refusedGameReply } = replies;

/* The game-engine API: calls of game providers (docs/interface#game-engine-api). */

export const startGameRound = operation({
  ...({ method: 'post', path: '/startGameRound', caller: 'provider' } as const),
  summary: 'Debits the bet and opens a gameround',
  description:
    'With `endGame` the service also credits the winnings and closes the round. With `closeOpenGame` it first collects and ' +
    'closes the player’s open round in this game. The idempotency key is `externalGameProviderRoundId`, or if absent ' +
    '`rngResult.rngCallId`, or if absent X-Request-Id. A retry with the same key gets the first reply. If a reply is lost, ' +
    'call getGameRoundInfo. `debitAmount` includes the currency multiplier. It is optional only if a ticket pays.',
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
  'The idempotency key is `externalGameProviderTransactionId`, or if absent `rngResult.rngCallId`, or if absent ' +
  'X-Request-Id. While the round is open, a retry with the same key gets the first reply.';

export const addWin = operation({
  ...({ method: 'post', path: '/addWin', caller: 'provider' } as const),
  summary: 'Adds a win to an open gameround',
  description: `With \`collect\` the service also credits the open winnings and closes the round. ${REPEATS}`,
  request: requests.addWin,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: COMMAND_ERRORS,
});

export const endGameRound = operation({
  ...({ method: 'post', path: '/endGameRound', caller: 'provider' } as const),
  summary: 'Credits the open winnings and closes the gameround',
  description: `${REPEATS} After the round is closed, a retry gets GAMEROUNDNOTACTIVE.`,
  request: requests.endGameRound,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: COMMAND_ERRORS,
});

export const collectWin = operation({
  ...({ method: 'post', path: '/collectWin', caller: 'provider' } as const),
  summary: 'Credits open winnings; the gameround stays open',
  description: `Credits \`amount\`, or all open winnings if \`amount\` is absent. ${REPEATS}`,
  request: requests.collectWin,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'UNCOLLECTEDAMOUNTTOOLOW'],
});

export const voidGameRound = operation({
  ...({ method: 'post', path: '/voidGameRound', caller: 'provider' } as const),
  summary: 'Voids the bets and cancels the gameround',
  description:
    'Refused if the round is not open, or if a credit of the round was processed or may have been. 200 always means success.',
  request: requests.voidGameRound,
  replies: { 200: replies.gameReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'CREDITALREADYPROCESSED'],
});

export const addSpinCounterGameState = operation({
  ...({ method: 'post', path: '/addSpinCounterGameState', caller: 'provider' } as const),
  summary: 'Awards or consumes a counter such as free spins',
  description: `Adds \`result.awarded\` and \`result.used\`. No more can be used than was awarded. ${REPEATS}`,
  request: requests.addSpinCounterGameState,
  replies: { 200: replies.spinCounterReply },
  refused: refusedGameReply,
  errors: [...COMMAND_ERRORS, 'SPINCOUNTEREXHAUSTED'],
});

export const getAvailableSpinCounter = operation({
  ...({ method: 'post', path: '/getAvailableSpinCounter', caller: 'provider' } as const),
  summary: 'Returns what is left of a counter',
  request: requests.getAvailableSpinCounter,
  replies: { 200: replies.availableSpinsReply },
  errors: ROUND_ERRORS,
});

export const getGameRoundInfo = operation({
  ...({ method: 'post', path: '/getGameRoundInfo', caller: 'provider' } as const),
  summary: 'Returns the state of a gameround, open or closed',
  description:
    'Name the round by `gameRound` or `externalGameProviderRoundId`. Without both, the call returns the token’s open ' +
    'round. Use this call after a lost reply.',
  request: requests.getGameRoundInfo,
  replies: { 200: replies.roundInfoReply },
  errors: [...ROUND_ERRORS, 'GAMEROUNDNOTSTARTED'],
});

export const getGameRoundHistoryInfo = operation({
  ...({ method: 'post', path: '/getGameRoundHistoryInfo', caller: 'provider' } as const),
  summary: 'Returns a closed or cancelled gameround, with the data that the provider stored',
  description: 'An open round gets GAMEROUNDOPEN: use getGameRoundInfo.',
  request: requests.tokenAndRound,
  replies: { 200: replies.historyReply },
  errors: [...ROUND_ERRORS, 'GAMEROUNDOPEN'],
});

export const getLastGameRounds = operation({
  ...({ method: 'post', path: '/getLastGameRounds', caller: 'provider' } as const),
  summary: 'Returns the player’s recently closed rounds, newest first',
  description:
    'The `gameSpecificDetails` of all returned rounds together have at most 4 MiB. Older rounds beyond that are left out.',
  request: requests.getLastGameRounds,
  replies: { 200: replies.lastRoundsReply },
  errors: TOKEN_ERRORS,
});

export const getOpenGameRounds = operation({
  ...({ method: 'post', path: '/getOpenGameRounds', caller: 'provider' } as const),
  summary: 'Returns the player’s open rounds in the provider’s games, newest first',
  request: requests.tokenOnly,
  replies: { 200: replies.openRoundsReply },
  errors: TOKEN_ERRORS,
});

export const getOpenGameRoundsByGame = operation({
  ...({ method: 'post', path: '/getOpenGameRoundsByGame', caller: 'provider' } as const),
  summary: 'Returns the open rounds of all players in one of the provider’s games, newest first',
  request: requests.getOpenGameRoundsByGame,
  replies: { 200: replies.openRoundsReply },
  errors: ['GAMENOTFOUND'],
});

export const getBalance = operation({
  ...({ method: 'post', path: '/getBalance', caller: 'provider' } as const),
  summary: 'Asks the operator for the player’s balance and returns it',
  request: requests.tokenOnly,
  replies: { 200: replies.balance },
  errors: [...TOKEN_ERRORS, 'WALLETUNAVAILABLE'],
});

export const getUncollectedAmount = operation({
  ...({ method: 'post', path: '/getUncollectedAmount', caller: 'provider' } as const),
  summary: 'Returns the open winnings of a gameround',
  request: requests.tokenAndRound,
  replies: { 200: replies.uncollectedReply },
  errors: ROUND_ERRORS,
});

export const getTokenData = operation({
  ...({ method: 'post', path: '/getTokenData', caller: 'provider' } as const),
  summary: 'Returns the session data of a token',
  request: requests.tokenOnly,
  replies: { 200: replies.tokenDataReply },
  errors: TOKEN_ERRORS,
});

export const getTokenForGameRound = operation({
  ...({ method: 'post', path: '/getTokenForGameRound', caller: 'provider' } as const),
  summary: 'Returns a token with which a game can finish one gameround',
  description:
    'A game calls this after the service sent it doAutoClose. The token works only for this round and cannot start a round.',
  request: requests.roundOnly,
  replies: { 200: replies.tokenDataReply },
  errors: ['GAMEROUNDNOTFOUND'],
});

export const getRandomResult = operation({
  ...({ method: 'post', path: '/getRandomResult', caller: 'provider' } as const),
  summary: 'Draws from the service’s random-number generator',
  description:
    'Only for games with `serviceRng`. `getDoubles` draws uniformly from [min, max). `getIntegers` draws uniformly from min ' +
    'to max, both included. `getShuffle` returns a permutation of min to max; its `count` is max − min + 1. Each draw is ' +
    'logged for audit under its `rngRequestId`.',
  request: requests.getRandomResult,
  replies: { 200: replies.randomReply },
  errors: TOKEN_ERRORS,
});

export const testPing = operation({
  ...({ method: 'post', path: '/testPing', caller: 'provider' } as const),
  summary: 'Returns testData: checks the caller’s signature',
  description:
    'With SIGNATURE_HINTS (by default outside production) `seen` says which string was signed, and how far the clocks differ.',
  request: requests.testPing,
  replies: { 200: replies.testPingReply },
  errors: [],
});
