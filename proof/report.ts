import { closeSync, openSync, writeSync } from 'node:fs';
import { PersonNeededError } from '../src/lifecycle';
import type { Audited, Finding } from './audit';
import { netOf, type Total, type Totals } from './compare';

/** A finding as lines for a person. */
export function linesOf({ gameround, kind, reasons }: Finding): string {
  return [`${gameround} ${kind}`, ...reasons.map((reason) => `  ${reason}`)].join('\n');
}

/** The totals as a table, by histories and by MongoDB. */
export function tableOf({ histories, records }: Pick<Audited, 'histories' | 'records'>): string {
  const head = ['operator', 'currency', 'by', 'rounds', 'debits', 'credits', 'voids', 'net'];
  const keys = [...new Set([...histories.keys(), ...records.keys()])].sort();
  const rows = keys.flatMap((key) => [
    cellsOf('histories', histories.get(key)),
    cellsOf('MongoDB', records.get(key)),
  ]);
  const table = [head, ...rows.filter((row) => row.length > 0)];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const FIRST_NUMBER = 3;

function padded(cell: string, width: number, column: number): string {
  return column < FIRST_NUMBER ? cell.padEnd(width) : cell.padStart(width);
}

function cellsOf(by: string, total: Total | undefined): string[] {
  if (total === undefined) return [];
  const { operator, currency, rounds, debits, credits, voids } = total;
  return [operator, currency, by, ...[rounds, debits, credits, voids, netOf(total)].map(String)];
}

export interface JsonReport {
  add(finding: Finding): void;
  end(audited: Audited): void;
}

/** Writes the report as one JSON object, each finding when it is found. Amounts are texts, since they may be large. */
export function jsonReport(file: string | undefined): JsonReport {
  if (file === undefined) return { add: () => undefined, end: () => undefined };
  const write = (text: string): void => void written(file, () => writeSync(target, text));
  const target = written(file, () => openSync(file, 'w'));
  write('{"findings":[');
  let separator = '\n';
  return {
    add(finding) {
      write(`${separator}${JSON.stringify(finding)}`);
      separator = ',\n';
    },
    end({ histories, records, findings: _count, ...counts }) {
      const rest = JSON.stringify({ ...counts, histories: plain(histories), records: plain(records) });
      write(`\n],${rest.slice(1)}\n`);
      closeSync(target);
    },
  };
}

function written(file: string, write: () => number): number {
  try {
    return write();
  } catch (error) {
    throw new PersonNeededError(`${file} can't be written: ${(error as Error).message}`);
  }
}

function plain(totals: Totals): object[] {
  return [...totals.values()].map(({ debits, credits, voids, ...total }) => ({
    ...total,
    debits: String(debits),
    credits: String(credits),
    voids: String(voids),
    net: String(netOf({ debits, credits, voids, ...total })),
  }));
}
