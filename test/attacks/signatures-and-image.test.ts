import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/paths';
import { operatorCall, providerCall, startService, type Service } from '../http/support';

/* Signatures that are almost right, and the image. test/http/signatures.test.ts has missing, repeated and late ones. */

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const T = '2026-01-02T03:04:05Z';

let service: Service;
beforeAll(async () => {
  service = await startService({ now: AT });
});
afterAll(() => service.stop());

const hmac = (secret: string, message: string): Buffer =>
  createHmac('sha256', secret).update(message).digest();

describe('a signature', () => {
  const right = hmac('secret-of-gp1', `{}#${T}`);
  const text = right.toString('base64');

  it.each([
    ['cut short', text.slice(0, -2)],
    ['of 31 bytes', right.subarray(0, 31).toString('base64')],
    ['of 33 bytes', Buffer.concat([right, Buffer.alloc(1)]).toString('base64')],
    ['of one byte', 'AA=='],
    ['that is empty', ''],
    ['in base64url', text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')],
    [
      'with one bit changed',
      Buffer.from(right.map((byte, at) => (at === 31 ? byte ^ 1 : byte))).toString('base64'),
    ],
    ['with SHA-1', createHmac('sha1', 'secret-of-gp1').update(`{}#${T}`).digest('base64')],
    ['without the time stamp', hmac('secret-of-gp1', '{}').toString('base64')],
    [
      'with the secret in the message, as operators sign',
      hmac('secret-of-gp1', `secret-of-gp1#gp1#${T}`).toString('base64'),
    ],
    ['of another provider', hmac('secret-of-gp2', `{}#${T}`).toString('base64')],
    ['with no secret', hmac('', `{}#${T}`).toString('base64')],
  ])('%s is wrong', async (_what, signature) => {
    const reply = await providerCall(service, '/testPing', '{}', { timestamp: T, signature });
    expect([reply.status, reply.body.errorCode?.id]).toEqual([401, 1001]);
    expect((await providerCall(service, '/testPing', '{}', { timestamp: T, signature: text })).status).toBe(
      200,
    );
  });

  it.each([
    [
      'registerPlayer for getGameURL',
      '/getGameURL',
      ['p1'],
      { playerId: 'p1', currency: 'EUR', gameCode: 'slot', mode: 'real' },
    ],
    ['getGameURL for registerPlayer', '/registerPlayer', ['p1', 'EUR', 'slot', 'real'], { playerId: 'p1' }],
    [
      'registerPlayer for getGameRoundReport',
      '/getGameRoundReport',
      ['p1'],
      { playerId: 'p1', gameRound: 'r' },
    ],
    ['fields in another order', '/getGameRoundReport', ['r', 'p1'], { playerId: 'p1', gameRound: 'r' }],
    [
      'a field moved into its neighbour',
      '/getGameRoundReport',
      ['p1#r'.slice(0, 3), 'r'],
      { playerId: 'p1', gameRound: 'r' },
    ],
    ['a provider’s way of signing', '/registerPlayer', [], { playerId: 'p1' }],
  ])('of another endpoint, %s, is wrong', async (_what, path, fields, body) => {
    const reply = await operatorCall(service, 'POST', path, fields, body);
    expect([reply.status, reply.body.errorCode?.id]).toEqual([401, 1001]);
  });

  it('is over fields joined by #, so a field with # is refused: the message would have two readings', async () => {
    const body = { playerId: 'p1#EUR', currency: 'EUR', gameCode: 'slot', mode: 'real' };
    const reply = await operatorCall(
      service,
      'POST',
      '/getGameURL',
      ['p1', 'EUR', 'EUR', 'slot', 'real'],
      body,
    );
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
  });
});

it.each([
  ...[
    '',
    ' ',
    T.replace('T', ' '),
    T.replace('T', 't'),
    '20260102T030405Z',
    '2026-01-02T03:04Z',
    '2026-W01-5T03:04:05Z',
  ],
  ...[
    '2026-002T03:04:05Z',
    '+002026-01-02T03:04:05Z',
    '2026-01-02T03:04:60Z',
    '2026-01-02T24:00:00Z',
    '2026-13-02T03:04:05Z',
  ],
  ...[
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+02',
    '2026-01-02T03:04:05 GMT',
    '1767323045',
    'NaN',
    '[object Object]',
  ],
  ...[
    '2026-01-02T03:04:05.0000000000Z',
    '2026-01-02T03:04:05Z,2026-01-02T03:04:05Z',
    '２026-01-02T03:04:05Z'.normalize('NFD').slice(1),
  ],
])('the time stamp %j is refused', async (timestamp) => {
  const reply = await providerCall(service, '/testPing', '{}', { timestamp });
  expect([reply.status, reply.body.errorCode?.id]).toEqual([401, 1001]);
});

describe('the image', () => {
  const lines = readFileSync(join(projectRoot(), 'Dockerfile'), 'utf8').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('runs as a user who is not root, from its last stage on to its command', () => {
    const users = last.filter((line) => /^USER\b/.test(line));
    expect(users).toEqual(['USER node']);
    expect(last.findIndex((line) => line.startsWith('USER'))).toBeLessThan(
      last.findIndex((line) => line.startsWith('CMD')),
    );
  });

  it('contains no secret, neither from its build nor from the folder that it is built in', () => {
    expect(lines.filter((line) => /^(ARG|ENV)\b.*(SECRET|TOKEN|PASSWORD|KEY)/i.test(line))).toEqual([]);
    const rules = readFileSync(join(projectRoot(), '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => /^[^#]/.test(line));
    // Nothing goes in but what is named; data, history and settings are not.
    expect(rules[0]).toBe('*');
    expect(rules.filter((rule) => /^!.*(\.data|\.git|\.env|test)/.test(rule))).toEqual([]);
    expect(rules).toContain('**/.env*');
  });
});
