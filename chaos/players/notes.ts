import type { Answer, Party } from '../../test/support/e2e-http';
import type { Game } from '../tenants';

/** One call as its caller saw it. */
export interface Heard {
  /** Milliseconds since the epoch. */
  sentAt: number;
  heardAt: number;
  /** Undefined if no complete answer arrived. */
  answer: Answer | undefined;
}

/** A command under its key, and all answers to it. */
export interface Command {
  /** For instance `/addWin`. */
  path: string;
  request: Record<string, unknown>;
  operatorId: string;
  playerId: string;
  game: Game;
  provider?: Party;
  /** externalGameProviderRoundId of its round. */
  roundName: string;
  /** Sent although the service was sure to refuse it. Such a command needs no definite answer. */
  inVain?: true;
  heard: Heard[];
}

/** The status of a round in an answer. */
export interface Sighting {
  at: number;
  status: 'open' | 'closed' | 'cancel';
}

/** All calls and answers as the callers saw them, independent of the service's data. */
export class Notes {
  readonly commands = new Map<string, Command>();
  /** By gameround hash. */
  readonly sightings = new Map<string, Sighting[]>();
  /** When the operator first reconciled a round, ms since the epoch, by gameround hash. */
  readonly reconciledAt = new Map<string, number>();
  readonly names = new Map<
    string,
    { roundName: string; operatorId: string; playerId: string; game: string }
  >();
  /** The sum of the wins that a person has declined, by gameround hash. */
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

  /** Notes the status of the round in an answer. */
  see({ heardAt, answer }: Heard, about: Omit<Command, 'heard' | 'path' | 'request'>): void {
    const info = answer?.body.gameRoundInfo;
    if (info === undefined || answer === undefined) return;
    const seen = this.sightings.get(info.hash) ?? [];
    seen.push({ at: heardAt, status: info.status });
    this.sightings.set(info.hash, seen);
    // A start that is refused may name another round: the open one that blocks it.
    if (answer.status !== 200) return;
    const { roundName, operatorId, playerId, game } = about;
    if (!this.names.has(info.hash)) this.names.set(info.hash, { roundName, operatorId, playerId, game });
  }
}

/**
 * True for an answer that tells the caller the outcome. Not definite are: no answer, 401, 429, and 5xx, except for 502
 * WALLETUNAVAILABLE with the round's info, which says that the round is cancelled.
 */
export function isDefinite(answer: Answer | undefined): answer is Answer {
  if (answer === undefined || answer.status === 429 || answer.status === 401) return false;
  const isCancelled = answer.status === 502 && answer.body.errorCode?.msg === 'WALLETUNAVAILABLE';
  return answer.status < 500 || (isCancelled && answer.body.gameRoundInfo !== undefined);
}
