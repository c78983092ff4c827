import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { queryOf } from '../../proof/command';
import { roundsIn } from '../../proof/evidence';
import { replay, type Problem } from '../../proof/replay';
import { gameroundOf, runsInArchive, runsOnServer, type Run } from '../../proof/runs';
import { openArchive } from '../../src/archive';
import type { RoundService } from '../../src/commands/types';
import { EXPORTED_TYPES } from '../../src/contracts/export';
import { agreedBooks, finished, playerOf, repeated, STAKE, until, type Player } from '../support/player';
import type { RoundsHarness } from '../support/rounds-harness';
import { resetRound } from '../support/reset';
import { startProof, type ProofHarness } from './proof-harness';

/*
 * The whole proof on many rounds of every kind, played with faults: everything replays and agrees, MongoDB is lost and comes
 * back, and each kind of change is named. `ROUNDS=500 npx jest test/proof/drill` plays more of them, and longer ones.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 24);
/** One of this length for each 250 rounds. */
const WINS = ROUNDS >= 500 ? 1_000 : 60;
const MINUTES = ROUNDS >= 500 ? 30 : 10;

let proof: ProofHarness;
let harness: RoundsHarness;
let provider: Server;
const forgotten = new Map<string, Player>();

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { gameRound } = JSON.parse(Buffer.concat(chunks).toString()) as { gameRound: string };
      const closing = forgotten.get(gameRound)?.end(gameRound) ?? Promise.reject(new Error('unknown'));
      closing.then(
        () => response.writeHead(200).end('{}'),
        () => response.writeHead(500).end('{}'),
      );
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  proof = await startProof({ gameUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` });
  harness = Object.assign(proof.harness, { commands: patient(proof.harness.commands) });
});

afterAll(async () => {
  await proof?.stop();
  await new Promise((done) => provider.close(done));
});

function patient(commands: RoundService): RoundService {
  const repeat = (name: keyof RoundService) => (request: never) =>
    repeated<unknown>(() => commands[name](request));
  const names = Object.keys(commands) as (keyof RoundService)[];
  return Object.fromEntries(names.map((name) => [name, repeat(name)])) as unknown as RoundService;
}

interface Played {
  /** All rounds by kind. */
  rounds: Record<string, string[]>;
  /** Rounds that go on. */
  open: [string, Player][];
}

const note = (played: Played, kind: string, hash: string): void => {
  (played.rounds[kind] ??= []).push(hash);
};

/** A round of each kind, some of whose wins and voids are answered late. */
async function playSome(played: Played): Promise<void> {
  for (const type of ['credit', 'void'])
    await harness.fault({
      fault: 'status',
      status: 503,
      when: type === 'credit' ? 'after' : 'before',
      match: { type },
    });
  for (const [kind, hash] of Object.entries(await proof.playAll())) note(played, kind, hash);
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 12 });
  note(played, 'open', hash);
  played.open.push([hash, player]);
  const again = await playerOf(harness).open({ winAmount: 3 });
  await harness.handle(again).signal('end', { key: 'ticket-1', reason: 'by hand' });
  await finished(harness, again);
  await resetRound(harness, again);
  await finished(harness, again);
  note(played, 'reset', again);
}

async function playForgotten(played: Played): Promise<void> {
  const player = playerOf(harness, { gameCode: 'forgotten-slot' });
  const { autoCloseAfterMs } = harness.roundSettings;
  harness.roundSettings.autoCloseAfterMs = 500;
  const opening = player.open({ winAmount: 20 });
  harness.roundSettings.autoCloseAfterMs = autoCloseAfterMs;
  const hash = await opening;
  forgotten.set(hash, player);
  await finished(harness, hash);
  note(played, 'auto-closed', hash);
}

async function playLong(played: Played): Promise<void> {
  const player = playerOf(harness);
  const hash = await player.open();
  for (let win = 1; win <= WINS; win += 1)
    await player.win(hash, { winAmount: 1, betData: { step: `${win}` } });
  await player.end(hash);
  await finished(harness, hash);
  expect((await agreedBooks(harness, hash)).ledger.net).toBe(WINS - STAKE);
  note(played, 'long', hash);
}

async function play(): Promise<Played> {
  const played: Played = { rounds: {}, open: [] };
  const count = (): number => Object.values(played.rounds).flat().length;
  const long = Promise.all(Array.from({ length: Math.ceil(ROUNDS / 250) }, () => playLong(played)));
  let isDeployed = false;
  const work = async (): Promise<void> => {
    while (count() < ROUNDS) {
      await playSome(played);
      await playForgotten(played);
      if (isDeployed || count() < ROUNDS / 2) continue;
      isDeployed = true;
      await proof.replaceWorker();
    }
  };
  await Promise.all([work(), work(), work(), long]);
  await harness.clearFaults();
  return played;
}

/** The rounds that do not replay, with what is told of each. */
async function replayed(
  runs: AsyncIterable<Run>,
  options = proof.replayOptions,
): Promise<{ count: number; problems: Record<string, Problem> }> {
  const problems: Record<string, Problem> = {};
  let count = 0;
  for await (const { run, problem } of replay(runs, options)) {
    count += 1;
    if (problem !== undefined) problems[gameroundOf(run)] = problem;
  }
  return { count, problems };
}

test(
  'many rounds of every kind, with faults: all agree, MongoDB is lost and comes back, play goes on, each change is named',
  async () => {
    const { rounds, open } = await play();
    const all = Object.values(rounds).flat();
    expect(Object.keys(rounds)).toHaveLength(13);
    const { client, taskQueue } = harness;
    const { codec } = proof.evidence();
    const onServer = (): AsyncIterable<Run> =>
      runsOnServer(client, queryOf({}, EXPORTED_TYPES, taskQueue), codec);
    // The server lists a round a moment after it has begun.
    await until(
      async () => (await client.workflow.count(queryOf({}, EXPORTED_TYPES, taskQueue))).count,
      (count) => count >= all.length,
    );
    const first = await replayed(onServer());
    expect(first.problems).toEqual({});
    const clean = await proof.audited();
    expect(clean).toMatchObject({ all: {}, rounds: all.length, inProgress: 0, expired: 0 });
    expect(clean.records).toEqual(clean.histories);

    await harness.db.dropDatabase();
    const rebuilt = await proof.rebuilt();
    // The records of a reset round's two runs may both be written, the newer one last.
    expect(rebuilt).toMatchObject({ guards: open.length, findings: 0 });
    expect(await harness.rounds.collection.countDocuments()).toBe(all.length);
    const again = await proof.audited();
    expect(again.all).toEqual({});
    expect(again.histories).toEqual(clean.histories);
    for (const [hash, player] of open.slice(1)) {
      await player.win(hash, { winAmount: 30 });
      expect((await player.end(hash)).amountCredited).toBe(42);
      await finished(harness, hash);
    }
    // The wallet may have taken what a crashed round still owes, so the books agree after a reconciliation.
    for (const hash of rounds.crashed ?? [])
      expect(await harness.reconcile('op1', hash)).toMatchObject({ outcome: { kind: 'accepted' } });
    // The wallet also took the end of a bet whose answer was lost.
    const unknown = new Set(rounds.unknown);
    for (const hash of all)
      if (unknown.has(hash)) expect((await harness.ledger(hash)).net).toBe(0);
      else await agreedBooks(harness, hash);
    expect((await proof.audited()).all).toEqual({});

    // A record changed by hand.
    const [won = '', lost = '', still = ''] = [rounds.won?.[0], rounds.lost?.[0], open[0]?.[0]];
    const { collection } = harness.rounds;
    await collection.updateOne({ _id: won }, { $inc: { won: 1 } });
    const { all: changed } = await proof.audited();
    expect(Object.keys(changed)).toEqual([won]);
    await collection.updateOne({ _id: won }, { $inc: { won: -1 } });

    // A history changed by one byte: first in a payload, then in an event.
    const folder = await mkdtemp(join(tmpdir(), 'gameround-drill-'));
    await proof.exported(folder);
    const archive = await openArchive(folder);
    const fileOf = async (hash: string): Promise<string> => {
      for await (const name of archive.list(`${hash.slice(0, 2)}/gameround-${hash}.`))
        return join(folder, name);
      throw new Error(`${hash} is not exported`);
    };
    const changeIn = async (hash: string, find: RegExp, change: (byte: number) => number): Promise<void> => {
      const file = await fileOf(hash);
      const bytes = gunzipSync(await readFile(file));
      const at = bytes.toString('latin1').search(find);
      bytes[at + 20] = change(bytes[at + 20]!);
      await writeFile(file, gzipSync(bytes));
    };
    const inFolder = (): AsyncIterable<Run> => runsInArchive(archive, codec, '');
    expect((await replayed(inFolder())).problems).toEqual({});
    await changeIn(lost, /(?<="input":\{"payloads":\[\{)"data":"[\w+/]{40}/, (byte) =>
      byte === 65 ? 66 : 65,
    );
    await changeIn(still, /"eventType":"EVENT_TYPE_ACTIVITY_TASK_SCHEDULED"/, (byte) => byte + 1);
    expect(Object.keys((await replayed(inFolder())).problems).sort()).toEqual([lost, still].sort());
    await rm(folder, { recursive: true });

    // A workflow made to differ: it adds one unit to each win.
    const codePath = `${proof.replayOptions.codePath}.changed`;
    const code = await readFile(proof.replayOptions.codePath, 'utf8');
    const rule = 'state.amountToCollect + command.winAmount';
    expect(code.split(rule)).toHaveLength(2);
    await writeFile(codePath, code.replace(rule, `${rule} + 1`));
    const { problems } = await replayed(roundsIn(proof.evidence(), {}), { ...proof.replayOptions, codePath });
    const withWins = [
      ...(rounds.collected ?? []),
      ...(rounds.long ?? []),
      ...open.slice(1).map(([hash]) => hash),
    ];
    expect(Object.keys(problems).sort()).toEqual(withWins.sort());
    await rm(codePath);
    expect((await proof.audited()).all).toEqual({});
    process.stderr.write(`${all.length} rounds, ${first.count} runs: ${kindsOf(rounds)}\n`);
  },
  MINUTES * 60_000,
);

function kindsOf(rounds: Played['rounds']): string {
  return Object.entries(rounds)
    .map(([kind, { length }]) => `${length} ${kind}`)
    .join(', ');
}
