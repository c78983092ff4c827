import type { RoundStateView } from '../contracts/gameround';
import type { Guards } from '../contracts/guards';
import type { ReadRecord, Standing } from '../domain/round/record';
import type { Recorded } from '../domain/round/known-entries';
import type { RoundSettings, Ticket } from '../domain/round/types';
import type { Session } from '../domain/session';

/** What the commands need besides Temporal. Calls reject if the database or the operator can't be reached. */
export interface CommandPorts {
  /** Logs a failure that the caller does not see. */
  warn(what: string, error: unknown): void;
  findRecord(gameround: string): Promise<ReadRecord | undefined>;
  /** The record with its version. */
  findRecorded(gameround: string): Promise<Recorded | undefined>;
  /** The owner and status in the record, without the rest. */
  findStanding(gameround: string): Promise<Standing | undefined>;
  /** Writes the record if it is missing or older than its workflow, and returns whether it was. */
  repairRecord(state: RoundStateView): Promise<boolean>;
  guards: Pick<Guards, 'take' | 'free' | 'restore' | 'holder' | 'undecidedBets'>;
  /** The settings of operator and game that a new round copies. */
  settingsFor(session: Pick<Session, 'operatorId' | 'gameCode'>): Promise<RoundSettings>;
  /** The player's ticket in the session's currency with this stake. Rejects with NOTICKETAVAILABLE if there is none. */
  chooseTicket(session: Session, debitAmount: number | undefined): Promise<ChosenTicket>;
}

export interface ChosenTicket {
  ticket: Ticket;
  /** All tickets that the operator returned, including the chosen one. */
  tickets: Record<string, unknown>[];
}
