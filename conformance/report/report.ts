import { cameText, curlLine, sentText, stepLine } from '../exchange';
import type { Result } from '../rule';

export interface Report {
  title: string;
  /** When the run began. */
  at: string;
  results: readonly Result[];
  notes: readonly string[];
}

export function count({ results }: Report, outcome: Result['outcome']): number {
  return results.filter((one) => one.outcome === outcome).length;
}

/** The details of a broken rule: titles and texts. */
export function detailsOf({ exchange, exchanges }: Result): [title: string, text: string][] {
  const steps: [string, string][] =
    exchanges.length < 2 ? [] : [['The calls of this check', exchanges.map(stepLine).join('\n')]];
  if (exchange === undefined) return steps;
  return [
    ...steps,
    ['Sent', sentText(exchange)],
    ['Came', cameText(exchange)],
    ['Repeat the request', curlLine(exchange)],
  ];
}
