import { NotYetError, untilReached } from '../src/lifecycle';
import { createLogger } from '../src/logging';

/* What a process logs while it waits for a server. */

interface Line {
  level: string;
  msg: string;
  error?: { message: string };
}

async function logged(error: Error): Promise<Line[]> {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const logger = createLogger({ level: 'info', process: 'api', destination });
  const stopped = new AbortController();
  let attempts = 0;
  await untilReached(stopped.signal, logger, 'Temporal', () => {
    attempts += 1;
    if (attempts === 2) stopped.abort();
    return Promise.reject(error);
  });
  return lines;
}

test('what is not there yet is logged once, as information without a stack', async () => {
  const [line, ...more] = await logged(new NotYetError('no worker polls yet'));
  expect(line).toMatchObject({ level: 'info', msg: 'no worker polls yet' });
  expect(line).not.toHaveProperty('error');
  expect(more).toEqual([]);
});

test('a server that does not answer is logged once, as a warning with its error', async () => {
  const [line, ...more] = await logged(new Error('refused'));
  expect(line).toMatchObject({
    level: 'warn',
    msg: "Temporal can't be reached; trying again until it can",
    error: { message: 'refused' },
  });
  expect(more).toEqual([]);
});
