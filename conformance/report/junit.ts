import { escapeMarkup } from './markup';
import { count, detailsOf, type Report } from './report';
import type { Result } from '../rule';

/** A report in the format that CI systems read. */
export function junitReport(report: Report): string {
  const { title, at, results } = report;
  const [failures, skipped] = [count(report, 'broken'), count(report, 'skipped')];
  const counts = `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  const seconds = (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="gameround-conformance" ${counts} time="${seconds}">`,
    `<testsuite name="${escapeMarkup(title)}" ${counts} time="${seconds}" timestamp="${at.slice(0, 19)}">`,
    ...results.map(testcase),
    `<system-out>${escapeMarkup(report.notes.join('\n'))}</system-out>`,
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testcase(result: Result): string {
  const { name, outcome, why, durationMs } = result;
  const time = (durationMs / 1_000).toFixed(3);
  const open = `<testcase classname="gameround-conformance" name="${escapeMarkup(name)}" time="${time}"`;
  if (outcome === 'holds') return `${open}/>`;
  const message = `message="${escapeMarkup(why)}"`;
  const inner =
    outcome === 'skipped'
      ? `<skipped ${message}/>`
      : `<failure ${message}>${escapeMarkup(details(result))}</failure>`;
  return `${open}>${inner}</testcase>`;
}

function details(result: Result): string {
  const parts = detailsOf(result).map(([title, text]) => `${title}:\n${text}`);
  return [`${result.text}\ndocs/interface/${result.anchor}`, ...parts].join('\n\n');
}
