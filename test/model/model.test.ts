import fc from 'fast-check';
import type { E2eStack } from '../support/e2e-stack';
import { play, sequences, type Kind } from './sequence';
import { startService } from './service';
import { Tally } from './tally';
import { ASKING, FAULTS, MOVING } from './types';

/*
 * Generated sequences of signed calls against the whole service, held to a model written from docs/interface
 * (reference.ts). Without settings: few, of a fixed seed. `npm run model -- --sequences 10000`
 * runs as many as wanted, and `-- --kind batches --seed 1 --path 3:0 --replay BA:C` one again (a failure prints it).
 */
const env = (name: string): string | undefined => process.env[`MODEL_${name}`] || undefined;
const WANTED = Number(env('SEQUENCES') ?? 0);
/** Two cores do two or three sequences a second. */
const SECONDS = Number(env('SECONDS') ?? Math.max(540, WANTED));
const LANES = Number(env('LANES') ?? 16);
const FIXED_SEED = 20_260_101;
const SHORT = { calls: 28, batches: 16 };
/** From so many on a run has to have met everything. */
const MANY = 2_000;

const ANSWERS = [
  ...[
    'GAMEROUNDALREADYSTARTED',
    'GAMEROUNDNOTSTARTED',
    'GAMEROUNDNOTFOUND',
    'INVALIDREQUEST',
    'DEBITDECLINED',
  ],
  ...['NOTICKETAVAILABLE', 'SPINCOUNTEREXHAUSTED', 'CREDITALREADYPROCESSED', 'UNCOLLECTEDAMOUNTTOOLOW'],
  ...['GAMEROUNDOPEN', 'WALLETUNAVAILABLE', 'INSUFFICIENTFUNDS', 'ROUNDVOIDED'],
];

const tally = new Tally(env('SHRINK') === 'off' || WANTED === 0 ? 1 : 5);
let stack: E2eStack;

beforeAll(async () => {
  stack = await startService();
});
afterAll(() => stack?.close(), 60_000);

interface Lane {
  kind: Kind;
  seed: number;
  runs: number;
  path?: string | undefined;
  replay?: string | undefined;
}

async function run({ kind, seed, runs, path, replay }: Lane): Promise<void> {
  const again = `npm run model -- --kind ${kind} --seed <seed> --path <path> --replay <replayPath>`;
  const property = fc.asyncProperty(sequences(kind, replay), async ([setup, commands]) => {
    await play(stack, tally, setup, commands);
  });
  try {
    await fc.assert(property, {
      ...{ seed, numRuns: runs, interruptAfterTimeLimit: SECONDS * 1_000, markInterruptAsFailure: false },
      ...(path === undefined ? {} : { path }),
      endOnFailure: replay !== undefined || env('SHRINK') === 'off',
    });
  } catch (error) {
    tally.failed();
    throw new Error(`again with: ${again}\n${textOf(error)}`, { cause: error });
  }
}

/** With its cause: what a single answer or the books said. */
function textOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}\n${cause.message}` : message;
}

/** Lanes side by side, each with seeds of its own, until there were as many sequences as wanted. */
async function inLanes(seed: number, wanted: number, kinds: readonly Kind[]): Promise<void> {
  const started = Date.now();
  const target = tally.sequences + wanted;
  let next = seed;
  const over = (): boolean =>
    tally.stopped || tally.sequences >= target || Date.now() - started > SECONDS * 1_000;
  const lane = async (kind: Kind): Promise<void> => {
    while (!over()) await run({ kind, seed: next++, runs: Math.min(20, Math.ceil(wanted / LANES)) });
  };
  const lanes = Array.from({ length: LANES }, (_, index) => lane(kinds[index % kinds.length]!));
  const failed = (await Promise.allSettled(lanes)).filter((result) => result.status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => (reason as Error).message).join('\n\n'));
}

const randomSeed = Math.floor(Math.random() * 2 ** 31);

if (env('PATH') !== undefined) {
  test('the sequence again', async () => {
    const kind = (env('KIND') ?? 'calls') as Kind;
    await run({ kind, seed: Number(env('SEED')), runs: 1, path: env('PATH'), replay: env('REPLAY') });
  }, 600_000);
} else if (WANTED > 0) {
  test(
    `${WANTED} sequences`,
    async () => {
      const seed = Number(env('SEED') ?? randomSeed);
      const started = Date.now();
      try {
        await inLanes(seed, WANTED, ['calls', 'batches']);
      } finally {
        process.stderr.write(`seed ${seed}: ${tally.report((Date.now() - started) / 1_000)}\n`);
      }
      expect(tally.sequences).toBeGreaterThanOrEqual(WANTED);
      if (WANTED >= MANY) metEverything();
    },
    (SECONDS + 300) * 1_000,
  );
} else {
  test.each([['calls'], ['batches']] as const)(
    '%s: the service answers as the model does',
    async (kind) => {
      // Always the same ones here: new ones are looked for by `npm run model`.
      await inLanes(FIXED_SEED, SHORT[kind], [kind]);
    },
    240_000,
  );

  test('the run was not hollow', () => {
    expect(kindsAnswered(/^200$/).length).toBeGreaterThan(10);
    expect(tally.batches).toBeGreaterThan(10);
    expect(tally.faults.size).toBeGreaterThan(5);
  });
}

/** Kinds of calls that got such an answer. */
function kindsAnswered(answer: RegExp): string[] {
  const kinds = [...tally.answers.keys()].map((name) => name.split(/ (.*)/));
  return [...new Set(kinds.filter(([, got]) => answer.test(got ?? '')).map(([kind]) => kind ?? ''))].sort();
}

/** Every kind of call, every answer that the model knows, every fault of the wallet. */
function metEverything(): void {
  expect(kindsAnswered(/^200$/)).toEqual([...MOVING, ...ASKING].sort());
  expect(kindsAnswered(/GAMEROUNDNOTACTIVE/)).toEqual([...MOVING.slice(0, 6)].sort());
  expect(kindsAnswered(/GAMEROUNDCRASHED/)).toEqual([...MOVING.slice(0, 6)].sort());
  expect(kindsAnswered(/IDEMPOTENCYMISMATCH/)).toEqual(
    ['addSpinCounterGameState', 'addWin', 'collectWin', 'startGameRound'].sort(),
  );
  const told = [...tally.answers.keys()].join();
  for (const name of ANSWERS) expect(told).toContain(name);
  const faults = [...tally.faults.keys()].map((fault) => fault.split(' ')[1]);
  expect([...new Set(faults)].sort()).toEqual(Object.keys(FAULTS).sort());
}
