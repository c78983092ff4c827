import type { Answer, Party } from '../../test/support/e2e-http';
import type { Game } from '../tenants';

/** One call as its caller saw it. */
export interface Heard {
  /** Milliseconds since the epoch. */
  sentAt: number;
  heardAt: number;
  /** Undefined: no (whole) answer came. */
  answer: Answer | undefined;
}

/** A command under its key, and everything that its callers heard about it. */
export interface Command {
  /** Its path, such as `/addWin`. */
  path: string;
  request: Record<string, unknown>;
  operatorId: string;
  playerId: string;
  game: Game;
  provider?: Party;
  /** externalGameProviderRoundId of its round. */
  roundName: string;
  /** Sent although the caller was sure to be refused: that it never heard an answer is no question of its. */
  inVain?: true;
  heard: Heard[];
}

/** What somebody was told about how a round stands. */
export interface Sighting {
  at: number;
  status: 'open' | 'closed' | 'cancel';
}

/** What all callers sent and heard: the players' own books, which know nothing of the service. */
export class Notes {
  readonly commands = new Map<string, Command>();
  /** By gameround hash. */
  readonly sightings = new Map<string, Sighting[]>();
  /** Rounds that were given to the operator to be reconciled, and when first. */
  readonly reconciledAt = new Map<string, number>();
  readonly names = new Map<
    string,
    { roundName: string; operatorId: string; playerId: string; game: string }
  >();
  /** Winnings that a person has declined, by gameround hash. */
  readonly givenUp = new Map<string, number>();
  readonly answers = new Map<string, number>();

  hear(command: Omit<Command, 'heard'>, key: string, heard: Heard): void {
    const known = this.commands.get(key) ?? { ...command, heard: [] };
    known.heard.push(heard);
    this.commands.set(key, known);
    this.see(heard, command);
    const { answer } = heard;
    const what =
      answer === undefined ? 'no answer' : `${answer.status} ${answer.body.errorCode?.msg ?? ''}`.trim();
    const label = `${command.path} ${what.split(':')[0]}`;
    this.answers.set(label, (this.answers.get(label) ?? 0) + 1);
  }

  /** Notes what an answer says about the round that it is about. */
  see({ heardAt, answer }: Heard, about: Omit<Command, 'heard' | 'path' | 'request'>): void {
    const info = answer?.body.gameRoundInfo;
    if (info === undefined || answer === undefined) return;
    const seen = this.sightings.get(info.hash) ?? [];
    seen.push({ at: heardAt, status: info.status });
    this.sightings.set(info.hash, seen);
    // A start that is refused may tell of another round: the one that is in its way.
    if (answer.status !== 200) return;
    const { roundName, operatorId, playerId, game } = about;
    if (!this.names.has(info.hash)) this.names.set(info.hash, { roundName, operatorId, playerId, game });
  }
}

/**
 * An answer that settles the caller's question. Not one: none at all, 5xx but for the one that tells that the round is
 * cancelled, 429, and a session that can't be told just now.
 */
export function isDefinite(answer: Answer | undefined): answer is Answer {
  if (answer === undefined || answer.status === 429 || answer.status === 401) return false;
  const isCancelled = answer.status === 502 && answer.body.errorCode?.msg === 'WALLETUNAVAILABLE';
  return answer.status < 500 || (isCancelled && answer.body.gameRoundInfo !== undefined);
}
