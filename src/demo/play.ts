import { toCommand } from '../commands/to-command';
import type { RoundRequest, StartGameRound } from '../commands/types';
import type { RoundReply } from '../contracts/gameround';
import { refusal, refuse } from '../domain/errors';
import { gameroundHash, roundName } from '../domain/hashes';
import { totalBalance } from '../domain/classify-wallet-reply';
import { isAmount } from '../domain/money';
import { decide } from '../domain/round/decide';
import { createRound } from '../domain/round/create-round';
import { replyAbout, replyTo } from '../domain/round/replies';
import type { Command, RoundSettings, RoundState } from '../domain/round/types';
import type { Session } from '../domain/session';
import { playPending, walletBalance } from './pretend-wallet';
import type { DemoGame, DemoRound } from './types';

/** The game after a command, and the reply. If `game` is the same object as before, nothing has to be written. */
export interface Turn {
  game: DemoGame;
  reply: RoundReply;
}

/**
 * How many finished rounds a session keeps, and how many characters of JSON they may have together. The name of an older
 * round is free again.
 */
export const MAX_FINISHED = 20;
const MAX_FINISHED_CHARS = 2_000_000;

/** The game of a session that hasn't played yet, with the balance of the launch. */
export function newGame({ balance, currency }: Session): DemoGame {
  const amount = totalBalance(balance ?? { balances: [] });
  return { balance: isAmount(amount) ? amount : 0, currency, rounds: [] };
}

/** The same order of decisions as for a round of real money (docs/interface#identify-first). */
export function startTurn(
  game: DemoGame,
  request: StartGameRound,
  settings: RoundSettings,
  at: string,
): Turn {
  const { session } = request;
  const { gameround, alias } = namesOf(request);
  const command = toCommand.startGameRound(request);
  const known = roundIn(game, gameround);
  if (known !== undefined) return commandTurn(game, known, command, at);
  if (session.onlyGameround !== undefined)
    throw refuse('MODENOTALLOWED', 'this token is valid for its own round only');
  if (session.expired) throw refuse('TOKENEXPIRED');
  if (command.useTicket) throw refuse('MODENOTALLOWED', 'tickets exist in real mode only');
  if (command.currency !== session.currency) throw refuse('INVALIDREQUEST', 'debitInformation.currency');
  const open = openRoundIn(game);
  if (open !== undefined && !request.closeOpenGame) {
    return { game, reply: withBalance(game, replyAbout(open.state, refusal('GAMEROUNDALREADYSTARTED'))) };
  }
  const free = open === undefined ? game : closed(game, open, gameround, at);
  const state = createRound({ ...identityOf(request), gameround, mode: 'demo' }, settings, command, at);
  return playedTurn(free, { alias, state }, 'start', at);
}

/** Applies a command to the round with the request's hash. An alias does not match. */
export function roundTurn(game: DemoGame, request: RoundRequest, command: Command, at: string): Turn {
  const { session, gameRound } = request;
  const mayServe = session.onlyGameround === undefined || session.onlyGameround === gameRound;
  const round = mayServe ? roundIn(game, gameRound) : undefined;
  if (round === undefined) throw refuse('GAMEROUNDNOTFOUND');
  return commandTurn(game, round, command, at);
}

export function openRoundIn({ rounds }: DemoGame): DemoRound | undefined {
  return rounds.find(({ state }) => state.status === 'open');
}

/** Finds a round by its hash or its alias. */
export function roundNamed({ rounds }: DemoGame, name: string): DemoRound | undefined {
  return rounds.findLast(({ alias, state }) => state.identity.gameround === name || alias === name);
}

/**
 * The hash of a demo round includes the session, so that it never equals the hash of a real round or of another session's
 * round.
 */
function namesOf(request: StartGameRound): { gameround: string; alias: string } {
  const { session, requestId, rngResult, externalGameProviderRoundId } = request;
  const { operatorId, playerId, gameCode, sessionId } = session;
  const name = roundName({ externalGameProviderRoundId, rngCallId: rngResult.rngCallId, requestId });
  return {
    gameround: gameroundHash(operatorId, playerId, gameCode, `demo:${sessionId}:${name}`),
    alias: gameroundHash(operatorId, playerId, gameCode, name),
  };
}

function identityOf({ session, externalGameProviderRoundId }: StartGameRound) {
  const { operatorId, playerId, gameCode, providerId, sessionId, currency, currencyMultiplier, language } =
    session;
  return {
    ...{ operatorId, playerId, gameCode, providerId, sessionId, currency, currencyMultiplier, language },
    externalGameProviderRoundId,
  };
}

/** Collects and closes the open round before a new one starts (docs/interface#close-open-game). */
function closed(game: DemoGame, open: DemoRound, gameround: string, at: string): DemoGame {
  const end: Command = { type: 'end', key: `close-by-${gameround}`, reason: 'closeOpenGame' };
  const after = commandTurn(game, open, end, at).game;
  // Cannot happen, since pretend money is always paid. Protects against a later change of the rules.
  if (openRoundIn(after) !== undefined) throw refuse('OPERATIONBEINGPROCESSED');
  return after;
}

function commandTurn(game: DemoGame, round: DemoRound, command: Command, at: string): Turn {
  const { state } = round;
  const decision = decide(state, command, at);
  switch (decision.kind) {
    case 'refuse':
      return { game, reply: withBalance(game, replyAbout(state, decision.refusal)) };
    case 'join':
      return { game, reply: withBalance(game, answerIn(state, decision.key)) };
    case 'accept':
      return playedTurn(game, { ...round, state: decision.state }, decision.key, at);
  }
}

function playedTurn(game: DemoGame, round: DemoRound, key: string, at: string): Turn {
  const { state, balance } = playPending(round.state, game, at);
  const others = game.rounds.filter(
    ({ state: other }) => other.identity.gameround !== state.identity.gameround,
  );
  const next: DemoGame = { ...game, balance, rounds: [...others, { ...round, state }] };
  const reply = withBalance(next, answerIn(state, key));
  return { game: state.status === 'open' ? next : tidy(next), reply };
}

/** The answer of a command. Demo rounds have no pending calls, so the answer is always there. */
function answerIn(state: RoundState, key: string): RoundReply {
  const answer = state.commands[key]?.answer;
  if (answer === undefined) throw refuse('OPERATIONBEINGPROCESSED');
  return replyTo(state, answer);
}

/** Adds the current balance to a reply without one. */
function withBalance({ balance, currency }: DemoGame, reply: RoundReply): RoundReply {
  return reply.balance === undefined ? { ...reply, balance: walletBalance(balance, currency) } : reply;
}

/** Removes the stored answers of finished rounds, which take no commands, and all but the newest finished rounds. */
function tidy(game: DemoGame): DemoGame {
  const kept = new Set<DemoRound>();
  let chars = 0;
  const rounds = game.rounds.map((round) => (round.state.status === 'open' ? round : withoutAnswers(round)));
  for (const round of rounds.filter(({ state }) => state.status !== 'open').reverse()) {
    chars += JSON.stringify(round).length;
    if (kept.size > 0 && (kept.size >= MAX_FINISHED || chars > MAX_FINISHED_CHARS)) break;
    kept.add(round);
  }
  return { ...game, rounds: rounds.filter((round) => round.state.status === 'open' || kept.has(round)) };
}

function withoutAnswers(round: DemoRound): DemoRound {
  return { ...round, state: { ...round.state, commands: {} } };
}

function roundIn({ rounds }: DemoGame, gameround: string): DemoRound | undefined {
  return rounds.find(({ state }) => state.identity.gameround === gameround);
}
