import { audit, type Audited, type AuditPorts, type Finding } from '../../proof/audit';
import type { Options } from '../../proof/command';
import { auditPorts, missingRounds, roundsIn, type Evidence } from '../../proof/evidence';
import { rebuild, type Rebuilt } from '../../proof/rebuild';
import type { ReplayOptions } from '../../proof/replay';
import { createExportActivities } from '../../activities/export';
import { openArchive } from '../../src/archive';
import type { Archive } from '../../src/archive/types';
import { historySource } from '../../src/archive/export';
import { createPayloadCodec } from '../../src/payloads/codec';
import { dataConverterOf } from '../../src/payloads/data-converter';
import type { PayloadKeys } from '../../src/payloads/keys';
import { createGuards } from '../../src/read-model/guards';
import { ensureRoundIndexes } from '../../src/read-model/rounds';
import { finished, playerOf, type Player } from '../support/player';
import {
  FOLLOW_UP_GAME,
  required,
  runWorker,
  startRounds,
  type RoundsHarness,
} from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/* Rounds on a real Temporal with encrypted payloads, and what the commands of proof/ say about them. */

const KEYS: PayloadKeys = { keys: [{ id: 'k1', secret: Buffer.alloc(32, 5) }], readKeys: [] };
const REFUSED = { fault: 'status', status: 400, errorCode: { id: 4711, msg: 'LIMIT', clientmsg: '' } };

export interface ProofHarness {
  harness: RoundsHarness;
  /** Plays a round of each kind. Returns the hashes by kind. */
  playAll(): Promise<Record<string, string>>;
  evidence(taskQueue?: string): Evidence;
  audited(
    options?: Options,
    from?: Evidence,
    change?: Partial<AuditPorts>,
  ): Promise<Audited & { all: Record<string, Finding> }>;
  rebuilt(options?: Options, from?: Evidence, found?: (finding: Finding) => void): Promise<Rebuilt>;
  /** Exports all runs, also those that go on. Returns how many were not there yet. */
  exported(place: string): Promise<number>;
  /** As a person resets a workflow: it repeats its newest wallet call. */
  /** As in a deployment: a new worker starts, the old one stops. */
  replaceWorker(): Promise<void>;
  replayOptions: Required<Pick<ReplayOptions, 'codePath' | 'dataConverter'>>;
  stop(): Promise<void>;
}

export interface ProofOptions {
  walletTimeoutMs?: number;
  /** Where the worker exports histories. */
  archive?: Archive;
  gameUrl?: string | undefined;
  /** A Temporal server of the test's own. */
  temporalAddress?: string;
}

export async function startProof({
  walletTimeoutMs = 5_000,
  archive,
  gameUrl,
  temporalAddress = required('TEST_TEMPORAL_ADDRESS'),
}: ProofOptions = {}): Promise<ProofHarness> {
  const codePath = await workflowBundle('plain', undefined, 'replay');
  const dataConverter = dataConverterOf(KEYS);
  const harness = await startRounds({
    worker: 'none',
    dataConverter,
    walletTimeoutMs,
    gameUrl,
    temporalAddress,
  });
  const { taskQueue } = harness;
  const histories = archive && historySource(harness.client, archive, taskQueue);
  const activities = { ...harness.activities, ...createExportActivities({ histories }) };
  const newWorker = (): Promise<{ stop(): Promise<void> }> =>
    runWorker({ address: temporalAddress, namespace: 'default', taskQueue, activities, payloads: KEYS });
  let worker = await newWorker();

  async function playAll(): Promise<Record<string, string>> {
    const as = async (
      play: (player: Player) => Promise<string>,
      faults: [string, ...object[]] | [] = [],
      gameCode = 'demo-slot',
    ): Promise<string> => {
      const player = playerOf(harness, { gameCode });
      const [type, ...all] = faults;
      for (const fault of all)
        await harness.fault({ ...fault, match: { type, playerId: player.session.playerId } });
      return play(player);
    };
    const spin = async (player: Player, winAmount?: number): Promise<string> =>
      (await player.start({ endGame: true, winAmount })).gameRoundInfo.hash;
    const ended = async (player: Player, hash: string): Promise<string> => {
      await player.end(hash);
      return hash;
    };
    const hashes = {
      lost: await as((player) => spin(player)),
      won: await as((player) => spin(player, 700)),
      collected: await as(async (player) => {
        const hash = await player.open({ winAmount: 5 });
        await player.win(hash, { winAmount: 300 });
        await player.collect(hash, 100);
        return ended(player, hash);
      }),
      declined: await as((player) => spin(player), ['debit', REFUSED]),
      unknown: await as((player) => spin(player), ['debit', { fault: 'dropReply' }]),
      retried: await as(
        async (player) => ended(player, await player.open({ winAmount: 40 })),
        ['credit', { fault: 'dropReply' }],
      ),
      voided: await as(async (player) => {
        const hash = await player.open();
        await player.void(hash);
        return hash;
      }),
      followed: await as(
        async (player) => {
          const hash = await player.open({ roundId: 'r', rngCallId: 'a' });
          await player.start({ roundId: 'r', rngCallId: 'b', winAmount: 3 });
          return ended(player, hash);
        },
        [],
        FOLLOW_UP_GAME,
      ),
    };
    for (const hash of Object.values(hashes)) await finished(harness, hash);
    return {
      ...hashes,
      crashed: await as(async (player) => {
        const hash = await player.open({ winAmount: 40 });
        await player.collect(hash, 10);
        await harness.fault({ ...REFUSED, match: { type: 'credit', playerId: player.session.playerId } });
        return ended(player, hash);
      }),
    };
  }

  function evidence(taskQueue = harness.taskQueue): Evidence {
    const { client, rounds } = harness;
    return { client, codec: createPayloadCodec(KEYS), rounds, environment: 'test', taskQueue };
  }

  async function audited(
    options: Options = {},
    from = evidence(),
    change: Partial<AuditPorts> = {},
  ): Promise<Audited & { all: Record<string, Finding> }> {
    const all: Record<string, Finding> = {};
    const replay = { codePath, dataConverter: dataConverterOf(KEYS) };
    const ports = { ...(await auditPorts(await withArchive(from, options), options)), ...change };
    const found = (finding: Finding): void => void (all[finding.gameround] = finding);
    return { ...(await audit({ ...ports, replay, found, step: () => undefined })), all };
  }

  async function rebuilt(
    options: Options = {},
    from = evidence(),
    found: (finding: Finding) => void = () => undefined,
  ): Promise<Rebuilt> {
    const ports = { rounds: harness.rounds, guards: createGuards(harness.db) };
    await ensureRoundIndexes(harness.rounds);
    const quiet = { environment: 'test', found, step: () => undefined };
    return rebuild({ ...ports, ...quiet, runs: missingRounds(await withArchive(from, options), options) });
  }

  async function withArchive(from: Evidence, { dir }: Options): Promise<Evidence> {
    return dir === undefined ? from : { ...from, archive: await openArchive(dir) };
  }

  async function exported(place: string): Promise<number> {
    const source = historySource(harness.client, await openArchive(place), harness.taskQueue);
    let count = 0;
    for await (const run of roundsIn(evidence(), {}))
      if ((await source.export(run)) === 'written') count += 1;
    return count;
  }

  return {
    ...{ harness, playAll, evidence, audited, rebuilt, exported },
    replayOptions: { codePath, dataConverter },
    async replaceWorker() {
      const before = worker;
      worker = await newWorker();
      await before.stop();
    },
    stop: async () => {
      await worker.stop();
      await harness.stop();
    },
  };
}
