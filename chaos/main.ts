import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BUG_NAMES, BUGS, type BugName } from './bugs';
import { describeResult, describeViolations, violationsOf } from './report';
import { runChaos } from './run';
import { LONG } from './schedule';

/*
 * `npm run chaos -- --seed N --minutes M`: players play on a real service while its processes are killed, its network
 * breaks, wallets misbehave, clocks jump and new code is deployed; then everything heals, and every cent is accounted
 * for. Ends with 0 when all that is promised was kept, else with 1 and everything that is known of what was not.
 */
const USAGE = `npm run chaos -- [--seed N] [--minutes M] [--players P] [--json FILE] [--bug NAME]
  --bug: a deliberate mistake in the service, which the run should find:
${BUG_NAMES.map((name) => `    ${name.padEnd(30)} ${BUGS[name].what}`).join('\n')}`;

const DRAIN_MS = 180_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '3' },
      players: { type: 'string', default: '24' },
      json: { type: 'string' },
      bug: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
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
      ...(bug === undefined ? {} : { bug }),
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
  console.log(`\n${story}\n\nAgain: ${commandOf(seed, minutes, players, bug)}`);
  return 1;
}

function commandOf(seed: number, minutes: number, players: number, bug: BugName | undefined): string {
  const more = bug === undefined ? '' : ` --bug ${bug}`;
  return `npm run chaos -- --seed ${seed} --minutes ${minutes} --players ${players}${more}`;
}

function log(line: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 2;
  },
);
