import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuMsOf } from '../../bench/process-cpu';
import { until } from '../support/until';

test('the CPU time of a process includes that of its descendants, also of those that have ended', async () => {
  const work = `const used = process.cpuUsage; while (used().user + used().system < 400_000);`;
  // The shell itself only waits.
  const [ended, running] = [work, `${work} setTimeout(() => {}, 60_000)`].map(
    (code) => `${process.execPath} -e '${code}'`,
  );
  const shell = spawn('sh', ['-c', `${ended}; ${running}; true`], { detached: true });
  try {
    const used = async (): Promise<number> => (await cpuMsOf({ shell: shell.pid })).shell ?? 0;
    await until(used, (ms) => ms >= 700);
  } finally {
    process.kill(-shell.pid!, 'SIGKILL');
  }
});

test('a process that does not run is left out', async () => {
  const shell = spawn('true');
  await once(shell, 'exit');
  expect(await cpuMsOf({ ended: shell.pid, never: undefined })).toEqual({});
});
