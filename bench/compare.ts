import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import type { E2eStack } from '../test/support/e2e-stack';
import { Caller, seatPlayers, type BenchPlayer, type Seen } from './calls';
import { chartOf } from './chart';
import { startTemporalOnPostgres, type TemporalOnPostgres } from './postgres';
import { leftOut, startFloor, startPeers, type Program } from './programs';
import { cpuMsOf, untilQuiet } from './process-cpu';
import { longRound, playFor, spin, spinWithWin, type Round } from './play';
import { judge, printLoad, type Criterion } from './figures';
import { untilReady } from './rollover';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench [-- --seconds 3 --repeats 3 --json FILE --chart FILE]`: the product beside the floor (the barest program
 * with a spin's duties on the same servers), the naive form, what somebody might use instead, and the product on a
 * Temporal server that stores in PostgreSQL. All take turns in one run; what counts are the ratios of their medians.
 * `--callers 1` and `--kinds losing` measure a part, without targets.
 */

/** Medians in relation to the floor's spin with one caller, or its rate with 32; see docs/performance.md. */
const TARGETS: readonly [
  name: string,
  kind: string,
  callers: number,
  most?: number | undefined,
  least?: number,
][] = [
  ['losing spin, one caller', 'losing spin', 1, 0.85],
  ['winning spin, one caller', 'winning spin', 1, 1.0],
  ['three-call round, one caller', 'three-call round', 1, 2.4],
  ['losing spins per second, 32 callers', 'losing spin', 32, undefined, 0.9],
];
const READ_LEAST = 0.7;
const OPEN_READ_MOST = 2;
const OWN_CPU_MOST_MS = 20;

const CALLERS = [1, 8, 32, 128];
/** For what is beside the product. */
const FEW_CALLERS = [1, 32];
const ON_POSTGRES = 'on PostgreSQL';

interface Contender {
  name: string;
  kinds: readonly (readonly [kind: string, prepare: (callers: number) => Trial | Promise<Trial>])[];
  callers: readonly number[];
  pids: () => Record<string, number | undefined>;
}

interface Trial {
  measure: () => Promise<Measured>;
  cleanUp?: () => Promise<unknown>;
}

interface Measured {
  p50Ms: number;
  perSecond: number;
  count: number;
  failed: number;
}

/** One line of the table, over all repeats. */
interface Row {
  contender: string;
  kind: string;
  callers: number;
  p50Ms: Spread;
  perSecond: Spread;
  /** CPU of each process for one call or round; milliseconds. */
  cpuMs: Record<string, number>;
  failed: number;
}
interface Spread {
  min: number;
  median: number;
  max: number;
}

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      repeats: { type: 'string', default: '3' },
      json: { type: 'string' },
      chart: { type: 'string' },
      peers: { type: 'string', default: 'on' },
      callers: { type: 'string' },
      kinds: { type: 'string', default: '' },
    },
  });
  const seconds = Number(values.seconds);
  const before = printLoad('before');
  const stack = await startBenchStack({ shape: 'service', bareWallet: true });
  const programs: Program[] = [];
  const caller = new Caller(stack.api, stack.provider, 256);
  const otherCaller = new Caller(stack.apiOf('service2'), stack.provider, 256);
  const agent = new Agent({ connections: 256 });
  let onPostgres: TemporalOnPostgres | undefined;
  try {
    const players = await seatPlayers(stack, caller, Math.max(...CALLERS));
    const addresses = {
      TEMPORAL_ADDRESS: stack.temporalAddress,
      MONGODB_URI: stack.mongodbUri,
      WALLET_URL: stack.walletUrl,
    };
    programs.push(await startFloor(addresses));
    if (values.peers === 'on') {
      programs.push(...(await startPeers(addresses)));
      onPostgres = await startOnPostgres(stack);
    }
    const servers = () => ({ temporal: stack.pid('temporal'), mongod: stack.pid('mongod') });
    const contenders: Contender[] = [
      product('gameround', players, seconds, stopped, () => ({
        service: stack.pid('service'),
        ...servers(),
      })),
      ...(onPostgres === undefined
        ? []
        : [productOn(onPostgres, stack, otherCaller, players, seconds, stopped)]),
      ...programs.flatMap((program) => others(program, agent, seconds, stopped, servers)),
    ].map((contender) => partOf(contender, values.kinds, values.callers?.split(',').map(Number)));
    const rows = await compare(contenders, Number(values.repeats), stopped);
    const after = printLoad('after');
    printTable(rows);
    if (values.callers !== undefined || values.kinds !== '') return true;
    const criteria = targets(rows);
    if (values.json !== undefined) {
      const machine = {
        cpus: cpus().length,
        model: cpus()[0]?.model,
        node: process.version,
        load: { before, after },
      };
      await writeFile(values.json, `${JSON.stringify({ machine, rows, criteria }, null, 2)}\n`);
    }
    if (values.chart !== undefined) await writeFile(values.chart, chartOf(rows));
    return judge(criteria);
  } finally {
    await caller.close();
    await otherCaller.close();
    await agent.destroy();
    await Promise.all(programs.map((program) => program.close()));
    await stack.close();
    await onPostgres?.close();
  }
});

function partOf(contender: Contender, kind: string, callers: readonly number[] = CALLERS): Contender {
  return {
    ...contender,
    kinds: contender.kinds.filter(([name]) => name.includes(kind)),
    callers: contender.callers.filter((count) => callers.includes(count)),
  };
}

/** Starts a second service, on a Temporal server that stores in PostgreSQL. Undefined if that server can't run here. */
async function startOnPostgres(stack: E2eStack): Promise<TemporalOnPostgres | undefined> {
  const server = await startTemporalOnPostgres().catch((error: unknown) =>
    console.log(leftOut(ON_POSTGRES, error)),
  );
  if (!server) return undefined;
  await stack.start(['service2'], { TEMPORAL_ADDRESS: server.address });
  await untilReady(stack.apiOf('service2'));
  return server;
}

/** The second service. It has the same MongoDB, so it knows the players of the first. */
function productOn(
  { pids }: TemporalOnPostgres,
  stack: E2eStack,
  caller: Caller,
  players: readonly BenchPlayer[],
  seconds: number,
  stopped: AbortSignal,
): Contender {
  const same = players.map((player) => player.through(caller));
  const whole = product(ON_POSTGRES, same, seconds, stopped, () => ({
    service: stack.pid('service2'),
    ...pids,
    mongod: stack.pid('mongod'),
  }));
  return { ...whole, callers: FEW_CALLERS, kinds: whole.kinds.filter(([kind]) => !kind.startsWith('read')) };
}

/** Over signed HTTP, as a provider's server calls it. */
function product(
  name: string,
  players: readonly BenchPlayer[],
  seconds: number,
  stopped: AbortSignal,
  pids: Contender['pids'],
): Contender {
  const play = async (callers: number, round: Round, figure: string): Promise<Measured> => {
    const played = await playFor(seconds, players.slice(0, callers), round, stopped);
    const figures = played.figures.find(({ name }) => name === figure);
    const all = Object.values(figures?.statuses ?? {}).reduce((sum, times) => sum + times, 0);
    return {
      p50Ms: figures?.percentile(50) ?? Infinity,
      perSecond: all / played.seconds,
      count: all,
      failed: all - (figures?.statuses['200'] ?? 0),
    };
  };
  const trial = (callers: number, round: Round, figure: string): Trial => ({
    measure: () => play(callers, round, figure),
  });
  const reading =
    (gameRounds: Map<BenchPlayer, string>): Round =>
    async (player, note) =>
      note('read', await player.info(gameRounds.get(player) ?? ''));
  return {
    name,
    callers: CALLERS,
    pids,
    kinds: [
      ['losing spin', (callers) => trial(callers, spin, 'spin')],
      ['winning spin', (callers) => trial(callers, spinWithWin, 'spin with a win')],
      ['three-call round', (callers) => trial(callers, longRound, 'start, addWin, endGameRound')],
      [
        'read of a closed round',
        async (callers) => trial(callers, reading(await roundsOf(players.slice(0, callers), true)), 'read'),
      ],
      [
        'read of an open round',
        async (callers) => {
          const some = players.slice(0, callers);
          const rounds = await roundsOf(some, false);
          return {
            ...trial(callers, reading(rounds), 'read'),
            cleanUp: () => Promise.all(some.map((player) => player.end(rounds.get(player) ?? ''))),
          };
        },
      ],
    ],
  };
}

async function roundsOf(players: readonly BenchPlayer[], ended: boolean): Promise<Map<BenchPlayer, string>> {
  const rounds = new Map<BenchPlayer, string>();
  for (const player of players) {
    const { body }: Seen = ended ? await player.spin(0) : await player.start();
    rounds.set(player, body.gameRoundInfo?.hash ?? '');
  }
  return rounds;
}

/** A program that has no signatures and no players: its kinds are paths. */
function others(
  { url, paths, pids }: Program,
  agent: Agent,
  seconds: number,
  stopped: AbortSignal,
  servers: Contender['pids'],
): Contender[] {
  const measure = async (path: string, callers: number): Promise<Measured> => {
    const times: number[] = [];
    let failed = 0;
    const began = performance.now();
    const call = async (): Promise<void> => {
      while (performance.now() - began < seconds * 1_000 && !stopped.aborted) {
        const at = performance.now();
        const reply = await request(`${url}${path}`, { method: 'POST', dispatcher: agent });
        await reply.body.dump();
        if (reply.statusCode !== 200) failed += 1;
        times.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const perSecond = (1_000 * times.length) / (performance.now() - began);
    return { p50Ms: median(times), perSecond, count: times.length, failed };
  };
  return paths.map(([name, kind, path]) => ({
    name,
    kinds: [[kind, (callers: number) => ({ measure: () => measure(path, callers) })] as const],
    callers: FEW_CALLERS,
    pids: () => ({ ...pids, ...servers() }),
  }));
}

/** Everybody once without being measured, then everybody in turn, again and again. Each trial begins on quiet servers. */
async function compare(
  contenders: readonly Contender[],
  repeats: number,
  stopped: AbortSignal,
): Promise<Row[]> {
  const rows = new Map<string, { row: Row; seen: Measured[]; cpu: Record<string, number>[] }>();
  for (let repeat = 0; repeat <= repeats && !stopped.aborted; repeat += 1) {
    for (const { name, kinds, callers, pids } of contenders) {
      for (const [kind, prepare] of kinds) {
        for (const count of repeat === 0 ? callers.slice(0, 1) : callers) {
          const { measure, cleanUp } = await prepare(count);
          await untilQuiet(pids());
          const cpuBefore = await cpuMsOf(pids());
          const measured = await measure();
          const cpuAfter = await cpuMsOf(pids());
          await cleanUp?.();
          if (repeat === 0) continue;
          const key = `${name}/${kind}/${count}`;
          const none = { min: 0, median: 0, max: 0 };
          const empty: Row = {
            contender: name,
            kind,
            callers: count,
            p50Ms: none,
            perSecond: none,
            cpuMs: {},
            failed: 0,
          };
          const entry = rows.get(key) ?? { row: empty, seen: [], cpu: [] };
          rows.set(key, entry);
          entry.seen.push(measured);
          entry.cpu.push(
            Object.fromEntries(
              Object.entries(cpuAfter).map(([process, ms]) => [
                process,
                (ms - (cpuBefore[process] ?? 0)) / Math.max(measured.count, 1),
              ]),
            ),
          );
        }
      }
    }
  }
  return [...rows.values()].map(({ row, seen, cpu }) => ({
    ...row,
    p50Ms: spread(seen.map(({ p50Ms }) => p50Ms)),
    perSecond: spread(seen.map(({ perSecond }) => perSecond)),
    cpuMs: Object.fromEntries(
      Object.keys(cpu[0] ?? {}).map((process) => [process, median(cpu.map((one) => one[process] ?? 0))]),
    ),
    failed: seen.reduce((sum, { failed }) => sum + failed, 0),
  }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Infinity;
}

function spread(values: readonly number[]): Spread {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

function printTable(rows: readonly Row[]): void {
  const shown = ({ min, median: middle, max }: Spread): string =>
    `${middle.toFixed(1)} (${min.toFixed(1)}–${max.toFixed(1)})`;
  console.log('\nmedian (minimum–maximum) of the repeats; CPU of each process in ms for one round or call');
  const heads = ['program'.padEnd(13), 'round or call'.padEnd(20), 'callers'];
  console.log(`${heads.join(' ')}   ${'p50'.padStart(24)}    ${'per second'.padStart(24)}     CPU`);
  for (const { contender, kind, callers, p50Ms, perSecond, cpuMs, failed } of rows) {
    const cpu = Object.entries(cpuMs).map(([process, ms]) => `${process} ${ms.toFixed(1)}`);
    console.log(
      `${contender.padEnd(13)} ${kind.padEnd(24)} ${String(callers).padStart(3)}   ${shown(p50Ms).padStart(24)} ms ` +
        `${shown(perSecond).padStart(24)}/s   CPU ${cpu.join(', ')}${failed > 0 ? `   FAILED ${failed}` : ''}`,
    );
  }
  console.log('');
}

function targets(rows: readonly Row[]): Criterion[] {
  const find = (contender: string, kind: string, callers: number): Row | undefined =>
    rows.find((row) => row.contender === contender && row.kind === kind && row.callers === callers);
  const ratio = (one?: number, other?: number): number => (one ?? NaN) / (other ?? NaN);
  const p50 = (kind: string): number | undefined => find('gameround', kind, 1)?.p50Ms.median;
  const floor1 = find('floor', 'losing spin', 1)?.p50Ms.median;
  const floor32 = find('floor', 'losing spin', 32)?.perSecond.median;
  const against = TARGETS.map(([name, kind, callers, most, least]): Criterion => {
    const own = find('gameround', kind, callers);
    const seen =
      most === undefined ? ratio(own?.perSecond.median, floor32) : ratio(own?.p50Ms.median, floor1);
    const passed = most === undefined ? seen >= (least ?? 0) : seen <= most;
    return {
      name,
      passed,
      seen: `${seen.toFixed(2)} × floor (target ${most === undefined ? `≥ ${least}` : `≤ ${most}`})`,
    };
  });
  const read = ratio(
    find('gameround', 'read of a closed round', 32)?.perSecond.median,
    find('bare read', 'read of a closed round', 32)?.perSecond.median,
  );
  const open = ratio(p50('read of an open round'), p50('read of a closed round'));
  const cpu = find('gameround', 'losing spin', 32)?.cpuMs.service ?? NaN;
  return [
    ...against,
    {
      name: 'reads per second, 32 callers',
      passed: read >= READ_LEAST,
      seen: `${read.toFixed(2)} × a bare Koa and findOne (target ≥ ${READ_LEAST})`,
    },
    {
      name: 'read of an open round',
      passed: open <= OPEN_READ_MOST,
      seen: `${open.toFixed(2)} × that of a closed one (target ≤ ${OPEN_READ_MOST})`,
    },
    {
      name: 'CPU of our own process for a losing spin, 32 callers',
      passed: cpu <= OWN_CPU_MOST_MS,
      seen: `${cpu.toFixed(1)} ms (target ≤ ${OWN_CPU_MOST_MS})`,
    },
  ];
}
