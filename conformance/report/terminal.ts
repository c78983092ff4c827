import { count, detailsOf, type Report } from './report';
import type { Result } from '../rule';

const MARKS = { holds: 'holds  ', broken: 'BROKEN ', skipped: 'skipped' };

/** One line, printed as soon as a rule was checked. */
export function lineOf({ name, outcome, why }: Result): string {
  return `${MARKS[outcome]}  ${name}${why === '' ? '' : `: ${why}`}`;
}

export function endText(report: Report): string {
  const broken = report.results.filter(({ outcome }) => outcome === 'broken');
  const sums = `${count(report, 'holds')} rules hold, ${broken.length} broken, ${count(report, 'skipped')} skipped`;
  const names = broken.length === 0 ? [] : [`Broken: ${broken.map(({ name }) => name).join(', ')}`];
  return ['', ...broken.map(details), ...report.notes, ...names, sums].join('\n');
}

function details(result: Result): string {
  const { name, anchor, text, why } = result;
  return [
    `BROKEN  ${name}  (docs/interface/${anchor})`,
    `  Rule: ${text}`,
    `  Seen: ${why}`,
    ...detailsOf(result).map(([title, value]) => `  ${title}:\n${value.replace(/^(?=.)/gm, '    ')}`),
    `  Check the rule again: add --only ${name}\n`,
  ].join('\n');
}
