import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRng, MAX_COUNT, type Rng } from '../src/rng';

/*
 * `npx tsx scripts/rng-check.ts`: tests 10^7 draws of the code behind getRandomResult with dieharder (from Debian), and with ent if
 * it is installed. Exit code 0: passed. 1: the numbers failed a test. 2: the check could not be run.
 */

const DRAWS = 10_000_000;
const CALLS = DRAWS / MAX_COUNT;
const WORD_BYTES = 4;

/**
 * dieharder's number, name and options of each test. The numbers of samples (-t) and repeats (-p) are chosen so that
 * 10^7 words of 32 bits are enough without a rewind. About 100 repeats: with only a few, the p-values come out too good,
 * and "too good" is a failure.
 */
const TESTS: [id: number, name: string, ...options: string[]][] = [
  [0, 'diehard_birthdays'],
  [1, 'diehard_operm5', '-t', '100000', '-p', '99'],
  [2, 'diehard_rank_32x32', '-t', '3000', '-p', '100'],
  [3, 'diehard_rank_6x8', '-t', '16000', '-p', '100'],
  [4, 'diehard_bitstream', '-p', '30'],
  [8, 'diehard_count_1s_stream'],
  [10, 'diehard_parking_lot'],
  [11, 'diehard_2dsphere'],
  [12, 'diehard_3dsphere'],
  [13, 'diehard_squeeze', '-t', '4000', '-p', '100'],
  [15, 'diehard_runs', '-p', '99'],
  [16, 'diehard_craps', '-t', '14000', '-p', '100'],
  [100, 'sts_monobit', '-p', '99'],
  [101, 'sts_runs', '-p', '99'],
  [102, 'sts_serial', '-p', '99'],
  [200, 'rgb_bitdist', '-n', '4', '-t', '10000', '-p', '100'],
  [202, 'rgb_permutations', '-n', '4', '-t', '20000', '-p', '100'],
  [203, 'rgb_lagged_sum', '-n', '0', '-t', '100000', '-p', '99'],
  [204, 'rgb_kstest_test', '-p', '999'],
];

/** The columns of the report. The rate is left out, because dieharder would read the file several times for it. */
const COLUMNS = ['test_name', 'ntuple', 'tsamples', 'psamples', 'pvalues', 'assessment'];

/** A file of 10^7 words of 32 bits, made from 10^7 draws. */
interface Stream {
  name: string;
  file: string;
}

interface Verdict {
  test: string;
  ntuple: string;
  pValue: number;
  assessment: string;
}

const INSTALL = `Debian, Ubuntu: apt-get update && apt-get install -y dieharder
Elsewhere: the package "dieharder" (https://webhome.phy.duke.edu/~rgb/General/dieharder.php)`;

async function main(): Promise<number> {
  const [hasDieharder, hasEnt] = await Promise.all([isInstalled('dieharder'), isInstalled('ent')]);
  if (!hasDieharder && !hasEnt) {
    console.error(
      `scripts/rng-check.ts needs dieharder (or, for a lesser check, ent), which is not installed.\n${INSTALL}`,
    );
    return 2;
  }
  if (!hasDieharder) console.log(`dieharder is not installed, so only ent is run.\n${INSTALL}\n`);
  const dir = await mkdtemp(join(tmpdir(), 'rng-check-'));
  try {
    const streams = await makeStreams(dir);
    const failures = [
      ...(hasEnt ? await runEnt(streams) : []),
      ...(hasDieharder ? await runDieharder(streams, () => makeStreams(dir)) : []),
    ];
    console.log(failures.length === 0 ? '\nPassed.' : `\nFAILED:\n${failures.join('\n')}`);
    return failures.length === 0 ? 0 : 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Writes three files: the upper 32 bits of doubles, the lower 32 of their 53 bits, and integers of 32 bits. */
async function makeStreams(dir: string): Promise<Stream[]> {
  let logged = 0;
  const rng = createRng({ log: ({ values }) => void (logged += values.length) });
  console.log(`Drawing ${DRAWS} doubles in [0, 1) and ${DRAWS} integers in [0, 2^32 - 1] …`);
  const upper = { name: 'getDoubles, upper 32 of 53 bits', file: join(dir, 'upper') };
  const lower = { name: 'getDoubles, lower 32 of 53 bits', file: join(dir, 'lower') };
  const integers = { name: 'getIntegers 0 to 2^32 - 1', file: join(dir, 'integers') };
  await write(rng, 'getDoubles', 1, [
    [upper.file, (value) => Math.floor(value * 2 ** 32)],
    [lower.file, (value) => (value * 2 ** 53) % 2 ** 32],
  ]);
  await write(rng, 'getIntegers', 2 ** 32 - 1, [[integers.file, (value) => value]]);
  if (logged !== 2 * DRAWS) throw new Error(`${logged} draws were logged`);
  return [upper, lower, integers];
}

async function write(
  rng: Rng,
  rngEndPoint: string,
  max: number,
  outputs: [file: string, wordOf: (value: number) => number][],
): Promise<void> {
  const files = await Promise.all(outputs.map(([file]) => open(file, 'w')));
  const rngPayload = { count: MAX_COUNT, min: 0, max };
  const nobody = {
    sessionId: '',
    operatorId: '',
    playerId: '',
    gameCode: '',
    providerId: '',
    mode: 'demo',
  } as const;
  for (let call = 0; call < CALLS; call += 1) {
    const asked = { session: nobody, requestId: 'rng-check', rngEndPoint, rngPayload };
    const { values } = await rng.getRandomResult(asked);
    for (const [index, [, wordOf]] of outputs.entries()) {
      const words = Buffer.alloc(values.length * WORD_BYTES);
      values.forEach((value, at) => words.writeUInt32LE(wordOf(value), at * WORD_BYTES));
      await files[index]!.write(words);
    }
  }
  await Promise.all(files.map((file) => file.close()));
}

async function runEnt(streams: Stream[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, file } of streams) {
    const report = await run('ent', [file]);
    console.log(`\nent: ${name}\n${report.trim()}`);
    // "would randomly exceed this value less than 0.01 percent of the times": too uneven. More than 99.99: too even.
    if (/less than 0\.01 percent|more than 99\.99 percent/.test(report)) failures.push(`ent, ${name}`);
  }
  return failures;
}

/** The weak p-values of one test on one stream: those outside 0.005 to 0.995, about one in a hundred. */
interface Weak {
  stream: number;
  test: (typeof TESTS)[number];
  /** Indexes of the weak p-values. */
  places: number[];
}

/** Good random numbers are weak at the same place three times in a row only once in a million. */
const WEAK_IN_TURN = 3;

/**
 * FAILED (p below 1e-6) is a failure. WEAK happens by chance: the test is repeated with fresh draws, and it is a failure
 * if it is weak at the same place three times in a row.
 */
async function runDieharder(streams: Stream[], redraw: () => Promise<Stream[]>): Promise<string[]> {
  const failures: string[] = [];
  let weak: Weak[] = [];
  let pValues = 0;
  for (const [index, stream] of streams.entries()) {
    console.log(`\ndieharder: ${stream.name}`);
    for (const test of TESTS) {
      const verdicts = await assess(stream, test);
      pValues += verdicts.length;
      failures.push(...verdicts.filter(isFailed).map((verdict) => describe(stream, verdict)));
      weak.push({ stream: index, test, places: weakIn(verdicts) });
    }
  }
  console.log(
    `\n${pValues} p-values, ${countOf(weak)} of them weak; about ${Math.round(pValues / 100)} are expected.`,
  );
  for (let inTurn = 1; inTurn < WEAK_IN_TURN && countOf(weak) > 0; inTurn += 1) {
    const fresh = await redraw();
    const still: Weak[] = [];
    for (const { stream, test, places } of weak.filter((one) => one.places.length > 0)) {
      console.log(`Repeated with fresh draws: ${fresh[stream]!.name}`);
      const verdicts = await assess(fresh[stream]!, test);
      failures.push(...verdicts.filter(isFailed).map((verdict) => describe(fresh[stream]!, verdict)));
      const again = weakIn(verdicts);
      still.push({ stream, test, places: places.filter((place) => again.includes(place)) });
    }
    weak = still;
  }
  const stubborn = weak.filter(({ places }) => places.length > 0);
  return [
    ...failures,
    ...stubborn.map(({ stream, test }) => `${test[1]}, ${streams[stream]!.name}: weak ${WEAK_IN_TURN} times`),
  ];
}

function countOf(weak: Weak[]): number {
  return weak.reduce((sum, { places }) => sum + places.length, 0);
}

function weakIn(verdicts: Verdict[]): number[] {
  return verdicts.flatMap(({ assessment }, index) => (assessment === 'WEAK' ? [index] : []));
}

async function assess({ file }: Stream, [id, name, ...options]: (typeof TESTS)[number]): Promise<Verdict[]> {
  const input = ['-g', '201', '-f', file, '-d', String(id), ...options];
  const report = await run('dieharder', [...input, ...COLUMNS.flatMap((column) => ['-D', column])]);
  if (report.includes('rewound')) throw new Error(`${name} needs more than ${DRAWS} words`);
  const verdicts = [...report.matchAll(/^\s*(\w+)\|\s*(\d+)\|[^|]+\|[^|]+\|\s*([\d.]+)\|\s*(\w+)/gm)].map(
    ([, test = '', ntuple = '', pValue, assessment = '']) => ({
      test,
      ntuple,
      pValue: Number(pValue),
      assessment,
    }),
  );
  if (verdicts.length === 0) throw new Error(`dieharder reported no result of ${name}:\n${report}`);
  for (const { test, ntuple, pValue, assessment } of verdicts) {
    console.log(`  ${test.padEnd(24)} ${ntuple.padStart(3)}  p ${pValue.toFixed(8)}  ${assessment}`);
  }
  return verdicts;
}

function isFailed({ assessment }: Verdict): boolean {
  return assessment !== 'PASSED' && assessment !== 'WEAK';
}

function describe({ name }: Stream, { test, ntuple, pValue, assessment }: Verdict): string {
  return `${test} ${ntuple}, ${name}: p ${pValue} ${assessment}`;
}

/** Runs a program without a shell. Returns its output and errors. */
function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${command} ${args.join(' ')}: ${error.message}`));
      else resolve(stdout + stderr);
    });
  });
}

async function isInstalled(command: string): Promise<boolean> {
  return run(command, command === 'ent' ? ['-u'] : ['-l']).then(
    () => true,
    (error: Error) => !error.message.includes('ENOENT'),
  );
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(
      `scripts/rng-check.ts could not be run: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 2;
  },
);
