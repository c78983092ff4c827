import { RefusedError } from '../../src/domain/errors';
import { createRng, type Draw, type RngOptions } from '../../src/rng';

const session = {
  sessionId: 'session-hash',
  operatorId: 'op1',
  playerId: 'p1',
  gameCode: 'slot',
  providerId: 'gp1',
  mode: 'real',
} as const;

function rngWith(options: Partial<RngOptions> = {}) {
  const logged: Draw[] = [];
  const rng = createRng({ log: (draw) => void logged.push(draw), clock: () => 1_000, ...options });
  const draw = (rngEndPoint: unknown, rngPayload: unknown) =>
    rng.getRandomResult({ session, requestId: 'request-1', rngEndPoint, rngPayload });
  return { draw, logged };
}

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => 'not refused',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RefusedError)) throw new Error(`not refused: ${String(error)}`);
  return `${error.refusal.status} ${error.refusal.errorCode.msg}`;
}

describe('what is answered', () => {
  it('getDoubles: count doubles in [min, max)', async () => {
    const { values, rngRequestId } = await rngWith().draw('getDoubles', { count: 1_000, min: -2.5, max: 4 });
    expect(values).toHaveLength(1_000);
    expect(values.every((value) => value >= -2.5 && value < 4)).toBe(true);
    expect(rngRequestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('getIntegers: integers from min to max, both included', async () => {
    const { values } = await rngWith().draw('getIntegers', { count: 10_000, min: -1, max: 1 });
    expect(values).toHaveLength(10_000);
    expect(new Set(values)).toEqual(new Set([-1, 0, 1]));
  });

  it('getIntegers: one value only, and the widest range', async () => {
    const { draw } = rngWith();
    expect((await draw('getIntegers', { count: 3, min: 7, max: 7 })).values).toEqual([7, 7, 7]);
    const wide = await draw('getIntegers', { count: 1_000, min: 0, max: Number.MAX_SAFE_INTEGER });
    expect(wide.values.every(Number.isSafeInteger)).toBe(true);
    expect(wide.values.some((value) => value > 2 ** 52)).toBe(true);
  });

  it('getShuffle: every value from min to max once', async () => {
    const { values } = await rngWith().draw('getShuffle', { count: 52, min: 1, max: 52 });
    expect([...values].sort((left, right) => left - right)).toEqual(
      Array.from({ length: 52 }, (_, index) => index + 1),
    );
    const all = await rngWith().draw('getShuffle', { count: 10_000, min: 0, max: 9_999 });
    expect(new Set(all.values).size).toBe(10_000);
  });

  it('no two calls share an id or values', async () => {
    const { draw } = rngWith();
    const calls = await Promise.all(
      Array.from({ length: 50 }, () => draw('getDoubles', { count: 4, min: 0, max: 1 })),
    );
    expect(new Set(calls.map(({ rngRequestId }) => rngRequestId)).size).toBe(50);
    expect(new Set(calls.flatMap(({ values }) => values)).size).toBe(200);
  });
});

describe('what is refused', () => {
  const ok = { count: 1, min: 0, max: 1 };
  const END_POINT = 'rngEndPoint must be one of getDoubles, getIntegers, getShuffle';
  const COUNT = 'rngPayload.count must be an integer from 1 to 10000';
  const cases: [endPoint: unknown, payload: unknown, detail: string][] = [
    ['getdoubles', ok, END_POINT],
    [undefined, ok, END_POINT],
    ['toString', ok, END_POINT],
    ['getDoubles', undefined, COUNT],
    ['getDoubles', null, COUNT],
    ...['getDoubles', 'getIntegers', 'getShuffle'].flatMap((endPoint) =>
      [0, -1, 1.5, 10_001, '1', null, NaN].map((count): [unknown, unknown, string] => [
        endPoint,
        { ...ok, count },
        COUNT,
      ]),
    ),
    ['getDoubles', { ...ok, min: Infinity }, 'rngPayload.min must be a number'],
    ['getDoubles', { ...ok, min: '0' }, 'rngPayload.min must be a number'],
    ['getDoubles', { ...ok, max: NaN }, 'rngPayload.max must be a number'],
    ['getDoubles', { count: 1, min: 0 }, 'rngPayload.max must be a number'],
    ['getDoubles', { count: 1, min: 1, max: 1 }, 'rngPayload.max must be above min'],
    ['getDoubles', { count: 1, min: 2, max: 1 }, 'rngPayload.max must be above min'],
    ['getDoubles', { count: 1, min: -1.5e308, max: 1.5e308 }, 'rngPayload.max is too far from min'],
    ['getIntegers', { ...ok, min: 0.5 }, 'rngPayload.min must be an integer within 2^53 - 1'],
    ['getIntegers', { ...ok, max: 2 ** 53 }, 'rngPayload.max must be an integer within 2^53 - 1'],
    ['getIntegers', { ...ok, max: '6' }, 'rngPayload.max must be an integer within 2^53 - 1'],
    ['getIntegers', { count: 1, min: 2, max: 1 }, 'rngPayload.max must not be below min'],
    ['getIntegers', { count: 1, min: -1, max: 2 ** 53 - 1 }, 'rngPayload.max is too far from min'],
    ['getShuffle', { count: 1, min: 2, max: 1 }, 'rngPayload.max must not be below min'],
    [
      'getShuffle',
      { count: 10_000, min: 0, max: 10_000 },
      'rngPayload.max must be less than 10000 above min',
    ],
    ['getShuffle', { count: 5, min: 1, max: 52 }, 'rngPayload.count must be max - min + 1'],
    ['getShuffle', { count: 53, min: 1, max: 52 }, 'rngPayload.count must be max - min + 1'],
    ['getShuffle', { count: 2, min: 0.5, max: 1.5 }, 'rngPayload.min must be an integer within 2^53 - 1'],
  ];
  it.each(cases)('%s %j', async (endPoint, payload, detail) => {
    const { draw, logged } = rngWith();
    expect(await refusalOf(draw(endPoint, payload))).toContain(`400 INVALIDREQUEST: ${detail}`);
    expect(logged).toEqual([]);
  });
});

describe('the audit log', () => {
  it('holds who asked, for what, and the values that left, under the id that left', async () => {
    const { draw, logged } = rngWith({ newId: () => 'draw-1' });
    const answer = await draw('getIntegers', { count: 3, min: 1, max: 6, secret: 'not kept' });
    expect(logged).toEqual([
      {
        rngRequestId: 'draw-1',
        at: 1_000,
        rngEndPoint: 'getIntegers',
        rngPayload: { count: 3, min: 1, max: 6 },
        values: answer.values,
        requestId: 'request-1',
        ...session,
      },
    ]);
    expect(answer).toEqual({ values: logged[0]!.values, rngRequestId: 'draw-1' });
  });

  it('is written before the values leave', async () => {
    let written: () => void = () => undefined;
    const { draw } = rngWith({ log: () => new Promise<void>((resolve) => (written = resolve)) });
    let left = false;
    const call = draw('getDoubles', { count: 1, min: 0, max: 1 }).then(() => (left = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(left).toBe(false);
    written();
    await call;
    expect(left).toBe(true);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('down'))],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
  ])('that %s keeps the values in: 503 SERVICEUNAVAILABLE', async (_how, log) => {
    const { draw } = rngWith({ log });
    expect(await refusalOf(draw('getDoubles', { count: 1, min: 0, max: 1 }))).toBe('503 SERVICEUNAVAILABLE');
  });
});
