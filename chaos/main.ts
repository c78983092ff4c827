import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BUG_NAMES, BUGS, type BugName } from './bugs';
import { describeResult, describeViolations, violationsOf } from './report';
import { Interrupted, runChaos } from './run';
import { LONG } from './schedule';

/*
 * `npm run chaos -- --seed N --minutes M`: players play on a real service while its processes are killed, its network
 * breaks, wallets misbehave, clocks jump and new code is deployed. Then everything is repaired, and every cent is
 * accounted for. Exit code 0: every promise was kept. 1: a promise was broken; the output shows the evidence. 2: wrong
 * arguments, or the run failed. 130: interrupted.
 */
const USAGE = `npm run chaos -- [--seed N] [--minutes M] [--players P] [--json FILE] [--only KIND] [--bug NAME]
  --only: only faults whose name begins with KIND, such as restore, 'restore mongod', outage, refused, tenants, kill, wallet
  --bug: a deliberate mistake in the service, which the run has to find:
${BUG_NAMES.map((name) => `    ${name.padEnd(30)} ${BUGS[name].what}`).join('\n')}`;

const DRAIN_MS = 180_000;

const OPTIONS = {
  seed: { type: 'string' },
  minutes: { type: 'string', default: '3' },
  players: { type: 'string', default: '24' },
  json: { type: 'string' },
  only: { type: 'string' },
  bug: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const values = valuesGiven();
  if (values === undefined) return 2;
  const seed = Number(values.seed ?? randomInt(1_000_000));
  const minutes = Number(values.minutes);
  const players = Number(values.players);
  const bug = BUG_NAMES.find((name) => name === values.bug);
  const isWrong =
    ![seed, minutes, players].every(Number.isFinite) || (values.bug !== undefined && bug === undefined);
  if (values.help || isWrong) {
    console.error(USAGE);
    return 2;
  }
  let story = '';
  const result = await runChaos(
    {
      ...{ seed, players, pace: LONG, drainMs: DRAIN_MS, durationMs: minutes * 60_000, log },
      signal: stopSignal(),
      bug,
      only: values.only,
    },
    async (evidence, checks) => {
      if (violationsOf(checks) > 0) story = await describeViolations(evidence, checks);
    },
  );
  console.log(describeResult(result));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`);
  if (story === '') {
    console.log('\nNo cent was lost or paid twice.');
    return 0;
  }
  console.log(
    `\n${story}\n\nPromises were broken. To run it again: ${commandOf(seed, minutes, players, bug, values.only)}`,
  );
  return 1;
}

function commandOf(
  seed: number,
  minutes: number,
  players: number,
  bug: BugName | undefined,
  only: string | undefined,
): string {
  const more = `${bug === undefined ? '' : ` --bug ${bug}`}${only === undefined ? '' : ` --only '${only}'`}`;
  return `npm run chaos -- --seed ${seed} --minutes ${minutes} --players ${players}${more}`;
}

function valuesGiven() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return undefined;
  }
}

/** Aborted by Ctrl-C, which arrives twice under npm, or SIGTERM. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    // Calls that are under way fail when their processes end.
    process.on('unhandledRejection', () => undefined);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

function log(line: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Interrupted ? 'interrupted: nothing is left running' : error);
    process.exit(error instanceof Interrupted ? 130 : 2);
  },
);
