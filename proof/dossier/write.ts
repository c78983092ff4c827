import type { Dossier } from './collect';
import { canonical, chainText, type Entry } from './chain';
import { htmlOf, pageOf, sealOf } from './page';

/** Both forms of a dossier. They have the same entries and the same fingerprint. */
export interface Written {
  html: string;
  json: string;
  head: string;
}

export function write(dossier: Dossier): Written {
  const { about, round, steps, transactions, draws, runs } = dossier;
  const of = (kind: string, all: readonly object[]): Pick<Entry, 'kind' | 'data'>[] =>
    all.map((data) => ({ kind, data }));
  const entries = [
    ...of('about', [about]),
    ...of('round', [round]),
    ...of('step', steps),
    ...of('transaction', transactions),
    ...of('random numbers', draws),
    ...runs.flatMap(({ run, events }) => [
      ...of('run', [run]),
      ...of(
        'event',
        events.map((event) => ({ run: run.run, ...event })),
      ),
    ]),
  ];
  // Of the entries as the file has them, so that the page can be made again from it.
  const page = pageOf(JSON.parse(canonical(entries)) as typeof entries);
  const { text: json, head } = chainText([...entries, sealOf(page)]);
  return { html: htmlOf(page, json, head), json, head };
}
