import { refuse } from '../domain/errors';
import { gameroundHash, roundName, type RoundNaming } from '../domain/hashes';
import type { RoundSnapshot } from '../domain/round/types';
import { mayFinish, reaches, type Session } from '../domain/session';
import type { Rounds } from './deps';
import type { RouteContext } from './route-context';

/* What a token may do (docs/interface#session-life, #round-token, #history). A round of another owner seems not to exist. */

/** The rounds that a session plays with. @throws MODENOTALLOWED */
export function roundsFor({ deps }: RouteContext, session: Session): Rounds {
  if (session.mode !== 'demo') return deps.rounds;
  if (deps.demoRounds === undefined) throw refuse('MODENOTALLOWED');
  return deps.demoRounds;
}

/** For calls about the player and not about one round: new rounds, balance, lists. @throws TOKENEXPIRED, MODENOTALLOWED */
export function assertActivePlayerSession(session: Session): void {
  if (session.onlyGameround !== undefined || session.mode === 'history') throw refuse('MODENOTALLOWED');
  if (session.expired) throw refuse('TOKENEXPIRED');
}

/** An expired session may send a start only for a round that it has opened: a repeat, or a follow-up debit. */
export async function assertCanStart(rounds: Rounds, session: Session, naming: RoundNaming): Promise<void> {
  if (!session.expired || session.onlyGameround !== undefined || session.mode === 'history') {
    return assertActivePlayerSession(session);
  }
  const gameround = gameroundHash(session.operatorId, session.playerId, session.gameCode, roundName(naming));
  const round = await rounds.commands.describeRound(gameround, session);
  if (round?.identity.sessionId !== session.sessionId) throw refuse('TOKENEXPIRED');
}

/** A history session may only read. The command itself checks the owner of the round. @throws MODENOTALLOWED */
export function assertCanPlay(session: Session): void {
  if (session.mode === 'history') throw refuse('MODENOTALLOWED');
}

/** A round that this session may read. @throws GAMEROUNDNOTFOUND, TOKENEXPIRED */
export async function readRound(rounds: Rounds, session: Session, gameround: string): Promise<RoundSnapshot> {
  if (session.onlyGameround !== undefined && session.onlyGameround !== gameround)
    throw refuse('GAMEROUNDNOTFOUND');
  const round = await rounds.commands.describeRound(gameround, session);
  if (round === undefined || !reaches(session, round.identity)) throw refuse('GAMEROUNDNOTFOUND');
  if (!mayFinish(session, round.identity)) throw refuse('TOKENEXPIRED');
  return round;
}
