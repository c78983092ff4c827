import type { RoundStateView } from '../contracts/gameround';
import type { Standing } from '../domain/round/record';
import type { Recorded } from '../domain/round/known-entries';
import type { RoundPolicy, RoundSnapshot, Ticket } from '../domain/round/types';
import type { Session } from '../domain/session';

/** What the commands need besides Temporal. Calls reject when the database or the operator can't be reached. */
export interface CommandPorts {
  findRecord(gameround: string): Promise<RoundSnapshot | undefined>;
  /** With the version under which its workflow has written it. */
  findRecorded(gameround: string): Promise<Recorded | undefined>;
  /** A little of the record: whose it is, and how it stands. */
  findStanding(gameround: string): Promise<Standing | undefined>;
  /** Writes a record that is behind its workflow, or missing, and says whether it was so. A guard of a round that is over goes. */
  repairRecord(state: RoundStateView): Promise<boolean>;
  guards: RoundGuards;
  /** The settings of the session's operator and game that a new round keeps. */
  policyFor(session: Pick<Session, 'operatorId' | 'gameCode'>): Promise<RoundPolicy>;
  /** The player's ticket of that currency and stake; rejects with NOTICKETAVAILABLE when there is none. */
  chooseTicket(session: Session, debitAmount: number | undefined): Promise<ChosenTicket>;
}

export interface ChosenTicket {
  ticket: Ticket;
  /** All that the operator told: the ticket among them, before the bet. */
  tickets: Record<string, unknown>[];
}

export interface GuardHolder {
  gameround: string;
  confirmed: boolean;
}

export interface GuardKey {
  operatorId: string;
  playerId: string;
  gameCode: string;
  mode: string;
}

/** The open-round guard (docs/interface#open-round-guard): see src/read-model/guards.ts. */
export interface RoundGuards {
  take(key: GuardKey, gameround: string): Promise<GuardHolder>;
  replace(key: GuardKey, holder: GuardHolder, gameround: string): Promise<boolean>;
  holder(key: GuardKey): Promise<string | undefined>;
  release(key: GuardKey, gameround: string): Promise<void>;
}
