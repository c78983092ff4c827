import type { RefusedError } from '../../src/domain/errors';
import { Admission } from '../../src/http/admission';
import { launchToken, providerCall, roundReply, sessionToken, start, startService } from './support';

/* Which calls are refused under load. The tests use counts and their own clock, no real time. */

const CALLS = 12;

let now: number;
let admission: Admission;

beforeEach(() => {
  now = 0;
  admission = new Admission({ calls: CALLS, monotonicNow: () => now });
});

/** The open calls of one party. */
class Callers {
  readonly #finish: (() => void)[] = [];
  readonly #all: Promise<unknown>[] = [];

  constructor(readonly name: string) {}

  /** Sends calls until one is refused or as many are taken. */
  async fill(most = 1_000): Promise<{ taken: number; refused?: number }> {
    for (let taken = 0; taken < most; taken += 1) {
      let begun = false;
      const work = (): Promise<void> => {
        begun = true;
        return new Promise((resolve) => this.#finish.push(resolve));
      };
      const call = admission.within(this.name, work);
      if (!begun)
        return {
          taken,
          refused: (await call.catch((error: RefusedError) => error.refusal.status)) as number,
        };
      this.#all.push(call);
    }
    return { taken: most };
  }

  async finish(): Promise<void> {
    this.#finish.splice(0).forEach((finish) => finish());
    await Promise.all(this.#all.splice(0));
  }
}

describe('the shares', () => {
  it('one party alone gets half; each later party gets room, but less than the earlier ones', async () => {
    const taken = [];
    for (const name of ['a', 'b', 'c', 'd']) taken.push(await new Callers(name).fill());
    expect(taken).toEqual([
      { taken: 6, refused: 429 },
      { taken: 3, refused: 429 },
      { taken: 2, refused: 429 },
      { taken: 1, refused: 503 },
    ]);
  });

  it('an answered call makes room, also if it failed', async () => {
    const a = new Callers('a');
    await a.fill();
    await a.finish();
    await expect(admission.within('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await a.fill()).toEqual({ taken: 6, refused: 429 });
  });
});

describe('calls that are slow', () => {
  /** All of its calls take that long. */
  async function round(callers: Callers, ms: number): Promise<number> {
    const { taken } = await callers.fill();
    now += ms;
    await callers.finish();
    return taken;
  }

  it('lower the limit of their party, not below the least, and no other’s', async () => {
    const slow = new Callers('slow');
    const taken = [];
    for (let at = 0; at < 5; at += 1) taken.push(await round(slow, 6_000));
    // 6 × 0.8 = 4.8, then 4: never less.
    expect(taken).toEqual([6, 4, 4, 4, 4]);
    expect(await round(new Callers('quick'), 10)).toBe(6);
  });

  it('a limit rises again with calls that are quick', async () => {
    const party = new Callers('a');
    for (let at = 0; at < 3; at += 1) await round(party, 6_000);
    const taken = [];
    for (let at = 0; at < 10; at += 1) taken.push(await round(party, 10));
    expect(taken[0]).toBe(4);
    expect(taken.at(-1)).toBe(6);
  });

  it('lower the limit also if there is room for many more, when many calls are slow for long', async () => {
    admission = new Admission({ calls: 256, monotonicNow: () => now });
    const party = new Callers('a');
    const taken = [];
    for (let at = 0; at < 6; at += 1) {
      taken.push((await party.fill(100)).taken);
      now += 10_000;
      await party.finish();
    }
    // Slow since 10 s, 20 s after that: 100 × 0.8, and so on; half of 256 was never reached.
    expect(taken).toEqual([100, 100, 100, 80, 64, 51]);
  });

  it('lower the limit of many parties with a few calls each, when all are slow', async () => {
    admission = new Admission({ calls: 256, monotonicNow: () => now });
    const parties = Array.from({ length: 8 }, (_, nth) => new Callers(`party ${nth}`));
    for (let at = 0; at < 3; at += 1) {
      for (const party of parties) expect(await party.fill(10)).toEqual({ taken: 10 });
      now += 10_000;
      await Promise.all(parties.map((party) => party.finish()));
    }
    expect(await parties[0]!.fill(10)).toEqual({ taken: 8, refused: 429 });
  });

  it('many calls that were slow once, while a worker was away, keep their limit', async () => {
    admission = new Admission({ calls: 256, monotonicNow: () => now });
    const party = new Callers('a');
    for (const ms of [10_000, 8_000, 100, 10_000, 8_000]) {
      expect(await party.fill(40)).toEqual({ taken: 40 });
      now += ms;
      await party.finish();
    }
    now += 60_000;
    for (const ms of [10_000, 8_000]) {
      expect(await party.fill(40)).toEqual({ taken: 40 });
      now += ms;
      await party.finish();
    }
    expect(await party.fill(40)).toEqual({ taken: 40 });
  });

  it('a few calls keep their limit, however slow they are', async () => {
    const party = new Callers('a');
    for (let at = 0; at < 3; at += 1) {
      await party.fill(2);
      now += 9_000;
      await party.finish();
    }
    expect(await party.fill()).toEqual({ taken: 6, refused: 429 });
  });

  it('calls of 5 s are not slow', async () => {
    const party = new Callers('a');
    for (let at = 0; at < 3; at += 1) expect(await round(party, 5_000)).toBe(6);
  });
});

describe('over HTTP', () => {
  it('calls beyond the limits are shed with Retry-After, and those taken are answered', async () => {
    const service = await startService({ limits: { calls: 3 } });
    const [first, second, third] = [
      await sessionToken(service),
      await sessionToken(service, {}, { id: 'op2' }),
      await launchToken(service),
    ];
    const waiting: (() => void)[] = [];
    service.commands.startGameRound.mockImplementation(
      () => new Promise((resolve) => waiting.push(() => resolve(roundReply()))),
    );
    const going = [first, first].map((token) => providerCall(service, '/startGameRound', start(token)));
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const mine = await providerCall(service, '/startGameRound', start(first));
    expect([mine.status, mine.headers.get('retry-after')]).toEqual([429, '1']);
    going.push(providerCall(service, '/startGameRound', start(second)));
    while (waiting.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    const other = await providerCall(service, '/startGameRound', start(second));
    expect([other.status, other.headers.get('retry-after')]).toEqual([503, '1']);
    // The player's page too; health never.
    expect((await fetch(`${service.url}/connect?token=${third}`)).status).toBe(503);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    waiting.forEach((finish) => finish());
    expect((await Promise.all(going)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await service.stop();
  });

  it('calls beyond the crowd limit are shed before anything is read of them; health is answered', async () => {
    const service = await startService({ limits: { crowd: 0 } });
    const shed = await providerCall(service, '/testPing', {}, { secret: 'wrong' });
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1']);
    for (const path of ['/health/live', '/health/ready']) {
      expect((await fetch(`${service.url}${path}`)).status).toBe(200);
    }
    await service.stop();
  });
});
