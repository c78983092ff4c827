import { spawnSync } from 'node:child_process';

/*
 * The tests of `npm test`. The files that kill many processes at one moment, or measure the memory of their own process, run
 * alone, before all others. The tests have real servers and time-outs, so a machine that is too busy may fail some. A file
 * that fails is run once more, alone, and has to pass then. The output shows both runs.
 */
const ALONE = ['test/chaos/chaos', 'test/e2e/kill-matrix', 'test/worker/memory'];
/** If more files fail, the machine is not the cause. */
const MAX_AGAIN = 5;

interface Results {
  testResults: { name: string; status: string }[];
}

/** The files that fail. Throws if jest fails for another reason. */
function failedFiles(...args: string[]): string[] {
  const command = [require.resolve('jest/bin/jest'), '--json', ...args];
  const { status, stdout } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e9,
  });
  if (status === 0) return [];
  // The Temporal SDK writes warnings to the standard output, too.
  const json = stdout
    .toString()
    .split('\n')
    .find((line) => line.startsWith('{"num'));
  const { testResults } = JSON.parse(json ?? '{ "testResults": [] }') as Results;
  const failed = testResults.filter(({ status: how }) => how === 'failed').map(({ name }) => name);
  if (failed.length === 0) throw new Error(`jest ended with ${status}, and no file failed`);
  return failed;
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
