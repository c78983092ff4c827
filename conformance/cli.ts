import { writeFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Command, Values } from './command';
import { PROVIDER_COMMAND } from './provider/command';
import { htmlReport } from './report/html';
import { junitReport } from './report/junit';
import { endText, lineOf } from './report/terminal';
import { Unusable } from './rule';
import { WALLET_COMMAND } from './wallet/command';

const COMMANDS: Readonly<Record<string, Command>> = { wallet: WALLET_COMMAND, provider: PROVIDER_COMMAND };

const USAGE = `Usage: gameround-conformance wallet|provider [options]

${Object.values(COMMANDS)
  .map(({ usage }) => usage)
  .join('\n\n')}

for both:

  --only RULE, --skip RULE   check only these rules, leave these out; can be repeated
  --junit FILE               write a report for CI
  --html FILE                write a report for a browser
  --list                     list the rules
  --help

Exit status: 0 no rule is broken, 1 a rule is broken, 2 the test was not possible.`;

type Print = (text: string) => void;

/** Runs a command and returns its exit status. */
export async function run(argv: string[], env: NodeJS.ProcessEnv, print: Print): Promise<number> {
  try {
    const [name = '', ...args] = argv;
    if (argv.includes('--help')) {
      print(USAGE);
      return 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new Unusable(USAGE);
    const values: Values = {
      secret: env['GAMEROUND_SECRET'],
      ...parseArgs({ args, options: optionsOf(command) }).values,
    };
    if (values['list'] === true) {
      for (const rule of command.rules) print(`${rule.name.padEnd(30)}${rule.text}`);
      return 0;
    }
    return await test(command, values, print);
  } catch (error) {
    const { code, message, stack } = error as Error & { code?: string };
    const isKnown = error instanceof Unusable || code?.startsWith('ERR_PARSE_ARGS');
    print(isKnown ? message : String(stack));
    return 2;
  }
}

function optionsOf({ options, flags }: Command): NonNullable<ParseArgsConfig['options']> {
  const withValue = Object.entries({ ...options, secret: undefined, junit: undefined, html: undefined });
  return {
    ...Object.fromEntries(
      withValue.map(([name, preset]) => [
        name,
        { type: 'string' as const, ...(preset === undefined ? {} : { default: preset }) },
      ]),
    ),
    ...Object.fromEntries([...flags, 'list'].map((name) => [name, { type: 'boolean' as const }])),
    only: { type: 'string', multiple: true },
    skip: { type: 'string', multiple: true },
  };
}

async function test(command: Command, values: Values, print: Print): Promise<number> {
  const [only, skip] = [namesIn(values, 'only'), namesIn(values, 'skip')];
  for (const name of [...only, ...skip]) {
    if (!command.rules.some((rule) => rule.name === name))
      throw new Unusable(`There is no rule ${name}. --list shows all.`);
  }
  const listener = { begin: print, result: (result: Parameters<typeof lineOf>[0]) => print(lineOf(result)) };
  const report = await command.test(values, { only, skip }, listener);
  print(endText(report));
  write(values['junit'], () => junitReport(report));
  write(values['html'], () => htmlReport(report));
  return report.results.some(({ outcome }) => outcome === 'broken') ? 1 : 0;
}

function namesIn(values: Values, name: string): string[] {
  const named = values[name];
  return Array.isArray(named) ? named : [];
}

function write(file: Values[string], text: () => string): void {
  if (typeof file !== 'string') return;
  try {
    writeFileSync(file, text());
  } catch (error) {
    throw new Unusable(`The report cannot be written: ${(error as Error).message}`);
  }
}
