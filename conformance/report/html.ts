import { escapeMarkup as text } from './markup';
import { count, detailsOf, type Report } from './report';
import type { Result } from '../rule';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d7dbe0, #3a4048); --soft: light-dark(#f5f6f8, #1d2126);
  --good: light-dark(#1a7f37, #4ac26b); --bad: light-dark(#c62828, #ff7b72); --grey: light-dark(#667, #99a); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.sums { display: flex; gap: 1.5rem; margin: 1rem 0; padding: 0; list-style: none; }
.sums b { display: block; font-size: 1.8rem; line-height: 1.1; }
.good { color: var(--good); } .bad { color: var(--bad); } .grey { color: var(--grey); }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .6rem .4rem 0; vertical-align: top; }
td:first-child { width: 4.5rem; font-weight: 600; }
td:nth-child(2) { width: 14rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: .6rem; margin: .2rem 0 .8rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 4px; padding: .8rem 1rem; margin: 1rem 0; }
section h3 { margin: 0; font-size: 1rem; }
h4 { margin: 0; font-size: .9rem; }
.parts { display: grid; grid-template-columns: 1fr 1fr; gap: .6rem 1rem; }
.parts div { grid-column: span 2; min-width: 0; }
.parts div:nth-last-child(2), .parts div:nth-last-child(3) { grid-column: span 1; }
@media (max-width: 40rem) { .parts { display: block; } td { display: block; border: 0; padding: 0; width: auto !important; } tr { display: block; border-top: 1px solid var(--line); padding: .4rem 0; } }
`;

const OUTCOMES = {
  holds: ['good', 'holds'],
  broken: ['bad', 'broken'],
  skipped: ['grey', 'skipped'],
} as const;

/** The report as an HTML page that needs no other file. */
export function htmlReport(report: Report): string {
  const { title, at, results, notes } = report;
  const broken = results.filter(({ outcome }) => outcome === 'broken');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${text(title)}</h1>
<p class="grey">gameround-conformance, ${text(at)}</p>
<ul class="sums">
<li class="good"><b>${count(report, 'holds')}</b>rules hold</li>
<li class="${broken.length === 0 ? 'grey' : 'bad'}"><b>${broken.length}</b>broken</li>
<li class="grey"><b>${count(report, 'skipped')}</b>skipped</li>
</ul>
${notes.map((note) => `<p>${text(note)}</p>`).join('\n')}
${broken.length === 0 ? '' : `<h2>Broken rules</h2>\n${broken.map(details).join('\n')}`}
<h2>All rules</h2>
<table>
${results.map(row).join('\n')}
</table>
</body>
</html>
`;
}

function row({ name, text: rule, outcome, why }: Result): string {
  const [style, word] = OUTCOMES[outcome];
  const shown = outcome === 'broken' ? `<a href="#${text(name)}">${text(name)}</a>` : text(name);
  const note = why === '' ? '' : `<br><span class="${style}">${text(why)}</span>`;
  return `<tr><td class="${style}">${word}</td><td><code>${shown}</code></td><td>${text(rule)}${note}</td></tr>`;
}

function details(result: Result): string {
  const { name, anchor, text: rule, why } = result;
  const parts = detailsOf(result).map(
    ([title, value]) => `<div><h4>${text(title)}</h4><pre>${text(value)}</pre></div>`,
  );
  return `<section id="${text(name)}">
<h3>${text(name)}</h3>
<p>${text(rule)} <span class="grey">docs/interface/${text(anchor)}</span></p>
<p class="bad">${text(why)}</p>
<div class="parts">
${parts.join('\n')}
</div>
<p class="grey">Check the rule again: add <code>--only ${text(name)}</code></p>
</section>`;
}
