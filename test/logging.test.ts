import { createLogger } from '../src/logging';

function lineOf(fields: object): unknown {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  createLogger({ level: 'info', process: 'api', destination }).info(fields, 'text');
  const {
    level: _level,
    time: _time,
    process: _process,
    pid: _pid,
    ...rest
  } = JSON.parse(lines.join()) as object & Record<string, unknown>;
  return rest;
}

test('fields that may hold a secret are masked in a line and two levels below it', () => {
  const line = lineOf({
    ...{ token: 't', 'x-h-auth-sig': 's', gameround: 'g', absent: undefined },
    call: { headers: { a: 'b' }, at: new Date(0), none: null },
    names: ['n', { secret: 's' }],
    deep: { error: { password: 'p', more: { password: 'p' } } },
  });
  expect(line).toEqual({
    ...{ msg: 'text', token: '***', 'x-h-auth-sig': '***', gameround: 'g' },
    call: { headers: '***', at: '1970-01-01T00:00:00.000Z', none: null },
    names: ['n', { secret: '***' }],
    deep: { error: { password: '***', more: { password: 'p' } } },
  });
});

test('an error is written without its own fields', () => {
  const error = Object.assign(new Error('no'), { code: 7, command: { token: 't' } });
  expect(lineOf({ error })).toEqual({
    msg: 'text',
    error: { name: 'Error', message: 'no', code: 7, stack: expect.stringContaining('Error: no') as string },
  });
});
