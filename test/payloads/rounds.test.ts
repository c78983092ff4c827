import { randomUUID } from 'node:crypto';
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createPayloadCodec } from '../../src/payloads/codec';
import type { RoundReply } from '../../src/contracts/gameround';
import { dataConverterOf } from '../../src/payloads/data-converter';
import type { PayloadKey, PayloadKeys } from '../../src/payloads/keys';
import { agreedBooks, finished, playerOf, refused, until } from '../support/player';
import { required, runWorker, startRounds, type RoundsHarness } from '../support/rounds-harness';
import { workflowBundle } from '../support/workflow-bundle';

/** Rounds on a real Temporal that keeps them encrypted; keys come, go and are missing while they run. */

const key = (id: string): PayloadKey => ({ id, secret: Buffer.alloc(32, id.charCodeAt(1)) });
const [OLD, NEW] = [key('k1'), key('k2')];
const keys = (...all: PayloadKey[]): PayloadKeys => ({ keys: all, readKeys: [] });

/** What stands in no timestamp and no id by accident. */
const STAKE = 71_234_567;
const WIN = 83_456_789;
const SECRETS = {
  token: 'told-to-nobody',
  call: `rng-${randomUUID()}`,
  name: `round-${randomUUID().slice(0, 20)}`,
};

/** Of the harness's client, so that it can be given other keys under a running test. */
let clientCodec: PayloadCodec;
let harness: RoundsHarness;
let worker: { stop(): Promise<void> } | undefined;
/** Workers of one test. */
const others: { stop(): Promise<void> }[] = [];

const settings = (): { address: string; namespace: string; taskQueue: string } => ({
  address: required('TEST_TEMPORAL_ADDRESS'),
  namespace: 'default',
  taskQueue: harness.taskQueue,
});

/** Stops the worker, and what it had in memory with it, and starts one with these keys. */
async function workWith(payloads: PayloadKeys): Promise<void> {
  await worker?.stop();
  worker = await runWorker({ ...settings(), activities: harness.activities, payloads });
}

const readWith = (payloads: PayloadKeys): void => void (clientCodec = createPayloadCodec(payloads));

beforeAll(async () => {
  readWith(keys());
  const switched: PayloadCodec = {
    encode: (payloads) => clientCodec.encode(payloads),
    decode: (payloads) => clientCodec.decode(payloads),
  };
  harness = await startRounds({ worker: 'none', dataConverter: { payloadCodecs: [switched] } });
});

afterAll(async () => {
  await worker?.stop();
  await harness?.stop();
});

beforeEach(() => harness.clearFaults());

afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});

interface RawEvent {
  eventType?: unknown;
  [field: string]: unknown;
}

/** As Temporal keeps it, not decoded. */
async function historyOf(gameround: string): Promise<RawEvent[]> {
  const { workflowService } = harness.client.connection;
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId: `gameround-${gameround}` },
  });
  return (history?.events ?? []) as unknown as RawEvent[];
}

interface Found {
  payloads: Payload[];
  /** Texts and numbers that are no payload's. */
  plain: string[];
  messages: string[];
}

/** Everything in a history but what is documented to be in the clear: search attributes, the workflow's id. */
function contentsOf(
  value: unknown,
  at = '',
  found: Found = { payloads: [], plain: [], messages: [] },
): Found {
  if (['searchAttributes', 'workflowId', 'markerName'].includes(at)) return found;
  if (isPayload(value)) found.payloads.push(value);
  else if (value instanceof Uint8Array) found.plain.push(Buffer.from(value).toString());
  else if (Array.isArray(value)) value.forEach((entry) => contentsOf(entry, '', found));
  else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) contentsOf(entry, name, found);
    const { failure, lastFailure } = value as { failure?: Message; lastFailure?: Message };
    for (const one of [failure, lastFailure]) if (one) found.messages.push(one.message ?? '');
  } else found.plain.push(String(value));
  return found;
}

interface Message {
  message?: string;
}

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'metadata' in value && 'data' in value;
}

const encodingOf = ({ metadata }: Payload): string => Buffer.from(metadata?.['encoding'] ?? []).toString();
const keyOf = ({ metadata }: Payload): string =>
  Buffer.from(metadata?.['encryption-key-id'] ?? []).toString();
const idsIn = async (gameround: string): Promise<string[]> => {
  const { payloads } = contentsOf(await historyOf(gameround));
  return [...new Set(payloads.filter((one) => encodingOf(one) === 'binary/encrypted').map(keyOf))].sort();
};

/** The same call again for as long as it is told to come again. */
async function answered(call: () => Promise<RoundReply>): Promise<RoundReply> {
  const isAnswered = (seen: RoundReply | undefined): boolean =>
    seen !== undefined && seen.refusal?.status !== 503;
  return (await until(() => call().catch(() => undefined), isAnswered))!;
}

test('nothing of a round can be read where Temporal keeps it', async () => {
  readWith(keys(OLD));
  await workWith(keys(OLD));
  const player = playerOf(harness);
  const round = await player.open({
    debitAmount: STAKE % 90_000,
    rngCallId: SECRETS.call,
    roundId: SECRETS.name,
  });
  await player.win(round, { winAmount: WIN, betData: { note: SECRETS.token } });
  expect(await refused(player.collect(round, WIN + 1))).toBe('400 UNCOLLECTEDAMOUNTTOOLOW');
  // A credit that fails twice: by the task's own delivery, then by an activity whose failure has a message.
  await harness.fault({
    fault: 'status',
    status: 503,
    body: { told: SECRETS.token },
    match: { gameRound: round },
    times: 2,
  });
  await player.end(round);
  await finished(harness, round);
  await agreedBooks(harness, round);

  const raw = await historyOf(round);
  const { payloads, plain, messages } = contentsOf(raw);
  // Of its own data about a patch the SDK makes no secret.
  const open = payloads
    .filter((one) => encodingOf(one) !== 'binary/encrypted')
    .map(({ data }) => Buffer.from(data!).toString());
  const fields = open.map((text) => Object.keys(JSON.parse(text) as object)).flat();
  const allowed = /^(id|deprecated|patches)$/;
  expect(fields.filter((name) => !allowed.test(name))).toEqual([]);
  expect(payloads.filter((one) => encodingOf(one) === 'binary/encrypted').length).toBeGreaterThan(8);
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((text) => text !== 'Encoded failure')).toEqual([]);

  const { playerId } = player.session;
  const hashes = (await harness.rounds.find(round))!.transactions.map(({ hash }) => hash);
  const texts = [
    ...plain,
    ...open,
    ...payloads.map(({ data }) => Buffer.from(data!).toString('latin1')),
  ].join('\n');
  for (const told of [
    playerId,
    round,
    String(STAKE % 90_000),
    String(WIN),
    ...Object.values(SECRETS),
    ...hashes,
  ]) {
    expect([told, texts.includes(told)]).toEqual([told, false]);
  }

  // Whoever has the key reads all of it, what Temporal Web shows at the top included.
  const described = await harness.handle(round).describe();
  expect(await described.staticSummary()).toContain(playerId);
  expect(await described.staticDetails()).toContain(round);
});

test('a round goes on while encryption is turned on, its key is replaced, and encryption is turned off', async () => {
  readWith(keys());
  await workWith(keys());
  const player = playerOf(harness);
  const round = await player.open();
  expect(await idsIn(round)).toEqual([]);

  readWith(keys(OLD));
  await workWith(keys(OLD));
  expect(await player.win(round, { winAmount: 100 })).toMatchObject({ amountToCollect: 100 });
  expect(await idsIn(round)).toEqual(['k1']);

  readWith(keys(NEW, OLD));
  await workWith(keys(NEW, OLD));
  expect(await player.win(round, { winAmount: 20 })).toMatchObject({ amountToCollect: 120 });
  expect(await idsIn(round)).toEqual(['k1', 'k2']);

  const off = { keys: [], readKeys: [NEW, OLD] };
  readWith(off);
  await workWith(off);
  expect(await player.end(round)).toMatchObject({ amountCredited: 120, gameRoundInfo: { status: 'closed' } });
  await finished(harness, round);
  await agreedBooks(harness, round);
  // A closed round is replayed from its history to be read.
  expect(await harness.commands.describeRound(round)).toMatchObject({
    status: 'closed',
    identity: { playerId: player.session.playerId },
  });
});

test('without its key a round stands still and says why; nothing is sent, voided or lost', async () => {
  readWith(keys(NEW));
  await workWith(keys(NEW));
  const player = playerOf(harness);
  const round = await player.open();

  await workWith(keys(OLD));
  const win = (): Promise<RoundReply> => player.win(round, { winAmount: 300, transactionId: 'the-win' });
  const winning = win().catch(() => undefined);
  const failed = await until(
    async () =>
      (await historyOf(round)).filter(
        ({ workflowTaskFailedEventAttributes: task }) => task !== null && task !== undefined,
      ),
    (tasks) => tasks.length > 0,
  );
  const { failure } = failed[0]!.workflowTaskFailedEventAttributes as {
    failure: Parameters<typeof reasonOf>[0];
  };
  expect(await reasonOf(failure)).toContain('"k2", which is in neither PAYLOAD_KEYS nor PAYLOAD_READ_KEYS');
  expect(await harness.sent(round)).toEqual(['debit']);

  await workWith(keys(NEW));
  await winning;
  expect(await answered(win)).toMatchObject({ amountToCollect: 300, gameRoundInfo: { status: 'open' } });
  expect(await player.end(round)).toMatchObject({ amountCredited: 300 });
  await finished(harness, round);
  expect(await harness.sent(round)).toEqual(['debit', 'credit+end']);
  await agreedBooks(harness, round);
});

/** The worker that lacks a key writes with the one that it has. */
async function reasonOf(failure: Parameters<DefaultFailureConverter['failureToError']>[0]): Promise<string> {
  const [encodedAttributes] = await createPayloadCodec(keys(OLD)).decode([failure.encodedAttributes!]);
  return new DefaultFailureConverter().failureToError(
    { ...failure, encodedAttributes: encodedAttributes! },
    defaultPayloadConverter,
  ).message;
}

test('a caller whose process lacks the key is told to come again, and gets the answer where it is known', async () => {
  readWith(keys(OLD));
  await workWith(keys(NEW, OLD));
  const player = playerOf(harness);
  expect(await refused(player.start({ roundId: 'asked-twice' }))).toBe('503 SERVICEUNAVAILABLE');
  readWith(keys(OLD, NEW));
  const reply = await player.start({ roundId: 'asked-twice' });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'open' } });
  expect(await harness.sent(reply.gameRoundInfo.hash)).toEqual(['debit']);
  await player.end(reply.gameRoundInfo.hash);
});

/** A worker of activities alone. */
async function runActivities(payloads: PayloadKeys): Promise<{ stop(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address: settings().address });
  const { taskQueue, activities } = harness;
  const dataConverter = dataConverterOf(payloads);
  return running(await Worker.create({ connection, taskQueue, activities, dataConverter }), connection);
}

/** A worker whose slots are full: it hands the wallet calls of its rounds to any worker, and takes none itself. */
async function runFull(payloads: PayloadKeys): Promise<{ stop(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address: settings().address });
  const deliver = (): Promise<{ kind: 'unsent' }> => Promise.resolve({ kind: 'unsent' });
  const full = await Worker.create({
    ...{ connection, taskQueue: harness.taskQueue, enableNonLocalActivities: false },
    activities: { ...harness.activities, deliver },
    workflowBundle: { codePath: await workflowBundle('encoded') },
    dataConverter: dataConverterOf(payloads),
  });
  return running(full, connection);
}

function running(of: Worker, connection: NativeConnection): { stop(): Promise<void> } {
  const over = of.run();
  const stop = async (): Promise<void> => {
    if (of.getState() === 'RUNNING') of.shutdown();
    await over;
    await connection.close();
  };
  const other = { stop };
  others.push(other);
  return other;
}

async function attemptsThatFailed(playerId: string): Promise<number> {
  const { client } = harness;
  let count = 0;
  for await (const { workflowId } of client.workflow.list({ query: `PlayerId = '${playerId}'` })) {
    const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId },
    });
    for (const { lastFailure } of pendingActivities ?? []) if (lastFailure) count += 1;
  }
  return count;
}

test('a bet that a worker without its key takes was not made: another worker makes it, and nobody voids it', async () => {
  await worker?.stop();
  worker = undefined;
  readWith(keys(NEW, OLD));
  await runFull(keys(NEW, OLD));
  const lacking = await runActivities(keys(OLD));
  const player = playerOf(harness);
  const start = (): Promise<RoundReply> => player.start({ roundId: 'handed-on' });
  const starting = start().catch(() => undefined);
  await until(
    () => attemptsThatFailed(player.session.playerId),
    (count) => count > 0,
  );
  // The bet may only be sent for ten seconds.
  await runActivities(keys(NEW, OLD));
  await lacking.stop();
  others.splice(others.indexOf(lacking), 1);
  await starting;
  expect(await answered(start)).toMatchObject({ gameRoundInfo: { status: 'open' } });
  const calls = await harness.callsOfPlayer(player.session.playerId);
  expect(calls.map(({ body }) => body.transactions.map(({ type }) => type))).toEqual([['debit']]);
});
