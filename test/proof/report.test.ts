import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Audited, Finding } from '../../proof/audit';
import { archiveOf } from '../../proof/command';
import { jsonReport, tableOf } from '../../proof/report';
import type { Config } from '../../src/config';
import { PersonNeededError } from '../../src/lifecycle';

const total = { operator: 'op1', currency: 'EUR', rounds: 2, debits: 2n ** 60n, credits: 300n, voids: 250n };
const totals = new Map([['op1#EUR', total]]);
const audited: Audited = {
  ...{ rounds: 2, inProgress: 0, expired: 1, findings: 2 },
  ...{ histories: totals, records: totals },
};

test('the JSON report has each finding, the counts, and exact amounts as texts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gameround-report-'));
  const file = join(folder, 'report.json');
  const findings: Finding[] = ['a', 'b'].map((gameround) => ({
    ...{ gameround, kind: 'no-record' as const },
    reasons: ['why'],
  }));
  const report = jsonReport(file);
  for (const finding of findings) report.add(finding);
  report.end(audited);
  const sums = { debits: '1152921504606846976', credits: '300', voids: '250', net: '1152921504606846426' };
  const row = { operator: 'op1', currency: 'EUR', rounds: 2, ...sums };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...{ findings, rounds: 2, inProgress: 0, expired: 1 },
    ...{ histories: [row], records: [row] },
  });
  rmSync(folder, { recursive: true });
});

test('a folder that is none and a report that can not be written are errors for a person', async () => {
  const config = {} as Config;
  for (const dir of [__filename, '/nonexistent'])
    await expect(archiveOf(config, { dir })).rejects.toThrow(
      new PersonNeededError(`there is no folder ${dir}`),
    );
  for (const file of ['/nonexistent/x', tmpdir(), '/dev/full'])
    expect(() => jsonReport(file)).toThrow(new RegExp(`^${file} can't be written: `));
});

test('the table has a row for the histories and one for MongoDB', () => {
  expect(tableOf(audited).split('\n')).toEqual([
    'operator  currency  by         rounds               debits  credits  voids                  net',
    'op1       EUR       histories       2  1152921504606846976      300    250  1152921504606846426',
    'op1       EUR       MongoDB         2  1152921504606846976      300    250  1152921504606846426',
  ]);
});
