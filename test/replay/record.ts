import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { version } from '../../package.json';
import { finished, playerOf, until, type Player } from '../support/player';
import { historyToText } from '../../src/archive/history-text';
import { FOLLOW_UP_GAME, startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * Records what rounds leave in Temporal, for replay.test.ts. One folder for each version of package.json: a released
 * one stays as it is, and what was played under it has to replay for as long as such rounds may be running.
 *
 *   npx jest --testMatch '<rootDir>/test/replay/record.ts'
 */

const FOLDER = join(__dirname, 'histories', version);
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ walletTimeoutMs: 1_000 });
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
});

afterAll(async () => {
  await harness?.stop();
});

/** Plays a round and answers its hash; how it ends is up to it. */
type Round = (player: Player, on: (type: string, ...faults: object[]) => Promise<void>) => Promise<string>;

const hashOf = async (reply: ReturnType<Player['start']>): Promise<string> =>
  (await reply).gameRoundInfo.hash;

const ROUNDS: Record<string, Round> = {
  'spin-lost': (player) => hashOf(player.start({ endGame: true })),
  'spin-won': (player) => hashOf(player.start({ endGame: true, winAmount: 700 })),
  'start-win-collect-end': async (player) => {
    const hash = await player.open({ winAmount: 5 });
    await player.win(hash, { winAmount: 300, betData: { reels: '1,2,3' } });
    await player.collect(hash, 100);
    await player.end(hash);
    return hash;
  },
  'win-collected-at-once': async (player) => {
    const hash = await player.open();
    await player.win(hash, { winAmount: 20, collect: true });
    return hash;
  },
  'debit-declined': async (player, on) => {
    await on('debit', { fault: 'status', status: 400, errorCode: OWN });
    return hashOf(player.start());
  },
  'debit-unknown-voided': async (player, on) => {
    await on('debit', { fault: 'dropReply' });
    await on('void', { fault: 'status', status: 500 });
    return hashOf(player.start());
  },
  'credit-retried': async (player, on) => {
    const hash = await player.open({ winAmount: 40 });
    await on('credit', { fault: 'dropReply' }, { fault: 'status', status: 500 });
    await player.end(hash);
    return hash;
  },
  'spin-retried': async (player, on) => {
    await on('credit', { fault: 'dropReply' }, { fault: 'status', status: 500 });
    return until(
      () =>
        player.start({ roundId: 'spin', endGame: true, winAmount: 40 }).then(
          ({ gameRoundInfo }) => gameRoundInfo.hash,
          () => '',
        ),
      (hash) => hash !== '',
    );
  },
  'credit-refused-voided': async (player, on) => {
    const hash = await player.open({ winAmount: 40 });
    await on('credit', { fault: 'status', status: 400, errorCode: OWN });
    await player.end(hash);
    return hash;
  },
  voided: async (player) => {
    const hash = await player.open();
    await player.void(hash);
    return hash;
  },
  'void-refused-resumed': async (player, on) => {
    const hash = await player.open();
    await on('void', { fault: 'status', status: 401 });
    void player.void(hash).catch(() => undefined);
    await until(
      () => harness.attention(hash),
      (marks) => marks.includes('void-refused'),
    );
    await harness.handle(hash).signal('resume');
    return hash;
  },
  'credit-unauthorised-resumed': async (player, on) => {
    const hash = await player.open({ winAmount: 40 });
    await on('credit', { fault: 'status', status: 401 });
    void player.end(hash).catch(() => undefined);
    await until(
      () => harness.attention(hash),
      (marks) => marks.includes('credit-unauthorised'),
    );
    await harness.handle(hash).signal('resume');
    return hash;
  },
  crashed: async (player, on) => {
    const hash = await player.open({ winAmount: 40 });
    await player.collect(hash, 10);
    await on('credit', { fault: 'status', status: 400, errorCode: OWN });
    await player.end(hash);
    return hash;
  },
  'by-hand': async (player) => {
    const hash = await player.open({ winAmount: 1 });
    await harness.handle(hash).signal('addWin', { nonsense: true });
    await harness.handle(hash).cancel();
    await harness.handle(hash).signal('end', {});
    return hash;
  },
  forgotten: async (player) => {
    harness.roundSettings.autoCloseAfterMs = 500;
    const hash = await player.open();
    harness.roundSettings.autoCloseAfterMs = 24 * 3_600_000;
    await until(
      () => harness.attention(hash),
      (marks) => marks.includes('auto-close-failing'),
    );
    await player.end(hash);
    return hash;
  },
};

const FOLLOW_UPS: Record<string, Round> = {
  'follow-up': async (player) => {
    const hash = await player.open({ roundId: 'r', rngCallId: 'a' });
    await player.start({ roundId: 'r', rngCallId: 'b', winAmount: 3 });
    await player.end(hash);
    return hash;
  },
  'follow-up-unknown': async (player, on) => {
    const hash = await player.open({ roundId: 'r', rngCallId: 'a' });
    await on('debit', { fault: 'dropReply' });
    await player.start({ roundId: 'r', rngCallId: 'b' });
    await until(
      () => harness.sent(hash),
      (sent) => sent.length === 3,
    );
    await until(
      () => player.end(hash),
      ({ refusal }) => refusal === undefined,
    );
    return hash;
  },
};

/** Still running when they are recorded. */
const OPEN = ['crashed'];

async function keep(name: string, hash: string, runId?: string): Promise<void> {
  const handle = harness.client.workflow.getHandle(harness.handle(hash).workflowId, runId);
  await writeFile(
    join(FOLDER, `${name}.json.gz`),
    gzipSync(historyToText(await handle.fetchHistory()), { level: 9 }),
  );
}

test.each([
  ...Object.entries(ROUNDS).map(([name, play]) => [name, play, 'demo-slot'] as const),
  ...Object.entries(FOLLOW_UPS).map(([name, play]) => [name, play, FOLLOW_UP_GAME] as const),
])('%s', async (name, play, gameCode) => {
  const player = playerOf(harness, { gameCode });
  const { playerId } = player.session;
  const hash = await play(player, async (type, ...faults) => {
    for (const fault of faults) await harness.fault({ ...fault, match: { type, playerId } });
  });
  if (OPEN.includes(name)) {
    await until(
      () => harness.rounds.find(hash),
      (record) => record?.crashed === true,
    );
  } else {
    await finished(harness, hash);
  }
  await keep(name, hash);
});

test('continued', async () => {
  const player = playerOf(harness);
  const hash = await player.open();
  const { runId } = await harness.handle(hash).describe();
  const isNewRun = async (): Promise<boolean> => (await harness.handle(hash).describe()).runId !== runId;
  while (!(await isNewRun())) {
    for (let more = 0; more < 50; more += 1) await player.win(hash, { winAmount: 1 });
    // A run that is full ends in a pause.
    await sleep(500);
  }
  await player.end(hash);
  await finished(harness, hash);
  await keep('continued-1', hash, runId);
  await keep('continued-2', hash);
}, 300_000);
