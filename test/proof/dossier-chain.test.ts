import { TOO_LATE_REASON } from '../../src/contracts/activities';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical, chainText, readChain } from '../../proof/dossier/chain';
import type { Dossier } from '../../proof/dossier/collect';
import { plainEvents, type PlainEvent } from '../../proof/dossier/events';
import { pageOf } from '../../proof/dossier/page';
import { stepsOf, type Step } from '../../proof/dossier/story';
import { write } from '../../proof/dossier/write';
import { historyFromText } from '../../src/archive/history-text';
import { createPayloadCodec } from '../../src/payloads/codec';
import { projectRoot } from '../../stack/paths';
import { recorded, verify } from './support';

/* The hash chain of a dossier, its page, and the words for what happened. No server is needed. */

const CODEC = createPayloadCodec({ keys: [], readKeys: [] });

async function eventsIn(name: string, identity?: string): Promise<PlainEvent[]> {
  return plainEvents(historyFromText(await recorded(name, identity)), CODEC);
}

async function stepsIn(name: string, identity?: string): Promise<Step[]> {
  return stepsOf(await eventsIn(name, identity), 1, 'EUR');
}

const lines = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ who, what, answer }) => [
    `${who}: ${what}`,
    ...(answer === undefined ? [] : [`→ ${answer}`]),
  ]);

const HASH = /\(hash [0-9a-f-]{36}\)/g;

async function dossier(name: string): Promise<Dossier> {
  const events = await eventsIn(name);
  const at = '2026-11-29T20:00:00.000Z';
  return {
    about: {
      ...{
        gameround: 'g',
        operator: 'op1',
        player: '<p> & "q"',
        game: 'demo',
        provider: 'gp1',
        mode: 'real',
      },
      ...{ currency: 'EUR', session: 's', madeAt: at, madeBy: 'test' },
    },
    round: {
      ...{ status: 'closed', openedAt: at, closedAt: at, bets: '2.50 EUR', betsGivenBack: '0.00 EUR' },
      ...{ wins: '0.00 EUR', result: 'lost 2.50 EUR', openWinnings: '0.00 EUR', gameState: [], marks: [] },
      minorUnits: { bets: 250, betsGivenBack: 0, wins: 0, openWinnings: 0 },
      agreement: ['They agree.'],
    },
    steps: stepsOf(events, 1, 'EUR'),
    ...{ transactions: [], draws: [] },
    runs: [
      {
        run: { what: 'run 1', run: 1, workflowId: 'w', runId: 'r', from: 'a test', events: 2, sha256: 'x' },
        events: events.slice(0, 2),
      },
    ],
  };
}

test('a round in plain words: what the game asked and was answered, what was sent and what the wallet answered', async () => {
  expect(lines(await stepsIn('start-win-collect-end')).map((line) => line.replace(HASH, '[hash]'))).toEqual([
    'game: The game places a bet of 2.50 EUR; reports a win of 0.05 EUR',
    '→ The answer to the game is that the round is open; open winnings 0.05 EUR; balance 997.50 EUR',
    "service: The service asks the operator's wallet to take a bet of 2.50 EUR [hash]",
    'wallet: The wallet accepts; balance 997.50 EUR',
    `game: The game reports a win of 3.00 EUR; the game's own data: {"reels":"1,2,3"}`,
    '→ The answer to the game is that the round is open; open winnings 3.05 EUR',
    'game: The game asks to pay out 1.00 EUR of the open winnings',
    '→ The answer to the game is that the round is open; paid now 1.00 EUR; open winnings 2.05 EUR; balance 998.50 EUR',
    "service: The service asks the operator's wallet to pay a win of 1.00 EUR [hash]",
    'wallet: The wallet accepts; balance 998.50 EUR',
    'game: The game ends the round; open winnings are to be paid',
    '→ The answer to the game is that the round is closed; paid now 2.05 EUR; open winnings 0.00 EUR; balance 1000.55 EUR',
    "service: The service asks the operator's wallet to pay a win of 2.05 EUR [hash] and to note the end of the round [hash]",
    'wallet: The wallet accepts; balance 1000.55 EUR',
    'service: The round is over: closed',
  ]);
});

test.each([
  ['debit-declined', /^wallet: The wallet declines the bet: error \d+ \w+/],
  ['debit-unknown-voided', /^service: It is not known whether the wallet took the bet/],
  ['credit-retried', /^service: There is no definite answer, so it is sent again/],
  [
    'credit-unauthorised-resumed',
    /^person: A person asks for the waiting wallet call to be sent again \(sent by /,
  ],
  ['by-hand', /^person: .* \(sent by /],
  ['forgotten', /^service: The service asks the game to close the round, which was left open/],
  [
    'follow-up',
    /^game: The game places a bet of 2\.50 EUR; reports a win of 0\.03 EUR; random number call b/,
  ],
])('%s', async (name, expected) => {
  expect(lines(await stepsIn(name))).toContainEqual(expect.stringMatching(expected));
});

test('what somebody else has sent, or entered as an answer, is shown with the sender, and never as of the game or the wallet', async () => {
  const steps = await stepsIn('start-win-collect-end', 'temporal-cli:ann@desk');
  expect(new Set(steps.map(({ who }) => who))).toEqual(new Set(['person', 'service']));
  const people = steps.filter(({ who }) => who === 'person');
  expect(people.filter(({ what }) => !what.includes('(sent by temporal-cli:ann@desk)'))).toEqual([]);
  expect(people[0]?.what).toBe(
    'A person places a bet of 2.50 EUR; reports a win of 0.05 EUR (sent by temporal-cli:ann@desk)',
  );
  expect(people.map(({ what }) => what)).toContain(
    'A person enters this answer (sent by temporal-cli:ann@desk): The wallet accepts; balance 997.50 EUR',
  );
  expect(lines(steps).filter((line) => line.includes('The answer to the game'))).toEqual([]);
});

test.each([7, null, { balances: null }, { balances: [null] }])(
  'a balance that a person has written by hand as %j does not stop the dossier',
  (balance) => {
    const call = { transactions: [{ type: 'credit', hash: 'h', amount: 5, currency: 'EUR' }] };
    const event = (id: number, type: string, about: Record<string, unknown>): PlainEvent => ({
      ...{ id, at: '2026-11-29T20:00:00.000Z', type, about },
    });
    const result = { kind: 'accepted', balance, errorCode: null, endRejected: null };
    const steps = stepsOf(
      [
        event(1, 'ActivityTaskScheduled', {
          ...{ activityType: { name: 'deliverUntilDefinite' }, input: [{ call }] },
        }),
        event(2, 'ActivityTaskCompleted', {
          scheduledEventId: '1',
          result: [result],
          identity: 'gameround:1@test',
        }),
      ],
      ...([1, 'EUR'] as const),
    );
    expect(lines(steps)).toEqual(['wallet: The wallet accepts']);
  },
);

test.each([
  [
    'its time was over',
    { kind: 'declined', unauthorised: true, processed: false, notSent: 'its time was over' },
  ],
  ['it is not known', { kind: 'unknown', reason: TOO_LATE_REASON }],
])('a bet that was not sent is not told as asked of the wallet: %s', (why, result) => {
  const call = {
    transactions: [{ type: 'debit', isFirstDebit: true, hash: 'h', amount: 5, currency: 'EUR' }],
  };
  const at = '2026-11-29T20:00:00.000Z';
  const identity = 'gameround:1@test';
  const events: [string, Record<string, unknown>][] = [
    ['ActivityTaskScheduled', { activityType: { name: 'deliver' }, input: [{ call }] }],
    ['ActivityTaskStarted', { scheduledEventId: '1', identity }],
    ['ActivityTaskCompleted', { scheduledEventId: '1', identity, result: [{ result, at }] }],
  ];
  const steps = stepsOf(
    events.map(([type, about], index) => ({ id: index + 1, at, type, about })),
    ...([1, 'EUR'] as const),
  );
  expect(lines(steps)).toEqual([
    "service: The service is about to ask the operator's wallet to take a bet of 0.05 EUR (hash h)",
    expect.stringMatching(new RegExp(`^service: .*${why}`, 'i')),
  ]);
});

test('a call that was in flight when the run was stopped or reset is told', () => {
  const call = { transactions: [{ type: 'credit', hash: 'h', amount: 5, currency: 'EUR' }] };
  const about = { activityType: { name: 'deliver' }, input: [{ call }] };
  const event = { id: 1, at: '2026-11-29T20:00:00.000Z', type: 'ActivityTaskScheduled', about };
  expect(lines(stepsOf([event], 1, 'EUR'))).toEqual([
    "service: The service asks the operator's wallet to pay a win of 0.05 EUR (hash h)",
    'service: This history has no answer to it',
  ]);
});

test('a changed, added or removed byte anywhere is found, in both forms', async () => {
  const { html, json, head } = write(await dossier('spin-lost'));
  for (const form of [html, json]) {
    const whole = Buffer.from(form);
    expect(verify(whole, head)).toMatchObject({ problems: [], head });
    const passed: number[] = [];
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      if (verify(changed).problems.length === 0) passed.push(at);
    }
    for (let at = 0; at <= whole.length; at += 11) {
      const [before, after] = [whole.subarray(0, at), whole.subarray(at)];
      if (verify(Buffer.concat([before, Buffer.from(' '), after])).problems.length === 0) passed.push(at);
      if (at < whole.length && verify(Buffer.concat([before, after.subarray(1)])).problems.length === 0)
        passed.push(at);
    }
    expect(passed).toEqual([]);
  }
});

test('what was changed is named', async () => {
  const { html, json, head } = write(await dossier('spin-lost'));
  const problems = (text: string, expected?: string): string[] =>
    verify(Buffer.from(text), expected).problems;
  const rows = json.split('\n');
  const without = (n: number): string => rows.filter((_, index) => index !== n).join('\n');
  expect(problems(json.replace('a bet of 2.50 EUR', 'a bet of 9.50 EUR'))).toEqual([
    expect.stringMatching(/^entry 3 \(step: The game places a bet of 9\.50 EUR.*\) was changed$/),
  ]);
  expect(problems(without(4))).toEqual([
    expect.stringMatching(
      /^before entry 5 \(step: The wallet accepts.*\), an entry was changed, added or removed$/,
    ),
  ]);
  expect(problems([...rows.slice(0, 6), rows[6]!.slice(0, -1), ...rows.slice(-2)].join('\n'))).toContain(
    'entries at the end are missing',
  );
  expect(problems(html.replace('<td>lost 2.50 EUR</td>', '<td>won 2.50 EUR</td>'))).toEqual([
    expect.stringMatching(
      /^the visible page was changed: line \d+ says “The player has won 2\.50 EUR”, its entries say “The player has lost 2\.50 EUR”$/,
    ),
  ]);
  expect(problems(html.replace(/<footer>.*<\/footer>/, ''))).toEqual([
    'the fingerprint below the page, or the text around the entries, was changed',
  ]);
  // All hashes calculated anew: only the fingerprint that was kept shows it.
  const forged = write({ ...(await dossier('spin-lost')), steps: [] });
  expect(problems(forged.html)).toEqual([]);
  expect(problems(forged.html, head)).toEqual([`the fingerprint is ${forged.head}, not ${head}`]);
});

test.each(['', 'x', '{"name":"gameround"}', '<!doctype html>'])(
  'a file with the text %j is no dossier',
  (text) => {
    expect(verify(Buffer.from(text)).problems).toEqual(['this is no dossier: it has no entries']);
  },
);

test('the chain is plain SHA-256 over the bytes of each entry', async () => {
  const { json, head } = write(await dossier('spin-lost'));
  let previous = '0'.repeat(64);
  for (const line of json.split('\n').filter((one) => one.startsWith('{"entry":'))) {
    const entry = line.slice('{"entry":'.length, line.lastIndexOf(',"hash":'));
    expect((JSON.parse(entry) as { previous: string }).previous).toBe(previous);
    previous = createHash('sha256').update(entry).digest('hex');
  }
  expect(head).toBe(previous);
  expect(JSON.parse(json)).toMatchObject({ head });
  expect(canonical({ b: [1, { z: null, a: undefined }], a: 'é<', 10: 1, 9: 2 })).toBe(
    '{"10":1,"9":2,"a":"é\\u003c","b":[1,{"z":null}]}',
  );
});

test('the program of docs/dossier.md checks both forms', async () => {
  const page = await readFile(join(projectRoot(), 'docs', 'dossier.md'), 'utf8');
  const [, program = ''] = /```python\n(.*?)```/s.exec(page) ?? [];
  const { html, json, head } = write(await dossier('spin-lost'));
  const folder = await mkdtemp(join(tmpdir(), 'gameround-dossier-'));
  const told = async (text: string): Promise<string> => {
    const file = join(folder, text.startsWith('{') ? 'dossier.json' : 'dossier.html');
    await writeFile(file, text);
    const { stdout, stderr } = spawnSync('python3', ['-c', program, file], { encoding: 'utf8' });
    return `${stdout}${stderr}`.trim();
  };
  for (const form of [html, json]) {
    expect(await told(form)).toBe(`fingerprint ${head}`);
    expect(await told(form.replace('"n":3', '"n":4'))).toBe('entry 3 or the one before it was changed');
  }
  expect(await told(html.replace('lost 2.50 EUR</td>', 'won 2.50 EUR</td>'))).toBe('the page was changed');
  await rm(folder, { recursive: true });
});

test('what comes from outside can not change the page', async () => {
  const evil = '</script><script>alert(1)</script><!-- ';
  const base = await dossier('spin-lost');
  const { html, json } = write({
    ...base,
    about: { ...base.about, player: evil, operator: `${evil}\n${evil}` },
  });
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(verify(Buffer.from(html)).problems).toEqual([]);
  expect(verify(Buffer.from(json)).problems).toEqual([]);
  const { chain } = readChain(json);
  expect(pageOf(chain.entries)).toContain('&lt;/script&gt;');
  expect(chainText(chain.entries).text).toBe(json);
});
