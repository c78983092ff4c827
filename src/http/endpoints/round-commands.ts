import { z } from 'zod';
import type { RoundService } from '../../commands/types';
import type { RoundReply } from '../../contracts/gameround';
import { refuse } from '../../domain/errors';
import type { Session } from '../../domain/session';
import { assertCanPlay, assertCanStart, readRound, roundsFor } from '../authorization';
import { COMMAND_ERRORS, ROUND_ERRORS, TOKEN_ERRORS, type Described, type Endpoint } from '../endpoint';
import { sessionEndpoint, type SessionCall } from '../game-engine-call';
import { gameReply, spinsAvailable, tokenData } from '../replies';
import { noteRound, ok, type Answer, type RouteContext } from '../route-context';
import {
  amount,
  currency,
  flag,
  freeText,
  identifier,
  object,
  roundHash,
  strings,
  token,
} from '../schemas/fields';
import * as replies from '../schemas/replies';

/* Game-engine calls that change a round (docs/interface#game-engine-api). */

const rngResult = object({
  rngCallId: identifier().optional(),
  result: freeText.optional(),
  winAmount: amount.optional(),
});

const gameRound = roundHash;
const transactionId = identifier().optional();

/** The refinement below ("debitAmount is required without a ticket") as JSON Schema. */
const PAID_WITH_TICKET = {
  required: ['useTicketInfo'],
  properties: { useTicketInfo: { required: ['useTicket'], properties: { useTicket: { const: true } } } },
};

export const startGameRound = sessionEndpoint(
  {
    path: '/startGameRound',
    summary: 'Debits the bet and opens a gameround',
    description:
      'With `endGame` the service also credits the winnings and closes the round. With `closeOpenGame` it first collects and ' +
      'closes the player’s open round in this game. The idempotency key is `externalGameProviderRoundId`, or if absent ' +
      '`rngResult.rngCallId`, or if absent X-Request-Id. A retry with the same key gets the first reply. If a reply is lost, ' +
      'call getGameRoundInfo. `debitAmount` includes the currency multiplier. It is optional only if a ticket pays.',
    request: object({
      token,
      rngResult,
      debitInformation: object({
        debitAmount: amount.optional(),
        currency,
        useTicketInfo: object({ useTicket: flag.default(false) }).optional(),
      })
        .refine(
          ({ debitAmount, useTicketInfo }) => debitAmount !== undefined || useTicketInfo?.useTicket === true,
          {
            path: ['debitAmount'],
            message: 'is required',
          },
        )
        .meta({ anyOf: [{ required: ['debitAmount'] }, PAID_WITH_TICKET] }),
      endGame: flag.default(false),
      closeOpenGame: flag.default(false),
      externalGameProviderRoundId: identifier(32).optional(),
    }),
    errors: [
      ...TOKEN_ERRORS,
      ...(['GAMENOTFOUND', 'GAMEROUNDALREADYSTARTED', 'GAMEROUNDNOTACTIVE', 'GAMEROUNDCRASHED'] as const),
      ...(['IDEMPOTENCYMISMATCH', 'NOTICKETAVAILABLE', 'DEBITDECLINED'] as const),
      ...(['WALLETUNAVAILABLE', 'OPERATIONBEINGPROCESSED'] as const),
    ],
    replies: { 200: replies.gameReply },
    refused: replies.refusedGameReply,
  },
  async (http, call) => {
    const { session, requestId, input } = call;
    const { rngResult, externalGameProviderRoundId } = input;
    const rounds = roundsFor(http, session);
    await assertCanStart(rounds, session, {
      requestId,
      externalGameProviderRoundId,
      rngCallId: rngResult.rngCallId,
    });
    if (input.debitInformation.currency !== session.currency) {
      throw refuse('INVALIDREQUEST', 'debitInformation.currency is not the session’s currency');
    }
    const { token: _token, ...command } = input;
    return answered(http, call, await rounds.commands.startGameRound({ ...command, session, requestId }));
  },
  { fresh: true },
);

const REPEATS =
  'The idempotency key is `externalGameProviderTransactionId`, or if absent `rngResult.rngCallId`, or if absent ' +
  'X-Request-Id. While the round is open, a retry with the same key gets the first reply.';

export const addWin = commandEndpoint(
  {
    path: '/addWin',
    summary: 'Adds a win to an open gameround',
    description: `With \`collect\` the service also credits the open winnings and closes the round. ${REPEATS}`,
    request: object({
      token,
      gameRound,
      rngResult: rngResult.extend({ betData: strings.optional() }),
      collect: flag.default(false),
      externalGameProviderTransactionId: transactionId,
      jackpotPayout: z
        .array(object({ jackpotId: identifier(), jackpotMode: identifier() }), { error: 'must be an array' })
        .max(64, 'must have at most 64 entries')
        .optional(),
    }),
  },
  ({ commands, ...command }) => commands.addWin(command),
);

export const endGameRound = commandEndpoint(
  {
    path: '/endGameRound',
    summary: 'Credits the open winnings and closes the gameround',
    description: `${REPEATS} After the round is closed, a retry gets GAMEROUNDNOTACTIVE.`,
    request: object({ token, gameRound, externalGameProviderTransactionId: transactionId }),
  },
  ({ commands, ...command }) => commands.endGameRound(command),
);

export const collectWin = commandEndpoint(
  {
    path: '/collectWin',
    summary: 'Credits open winnings; the gameround stays open',
    description: `Credits \`amount\`, or all open winnings if \`amount\` is absent. ${REPEATS}`,
    request: endGameRound.request.extend({ amount: amount.optional() }),
    errors: ['UNCOLLECTEDAMOUNTTOOLOW'],
  },
  ({ commands, ...command }) => commands.collectWin(command),
);

export const voidGameRound = commandEndpoint(
  {
    path: '/voidGameRound',
    summary: 'Voids the bets and cancels the gameround',
    description:
      'Refused if the round is not open, or if a credit of the round was processed or may have been. 200 always means success.',
    request: object({ token, gameRound }),
    errors: ['CREDITALREADYPROCESSED'],
  },
  ({ commands, ...command }) => commands.voidGameRound(command),
);

const counterType = identifier();

export const addSpinCounterGameState = commandEndpoint(
  {
    path: '/addSpinCounterGameState',
    summary: 'Awards or consumes a counter such as free spins',
    description: `Adds \`result.awarded\` and \`result.used\`. No more can be used than was awarded. ${REPEATS}`,
    request: object({
      token,
      gameRound,
      counterType,
      rngResult: object({
        rngCallId: identifier().optional(),
        result: object({ awarded: amount.default(0), used: amount.default(0) }).default({
          awarded: 0,
          used: 0,
        }),
        winAmount: amount
          .refine((value) => value === 0, 'must be 0: wins go through addWin')
          .meta({ maximum: 0 })
          .optional(),
      }),
      gameStateResult: strings.optional(),
      externalGameProviderTransactionId: transactionId,
    }),
    replies: { 200: replies.spinCounterReply },
    errors: ['SPINCOUNTEREXHAUSTED'],
  },
  ({ commands, rngResult: { rngCallId, result }, ...command }) =>
    commands.addSpinCounterGameState({ ...command, ...result, rngCallId }),
);

export const getAvailableSpinCounter = sessionEndpoint(
  {
    path: '/getAvailableSpinCounter',
    summary: 'Returns what is left of a counter',
    request: object({ token, gameRound, counterType }),
    replies: { 200: replies.availableSpinsReply },
    errors: ROUND_ERRORS,
  },
  async (http, { session, token, input }) => {
    assertCanPlay(session);
    const round = await readRound(roundsFor(http, session), session, input.gameRound);
    return ok({
      tokenData: tokenData(session, token, input.gameRound),
      amountToCollect: round.amountToCollect,
      spinsAvailable: spinsAvailable(round, input.counterType),
    });
  },
);

/** A call on an existing round. `carryOut` gets its fields, and the service that takes the command. */
function commandEndpoint<Schema extends z.ZodType<{ token: string; gameRound: string }>>(
  described: Pick<Described<Schema>, 'path' | 'summary' | 'description' | 'request'> &
    Partial<Pick<Described<Schema>, 'replies' | 'errors'>>,
  carryOut: (
    call: Omit<z.infer<Schema>, 'token'> & {
      session: Session;
      requestId: string;
      commands: RoundService;
    },
  ) => Promise<RoundReply>,
): Endpoint<Schema> {
  const { errors = [] } = described;
  const ofCommand = { replies: { 200: replies.gameReply }, refused: replies.refusedGameReply };
  return sessionEndpoint(
    { ...ofCommand, ...described, errors: [...COMMAND_ERRORS, ...errors] },
    async (http, call) => {
      const { session, requestId, input } = call;
      assertCanPlay(session);
      const { token: _token, ...command } = input;
      const { commands } = roundsFor(http, session);
      return answered(http, call, await carryOut({ ...command, session, requestId, commands }));
    },
  );
}

function answered(
  http: RouteContext,
  { ctx, session, token }: SessionCall<unknown>,
  reply: RoundReply,
): Answer {
  noteRound(ctx, reply.gameRoundInfo.hash);
  if (reply.balance !== undefined && reply.isRepeat !== true) {
    http.deps.sessions.keepBalance(session.sessionId, reply.balance, false);
  }
  if (reply.refusal !== undefined) {
    ctx.state.logFields.errorId = reply.refusal.errorCode.id;
    ctx.state.logFields.errorMsg = reply.refusal.errorCode.msg;
  }
  return gameReply(session, token, reply);
}
