import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType as indexedType } from '@temporalio/common/lib/search-attributes';
import { SEARCH_ATTRIBUTES } from '../../src/contracts/search-attributes';
import { prepareNamespace } from '../../stack/temporal';
import { until } from '../../stack/until';
import { startCloudLike, type CloudLike } from '../support/cloud-like';
import { required } from '../support/rounds-harness';
import { compileWorker, type CompiledWorker } from '../support/worker-process';

/* Temporal Cloud refuses OperatorService: the worker finds out in another way whether rounds can be searched for. */
jest.setTimeout(120_000);

const DAY_S = 24 * 3_600;

let compiled: CompiledWorker;
let cloud: CloudLike;
let connection: Connection;
let namespace: string;

beforeAll(async () => {
  compiled = await compileWorker();
  connection = await Connection.connect({ address: required('TEST_TEMPORAL_ADDRESS') });
});
beforeEach(async () => {
  cloud = await startCloudLike(required('TEST_TEMPORAL_ADDRESS'));
  namespace = `cloud-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: (3 * DAY_S) as never },
  });
  const known = () => connection.operatorService.listSearchAttributes({ namespace });
  await until(known, { what: namespace, timeoutMs: 30_000, everyMs: 200 });
});
afterEach(() => cloud.close());
afterAll(async () => {
  await connection?.close();
  await compiled?.remove();
});

const start = () =>
  compiled.start({
    ...{ walletUrl: 'http://127.0.0.1:9', walletTimeout: '5s', database: namespace },
    ...{ namespace, temporalAddress: cloud.address },
  });

/** Lines of warnings and errors. */
function complaints(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ msg }) => msg);
}

test('where the search attributes are there, it starts', async () => {
  await prepareNamespace(required('TEST_TEMPORAL_ADDRESS'), namespace);
  const worker = await start();
  expect(cloud.refused.length).toBeGreaterThan(0);
  expect(complaints(worker.log())).toEqual([]);
  expect(await worker.stop()).toBe(0);
});

test('where they are not, one line says which and how to add them; it starts when they are there', async () => {
  await addSearchAttributes('OperatorId', 'PlayerId', 'GameCode', 'Currency', 'WaitingSince');
  const starting = compiled.begin({
    ...{ walletUrl: 'http://127.0.0.1:9', walletTimeout: '5s', database: namespace },
    ...{ namespace, temporalAddress: cloud.address },
  });
  const told = () => {
    if (!starting.log().includes('search attributes')) throw new Error(starting.log());
  };
  await until(() => Promise.resolve().then(told), { what: 'the line', timeoutMs: 30_000 });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const [line, ...more] = complaints(starting.log());
  expect(more).toEqual([]);
  expect(line).toBe(
    `The namespace ${namespace} lacks the search attributes ProviderId, GameroundAttention, and AmountAtRisk, and the server does not let this process add them. ` +
      `Add them in Temporal Cloud's console, or: temporal operator search-attribute create --namespace ${namespace} --type Keyword --name ProviderId; ` +
      `temporal operator search-attribute create --namespace ${namespace} --type KeywordList --name GameroundAttention; ` +
      `temporal operator search-attribute create --namespace ${namespace} --type Double --name AmountAtRisk`,
  );
  await prepareNamespace(required('TEST_TEMPORAL_ADDRESS'), namespace);
  const worker = await starting.ready;
  expect(await worker.stop()).toBe(0);
});

test('closed rounds kept for less than 30 days: a warning says what to set', async () => {
  await addSearchAttributes(...SEARCH_ATTRIBUTES.map(({ name }) => name));
  const worker = await start();
  await worker.stop();
  expect(complaints(worker.log())).toEqual([
    `The namespace ${namespace} keeps closed rounds for 3 days. It should keep them for 30: ` +
      `temporal operator namespace update --namespace ${namespace} --retention 720h, or Temporal Cloud's console`,
  ]);
});

async function addSearchAttributes(...names: string[]): Promise<void> {
  const types = SEARCH_ATTRIBUTES.filter(({ name }) => names.includes(name)).map(
    ({ name, type }) => [name, indexedType(type) ?? 0] as const,
  );
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(types),
  });
}
