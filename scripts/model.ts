import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../stack/paths';

/*
 * npm run model -- --sequences 10000 [--seed N] [--seconds 10000] [--lanes 16]
 * npm run model -- --kind batches --seed N --path 3:0 --replay BA:C        repeats the sequence that a failure printed
 *
 * test/model generates and judges the sequences. Jest's global setup starts its servers.
 */
const { values } = parseArgs({
  options: {
    sequences: { type: 'string' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    lanes: { type: 'string' },
    kind: { type: 'string' },
    path: { type: 'string' },
    replay: { type: 'string' },
    shrink: { type: 'string' },
  },
});

const settings = Object.entries({ sequences: values.path === undefined ? '10000' : undefined, ...values })
  .filter((entry): entry is [string, string] => entry[1] !== undefined)
  .map(([name, value]) => [`MODEL_${name.toUpperCase()}`, value]);
const jest = join(projectRoot(), 'node_modules', 'jest', 'bin', 'jest.js');
const child = spawn(process.execPath, [jest, '--runInBand', '--testPathPatterns', 'test/model/'], {
  stdio: 'inherit',
  cwd: projectRoot(),
  env: { ...process.env, ...(Object.fromEntries(settings) as Record<string, string>) },
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
