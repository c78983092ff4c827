import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { htmlReport } from './html';
import { junitReport } from './junit';
import type { Report } from './report';
import { REPLY_RULES } from './reply-rules';
import { type ReplyRule, type Result, type Rule, Unusable } from './rule';
import { runRules } from './run';
import { endText, lineOf } from './terminal';
import { signed, TestedWallet } from './tested-wallet';
import { WALLET_RULES } from './wallet-rules';

const USAGE = `Usage: gameround-conformance wallet [options]

Tests an operator's wallet against the rules of the operator API.

  --operator-url URL         where the wallet is: URL/doTransactions, URL/getBalance
  --operator-id ID           the X-H-AUTH-ID of the calls
  --secret SECRET            the secret of the operator; better in $GAMEROUND_SECRET
  --player ID                a test player with money, with whom nobody else plays
  --game CODE                a game code that the wallet knows
  --currency CODE            a currency of the player (EUR)
  --stake AMOUNT             the amount of a debit, in minor units (10)
  --timeout SECONDS          how long a reply may take (5)
  --timestamp-tolerance S    the agreed tolerance of X-H-TIMESTAMP in seconds; 0: not checked (300)
  --voids-whole-round        a void of any debit voids the whole round
  --only RULE, --skip RULE   check only these rules, leave these out; can be repeated
  --junit FILE               write a report for CI
  --html FILE                write a report for a browser
  --list                     list the rules
  --help

Exit status: 0 all rules hold, 1 a rule is broken, 2 the wallet could not be tested.`;

const STRING = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const LIST = { type: 'string', multiple: true } as const;
const OPTIONS = {
  'operator-url': STRING,
  'operator-id': STRING,
  secret: STRING,
  player: STRING,
  game: STRING,
  currency: { ...STRING, default: 'EUR' },
  stake: { ...STRING, default: '10' },
  timeout: { ...STRING, default: '5' },
  'timestamp-tolerance': { ...STRING, default: '300' },
  'voids-whole-round': { ...FLAG, default: false },
  only: { ...LIST, default: [] as string[] },
  skip: { ...LIST, default: [] as string[] },
  junit: STRING,
  html: STRING,
  list: { ...FLAG, default: false },
  help: { ...FLAG, default: false },
} as const;

type Print = (text: string) => void;
type Values = ReturnType<typeof parsed>['values'];

const parsed = (argv: string[]) => parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });

/** Runs the command and returns its exit status. */
export async function run(argv: string[], env: NodeJS.ProcessEnv, print: Print): Promise<number> {
  try {
    const { values, positionals } = parsed(argv);
    if (values.help) {
      print(USAGE);
      return 0;
    }
    if (positionals.join(' ') !== 'wallet') throw new Unusable(USAGE);
    if (values.list) {
      for (const { name, text } of ALL) print(`${name.padEnd(30)}${text}`);
      return 0;
    }
    return await testWallet(values, env, print);
  } catch (error) {
    const { code, message, stack } = error as Error & { code?: string };
    const isKnown = error instanceof Unusable || code?.startsWith('ERR_PARSE_ARGS');
    print(isKnown ? message : String(stack));
    return 2;
  }
}

const ALL: readonly (Rule<TestedWallet> | ReplyRule)[] = [...WALLET_RULES, ...REPLY_RULES];

async function testWallet(values: Values, env: NodeJS.ProcessEnv, print: Print): Promise<number> {
  for (const name of [...values.only, ...values.skip]) {
    if (!ALL.some((rule) => rule.name === name))
      throw new Unusable(`There is no rule ${name}. --list shows all.`);
  }
  const settings = {
    url: urlIn(values),
    authId: required(values, 'operator-id'),
    secret: values.secret ?? env['GAMEROUND_SECRET'] ?? required(values, 'secret'),
    playerId: required(values, 'player'),
    gameCode: required(values, 'game'),
    currency: values.currency,
    stake: numberIn(values, 'stake', 1),
    timeoutMs: numberIn(values, 'timeout', 1) * 1_000,
    timestampToleranceMs: numberIn(values, 'timestamp-tolerance', 0) * 1_000,
    voidsWholeRound: values['voids-whole-round'],
  };
  const wallet = await TestedWallet.open(settings);
  const { url, authId, playerId, currency } = settings;
  const title = `Wallet of ${authId} at ${url}`;
  const at = new Date().toISOString();
  print(`${title}\nPlayer ${playerId} has ${wallet.balanceBefore} (minor units of ${currency}).\n`);
  const tell = (result: Result): void => print(lineOf(result));
  const results = await runRules(wallet, WALLET_RULES, REPLY_RULES, values, tell);
  const report: Report = { title, at, results, notes: [await moneyNote(wallet)] };
  print(endText(report));
  if (values.junit !== undefined) write(values.junit, junitReport(report));
  if (values.html !== undefined) write(values.html, htmlReport(report));
  return results.some(({ outcome }) => outcome === 'broken') ? 1 : 0;
}

/** Brings the balance back and says what was moved. */
async function moneyNote(wallet: TestedWallet): Promise<string> {
  const missing = await wallet.settle();
  const { rounds, debited, credited, voided } = wallet.sums;
  const { currency } = wallet.settings;
  const moved = `The wallet accepted ${rounds} rounds: debits of ${debited}, credits of ${credited}, voids of ${voided} (minor units of ${currency}).`;
  return missing === 0
    ? `${moved} The balance is ${wallet.balanceBefore}, as before.`
    : `${moved} The balance is off by ${signed(-missing)}: it was ${wallet.balanceBefore}.`;
}

function required(
  values: Values,
  name: 'operator-url' | 'operator-id' | 'secret' | 'player' | 'game',
): string {
  const value = values[name];
  if (value === undefined || value === '')
    throw new Unusable(`--${name} is missing. --help shows all options.`);
  return value;
}

function urlIn(values: Values): string {
  const url = required(values, 'operator-url');
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new Unusable(`--operator-url is no http or https URL: ${url}`);
  return url;
}

function numberIn(values: Values, name: 'stake' | 'timeout' | 'timestamp-tolerance', least: number): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Unusable(`--${name} is no integer of at least ${least}: ${values[name]}`);
  return value;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`The report cannot be written: ${(error as Error).message}`);
  }
}
