import { SEAL, sha256, type Entry } from './chain';
import type { About, DrawPart, RoundPart, RunPart, TransactionPart } from './collect';
import type { PlainEvent } from './events';
import { marksText, wordIn, type Step } from './story';

/* The page of a dossier. It is made of the entries only, so that it can be made again from them and compared. */

/** The page ends with this line. The fingerprint and the entries follow it. */
export const PAGE_END =
  '<!-- The last entry holds the SHA-256 of all bytes up to the end of this line. -->\n';

/** The page and, after it, the fingerprint and the entries as text. */
export function htmlOf(page: string, json: string, head: string): string {
  return (
    `${page}<footer><p>Fingerprint of this dossier (the hash of its last entry):<br><code>${head}</code></p></footer>\n` +
    `<script type="application/json" id="dossier">\n${json}</script>\n</body>\n</html>\n`
  );
}

/** The page and the entries of a file that htmlOf made. Undefined if it has not this form. */
export function partsOf(html: string): { page: string; json: string } | undefined {
  const end = html.indexOf(PAGE_END);
  const script = '<script type="application/json" id="dossier">\n';
  const from = html.indexOf(script, end);
  const to = html.indexOf('</script>', from);
  if (end === -1 || from === -1 || to === -1) return undefined;
  return { page: html.slice(0, end + PAGE_END.length), json: html.slice(from + script.length, to) };
}

export function sealOf(page: string): Pick<Entry, 'kind' | 'data'> {
  return { kind: SEAL, data: { what: 'the end of the dossier', page: sha256(page) } };
}

/** The page as lines, each of which shows one thing. */
export function pageOf(entries: readonly Pick<Entry, 'kind' | 'data'>[]): string {
  const of = <T>(kind: string): T[] =>
    entries.filter((one) => one.kind === kind).map(({ data }) => data as T);
  const [about] = of<About>('about');
  const [round] = of<RoundPart>('round');
  if (about === undefined || round === undefined) return '';
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(`Dossier of gameround ${about.gameround}`)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    ...headOf(about, round),
    ...storyPart(of<Step>('step')),
    ...moneyPart(of<TransactionPart>('transaction'), round),
    ...drawPart(of<DrawPart>('random numbers')),
    ...gamePart(round),
    ...agreementPart(round, of<RunPart>('run')),
    ...proofPart(),
    ...eventPart(of<RunPart>('run'), of<PlainEvent & { run: number }>('event')),
    PAGE_END,
  ].join('\n');
}

function headOf(about: About, round: RoundPart): string[] {
  const { settled } = round;
  const rows: [string, string | undefined][] = [
    ['Player', about.player],
    ['Game', `${about.game}, of the provider ${about.provider}`],
    ['Operator', about.operator],
    ['Money', about.mode === 'real' ? `real, in ${about.currency}` : `pretend (${about.mode})`],
    ['Round of the provider', about.externalGameProviderRoundId],
    ['Began', timeText(round.openedAt)],
    ['Ended', round.closedAt === undefined ? 'it has not ended' : timeText(round.closedAt)],
    ['The round is', round.status],
    ['Record and history', round.agreement.join(' ')],
    ['Bets', round.bets],
    ['of which given back', round.minorUnits.betsGivenBack === 0 ? undefined : round.betsGivenBack],
    ['Wins paid', round.wins],
    ['Wins not paid yet', round.minorUnits.openWinnings === 0 ? undefined : round.openWinnings],
    [
      round.result === 'not known yet' ? 'What the player has lost or won is' : 'The player has',
      round.result,
    ],
    ['It waits for', round.marks.length === 0 ? undefined : marksText(round.marks)],
    [
      SETTLED_BY[settled?.by ?? 'unknown'],
      settled &&
        (settled.by === 'reconciliation'
          ? `${timeText(settled.at)}: the operator has answered what was open`
          : `${timeText(settled.at)}, reason “${settled.reason}”, key “${settled.key}”`),
    ],
  ];
  return [
    `<header><h1>Dossier of a game round</h1>`,
    `<p class="id">${escaped(about.gameround)}</p>`,
    `<p>Made on ${timeText(about.madeAt)} by ${escaped(about.madeBy)}. All times are in UTC. Amounts are in ${escaped(about.currency)}, as the player sees them; the entries also have them in minor units.</p></header>`,
    '<section><h2>In short</h2><table class="facts">',
    ...rows.flatMap(([name, value]) =>
      value === undefined ? [] : [`<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`],
    ),
    '</table></section>',
  ];
}

const SETTLED_BY: Record<NonNullable<RoundPart['settled']>['by'], string> = {
  reconciliation: 'Decided by a reconciliation',
  person: 'Decided by a person',
  unknown: 'Decided with the key of reconciliations; no history of one says so',
};

const WHO: Record<Step['who'], string> = {
  game: 'Game',
  service: 'Service',
  wallet: 'Wallet',
  operator: 'Operator',
  person: 'Person',
};

function storyPart(steps: readonly Step[]): string[] {
  let day = '';
  const rows = steps.flatMap(({ at, who, what, answer }) => {
    const heading = dayText(at) === day ? [] : [`<li class="day">${dayText(at)}</li>`];
    day = dayText(at);
    const shown = answer === undefined ? '' : `<span class="answer">${escaped(answer)}</span>`;
    return [
      ...heading,
      `<li class="${who}"><time datetime="${at}">${clockText(at)}</time><b>${WHO[who]}</b><span>${escaped(what)}${shown}</span></li>`,
    ];
  });
  return [
    '<section><h2>What happened</h2>',
    '<p>The player acts through the game, and the game tells the service. “Game” is what the game asked for, and below it what it was answered: this is what the game could show to the player. “Service” is what the service then did, “Wallet” is what the operator’s wallet answered.</p>',
    ...(rows.length === 0
      ? ['<p>There is no history of this round.</p>']
      : ['<ol class="story">', ...rows, '</ol>']),
    '</section>',
  ];
}

function moneyPart(transactions: readonly TransactionPart[], round: RoundPart): string[] {
  const rows = transactions.map(
    ({ what, outcome, at, hash, balanceAfter = '' }) =>
      `<tr><td data-label="Time">${stampText(at)}</td><td data-label="Asked">${escaped(what)}</td><td data-label="Outcome">${escaped(outcome)}</td><td data-label="Balance after" class="money">${escaped(balanceAfter)}</td><td data-label="Hash" class="hash">${escaped(hash)}</td></tr>`,
  );
  return [
    '<section><h2>Every movement of money</h2>',
    `<p>The hash names a movement of money in the books of both sides. Bets ${escaped(round.bets)}, given back ${escaped(round.betsGivenBack)}, wins paid ${escaped(round.wins)}${round.result === 'not known yet' ? '' : `: ${escaped(round.result)}`}.</p>`,
    '<table class="wide"><thead><tr><th>First asked</th><th>The wallet was asked to</th><th>Outcome</th><th>Balance after</th><th>Hash</th></tr></thead><tbody>',
    ...rows,
    '</tbody></table></section>',
  ];
}

const MOST_VALUES = 200;

function drawPart(draws: readonly DrawPart[]): string[] {
  const rows = draws.map(({ what, at, rngRequestId, rngEndPoint, rngPayload, values }) => {
    const shown = values.slice(0, MOST_VALUES).join(', ');
    const more =
      values.length > MOST_VALUES ? ` … and ${values.length - MOST_VALUES} more, which the entries have` : '';
    const { count, min, max } = rngPayload;
    return `<tr><td data-label="Time">${stampText(new Date(at).toISOString())}</td><td data-label="Asked">${escaped(`${rngEndPoint}: ${count} from ${min} to ${max}`)}</td><td data-label="Drawn" class="values">${escaped(shown + more)}</td><td data-label="Which">${escaped(what)}</td><td data-label="Id" class="hash">${escaped(rngRequestId)}</td></tr>`;
  });
  return [
    '<section><h2>Random numbers</h2>',
    ...(rows.length === 0
      ? [
          '<p>The service drew no random numbers for this round. The game may have drawn its own; the service does not see them.</p>',
        ]
      : [
          '<table class="wide"><thead><tr><th>Time</th><th>Asked</th><th class="drawn">Drawn</th><th>Which</th><th>Id</th></tr></thead><tbody>',
          ...rows,
          '</tbody></table>',
        ]),
    '</section>',
  ];
}

const STEPS: Record<string, string> = { debit: 'Bet', genericwin: 'Win', spincounter: 'Counter' };

function gamePart({ gameState }: RoundPart): string[] {
  const rows = gameState.map(
    ({ type, processedOn, result, own, hash }) =>
      `<tr><td data-label="Time">${stampText(processedOn)}</td><td data-label="Step">${escaped(wordIn(STEPS, type))}</td><td data-label="Said by the game" class="values">${escaped(infoText({ ...own, ...result.info }))}</td><td data-label="Hash" class="hash">${escaped(hash)}</td></tr>`,
  );
  if (rows.length === 0) return [];
  return [
    '<section><h2>What the game said of each step</h2>',
    '<p>The game sends these texts as it likes. The service keeps them unchanged, and does not know what the player saw on the screen.</p>',
    '<table class="wide"><thead><tr><th>Time</th><th>Step</th><th>Said by the game</th><th>Hash</th></tr></thead><tbody>',
    ...rows,
    '</tbody></table></section>',
  ];
}

function infoText(info: Record<string, string>): string {
  const texts = Object.entries(info).map(([name, value]) => `${name}: ${value}`);
  return texts.length === 0 ? 'nothing' : texts.join('; ');
}

function agreementPart({ agreement }: RoundPart, runs: readonly RunPart[]): string[] {
  return [
    '<section><h2>Where this comes from</h2>',
    ...agreement.map((line) => `<p>${escaped(line)}</p>`),
    ...runs.map(
      ({ what, from, events, sha256: hash, runId }) =>
        `<p class="source">${escaped(`${what[0]?.toUpperCase()}${what.slice(1)} (${runId}), ${events} events, from ${from}.`)} <span class="hash">SHA-256 of the exported history: ${escaped(hash)}</span></p>`,
    ),
    '</section>',
  ];
}

function proofPart(): string[] {
  return [
    '<section><h2>What can be checked, and what not</h2>',
    '<p>This file holds, after the visible page, the same facts as numbered entries. Each entry holds a hash (SHA-256) of the entry before, and the last entry holds the hash of this page. The fingerprint at the end is the hash of the last entry. If one character of an entry or of this page is changed, the hashes do not fit any more. Anyone can calculate them with common programs; the documentation (docs/dossier.md) says how.</p>',
    '<p>A chain of hashes does not prove who made it, or when. Whoever holds this file could change it and calculate all hashes anew; the fingerprint is then another one. So keep the fingerprint apart from the file: send it to the other party, or have it signed or time-stamped. The chain also does not prove that the service wrote the truth in the first place. For that, compare the movements of money with the books of the operator, which has the same hashes.</p>',
    '</section>',
  ];
}

function eventPart(runs: readonly RunPart[], events: readonly (PlainEvent & { run: number })[]): string[] {
  const eventsOf = new Map<number, PlainEvent[]>(runs.map(({ run }) => [run, []]));
  for (const event of events) eventsOf.get(event.run)?.push(event);
  return runs.flatMap(({ run, workflowId }) => [
    `<section><h2>The stored events of ${escaped(workflowId)}</h2>`,
    '<p>This is the record that the service writes before each of its acts. The contents of the events are in the entries after this page.</p>',
    '<table class="wide events"><thead><tr><th>No.</th><th>Time</th><th>Event</th><th>About</th></tr></thead><tbody>',
    ...eventsOf
      .get(run)!
      .map(
        ({ id, at, type, about }) =>
          `<tr><td data-label="No.">${id}</td><td data-label="Time">${stampText(at)}</td><td data-label="Event">${escaped(wordsOf(type))}</td><td data-label="About">${escaped(aboutText(about))}</td></tr>`,
      ),
    '</tbody></table></section>',
  ]);
}

function wordsOf(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** What an event is about, in one or two words. */
function aboutText(about: Record<string, unknown>): string {
  const { activityType, activityId, signalName, acceptedRequest, timerId, scheduledEventId } = about as {
    activityType?: { name?: string };
    activityId?: string;
    signalName?: string;
    acceptedRequest?: { input?: { name?: string } };
    timerId?: string;
    scheduledEventId?: string;
  };
  const words = [
    activityType?.name && `${activityType.name} ${activityId}`,
    signalName,
    acceptedRequest?.input?.name,
    timerId && `timer ${timerId}`,
    scheduledEventId && `of event ${scheduledEventId}`,
  ];
  return words.filter((word) => typeof word === 'string').join(', ');
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

function dayText(at: string): string {
  return DAY.format(new Date(at));
}

/** `16:29:32.614` */
function clockText(at: string): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** `2026-11-29 16:29:32.614`, for tables. */
function stampText(at: string): string {
  return `${at.slice(0, 10)} ${clockText(at)}`;
}

function timeText(at: string): string {
  return `${dayText(at)}, ${clockText(at)} UTC`;
}

const CHARS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** On one line, so that each line of the page shows one thing. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => CHARS[char] ?? char).replace(/[\n\r]+/g, ' ');
}

const STYLE = [
  ':root{color-scheme:light;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--back:#f6f8fa}',
  '*{box-sizing:border-box}',
  'body{margin:0 auto;max-width:62rem;padding:2rem 1.5rem;font:16px/1.5 system-ui,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:#fff}',
  'h1{font-size:1.7rem;line-height:1.2;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}p{margin:.4rem 0;max-width:46rem}',
  '.id,code,.hash{font-family:ui-monospace,"DejaVu Sans Mono",Consolas,monospace;overflow-wrap:anywhere}.id{font-size:1.05rem}.hash{font-size:.75rem;color:var(--soft)}',
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}',
  'thead th{font-size:.8rem;color:var(--soft)}.facts th{width:14rem;font-weight:400;color:var(--soft)}.facts td{font-weight:600}.money{white-space:nowrap}td[data-label="Time"],td[data-label="No."]{white-space:nowrap;font-variant-numeric:tabular-nums}td.hash{width:9.5rem}.drawn{width:30%}.events{font-size:.8rem}.events td{padding:.15rem .8rem .15rem 0}',
  '.story{list-style:none;margin:0;padding:0}.story li{display:grid;grid-template-columns:7.2rem 5.5rem 1fr;gap:0 .8rem;padding:.45rem .6rem;border-left:4px solid var(--line);margin-top:2px;overflow-wrap:anywhere}.story .day{display:block;border:0;font-weight:600;padding:.6rem 0 .3rem}.story time{white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}',
  '.story .game{border-color:#0969da;background:var(--back)}.story .wallet{border-color:#1a7f37}.story .person,.story .operator{border-color:#bf8700;background:#fff8e5}.answer{display:block;color:var(--soft);margin-top:.15rem}.answer::before{content:"→ "}',
  'footer{margin-top:2.5rem;padding:1rem;border:2px solid var(--ink)}footer code{font-weight:600}',
  '@media(max-width:40rem){body{padding:1rem}.facts th,.facts td{display:block;width:auto;border:0;padding:0}.facts td{border-bottom:1px solid var(--line);padding:0 0 .4rem;margin-bottom:.4rem}.facts tr{display:block}.story li{grid-template-columns:auto 1fr}.story li>span{grid-column:1/-1}.wide thead{display:none}.wide,.wide tbody,.wide tr,.wide td{display:block;width:auto}.wide tr{border-bottom:1px solid var(--line);padding:.5rem 0}.wide td{border:0;padding:.05rem 0 .05rem 7.5rem;position:relative;min-height:1.5em}.wide td::before{content:attr(data-label);position:absolute;left:0;color:var(--soft);font:.8rem/1.9 system-ui,sans-serif}.events td{padding-left:4.5rem}td.hash{width:auto}}',
  '@media print{body{max-width:none;padding:0;font-size:10pt}h2{break-after:avoid}li,tr,footer{break-inside:avoid}thead{display:table-header-group}.story .game,.story .person,.story .operator{background:#fff}@page{margin:15mm}}',
].join('');
