import { request } from 'node:http';
import { parseTimestamp } from '../../src/domain/time';
import { inTimeZone, TIME_ZONES } from '../support/time-zones';
import { getGameUrl, operatorCall, providerCall, startService, tenants, type Service } from './support';

const T = '2026-01-02T03:04:05Z';
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const SECRETS = ['new-secret-of-gp1', 'secret-of-gp1'];

let service: Service;
let hinting: Service;
beforeAll(async () => {
  const rotating = tenants(({ providers, operators }) => {
    providers[0]!.secrets = SECRETS;
    operators[1]!.timestampTolerance = '0s';
  });
  const started = (signatureHints: boolean): Promise<Service> =>
    startService({ now: NOW, tenants: rotating, deps: { signatureHints } });
  service = await started(false);
  hinting = await started(true);
});
afterAll(() => Promise.all([service, hinting].map((one) => one.stop())));

const SIGNATURE_WRONG = {
  errorCode: { id: 1001, msg: 'SIGNATUREWRONG', clientmsg: 'The request could not be authenticated.' },
};

/*
 * Vectors, each made by
 *   printf '%s' "$MESSAGE" | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64
 */
const PROVIDER_VECTORS = [
  {
    what: 'a plain body',
    body: '{"testData":"hello"}',
    timestamp: T,
    // MESSAGE='{"testData":"hello"}#2026-01-02T03:04:05Z' SECRET=secret-of-gp1
    signature: 'EwqxzfMreigNsFuB1UHp7L0gcut8xlnRHN8EYno7wDU=',
  },
  {
    what: 'spaces, 1.0, \\u00e9, é, 1e2 and unusual key order, signed as sent',
    body: '{ "testData" : {"z":1.0 ,  "a":"\\u00e9","é":[1e2]} }',
    timestamp: '2026-01-02T05:04:05.000+02:00',
    // MESSAGE='{ "testData" : {"z":1.0 ,  "a":"\u00e9","é":[1e2]} }#2026-01-02T05:04:05.000+02:00' SECRET=secret-of-gp1
    signature: 'TG5eTD/p/lmb0NrVA7rEoxXz7JX4xnpuEd1V+25vZ3Y=',
  },
];

describe('provider to service', () => {
  it.each(PROVIDER_VECTORS)(
    'takes openssl’s signature over $what',
    async ({ body, timestamp, signature }) => {
      const reply = await providerCall(service, '/testPing', body, { timestamp, signature });
      expect([reply.status, reply.body]).toEqual([200, JSON.parse(body)]);
    },
  );

  it.each(PROVIDER_VECTORS)('refuses one changed byte in $what', async ({ body, timestamp, signature }) => {
    const changed = body.replace(/"testData"/, '"testdata"');
    const reply = await providerCall(service, '/testPing', changed, { timestamp, signature });
    expect([reply.status, reply.body]).toEqual([401, SIGNATURE_WRONG]);
  });

  it('signs an empty body like any other, and then refuses it for its content', async () => {
    // MESSAGE='#2026-01-02T03:04:05Z' SECRET=secret-of-gp1
    const signature = 'LM49AVtUo83QBN0PuvY8ugoQNlXRejhvGAe+oUlSR54=';
    const reply = await providerCall(service, '/testPing', '', { timestamp: T, signature });
    expect([reply.status, reply.body.errorCode?.id]).toEqual([400, 1000]);
  });

  it.each(SECRETS)('takes each secret during a rotation: %s', async (secret) => {
    expect((await providerCall(service, '/testPing', {}, { secret })).status).toBe(200);
  });

  const good = { 'x-h-auth-id': 'gp1', 'x-h-auth-sig': PROVIDER_VECTORS[0]!.signature, 'x-h-timestamp': T };
  const PAST = {
    'x-h-timestamp': '2026-01-02T02:00:00Z',
    // MESSAGE='{"testData":"hello"}#2026-01-02T02:00:00Z' SECRET=secret-of-gp1
    'x-h-auth-sig': 'yyjJCw9/F8NyZMzsyH/raSnMEq+Zzb8ciyAyBfnMpS4=',
  };
  const FUTURE = {
    'x-h-timestamp': '2026-01-02T04:00:00Z',
    // MESSAGE='{"testData":"hello"}#2026-01-02T04:00:00Z' SECRET=secret-of-gp1
    'x-h-auth-sig': 'O8hhuE1JW2ouEzNeDF4DQG4G4bMrW7Me+0j1tduRBY8=',
  };
  const NO_TIME = {
    'x-h-timestamp': 'yesterday',
    // MESSAGE='{"testData":"hello"}#yesterday' SECRET=secret-of-gp1
    'x-h-auth-sig': '7u0RRWIbO6X5kLaNXFfg+pgco0BchcMlqXY25Z210vI=',
  };
  const bad: [string, Record<string, string | string[]>][] = [
    ['no id', { 'x-h-auth-id': [] }],
    ['an empty id', { 'x-h-auth-id': '' }],
    ['two ids', { 'x-h-auth-id': ['gp1', 'gp1'] }],
    ['an unknown id', { 'x-h-auth-id': 'gp9' }],
    ['another provider’s id', { 'x-h-auth-id': 'gp2' }],
    ['an operator’s id', { 'x-h-auth-id': 'op1' }],
    ['an id like __proto__', { 'x-h-auth-id': '__proto__' }],
    ['no signature', { 'x-h-auth-sig': [] }],
    ['an empty signature', { 'x-h-auth-sig': '' }],
    ['two signatures', { 'x-h-auth-sig': [good['x-h-auth-sig'], good['x-h-auth-sig']] }],
    ['a signature in hex', { 'x-h-auth-sig': Buffer.from(good['x-h-auth-sig'], 'base64').toString('hex') }],
    ['a signature without padding', { 'x-h-auth-sig': good['x-h-auth-sig'].replace('=', '') }],
    ['a wrong signature', { 'x-h-auth-sig': Buffer.alloc(32).toString('base64') }],
    ['no time stamp', { 'x-h-timestamp': [] }],
    ['two time stamps', { 'x-h-timestamp': [T, T] }],
    ['another time stamp', { 'x-h-timestamp': '2026-01-02T03:04:06Z' }],
  ];
  it.each(bad)('answers %s with the same body', async (_what, change) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r', ...good, ...change };
    const reply = await rawPost('/testPing', headers, PROVIDER_VECTORS[0]!.body);
    expect(reply).toEqual([401, SIGNATURE_WRONG]);
  });

  const WRONG = Buffer.alloc(32).toString('base64');
  const signed = (timestamp: string): string => `{"testData":"hello"}#${timestamp}`;
  const faults: [string, Record<string, string | string[]>, string | undefined][] = [
    ['id missing', { 'x-h-auth-id': [] }, undefined],
    ['id repeated', { 'x-h-auth-id': ['gp1', 'gp1'] }, undefined],
    ['id too long', { 'x-h-auth-id': 'g'.repeat(200) }, undefined],
    ['unknown id', { 'x-h-auth-id': 'gp9' }, undefined],
    ['timestamp missing', { 'x-h-timestamp': '' }, undefined],
    ['signature missing', { 'x-h-auth-sig': [] }, undefined],
    ['signature malformed', { 'x-h-auth-sig': Buffer.alloc(32).toString('hex') }, undefined],
    ['signature wrong', { 'x-h-auth-sig': WRONG }, signed(T)],
    ['timestamp too old', PAST, signed('2026-01-02T02:00:00Z')],
    ['timestamp too new', FUTURE, signed('2026-01-02T04:00:00Z')],
    ['timestamp malformed', NO_TIME, signed('yesterday')],
  ];
  const refused = async (from: Service, change: Record<string, string | string[]>) => {
    const before = from.log.length;
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r', ...good, ...change };
    const reply = await rawPost('/testPing', headers, PROVIDER_VECTORS[0]!.body, from);
    return { reply, lines: from.log.slice(before).map((line) => JSON.parse(line) as object) };
  };

  it.each(faults)('the log says which part is wrong, and whose id was claimed: %s', async (fault, change) => {
    const { reply, lines } = await refused(service, change);
    expect(reply).toEqual([401, SIGNATURE_WRONG]);
    const id = [{ ...good, ...change }['x-h-auth-id']].flat()[0]?.slice(0, 128);
    const line = { status: 401, unauthenticated: fault, ...(id === undefined ? {} : { claimedId: id }) };
    expect(lines).toContainEqual(expect.objectContaining(line));
  });

  it.each(faults)(
    'with hints the reply says so too, and shows what was signed: %s',
    async (fault, change, message) => {
      const hint = message === undefined ? fault : `${fault}; signed: ${message}`;
      const { reply, lines } = await refused(hinting, change);
      expect(reply).toEqual([401, { ...SIGNATURE_WRONG, hint }]);
      expect(JSON.stringify(lines)).not.toContain('hello');
    },
  );

  it('with hints testPing shows the id, the bytes and the signed text', async () => {
    const body = '{"testData":"é"}';
    const timestamp = '2026-01-02T03:04:03.500Z';
    const ping = (from: Service) => providerCall(from, '/testPing', body, { timestamp });
    expect((await ping(hinting)).body).toEqual({
      testData: 'é',
      seen: { id: 'gp1', bytes: 17, signed: `${body}#${timestamp}`, ageSeconds: 1.5 },
    });
    expect((await ping(service)).body).toEqual({ testData: 'é' });
  });

  it('takes the same headers when nothing is wrong with them', async () => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r', ...good };
    expect((await rawPost('/testPing', headers, PROVIDER_VECTORS[0]!.body))[0]).toBe(200);
  });

  it.each([
    ['2026-01-02T03:09:05Z', 200],
    ['2026-01-02T03:09:05.001Z', 401],
    ['2026-01-02T02:59:05Z', 200],
    ['2026-01-02T02:59:04.999Z', 401],
    ['2026-01-02T03:04:05', 200],
    ['2026-01-02T05:04:05+02:00', 200],
    ['2026-01-02T05:04:05.123+0200', 200],
    ['2026-01-01T22:04:05-05:00', 200],
    ['2026-01-02', 401],
    ['2026-01-02 03:04:05Z', 401],
    ['Fri, 02 Jan 2026 03:04:05 GMT', 401],
    ['1767323045000', 401],
    ['2026-02-30T03:04:05Z', 401],
    ['2026-01-02T03:04:05Zx', 401],
  ])('at 03:04:05Z with ±300 s, %s is %d', async (timestamp, status) => {
    const reply = await providerCall(service, '/testPing', {}, { timestamp });
    expect(reply.status).toBe(status);
    if (status === 401) expect(reply.body).toEqual(SIGNATURE_WRONG);
  });

  it('reads no zone as UTC whatever zone the process has', () => {
    for (const zone of TIME_ZONES) {
      const read = inTimeZone(zone, () => parseTimestamp('2026-07-02T03:04:05.5'));
      expect([zone, read]).toEqual([zone, Date.UTC(2026, 6, 2, 3, 4, 5, 500)]);
    }
    expect(parseTimestamp('2026-07-02T03:04:05')).toBe(Date.UTC(2026, 6, 2, 3, 4, 5));
  });

  it('needs X-Request-Id, and checks it only after the signature', async () => {
    const unsigned = await providerCall(service, '/testPing', {}, { requestId: null, secret: 'x' });
    expect([unsigned.status, unsigned.body]).toEqual([401, SIGNATURE_WRONG]);
    for (const requestId of [null, '', 'a#b', 'x'.repeat(129)]) {
      const reply = await providerCall(service, '/testPing', {}, { requestId });
      expect(reply.status).toBe(400);
      expect(reply.body.errorCode).toMatchObject({
        id: 1000,
        msg: expect.stringMatching(/X-Request-Id is required once, with at most 128 characters/) as unknown,
      });
    }
    const reply = await providerCall(service, '/testPing', {}, { requestId: 'my-call-1' });
    expect(reply.headers.get('x-request-id')).toBe('my-call-1');
  });

  it('gives every reply an id of its own', async () => {
    const replies = await Promise.all([1, 2].map(() => providerCall(service, '/testPing', {})));
    const ids = replies.map(({ headers }) => headers.get('x-response-id'));
    expect(new Set(ids).size).toBe(2);
    ids.forEach((id) =>
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    );
  });
});

describe('operator to service', () => {
  it.each([
    [
      'getGameURL with playerId, the mode as sent',
      '/getGameURL',
      { playerId: 'p1', currency: 'EUR', gameCode: 'slot', mode: 'REAL' },
      // MESSAGE='secret-of-op1#op1#2026-01-02T03:04:05Z#p1#EUR#slot#REAL' SECRET=secret-of-op1
      'CUY7KHPMVpp49AYDy7b97voaUk2ByqOPCdodhEVW8zQ=',
    ],
    [
      'getGameURL without playerId',
      '/getGameURL',
      { currency: 'EUR', gameCode: 'slot', mode: 'demo' },
      // MESSAGE='secret-of-op1#op1#2026-01-02T03:04:05Z#EUR#slot#demo' SECRET=secret-of-op1
      'ezcY6/gwk0DryqK5Z0rIF79sWL+9lpAg+2xJBgjUf5Y=',
    ],
    [
      'registerPlayer',
      '/registerPlayer',
      { playerId: 'p1' },
      // MESSAGE='secret-of-op1#op1#2026-01-02T03:04:05Z#p1' SECRET=secret-of-op1
      '9OWt0PC7RvVBJUuN2tYDyp+sWeAmICZdC0pR1MkF+Pg=',
    ],
  ])('takes openssl’s signature of %s', async (_what, path, body, signature) => {
    const signing = { timestamp: T, signature };
    expect((await operatorCall(service, 'POST', path, [], body, signing)).status).toBe(200);
    const other = { ...body, ...('currency' in body ? { currency: 'JPY' } : { playerId: 'p2' }) };
    const reply = await operatorCall(service, 'POST', path, [], other, signing);
    expect([reply.status, reply.body]).toEqual([401, SIGNATURE_WRONG]);
  });

  it.each(['/getGameList', '/backoffice/getGameList'])(
    'takes openssl’s signature of GET %s',
    async (path) => {
      // MESSAGE='secret-of-op1#op1#2026-01-02T03:04:05Z' SECRET=secret-of-op1
      const signing = { timestamp: T, signature: 'YRcC+ojkJCK11W/95N3guME5C8GgZe0b/ZvcfRIoBCg=' };
      const reply = await operatorCall(service, 'GET', path, [], undefined, signing);
      expect(reply.body).toEqual({
        gameList: { slot: 'Slot', other: 'Other' },
        extendedGameList: { slot: { name: 'Slot', studio: 'S' }, other: { name: 'Other', studio: 'O' } },
      });
    },
  );

  it('answers every fault with the same body', async () => {
    const calls = [
      getGameUrl(service, {}, { secret: 'x' }),
      getGameUrl(service, {}, { id: 'op9' }),
      getGameUrl(service, {}, { id: 'gp1' }),
      getGameUrl(service, {}, { secret: 'secret-of-op2' }),
      getGameUrl(service, {}, { timestamp: '2026-01-02T03:09:06Z' }),
      getGameUrl(service, {}, { timestamp: 'now' }),
      operatorCall(service, 'POST', '/getGameURL', ['EUR', 'slot', 'demo'], {
        ...{ playerId: 'p1', currency: 'EUR', gameCode: 'slot', mode: 'demo' },
      }),
      operatorCall(service, 'POST', '/registerPlayer', ['{"playerId":"p1"}'], { playerId: 'p1' }),
      operatorCall(service, 'POST', '/registerPlayer', ['p1'], '{"playerId":', { signature: '' }),
    ];
    for (const reply of await Promise.all(calls)) {
      expect([reply.status, reply.body]).toEqual([401, SIGNATURE_WRONG]);
    }
  });

  it.each([
    [{ playerId: 'p1' }, '#p1#EUR#slot#real'],
    [{ playerId: undefined }, '#EUR#slot#real'],
    [{ gameCode: undefined }, '#p1#EUR##real'],
  ])('with hints the reply shows the fields that were signed, and no secret: %j', async (change, fields) => {
    const reply = await getGameUrl(hinting, change, { timestamp: T, secret: 'secret-of-op2' });
    const hint = `signature wrong; signed: <secret>#op1#2026-01-02T03:04:05Z${fields}`;
    expect([reply.status, reply.body]).toEqual([401, { ...SIGNATURE_WRONG, hint }]);
  });

  it('checks no age for a tenant whose tolerance is 0s, but still needs a time stamp', async () => {
    expect((await getGameUrl(service, {}, { id: 'op2', timestamp: '2020-01-01T00:00:00Z' })).status).toBe(
      200,
    );
    expect((await getGameUrl(service, {}, { id: 'op2', timestamp: 'yesterday' })).status).toBe(401);
  });

  it('names a missing field to a caller who signed the others', async () => {
    const body = { playerId: 'p1', currency: 'EUR', mode: 'real' };
    for (const fields of [
      ['p1', 'EUR', 'real'],
      ['p1', 'EUR', '', 'real'],
    ]) {
      const reply = await operatorCall(service, 'POST', '/getGameURL', fields, body);
      expect([reply.status, reply.body.errorCode?.msg]).toEqual([
        400,
        'INVALIDREQUEST: gameCode is required',
      ]);
    }
  });
});

/** Sends a POST with headers that fetch would not send: repeated or empty ones. */
function rawPost(
  path: string,
  headers: Record<string, string | string[]>,
  body: string,
  from = service,
): Promise<[number, unknown]> {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) => [name, one]),
  );
  return new Promise((resolve, reject) => {
    const call = request(
      from.url + path,
      {
        method: 'POST',
        headers: [...list, 'content-length', String(Buffer.byteLength(body)), 'host', 'x'] as never,
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve([response.statusCode!, JSON.parse(text)]));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
