import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '../../conformance/cli';
import { kitWallet, OPERATOR, type RunningWallet } from './support';

/* The command gameround-conformance: its reports and its exit status. */

const SECRET = OPERATOR.secrets[0]!;

let folder: string;
let good: RunningWallet;
let bad: RunningWallet;
let broken: Awaited<ReturnType<typeof command>>;
let junit: string;
let html: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  good = await kitWallet();
  // It pays a credit of a voided round, and its errors have a name that has to be escaped.
  bad = await kitWallet({
    'sdk/wallet-rules.ts': [
      ["if (round.status === 'voided') return walletError('GAMEROUNDNOTACTIVE', 'voided');", ''],
      [
        "if (round.status !== 'open') return walletError('GAMEROUNDNOTACTIVE', round.status);",
        "if (round.status === 'closed') return walletError('GAMEROUNDNOTACTIVE', '<b>&]]>');",
      ],
    ],
    'sdk/wallet.ts': [['status: errorCode === undefined ? 200 : 400,', 'status: 200,']],
  });
  broken = await command(bad.url, '--junit', file('r.xml'), '--html', file('r.html'));
  junit = await readFile(file('r.xml'), 'utf8');
  html = await readFile(file('r.html'), 'utf8');
});
afterAll(async () => {
  good.close();
  bad.close();
  await rm(folder, { recursive: true });
});

async function command(url: string, ...more: string[]): Promise<{ status: number; text: string }> {
  const printed: string[] = [];
  const who = ['--operator-id', 'op1', '--player', 'alice', '--game', 'demo-slot'];
  const argv = ['wallet', '--operator-url', url, ...who, ...more];
  const status = await run(argv, { GAMEROUND_SECRET: SECRET }, (text) => printed.push(text));
  return { status, text: printed.join('\n') };
}

const file = (name: string): string => join(folder, name);

test('0 and a summary when all rules hold', async () => {
  const { status, text } = await command(good.url);
  expect(text).toContain('51 rules hold, 0 broken, 4 skipped');
  expect(text).toMatch(/accepted \d+ rounds: debits of \d+, .* The balance is 10000, as before\./);
  expect(status).toBe(0);
});

test('1 and the request with its reply when a rule is broken; no report has the secret', () => {
  expect(broken.status).toBe(1);
  expect(broken.text).toMatch(/^Broken: .*voided-round.*$/m);
  for (const report of [broken.text, junit, html]) {
    expect(report).toContain('A transaction of a voided round gets 400 and moves no money.');
    expect(report).toContain('a new credit in a voided round was answered with 200 instead of 400');
    expect(report).toContain('docs/interface/operator-api.md#void-any-state');
    expect(report).toMatch(/POST \/doTransactions \[debit 10\] → 200, balance \d+/);
    expect(report).toMatch(/curl -sS -i -X POST/);
    expect(report).not.toContain(SECRET);
  }
});

test('the JUnit report is well-formed and counts', () => {
  const open: string[] = [];
  for (const [, end, name, alone] of junit.matchAll(/<(\/?)([\w-]+)(?:\s+\w+="[^"<]*")*\s*(\/?)>/g)) {
    if (end) expect(open.pop()).toBe(name);
    else if (!alone) open.push(name!);
  }
  expect(open).toEqual([]);
  const outside = junit.replace(/<\?xml[^?]*\?>|<\/?[\w-]+(?:\s+\w+="[^"<]*")*\s*\/?>/g, '');
  expect(outside).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
  const failures = junit.match(/<failure /g)!.length;
  expect(junit).toContain(`tests="55" failures="${failures}" errors="0" skipped="4"`);
});

test('the HTML report needs nothing else, and text of the wallet is no markup', () => {
  expect(html).not.toMatch(/<(?:script|link|img|iframe)|(?:src|href)="(?!#)|url\(/);
  expect(html).toContain('&lt;b&gt;&amp;]]&gt;');
  expect(html).not.toContain('<b>&');
});

test('the line for a shell sends the request again, signed anew', async () => {
  const { text } = await command(bad.url, '--only', 'voided-round');
  const [line] = /^ +T=\$\(date.*$/m.exec(text)!;
  const { stdout } = await promisify(execFile)('bash', ['-c', line], {
    env: { ...process.env, GAMEROUND_SECRET: SECRET },
  });
  expect(stdout).toMatch(/^HTTP\/1.1 200 OK/);
  expect(stdout).toContain('hashesProcessed');
  const wrong = await promisify(execFile)('bash', ['-c', line], {
    env: { ...process.env, GAMEROUND_SECRET: 'x' },
  });
  expect(wrong.stdout).toMatch(/^HTTP\/1.1 401/);
});

test('--only checks the named rules, --skip leaves rules out', async () => {
  const only = await command(good.url, '--only', 'void', '--only', 'not-json', '--skip', 'signature');
  expect(only.text).toMatch(/^holds\s+void$/m);
  expect(only.text).toMatch(/^2 rules hold, 0 broken, 0 skipped$/m);
  const skip = await command(
    bad.url,
    '--skip',
    'error-on-200',
    '--skip',
    'voided-round',
    '--only',
    'error-on-200',
  );
  expect(skip).toMatchObject({ status: 0, text: expect.stringContaining('skipped as asked') as string });
});

test('1, with reports, when the wallet stops in the middle', async () => {
  const stopping = await kitWallet({
    'sdk/wallet.ts': [
      ['async function getBalance(', 'let calls = 0;\nasync function getBalance('],
      [
        'const amount = await options.balance(',
        "if (++calls > 3) throw new Refused(503, walletError('NOTFOUND'));\n  const amount = await options.balance(",
      ],
    ],
  });
  const { status, text } = await command(stopping.url, '--junit', file('stopped.xml'));
  stopping.close();
  expect(text).toContain('BROKEN   get-balance: getBalance has no balance to compare with');
  expect(text).toMatch(/^skipped +void: cannot be checked, since get-balance is broken/m);
  expect(text).toContain('The balance was 10000; it cannot be read now.');
  expect(await readFile(file('stopped.xml'), 'utf8')).toContain('</testsuites>');
  expect(status).toBe(1);
});

test.each([
  ['another currency', 'balances(amount, currency)', "balances(amount, 'XTS')", 'balance-currency'],
  [
    'another currency without gameCode',
    'balances(amount, currency)',
    "balances(amount, gameCode ? currency : 'XTS')",
    'balance-currency',
  ],
  ['a text', 'balances(amount, currency)', 'balances(String(amount) as never, currency)', 'balance-amount'],
  ['no balance', 'balances(amount, currency)', '{}', 'no-balances'],
])(
  '1 and the rule when getBalance tells %s, so that no other rule can be checked',
  async (_, find, replace, rule) => {
    const bare = await kitWallet({
      'sdk/wallet.ts': [[`return { body: ${find} };`, `return { body: ${replace} };`]],
    });
    const { status, text } = await command(bare.url, '--only', 'void');
    bare.close();
    expect(text).toMatch(new RegExp(`^BROKEN +${rule}: .*$`, 'm'));
    expect(text).toContain('No other rule was checked: getBalance of alice in EUR');
    expect(text).toMatch(/^0 rules hold, 1 broken, 0 skipped$/m);
    expect(status).toBe(1);
  },
);

test.each([
  ['a rule that does not exist', ['--only', 'nothing'], /no rule nothing/],
  ['an option that does not exist', ['--foo'], /--foo/],
  ['a stake that is no amount', ['--stake', '1.5'], /--stake is no integer/],
  ['a stake that the player cannot pay', ['--stake', '2000'], /has 10000, and the run needs 16000/],
  ['another player', ['--player', 'bob'], /getBalance of bob in EUR has no balance: 404/],
  [
    'a wrong secret',
    ['--secret', 'other'],
    /401 .*SIGNATUREWRONG.*\nSigned was: <secret>#op1#.*#alice#EUR#demo-slot\n/,
  ],
  ['a wallet that is not there', ['--operator-url', 'http://127.0.0.1:1'], /no reply/],
  ['a URL that is none', ['--operator-url', 'wallet'], /no http or https URL/],
  [
    'a report that cannot be written',
    ['--only', 'void', '--junit', '/no/such/folder/r.xml'],
    /cannot be written/,
  ],
])('2 for %s', async (_, more, said) => {
  const { status, text } = await command(good.url, ...more);
  expect(text).toMatch(said);
  expect(status).toBe(2);
});
