import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BREAKS, type Break } from '../test/coverage/breaks';
import { coverageTable, patternOf, strykerRuns, type TestReference } from '../test/coverage/table';
import { projectRoot } from '../stack/paths';
import { copyOfProject, makeChange } from '../test/support/changed-project';
import { startTestServers } from '../test/support/servers';

/*
 * `npx tsx scripts/break-rules.ts [--row ID --test FILE]`: breaks one rule after another in a copy of the project, runs the
 * test that docs/coverage.md names for the rule, and expects it to fail. Rows without a break have tests of the pure rules,
 * which Stryker changes: each has to notice a change in Stryker's last report (`npx stryker run`, half an hour). Exit code 0
 * if every test failed. All rows take about an hour. `--row` selects a row, or rows by their beginning (`st.`). `--test`
 * selects tests by a part of the file's name (`domain/`). Both can be repeated.
 */

/** The result of a test whose rule was broken. Only `red` is good. `red unbroken too`: fails without the break, too. */
type Verdict = 'red' | 'GREEN' | 'red unbroken too' | 'no such test' | 'does not run';

interface Trial {
  row: string;
  test: TestReference;
  broken: Break;
}

const TEST_TIMEOUT_MS = 400_000;

function trials(): Trial[] {
  const rows = new Map(coverageTable().map((row) => [row.id, row]));
  return BREAKS.flatMap((broken) =>
    broken.rows.map((name) => {
      const [id = '', number = '1'] = name.split('#');
      const test = rows.get(id)?.tests[Number(number) - 1];
      if (test === undefined) throw new Error(`${name} is no row or test of docs/coverage.md`);
      return { row: id, test, broken };
    }),
  );
}

const option = { type: 'string', multiple: true } as const;
const { row: ROW = [''], test: TEST = [''] } = parseArgs({ options: { row: option, test: option } }).values;

function isChosen(row: string, { file }: TestReference): boolean {
  return ROW.some((beginning) => row.startsWith(beginning)) && TEST.some((part) => file.includes(part));
}

/** What this script reads of Stryker's report. */
interface MutationReport {
  files: Record<string, { mutants: { status: string; killedBy?: string[] }[] }>;
  testFiles: Record<string, { tests: { id: string; name: string }[] }>;
}

const REPORT = join(projectRoot(), '.cache', 'mutation.json');

/** The chosen tests of rows without a break that notice none of Stryker's changes. Undefined if there is no report. */
function blindTests(): { checked: number; blind: string[] } | undefined {
  const broken = new Set(trials().map(({ row }) => row));
  const tests = coverageTable()
    .filter(({ id }) => !broken.has(id))
    .flatMap(({ id, tests }) => tests.map((test) => ({ id, test })))
    .filter(({ id, test }) => strykerRuns(test.file) && isChosen(id, test));
  if (tests.length === 0) return { checked: 0, blind: [] };
  if (!existsSync(REPORT)) return undefined;
  const { files, testFiles } = JSON.parse(readFileSync(REPORT, 'utf8')) as MutationReport;
  const killers = new Set(
    Object.values(files).flatMap(({ mutants }) =>
      mutants.flatMap(({ status, killedBy = [] }) => (status === 'Killed' ? killedBy : [])),
    ),
  );
  const noticing = Object.values(testFiles)
    .flatMap((file) => file.tests)
    .filter(({ id }) => killers.has(id));
  const isBlind = (test: TestReference): boolean =>
    !noticing.some(({ name }) => new RegExp(patternOf(test)).test(name));
  return {
    checked: tests.length,
    blind: tests.filter(({ test }) => isBlind(test)).map(({ id, test }) => `${id}  ${test.title}`),
  };
}

interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/** This script has already started the servers. Without the global setup a test run is much faster. */
const CONFIG = `module.exports = { ...require('./jest.config.cjs'), globalSetup: undefined, globalTeardown: undefined };\n`;

async function jest(
  copy: string,
  files: readonly string[],
  pattern: string,
  timeoutMs: number,
): Promise<JestResult | undefined> {
  const output = join(copy, 'result.json');
  await rm(output, { force: true });
  const bin = join(copy, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [
    '-c',
    'jest.broken.cjs',
    '-i',
    '--forceExit',
    '--silent',
    '--json',
    `--outputFile=${output}`,
    '-t',
    pattern,
  ];
  const running = spawn(process.execPath, [bin, ...args, '--runTestsByPath', ...files], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  // A broken rule may make its test wait forever. The signal goes to the process group, so child processes end, too.
  const timer = setTimeout(() => process.kill(-running.pid!, 'SIGKILL'), timeoutMs);
  await new Promise((resolve) => running.once('exit', resolve));
  clearTimeout(timer);
  return existsSync(output) ? (JSON.parse(await readFile(output, 'utf8')) as JestResult) : undefined;
}

function verdictOf(result: JestResult | undefined): Verdict {
  if (result === undefined) return 'red';
  const neverRan = result.testResults.some(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  if (neverRan) return 'does not run';
  if (result.numFailedTests > 0) return 'red';
  return result.numPassedTests > 0 ? 'GREEN' : 'no such test';
}

async function tried(copy: string, { test, broken }: Trial): Promise<Verdict> {
  const mend = await makeChange(copy, broken);
  try {
    return verdictOf(await jest(copy, [test.file], patternOf(test), TEST_TIMEOUT_MS));
  } finally {
    await mend();
  }
}

/** Finds the tests that fail, or don't run, without a broken rule. Their failure with a broken rule proves nothing. */
async function failingUnbroken(copy: string, all: readonly Trial[]): Promise<(trial: Trial) => boolean> {
  const patterns = [...new Set(all.map(({ test }) => patternOf(test)))];
  const files = [...new Set(all.map(({ test }) => test.file))];
  const result = await jest(copy, files, patterns.join('|'), files.length * TEST_TIMEOUT_MS);
  if (result === undefined) throw new Error('the tests do not run without a broken rule');
  return ({ test }) => {
    const ran = result.testResults
      .filter(({ name }) => name.endsWith(test.file))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName }) => new RegExp(patternOf(test)).test(fullName));
    return ran.length === 0 || ran.some(({ status }) => status === 'failed');
  };
}

async function main(): Promise<number> {
  const all = trials().filter(({ row, test }) => isChosen(row, test));
  const byStryker = blindTests();
  if (byStryker === undefined) console.error('No report of Stryker: npx stryker run');
  else
    console.log(
      `${byStryker.checked} tests without a break, ${byStryker.blind.length} notice no change of Stryker`,
    );
  for (const line of byStryker?.blind ?? []) console.log(`  ${line}`);
  const isNoticed = byStryker !== undefined && byStryker.blind.length === 0;
  if (all.length === 0) {
    if (byStryker?.checked !== 0) return isNoticed ? 0 : 1;
    console.error('No row and test file match --row and --test: see docs/coverage.md.');
    return 1;
  }
  const servers = await startTestServers();
  const copy = await copyOfProject();
  const stop = async (): Promise<void> => {
    await servers.stop();
    await rm(copy, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => process.exit(1)));
  const wrong: string[] = [];
  try {
    await writeFile(join(copy, 'jest.broken.cjs'), CONFIG);
    const failsAnyway = await failingUnbroken(copy, all);
    for (const [index, trial] of all.entries()) {
      const began = Date.now();
      const verdict = failsAnyway(trial) ? 'red unbroken too' : await tried(copy, trial);
      const seconds = Math.round((Date.now() - began) / 1_000);
      const { row, test, broken } = trial;
      const line = `${row.padEnd(34)} ${verdict.padEnd(16)} ${String(seconds).padStart(4)} s  ${dirname(broken.file)}  ${test.title}`;
      console.log(`${String(index + 1).padStart(4)}/${all.length}  ${line}`);
      if (verdict !== 'red') wrong.push(line);
    }
  } finally {
    await stop();
  }
  const rows = new Set(all.map(({ row }) => row)).size;
  console.log(`\n${rows} rows, ${all.length} breaks, ${all.length - wrong.length} tests failed as expected`);
  for (const line of wrong) console.log(`  ${line}`);
  return wrong.length === 0 && isNoticed ? 0 : 1;
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
