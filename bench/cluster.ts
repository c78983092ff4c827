import { setTimeout as sleep } from 'node:timers/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { newRoundId, STAKE } from '../test/support/e2e-player';
import type { E2eStack } from '../test/support/e2e-stack';
import { compareBooks, runningRounds } from './books';
import { Caller, insist, seatPlayers, type BenchPlayer, type Seen } from './calls';
import { Figures, FiguresByName, judge, print, printLoad } from './figures';
import { Front } from './front';
import { longRound, playFor, spin, spinWithWin } from './play';
import { startTemporalOnPostgres, type TemporalOnPostgres } from './postgres';
import { cpuMsOf } from './process-cpu';
import { startReplicaSet, type ReplicaSet } from './replica-set';
import { untilReady } from './rollover';
import { runBench, startBenchStack } from './stack';

/*
 * `npm run bench -- cluster [--seconds 10 --callers 32 --killed 40]`: the processes of an installation on more than one
 * machine: Temporal on PostgreSQL, a replica set of three mongods, and one, two and four services behind one address.
 * Prints the rounds per second and what each process does for a round. Then the primary of the replica set is killed while
 * everybody plays: every round survives, and no call gets a false answer.
 */

const SERVICES = ['service', 'service2', 'service3', 'service4'] as const;
const COUNTS = [1, 2, 4];
const KINDS = { 'losing spin': spin, 'winning spin': spinWithWin, 'three-call round': longRound };
const WARM_UP_SECONDS = 2;
const CALM_MS = 8_000;
const WIN = 700;

runBench(async (stopped) => {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      callers: { type: 'string', default: '32' },
      killed: { type: 'string', default: '40' },
    },
  });
  const undo: (() => unknown)[] = [];
  try {
    const temporal = await startTemporalOnPostgres();
    undo.push(() => temporal.close());
    const mongodb = await startReplicaSet();
    undo.push(() => mongodb.close());
    const front = await Front.open();
    undo.push(() => front.close());
    const stack = await startBenchStack({
      shape: 'service',
      servers: { temporalAddress: temporal.address, mongodbUri: mongodb.uri },
      env: { BASE_URL: front.url },
    });
    undo.push(() => stack.close());
    const cluster = { temporal, mongodb, stack };
    front.ports = portsOf(stack, 1);
    const seating = new Caller(front.url, stack.provider, 4);
    undo.push(() => seating.close());
    const seats = await seatPlayers({ ...stack, api: front.url }, seating, Number(values.callers));
    const empty = await storedKb(cluster);
    printLoad('before');
    for (const count of COUNTS) {
      await startServices(stack, count);
      front.ports = portsOf(stack, count);
      await withNewConnections(front, stack, seats, (players) =>
        measure(cluster, count, players, Number(values.seconds), stopped),
      );
    }
    printLoad('after');
    const full = await storedKb(cluster);
    const records = await stack.db.collection('gamerounds').countDocuments();
    console.log(
      `\nstored for a round, a mean of all kinds: PostgreSQL ${((full.PostgreSQL - empty.PostgreSQL) / records).toFixed(1)} KB, ` +
        `MongoDB ${((full.MongoDB - empty.MongoDB) / records).toFixed(1)} KB`,
    );
    console.log(
      `All of these processes share ${cpus().length} cores of one machine, so more services can't give more rounds here.`,
    );
    return await withNewConnections(front, stack, seats, (players) =>
      killPrimaryUnderPlay(cluster, players, Number(values.killed) * 1_000, stopped),
    );
  } finally {
    for (const step of undo.reverse()) await step();
  }
});

interface Cluster {
  temporal: TemporalOnPostgres;
  mongodb: ReplicaSet;
  stack: E2eStack;
}

function portsOf(stack: E2eStack, count: number): number[] {
  return SERVICES.slice(0, count).map((part) => Number(new URL(stack.apiOf(part)).port));
}

async function startServices(stack: E2eStack, count: number): Promise<void> {
  const parts = SERVICES.slice(0, count);
  await stack.start(parts.filter((part) => stack.pid(part) === undefined));
  await Promise.all(parts.map((part) => untilReady(stack.apiOf(part))));
}

/** A connection stays with one service, so a new number of services needs new ones. */
async function withNewConnections<T>(
  front: Front,
  stack: E2eStack,
  seats: readonly BenchPlayer[],
  play: (players: readonly BenchPlayer[]) => Promise<T>,
): Promise<T> {
  const caller = new Caller(front.url, stack.provider, seats.length);
  try {
    return await play(seats.map((player) => player.through(caller)));
  } finally {
    await caller.close();
  }
}

async function measure(
  cluster: Cluster,
  count: number,
  players: readonly BenchPlayer[],
  seconds: number,
  stopped: AbortSignal,
): Promise<void> {
  console.log(`\n${count} service${count === 1 ? '' : 's'}, ${players.length} callers`);
  for (const [kind, round] of Object.entries(KINDS)) {
    await playFor(WARM_UP_SECONDS, players, round, stopped);
    const before = await totalsOf(cluster, count);
    const played = await playFor(seconds, players, round, stopped);
    const after = await totalsOf(cluster, count);
    const rounds = played.figures.at(-1) ?? new Figures(kind);
    print({ ...rounds.summary(played.seconds), name: kind });
    for (const what of ['CPU ms', 'stores'] as const) {
      const each = Object.entries(after[what]).map(([name, total]) => {
        const value = (total - (before[what][name] ?? 0)) / rounds.count;
        return `${name} ${value.toFixed(1)}`;
      });
      console.log(`  ${what} for a round: ${each.join(', ')}`);
    }
  }
}

type Totals = Record<'CPU ms' | 'stores', Record<string, number>>;

/** What all processes have used and the stores have done so far. */
async function totalsOf({ temporal, mongodb, stack }: Cluster, count: number): Promise<Totals> {
  const services = SERVICES.slice(0, count).map((part) => [part, stack.pid(part)] as const);
  const { all = 0, ...cpu } = await cpuMsOf({
    all: process.pid,
    ...Object.fromEntries(services),
    ...temporal.pids,
    ...mongodb.pids,
  });
  const rest = Object.values(cpu).reduce((left, ms) => left - ms, all);
  const { metrics, wiredTiger } = (await stack.db.admin().command({ serverStatus: 1 })) as MongoStatus;
  const postgres = await temporal.totals();
  return {
    'CPU ms': { ...cpu, 'callers, front and wallet': rest },
    stores: {
      'MongoDB commands': COMMANDS.reduce((sum, name) => sum + Number(metrics.commands[name].total), 0),
      'MongoDB journal KB': Number(wiredTiger.log['log bytes written']) / 1_000,
      'PostgreSQL transactions': postgres.transactions,
      'PostgreSQL WAL KB': postgres.walBytes / 1_000,
    },
  };
}

const COMMANDS = ['find', 'insert', 'update', 'findAndModify', 'delete'] as const;
interface MongoStatus {
  metrics: { commands: Record<(typeof COMMANDS)[number], { total: unknown }> };
  wiredTiger: { log: Record<'log bytes written', unknown> };
}

/** What both stores keep, in KB: in MongoDB before it is compressed. */
async function storedKb({ temporal, stack }: Cluster): Promise<Record<'PostgreSQL' | 'MongoDB', number>> {
  const { dataSize, indexSize } = await stack.db.stats();
  return {
    PostgreSQL: (await temporal.compactedBytes()) / 1_000,
    MongoDB: (Number(dataSize) + Number(indexSize)) / 1_000,
  };
}

/** What the caller of a round knows after it has repeated the calls that had no answer, 429 or 503. */
interface Told {
  roundId: string;
  started: boolean;
  closed: boolean;
  last: string;
}

async function killPrimaryUnderPlay(
  { mongodb, stack }: Cluster,
  players: readonly BenchPlayer[],
  killedMs: number,
  stopped: AbortSignal,
): Promise<boolean> {
  const figures = new FiguresByName();
  const told: Told[] = [];
  const goodAt: number[] = [];
  let isOver = false;
  const began = performance.now();
  const ask = (name: string, call: () => Promise<Seen>): Promise<Seen> =>
    insist(async () => {
      const seen = await call();
      figures.add(name, seen.ms, seen.status);
      if (seen.status === 200) goodAt.push(performance.now());
      return seen;
    });
  const playing = players.map(async (player) => {
    while (!isOver) told.push(await insistOnRound(player, ask));
  });
  await sleep(CALM_MS);
  const killed = await mongodb.killPrimary();
  const killedAt = performance.now();
  console.log(`\n${killed}, the primary of the replica set, is killed while ${players.length} callers play`);
  await sleep(killedMs, undefined, { signal: stopped });
  isOver = true;
  await Promise.all(playing);
  figures.all.forEach((figure) => print(figure.summary((performance.now() - began) / 1_000)));
  const longest = Math.max(...goodAt.map((at, index) => at - (goodAt[index - 1] ?? at)));
  const afterwards = goodAt.filter((at) => at > killedAt + longest).length;
  console.log(`longest time without a call that succeeded: ${(longest / 1_000).toFixed(1)} s`);
  const running = await runningRounds(stack, 0, 60_000);
  const books = await compareBooks(stack, 'op1');
  const wrong = await falseAnswers(stack, told);
  const refused = told.filter(({ started }) => !started);
  const unfinished = told.filter(({ started, closed }) => started && !closed);
  return judge([
    {
      name: 'every round that was started is closed, and its caller knows',
      passed: unfinished.length === 0 && running === 0 && afterwards > 0,
      seen: `${told.length} rounds, ${unfinished.length} not closed ${lastOf(unfinished)}, ${refused.length} refused ${lastOf(refused)}, ${running} running`,
    },
    {
      name: 'no call got a false answer',
      passed: wrong.length === 0,
      seen: `${wrong.length} ${wrong.slice(0, 3).join('; ')}`,
    },
    {
      name: 'records and ledger agree',
      passed: books.differences.length === 0,
      seen: `${books.rounds} rounds ${JSON.stringify(books.byStatus)}, ${books.voids} voids, ${books.differences.length} differences ${books.differences.slice(0, 3).join('; ')}`,
    },
  ]);
}

function lastOf(told: readonly Told[]): string {
  return [...new Set(told.map(({ last }) => last))].join('; ');
}

async function insistOnRound(
  player: BenchPlayer,
  ask: (name: string, call: () => Promise<Seen>) => Promise<Seen>,
): Promise<Told> {
  const [roundId, winId, endId] = [newRoundId(), newRoundId(), newRoundId()];
  // A call that was shed before, while rounds were measured, may have left a round open.
  const begun = await ask('startGameRound', () => player.start({ roundId, closeOpenGame: true }));
  const gameRound = begun.body.gameRoundInfo?.hash;
  if (begun.status !== 200 || gameRound === undefined)
    return { roundId, started: false, closed: false, last: textOf(begun) };
  const won = await ask('addWin', () => player.win(gameRound, WIN, winId));
  const ended = await ask('endGameRound', () => player.end(gameRound, endId));
  // Once the round is closed, a repeated end gets 400 GAMEROUNDNOTACTIVE with the closed round.
  const closed = won.status === 200 && ended.body.gameRoundInfo?.status === 'closed';
  return { roundId, started: true, closed, last: textOf(won.status === 200 ? ended : won) };
}

function textOf({ status, body }: Seen): string {
  return `${status} ${body.errorCode?.msg ?? JSON.stringify(body)}`;
}

interface RecordFields {
  externalGameProviderRoundId: string;
  status: string;
  totalBetAmount: number;
  totalWinAmount: number;
}

/** A round that its caller takes for closed has its money. A round that was refused took none. */
async function falseAnswers(stack: E2eStack, told: readonly Told[]): Promise<string[]> {
  const ids = told.map(({ roundId }) => roundId);
  const records = await stack.db
    .collection<RecordFields>('gamerounds')
    .find({ externalGameProviderRoundId: { $in: ids } })
    .toArray();
  const recordOf = new Map(records.map((record) => [record.externalGameProviderRoundId, record]));
  return told.flatMap(({ roundId, started, last }) => {
    const record = recordOf.get(roundId);
    const is = record && `${record.status} ${record.totalBetAmount} ${record.totalWinAmount}`;
    const isTrue = started
      ? is === `closed ${STAKE} ${WIN}`
      : record === undefined ||
        (record.status === 'cancel' && record.totalBetAmount === record.totalWinAmount);
    return isTrue ? [] : [`${roundId}: told ${last}, is ${is}`];
  });
}
