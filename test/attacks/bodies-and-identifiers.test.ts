import { createHmac } from 'node:crypto';
import { gameroundHash, roundName, transactionHash } from '../../src/domain/hashes';
import { parseTenants } from '../../src/tenants/file';
import {
  getGameUrl,
  HASH,
  operatorCall,
  providerCall,
  roundReply,
  sessionToken,
  start,
  startService,
  tenants,
  type Service,
} from '../http/support';
import { talk } from './support';

/* Hostile bodies and identifiers. See also test/http/bodies.test.ts. */

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService();
  token = await sessionToken(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  Object.values(service.commands).forEach((command) => command.mockClear());
  service.commands.startGameRound.mockResolvedValue(roundReply());
});

/** Sends the bytes with a valid signature, so that only the bytes themselves can be wrong. */
async function sendBytes(path: string, body: Buffer): Promise<{ statuses: number[]; text: string }> {
  const timestamp = new Date(service.clock.now).toISOString();
  const signature = createHmac('sha256', 'secret-of-gp1')
    .update(body)
    .update(`#${timestamp}`)
    .digest('base64');
  const head = [
    `POST ${path} HTTP/1.1`,
    ...['Host: x', 'Connection: close', 'X-H-AUTH-ID: gp1', `X-H-AUTH-SIG: ${signature}`],
    ...[`X-H-TIMESTAMP: ${timestamp}`, 'X-Request-Id: r', `Content-Length: ${body.length}`],
  ].join('\r\n');
  return talk(service, Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
}

const startBody = (change: object = {}): string => JSON.stringify(start(token, change));

describe('a signed body', () => {
  it.each([
    ['UTF-16, little end first', () => Buffer.from(startBody(), 'utf16le')],
    ['UTF-16 with its mark', () => Buffer.from(`\ufeff${startBody()}`, 'utf16le')],
    ['a byte order mark', () => Buffer.from(`\ufeff${startBody()}`)],
    ['Latin-1', () => Buffer.from(startBody({ externalGameProviderRoundId: 'é' }), 'latin1')],
    [
      'an overlong slash',
      () => Buffer.concat([Buffer.from('{"testData":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
    [
      'a surrogate in UTF-8',
      () => Buffer.concat([Buffer.from('{"testData":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['half a character at its end', () => Buffer.from(`${startBody()}é`).subarray(0, -1)],
    ['two documents', () => Buffer.from(startBody() + startBody())],
    ['NUL after it', () => Buffer.from(`${startBody()}\0`)],
    ['depth 10,000', () => Buffer.from(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)],
    [
      'depth 10,000 of objects, beside what is wanted',
      () => Buffer.from(startBody().replace(/}$/, `,"x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`)),
    ],
    ['a key twice, written differently', () => Buffer.from(`{"token":"t","\\u0074oken":"u"}`)],
    ['a string', () => Buffer.from('"token"')],
    ['null', () => Buffer.from('null')],
  ])('%s is refused, and nothing is carried out', async (_what, body) => {
    const { statuses, text } = await sendBytes('/startGameRound', body());
    expect(statuses).toEqual([400]);
    expect(text).toContain('"id":1000');
    expect(service.commands.startGameRound).not.toHaveBeenCalled();
  });

  it('with a number of half a million digits is answered, before and after the signature check', async () => {
    const number = `1.${'0'.repeat(500_000)}1`;
    expect((await sendBytes('/testPing', Buffer.from(`{"testData":${number}}`))).statuses).toEqual([400]);
    const unsigned = await operatorCall(service, 'POST', '/registerPlayer', ['p'], `{"playerId":${number}}`, {
      signature: Buffer.alloc(32).toString('base64'),
    });
    expect(unsigned.status).toBe(401);
    const amount = startBody().replace('"debitAmount":100', `"debitAmount":${number}`);
    expect((await sendBytes('/startGameRound', Buffer.from(amount))).statuses).toEqual([400]);
  });

  it.each([
    ['{"$ne":""}', 'token'],
    ['{"$gt":""}', 'token'],
    ['["a"]', 'token'],
    ['{"$ne":""}', 'gameRound'],
    ['{"$regex":".*"}', 'gameRound'],
    ['{"toString":"x"}', 'gameRound'],
  ])('with %s as %s is refused, because it is no string', async (value, field) => {
    const body = JSON.stringify({ token, gameRound: HASH }).replace(
      new RegExp(`"${field}":"[^"]*"`),
      `"${field}":${value}`,
    );
    const reply = await providerCall(service, '/getUncollectedAmount', body);
    expect([reply.status, reply.body.errorCode?.msg]).toEqual([
      400,
      `INVALIDREQUEST: ${field} must be a string`,
    ]);
  });

  it('of an operator with $ne in its signed fields is refused', async () => {
    const body = { playerId: { $ne: '' }, gameRound: { $ne: '' } };
    const signedAsEmpty = await operatorCall(service, 'POST', '/getGameRoundReport', ['', ''], body);
    expect([signedAsEmpty.status, signedAsEmpty.body.errorCode?.id]).toEqual([400, 1000]);
    const query = 'playerId[$gt]=&gameRound[$gt]=&playerId=a&playerId=b';
    const reply = await operatorCall(service, 'GET', `/getGameRoundDetails?${query}`, ['', ''], undefined);
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
    expect(service.commands.describeRound).not.toHaveBeenCalled();
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$where', 'a.b'])(
    'with %s as player, round and token has no special meaning',
    async (name) => {
      expect((await getGameUrl(service, { playerId: name })).body).toMatchObject({ isNew: true });
      expect((await getGameUrl(service, { playerId: name })).body).toMatchObject({ isNew: false });
      const body = start(token, { externalGameProviderRoundId: name });
      expect((await providerCall(service, '/startGameRound', body)).status).toBe(200);
      expect(service.commands.startGameRound.mock.calls[0]![0].externalGameProviderRoundId).toBe(name);
      expect((await providerCall(service, '/getTokenData', { token: name })).status).toBe(401);
      expect((await getGameUrl(service, { gameCode: name })).status).toBe(404);
      expect((await getGameUrl(service, { profile: name })).status).toBe(400);
      expect((await providerCall(service, '/testPing', {}, { id: name })).status).toBe(401);
    },
  );

  it.each([
    'a#b',
    '#',
    'a\u0000',
    'a\u0085',
    'a\nb',
    '\ud800',
    '\udc00a',
    'x'.repeat(33),
    '😀'.repeat(33),
    '',
  ])('of %j as externalGameProviderRoundId is refused', async (externalGameProviderRoundId) => {
    const reply = await providerCall(
      service,
      '/startGameRound',
      start(token, { externalGameProviderRoundId }),
    );
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
    expect(service.commands.startGameRound).not.toHaveBeenCalled();
  });
});

describe('two identifiers that look alike stay different', () => {
  const PAIRS: [string, string][] = [
    ['\u00e9', 'e\u0301'],
    ['\ufb01', 'fi'],
    ['A', 'a'],
    ['a', 'a '],
    ['a', ' a'],
    ['a', 'a\u00a0'],
    ['a', 'a\u200b'],
    ['1', '01'],
    ['1', '1.0'],
    ['1e3', '1000'],
    ['\u0430', 'a'],
    ['\uff11', '1'],
    ['a|b', 'a|c'],
    ['K', '\u212a'],
  ];
  const named = (externalGameProviderRoundId: string) =>
    roundName({ externalGameProviderRoundId, requestId: '' });

  it.each(PAIRS)('%j and %j', async (one, other) => {
    const hashes = [
      gameroundHash('op1', one, 'slot', named('r')),
      gameroundHash('op1', other, 'slot', named('r')),
      gameroundHash('op1', 'p', 'slot', named(one)),
      gameroundHash('op1', 'p', 'slot', named(other)),
      transactionHash('r', 'credit', one),
      transactionHash('r', 'credit', other),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    const players = await Promise.all(
      [one, other].map((playerId) => getGameUrl(service, { playerId: `look-${playerId}` })),
    );
    const [first, second] = players.map(({ body }) => body.internalPlayerId);
    expect(first).not.toBe(second);
    expect(first).toEqual(expect.any(String));
  });

  it('the parts of a hash are kept apart', () => {
    const hashes = [
      gameroundHash('op1', 'ab', 'c', named('r')),
      gameroundHash('op1', 'a', 'bc', named('r')),
      gameroundHash('op1a', 'b', 'c', named('r')),
      gameroundHash('op1', 'ab","c', 'd', named('r')),
      gameroundHash('op1', 'ab', '","cd', named('r')),
      gameroundHash('op1', 'ab', 'c', roundName({ rngCallId: 'r', requestId: '' })),
      gameroundHash('op1', 'ab', 'c', roundName({ requestId: 'r' })),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe('links to which a player’s browser is sent', () => {
  const LINKS = ['homeURL', 'historyURL', 'topupURL', 'lossLimitURL'];
  const BAD = [
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
    ],
    ...[
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://x/y',
      'ftp://x/',
      'intent://x',
      '//evil.example',
      '/relative',
      'x',
    ],
    ...['https:', 'http://', `https://x/${'a'.repeat(2_100)}`],
  ];

  it.each(BAD)('%j is refused in a launch, a tenant’s settings and a profile', async (link) => {
    for (const name of LINKS) {
      const reply = await getGameUrl(service, { options: { [name]: link } });
      expect([name, reply.status, reply.body.errorCode?.msg]).toEqual([
        name,
        400,
        expect.stringContaining(`options.${name}`),
      ]);
      const content = (settings: object): string =>
        JSON.stringify({
          operators: [
            {
              operatorId: 'o',
              operatorUrl: 'https://x/',
              secrets: ['s'],
              currencies: { EUR: 1 },
              ...settings,
            },
          ],
        });
      expect(() => parseTenants('t.json', content({ gameSettings: { [name]: link } }))).toThrow(
        /gameSettings/,
      );
      expect(() => parseTenants('t.json', content({ profiles: { p: { [name]: link } } }))).toThrow(
        /profiles/,
      );
    }
  });

  it.each(['operatorUrl', 'gameUrl', 'launchUrl'])('%s of a tenants file has to be http as well', (field) => {
    for (const link of ['javascript:alert(1)', 'file:///etc/passwd', 'gopher://x', '//x', '']) {
      const change = () =>
        tenants(({ operators, providers, games }) => {
          const holder = { operatorUrl: operators, gameUrl: providers, launchUrl: games }[field]!;
          holder[0]![field] = link;
        });
      expect(change).toThrow(new RegExp(field));
    }
  });
});
