import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical, chainText, readChain, sha256 } from '../../proof/dossier/chain';
import type { Dossier } from '../../proof/dossier/collect';
import { plainEvents } from '../../proof/dossier/events';
import { htmlOf, PAGE_END, pageOf, sealOf } from '../../proof/dossier/page';
import { verify as check } from '../../proof/dossier/verify';
import { write, type Written } from '../../proof/dossier/write';
import { createPayloadCodec } from '../../src/payloads/codec';
import { projectRoot } from '../../stack/paths';
import { verify } from './support';

/* Forged, hostile and odd dossiers: what our check and the program of docs/dossier.md say about them. */

const AT = '2026-11-29T20:00:00.000Z';
const ZEROS = '0'.repeat(64);

/** A dossier with a text of the game in it. */
function made(said: string): Written {
  const about = { gameround: 'g', operator: 'op1', player: 'p', game: 'demo', provider: 'gp1' };
  const gameState = [
    { type: 'debit', processedOn: AT, hash: 'h', own: {}, result: { info: { text: said } } },
  ];
  return write({
    about: { ...about, mode: 'real', currency: 'EUR', session: 's', madeAt: AT, madeBy: 'test' },
    round: {
      ...{ status: 'closed', openedAt: AT, closedAt: AT, bets: '2.50 EUR', betsGivenBack: '0.00 EUR' },
      ...{ wins: '0.00 EUR', result: 'lost 2.50 EUR', openWinnings: '0.00 EUR', marks: [], gameState },
      minorUnits: { bets: 250, betsGivenBack: 0, wins: 0, openWinnings: 0 },
      agreement: ['They agree.'],
    },
    ...{ steps: [], transactions: [], draws: [], runs: [] },
  } as unknown as Dossier);
}

const folder = mkdtempSync(join(tmpdir(), 'gameround-forged-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the program of docs/dossier.md says. */
function strangerSays(text: string, ending = text.startsWith('<') ? 'html' : 'json'): string {
  const page = readFileSync(join(projectRoot(), 'docs', 'dossier.md'), 'utf8');
  const [, program = ''] = /```python\n(.*?)```/s.exec(page) ?? [];
  const file = join(folder, `dossier.${ending}`);
  writeFileSync(file, text);
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program, file], { encoding: 'utf8' });
  return `${status}: ${stdout}${stderr}`.trim();
}

test.each([
  ['line separators', 'You\u2028won\u2029'],
  ['an escaped <', 'the JSON of a game: {"html":"\\u003cb>"} \\\\u003c \\'],
  ['the end of a page', `</script><script>${PAGE_END}`],
  ['the end of an entry', `","hash":"${ZEROS}"},\n]}`],
])('an unchanged dossier is unchanged with a text of the game that has %s', (_, said) => {
  const { html, json, head } = made(said);
  for (const form of [html, json]) {
    expect(verify(Buffer.from(form), head).problems).toEqual([]);
    expect(strangerSays(form)).toBe(`0: fingerprint ${head}`);
  }
});

test('the program of docs/dossier.md prints no fingerprint for a file with anything besides its entries and page', () => {
  const { html, json, head } = made('a');
  const entry = canonical({ n: 2, previous: ZEROS, kind: 'round', data: { wins: '1000000.00 EUR' } });
  const line = `{"entry":${entry},"hash":"${sha256(entry)}"}`;
  const end = `],"head":"${head}"}`;
  const forged = {
    lineWithSpace: json.replace('\n', `\n ${line},\n`),
    secondEntries: json.replace(end, `],"head":"${head}","entries":[${line}]}`),
    otherHead: json.replace(end, `],"head":"${ZEROS}"}`),
    textBefore: ` ${json}`,
    textAfter: `${json} `,
    lastLineMissing: json.replace(`\n${end}`, ''),
    shownFingerprint: html.replace(`<code>${head}</code>`, `<code>${ZEROS}</code>`),
    overlay: html.replace('<footer>', '<div style="position:fixed;inset:0">won</div><footer>'),
    script: html.replace('</body>', '<script>document.body.innerHTML="won"</script></body>'),
    scriptInEntries: html.replace(`${end}\n`, `${end}\n</script><script>0`),
    page: html.replace('lost 2.50 EUR</td>', 'won 2.50 EUR</td>'),
    pageEnd: html.replace(PAGE_END, ''),
  };
  for (const [name, text] of Object.entries(forged)) {
    expect([html, json]).not.toContain(text);
    const said = strangerSays(text);
    expect(`${name} ${said}`).toMatch(/^\w+ 1: /);
    expect(`${name} ${said}`).not.toMatch(/fingerprint [0-9a-f]{64}|Traceback/);
    expect([name, verify(Buffer.from(text), head).problems]).not.toEqual([name, []]);
  }
});

test('a dossier under the name of the other form is refused, and its entries have no markup', () => {
  const { html, json, head } = made('<h1>The player has won</h1>');
  expect(json).not.toContain('<');
  for (const [form, own, other] of [
    [json, 'json', 'html'],
    [html, 'html', 'json'],
  ] as const) {
    const told = (name: string): string[] =>
      check(Buffer.from(form), { name, madeBy: 'test', expectedHead: head }).problems;
    expect(told(`a.${own}`)).toEqual([]);
    const why = `this form of a dossier is in a file whose name ends in .${own}`;
    expect([told(`a.${other}`), told('a')]).toEqual([[why], [why]]);
    expect(strangerSays(form, own)).toBe(`0: fingerprint ${head}`);
    expect(strangerSays(form, other)).toBe(`1: ${why}`);
  }
});

test('a < in the entries is refused, with all hashes calculated anew', () => {
  const entry = canonical({ n: 1, previous: ZEROS, ...sealOf('<') });
  const raw = entry.replace('the end', '<h1>');
  const line = `{"entry":${raw},"hash":"${sha256(raw)}"}`;
  const text = `{"format":"gameround dossier 1","entries":[\n${line}\n],"head":"${sha256(raw)}"}\n`;
  expect(verify(Buffer.from(text)).problems).toContain(
    'entry 1 (seal: <h1> of the dossier) is not in the canonical form',
  );
  expect(strangerSays(text)).toMatch(/^1: /);
});

test('a sealed page that says something else than its entries is a finding, also of another version', () => {
  const entries = readChain(made('a').json).chain.entries.slice(0, -1);
  const page = pageOf(entries).replaceAll('lost 2.50 EUR', 'won 1000000.00 EUR');
  const { text, head } = chainText([...entries, sealOf(page)]);
  const told = (form: string, name: string, madeBy: string): string[] =>
    check(Buffer.from(form), { name, madeBy, expectedHead: head }).problems;
  const says = 'the sealed page is not the one that its entries make';
  const html = htmlOf(page, text, head);
  const line =
    / line \d+ says “The player has won 1000000\.00 EUR”, its entries say “The player has lost 2\.50 EUR”/;
  expect(told(html, 'a.html', 'test')).toEqual([expect.stringMatching(line)]);
  expect(told(text, 'a.json', 'test')).toEqual([says]);
  expect(told(text, 'a.json', 'gameround 9')).toEqual([
    `${says} (made by test, and this is gameround 9: check it with that version)`,
  ]);
});

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

test.each([
  ['a number that is an object', `{"data":{},"kind":"seal","n":{"toString":1},"previous":"${ZEROS}"}`],
  ['a kind that is an object', `{"data":{},"kind":{"toString":1},"n":1,"previous":"${ZEROS}"}`],
  ['data that are null', `{"data":null,"kind":"seal","n":1,"previous":"${ZEROS}"}`],
  ['data that are deep', `{"data":${DEEP},"kind":"seal","n":1,"previous":"${ZEROS}"}`],
  ['an entry that is null', 'null'],
])('%s is a finding', (_, entry) => {
  const line = `{"entry":${entry},"hash":"${sha256(entry)}"}`;
  const json = `{"format":"gameround dossier 1","entries":[\n${line}\n],"head":"${sha256(entry)}"}\n`;
  expect(verify(Buffer.from(json)).problems).toContain("the line of entry 1 was changed: it can't be read");
  const html = `<p>\n${PAGE_END}<script type="application/json" id="dossier">\n${json}</script>`;
  expect(verify(Buffer.from(html)).problems).not.toEqual([]);
});

test('a page whose entries make no page is a finding', () => {
  const text = made('a').html.replace('"gameround":"g"', '"gameround":7').replace('<body>', '<body >');
  expect(verify(Buffer.from(text)).problems).toContain('the visible page was changed');
});

test('a file that is larger than a text can be is a finding', () => {
  const none = { byteLength: 2 ** 30 } as Uint8Array;
  expect(verify(none).problems).toEqual(['the file is larger than a dossier can be']);
});

test('the time of the check is linear in the size of the file', () => {
  const { html } = made('a');
  const began = performance.now();
  verify(Buffer.from(html.replace('<body>', '<'.repeat(100_000))));
  // The square of the size takes ten times as long.
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("the game's own texts are all in the events, whatever their names are", async () => {
  const own = { header: 'H', signedWith: 'S', rejectedSecrets: 'R', stackTrace: 'T', sdkMetadata: 'M' };
  const payload = (value: unknown): object => ({
    metadata: { encoding: Buffer.from('json/plain').toString('base64') },
    data: Buffer.from(JSON.stringify(value)).toString('base64'),
  });
  const event = (eventId: number, eventType: string, name: string, about: object): object => ({
    ...{ eventId, eventType, eventTime: { seconds: 1_790_000_000 } },
    [`${name}EventAttributes`]: about,
  });
  const activity = (id: number, name: string, args: unknown[], result: unknown): object[] => [
    event(id, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'activityTaskScheduled', {
      ...{ activityType: { name }, header: { fields: { trace: payload('secret') } } },
      input: { payloads: args.map(payload) },
    }),
    event(id + 1, 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED', 'activityTaskCompleted', {
      ...{ scheduledEventId: id, result: { payloads: [payload(result)] } },
    }),
  ];
  const state = { pending: { rejectedSecrets: 'secret', own }, dataStored: own };
  const events = await plainEvents(
    {
      events: [
        event(1, 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED', 'workflowExecutionStarted', {
          input: { payloads: [payload({ command: { betData: own }, continued: { state } })] },
          header: { fields: { trace: payload('secret') } },
        }),
        event(2, 'EVENT_TYPE_WORKFLOW_TASK_FAILED', 'workflowTaskFailed', {
          failure: { message: 'm', stackTrace: 'secret', cause: { message: 'c', stackTrace: 'secret' } },
        }),
        ...activity(3, 'deliver', [{ call: own }, { state }], {
          result: { kind: 'rejected', signedWith: 'secret' },
        }),
        ...activity(5, 'deliverUntilDefinite', [{}], { kind: 'rejected', signedWith: 'secret' }),
        ...activity(7, 'newSecrets', ['op1', 'secret'], null),
        ...activity(9, 'fetchResult', [{}], own),
        event(11, 'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW', 'workflowExecutionContinuedAsNew', {
          input: { payloads: [payload({ continued: { state } })] },
        }),
      ],
    },
    createPayloadCodec({ keys: [], readKeys: [] }),
  );
  const text = JSON.stringify(events);
  expect(text).not.toContain('secret');
  expect(text.split(JSON.stringify(own))).toHaveLength(1 + 9);
  expect(events[6]!.about.input).toEqual(['op1', null]);
});
