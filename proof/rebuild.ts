import { forEach } from '../src/domain/for-each';
import { holdsGuard } from '../src/domain/round/replies';
import type { RoundIdentity } from '../src/domain/round/types';
import type { Guards } from '../src/contracts/guards';
import type { Rounds } from '../src/read-model/rounds';
import type { Finding } from './audit';
import { fieldsThatDiffer } from './compare';
import { describe } from './differences';
import { recordIn, type RecordInHistory } from '../src/histories/record';
import { isOfOddForm, oddFormText } from './odd-form';
import { gameroundOf, type Run } from './runs';

export interface RebuildPorts {
  runs: AsyncIterable<Run>;
  rounds: Pick<Rounds, 'write' | 'collection'>;
  environment: string;
  guards: Pick<Guards, 'restore' | 'holder'>;
  found(finding: Finding): void;
  step(): void;
}

export interface Rebuilt {
  records: number;
  guards: number;
  findings: number;
}

/**
 * Writes the record of each run under its own version, so a newer record stays, and the rounds go on as before. Gives each
 * open round its guard.
 */
export async function rebuild(ports: RebuildPorts): Promise<Rebuilt> {
  const rebuilt: Rebuilt = { records: 0, guards: 0, findings: 0 };
  await forEach(ports.runs, write);
  return rebuilt;

  function note(finding: Finding): void {
    rebuilt.findings += 1;
    ports.found(finding);
  }

  /** A record of the same version is not written again. A newer one is that of a round that goes on. */
  async function compare(gameround: string, { written }: RecordInHistory): Promise<void> {
    const record = await ports.rounds.collection.findOne({ _id: gameround });
    if (record === null || written === undefined) return;
    // A version that was changed by hand may be no number.
    if (typeof record.version === 'number' && record.version !== written.version) return;
    const fields = fieldsThatDiffer(written, record, ports.environment);
    if (fields.length === 0) return;
    const differ = fields.map((field) => describe(field, ['history', 'MongoDB'])).join('; ');
    const reasons = [`the record is there and differs; delete it to have it written again: ${differ}`];
    note({ gameround, kind: 'differs', reasons, fields });
  }

  async function write(run: Run): Promise<void> {
    ports.step();
    const gameround = gameroundOf(run);
    const tell = (reasons: string[]): void => note({ gameround, kind: 'replay', reasons });
    try {
      await restore(run, gameround, tell);
    } catch (error) {
      if (!isOfOddForm(error)) throw error;
      tell([oddFormText(error)]);
    }
  }

  async function restore(run: Run, gameround: string, tell: (reasons: string[]) => void): Promise<void> {
    const told = recordIn(run.facts);
    if (told === undefined || told.faults.length > 0)
      tell(told?.faults ?? [run.unreadable ?? 'it is no round']);
    // A continued run has a next one. A bet that is not decided has no record yet; its delivery does without the guard.
    if (told?.written === undefined || told.ending === 'continued') return;
    const { snapshot, version } = told.written;
    if (await ports.rounds.write(snapshot, version)) rebuilt.records += 1;
    else await compare(gameround, told);
    if (!holdsGuard(snapshot) || told.ending !== undefined) return;
    const holder = await giveGuard(ports.guards, snapshot.identity);
    if (holder === gameround) rebuilt.guards += 1;
    else tell([`the guard of its player belongs to ${holder ?? 'no round: run this again'}`]);
  }
}

/** Gives the guard of its player to an open round that has its record, if it is free. Returns the holder. */
async function giveGuard(
  guards: RebuildPorts['guards'],
  identity: RoundIdentity,
): Promise<string | undefined> {
  if (await guards.restore(identity, identity.gameround)) return identity.gameround;
  return (await guards.holder(identity))?.gameround;
}
