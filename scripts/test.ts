import { spawnSync } from 'node:child_process';

/*
 * The tests of `npm test`. The files that kill many processes at one moment run alone, before all others. The tests have real
 * servers and time-outs, so a machine that is too busy may fail some. A file that fails is run once more, alone, and has to
 * pass then. The output shows both runs.
 */
const ALONE = ['test/chaos/chaos', 'test/e2e/kill-matrix'];
/** If more files fail, the machine is not the cause. */
const MAX_AGAIN = 5;

interface Results {
  testResults: { name: string; status: string }[];
}

/** The files that fail. Throws if jest ends without results. */
function failedFiles(...args: string[]): string[] {
  const command = [require.resolve('jest/bin/jest'), '--json', ...args];
  const { stdout } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e9,
  });
  const { testResults } = JSON.parse(stdout.toString()) as Results;
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

function passes(...args: string[]): boolean {
  const failed = failedFiles(...args);
  if (failed.length === 0) return true;
  if (failed.length > MAX_AGAIN) return false;
  process.stderr.write(`\nOnce more, alone:\n${failed.join('\n')}\n\n`);
  return failedFiles('--maxWorkers', '1', '--runTestsByPath', ...failed).length === 0;
}

process.exitCode =
  passes('--maxWorkers', '1', ...ALONE) && passes('--testPathIgnorePatterns', ...ALONE) ? 0 : 1;
