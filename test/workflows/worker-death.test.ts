import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { BET_AGE_MS } from '../../src/contracts/activities';
import type { RoundReply } from '../../src/contracts/gameround';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { RefusedError } from '../../src/domain/errors';
import { prepareNamespace } from '../../stack/temporal';
import { agreedBooks, playerOf, STAKE, until, type Player } from '../support/player';
import { required, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { compileWorker, type CompiledWorker, type WorkerProcess } from '../support/worker-process';

/** Workers die, and are stopped, in the middle of every kind of wallet call (docs/interface#process-death). */

const WIN = 700;
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };
const WALLET_TIMEOUT_MS = 6_000;

let compiled: CompiledWorker;
let harness: RoundsHarness;
let worker: WorkerProcess;
let restart: () => Promise<void>;

beforeAll(async () => {
  const namespace = await ownNamespace();
  const database = `deaths_${randomUUID().slice(0, 8)}`;
  compiled = await compileWorker();
  harness = await startRounds({
    walletTimeoutMs: WALLET_TIMEOUT_MS,
    worker: 'none',
    namespace,
    taskQueue: 'gameround',
    database,
  });
  const { walletUrl } = harness;
  restart = async () => {
    worker = await compiled.start({ walletUrl, walletTimeout: '6s', namespace, database });
  };
  await restart();
});

afterAll(async () => {
  await worker?.kill();
  await harness?.stop();
  await compiled?.remove();
});

/** The real worker polls the one task queue of a namespace; here nobody else's worker does. */
async function ownNamespace(): Promise<string> {
  const namespace = `deaths-${randomUUID().slice(0, 8)}`;
  const address = required('TEST_TEMPORAL_ADDRESS');
  const connection = await Connection.connect({ address });
  const workflowExecutionRetentionPeriod = { seconds: (24 * 3600) as never };
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  await connection.close();
  await until(
    () =>
      prepareNamespace(address, namespace).then(
        () => true,
        () => false,
      ),
    (done) => done,
    60_000,
  );
  return namespace;
}

/** The same call again until it has an answer, as a provider that was told 503 does. */
async function insist(call: () => Promise<RoundReply>): Promise<RoundReply> {
  return until(
    () =>
      call().catch((error: unknown) => {
        if (error instanceof RefusedError && error.refusal.status === 503) return undefined;
        throw error;
      }),
    (reply): reply is RoundReply => reply !== undefined && reply.refusal?.status !== 503,
    90_000,
  ) as Promise<RoundReply>;
}

/** Nothing is on its way any more; what a crashed round owes stays pending. */
function owesNothing({ crashed, attention, transactions }: RoundSnapshot): boolean {
  return crashed || (attention.length === 0 && transactions.every(({ outcome }) => outcome !== 'pending'));
}

interface Cell {
  name: string;
  /** Up to the call in which the worker dies; it goes on in the background. */
  begin: (scene: Scene) => Promise<unknown>;
  /** The provider's repeat under the same key. */
  repeat: (scene: Scene) => Promise<RoundReply>;
  reply: object;
  status: 'open' | 'closed' | 'cancel';
  net: number;
  sent: string[];
}

interface Scene {
  player: Player;
  hash: string;
  on: (type: string, ...faults: object[]) => Promise<void>;
}

const START = { roundId: 'r', winAmount: WIN };
const HANG = { fault: 'hang', when: 'before' };
const HANG_AFTER = { fault: 'hang', when: 'after' };
const REFUSED = { fault: 'status', status: 400, errorCode: OWN };

const debitCell = (name: string, faults: object[], rest: Omit<Cell, 'name' | 'begin' | 'repeat'>): Cell => ({
  name: `during the debit, ${name}`,
  begin: async ({ player, on }) => {
    await on('debit', ...faults);
    return [player.start(START)];
  },
  repeat: ({ player }) => player.start(START),
  ...rest,
});

const creditCell = (name: string, faults: object[], rest: Omit<Cell, 'name' | 'begin' | 'repeat'>): Cell => ({
  name: `during the credit, ${name}`,
  begin: async (scene) => {
    scene.hash = await scene.player.open(START);
    await scene.on('credit', ...faults);
    return [scene.player.end(scene.hash, 'e')];
  },
  repeat: ({ player, hash }) => player.end(hash, 'e'),
  ...rest,
});

const voidCell = (name: string, faults: object[], rest: Omit<Cell, 'name' | 'begin' | 'repeat'>): Cell => ({
  name: `during the void, ${name}`,
  begin: async (scene) => {
    scene.hash = await scene.player.open(START);
    await scene.on('void', ...faults);
    return [scene.player.void(scene.hash)];
  },
  repeat: ({ player, hash }) => player.void(hash),
  ...rest,
});

const OPEN = { gameRoundInfo: { status: 'open' }, amountToCollect: WIN };
const OVER = (status: string): object => ({ gameRoundInfo: { status } });

/** The worker is back within the time in which a bet may be sent (docs/interface#bet-age). */
const BETS_IN_TIME: Cell[] = [
  debitCell('before it was processed: delivered again and accepted', [HANG], {
    reply: OPEN,
    status: 'open',
    net: -STAKE,
    sent: ['debit', 'debit'],
  }),
  debitCell('after it was processed: delivered again and accepted', [HANG_AFTER], {
    reply: OPEN,
    status: 'open',
    net: -STAKE,
    sent: ['debit', 'debit'],
  }),
  debitCell('before it was processed, then declined: unknown, so voided', [HANG, REFUSED], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'debit', 'void'],
  }),
  debitCell('after it was processed, then declined: unknown, so voided', [HANG_AFTER, REFUSED], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'debit', 'void'],
  }),
];

const CELLS: Cell[] = [
  debitCell('before it was processed, and its time is over: unknown, so voided', [HANG], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'void'],
  }),
  debitCell('after it was processed, and its time is over: unknown, so voided', [HANG_AFTER], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'void'],
  }),
  creditCell('before it was processed', [HANG], {
    reply: OVER('closed'),
    status: 'closed',
    net: WIN - STAKE,
    sent: ['debit', 'credit+end', 'credit+end'],
  }),
  creditCell('after it was processed', [HANG_AFTER], {
    reply: OVER('closed'),
    status: 'closed',
    net: WIN - STAKE,
    sent: ['debit', 'credit+end', 'credit+end'],
  }),
  creditCell('then refused: it may have been paid, so crashed', [HANG_AFTER, REFUSED], {
    reply: OVER('open'),
    status: 'open',
    net: WIN - STAKE,
    sent: ['debit', 'credit+end', 'credit+end'],
  }),
  creditCell('while it is being retried', [{ fault: 'status', status: 500 }, HANG_AFTER], {
    reply: OVER('closed'),
    status: 'closed',
    net: WIN - STAKE,
    sent: ['debit', 'credit+end', 'credit+end', 'credit+end'],
  }),
  creditCell(
    'while it is being retried, then refused: crashed',
    [{ fault: 'status', status: 429 }, HANG, REFUSED],
    {
      reply: OVER('open'),
      status: 'open',
      net: -STAKE,
      sent: ['debit', 'credit+end', 'credit+end', 'credit+end'],
    },
  ),
  creditCell('and it fails five times in all', [HANG, { fault: 'status', status: 500, times: 4 }], {
    reply: OVER('closed'),
    status: 'closed',
    net: WIN - STAKE,
    sent: ['debit', ...Array.from({ length: 6 }, () => 'credit+end')],
  }),
  voidCell('before it was processed', [HANG], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'void', 'void'],
  }),
  voidCell('after it was processed', [HANG_AFTER], {
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'void', 'void'],
  }),
  {
    name: 'during the void of a debit without an answer',
    begin: async ({ player, on }) => {
      await on('debit', { fault: 'dropReply' });
      await on('void', HANG_AFTER);
      return [player.start(START)];
    },
    repeat: ({ player }) => player.start(START),
    reply: OVER('cancel'),
    status: 'cancel',
    net: 0,
    sent: ['debit', 'void', 'void'],
  },
];

const scenes = new Map<string, Scene>();

async function beginAll(cells: Cell[]): Promise<void> {
  const operators = ['op1', 'op2'];
  const begun = cells.map(async (cell, index) => {
    const player = playerOf(harness, { operatorId: operators[index % 2]! });
    const { playerId } = player.session;
    const scene: Scene = {
      player,
      hash: '',
      on: async (type, ...faults) => {
        for (const fault of faults) await harness.fault({ ...fault, match: { type, playerId } });
      },
    };
    scenes.set(cell.name, scene);
    const [call] = (await cell.begin(scene)) as [Promise<RoundReply>];
    // Its caller gets an answer, or is told to come back: not what is tested here.
    call.catch(() => undefined);
  });
  await Promise.all(begun);
}

async function untilAllHang(players: Player[]): Promise<void> {
  for (const { session } of players) {
    await until(
      () => harness.callsOfPlayer(session.playerId),
      (calls) => calls.some(({ fault }) => fault === 'hang'),
      30_000,
    );
  }
}

async function hasItsOutcome({ name, repeat, reply, status, net, sent }: Cell): Promise<void> {
  const scene = scenes.get(name)!;
  const [first] = await harness.callsOfPlayer(scene.player.session.playerId);
  scene.hash = first?.body.gameRound ?? '';
  const { hash } = scene;
  expect(await insist(() => repeat(scene))).toMatchObject(reply);
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.status === status && owesNothing(record),
    60_000,
  );
  expect(await harness.sent(hash)).toEqual(sent);
  // One hash and one amount of each kind, however often it was delivered.
  const transactions = (await harness.calls(hash)).flatMap(({ body }) => body.transactions);
  expect(new Set(transactions.map((one) => `${one.type} ${one.hash} ${one.amount}`)).size).toBe(
    new Set(transactions.map(({ type }) => type)).size,
  );
  const ledger = await harness.ledger(hash, scene.player.session.operatorId);
  expect(ledger.net).toBe(net);
  const record = await harness.rounds.find(hash);
  if (record?.crashed === true) expect(await harness.sent(hash)).not.toContain('void');
  else await agreedBooks(harness, hash);
}

describe('kill -9, and a worker is there again at once', () => {
  const crowd: Player[] = [];

  beforeAll(async () => {
    for (let count = 0; count < 11; count += 1) {
      const player = playerOf(harness, { operatorId: 'op-whole' });
      await harness.fault({ ...HANG_AFTER, match: { type: 'debit', playerId: player.session.playerId } });
      crowd.push(player);
    }
    for (const player of crowd) player.start(START).catch(() => undefined);
    await beginAll(BETS_IN_TIME);
    await untilAllHang([...crowd, ...BETS_IN_TIME.map(({ name }) => scenes.get(name)!.player)]);
    await worker.kill();
    await restart();
  });

  test.each(BETS_IN_TIME)('$name', hasItsOutcome, 120_000);

  test('a crowd of one operator: each bet is delivered again', async () => {
    const replies = await Promise.all(crowd.map((player) => insist(() => player.start(START))));
    const statuses = replies.map(({ gameRoundInfo }) => gameRoundInfo.status);
    expect(statuses).toEqual(crowd.map(() => 'open'));
    for (const { gameRoundInfo } of replies) {
      await until(
        () => harness.rounds.find(gameRoundInfo.hash),
        (record) => record !== undefined && owesNothing(record),
      );
      await agreedBooks(harness, gameRoundInfo.hash);
    }
  });
});

describe('kill -9, and a worker is there again when the time of bets is over', () => {
  beforeAll(async () => {
    await beginAll(CELLS);
    await untilAllHang(CELLS.map(({ name }) => scenes.get(name)!.player));
    await worker.kill();
    await sleep(BET_AGE_MS);
    await restart();
  });

  test('no record shows a credit before the wallet has it', async () => {
    const { hash, player } = scenes.get('during the credit, and it fails five times in all')!;
    await until(
      async () => {
        const record = await harness.rounds.find(hash);
        const { movements } = await harness.ledger(hash, player.session.operatorId);
        const isShown = record?.transactions.some(
          ({ type, outcome }) => type === 'credit' && outcome === 'accepted',
        );
        if (isShown) expect(movements.map(({ type }) => type)).toContain('credit');
        return record?.status;
      },
      (status) => status === 'closed',
      60_000,
    );
  });

  test.each(CELLS)('$name', hasItsOutcome, 120_000);

  test('afterwards every player can go on, under another name', async () => {
    for (const { player } of scenes.values()) {
      const reply = await insist(() => player.start({ roundId: 'next', endGame: true, closeOpenGame: true }));
      expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' } });
    }
  });
});

test('SIGTERM during a debit: the worker finishes it and leaves, no void', async () => {
  const player = playerOf(harness);
  const { playerId } = player.session;
  await harness.fault({ fault: 'slow', delayMs: 1_500, match: { type: 'debit', playerId } });
  const starting = player.start(START).catch(() => undefined);
  await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length > 0,
  );
  await sleep(100);
  expect(await worker.stop()).toBe(0);
  await restart();
  await starting;
  const reply = await insist(() => player.start(START));
  expect(reply).toMatchObject(OPEN);
  const { hash } = reply.gameRoundInfo;
  expect(await harness.sent(hash)).toEqual(['debit']);
  expect(await insist(() => player.end(hash))).toMatchObject({ amountCredited: WIN });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
});

test('a worker that died is missed by its signs of life, not at the end of the operator’s time', async () => {
  const player = playerOf(harness);
  const { playerId } = player.session;
  await harness.fault({ ...HANG, match: { type: 'debit', playerId } });
  player.start(START).catch(() => undefined);
  await until(
    () => harness.callsOfPlayer(playerId),
    (calls) => calls.length > 0,
  );
  await worker.kill();
  await restart();
  const { gameRoundInfo } = await insist(() => player.start(START));
  const { events } = await harness.handle(gameRoundInfo.hash).fetchHistory();
  const started = (events ?? []).flatMap((event) => event.activityTaskStartedEventAttributes ?? []);
  const death = started.find(({ attempt }) => attempt === 2)?.lastFailure?.timeoutFailureInfo;
  expect(death?.timeoutType).toBe(temporal.api.enums.v1.TimeoutType.TIMEOUT_TYPE_HEARTBEAT);
});
