import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startAdmin, type Admin } from '../src/admin';
import type { HealthReport } from '../src/http/health';
import { createMetrics } from '../src/metrics';
import { createLogger } from '../src/logging';
import { temporalMetrics } from '../worker/temporal-metrics';

/* What a process tells about itself on ADMIN_HOST:ADMIN_PORT (docs/operations.md). */

const lines: string[] = [];
const logger = createLogger({
  ...{ level: 'info', process: 'worker' },
  destination: { write: (line) => void lines.push(line) },
});

let sdk: Server;
let admin: Admin;
let report: HealthReport;

beforeEach(async () => {
  report = { ready: true, degraded: false, missing: [] };
  sdk = createServer((_request, response) => response.end('temporal_workflow_completed 3\n'));
  await new Promise<void>((resolve) => sdk.listen(0, '127.0.0.1', resolve));
  const metrics = createMetrics({ defaults: false });
  metrics.walletOutcome({ operatorId: 'op1', purpose: 'debit', outcome: 'accepted' });
  metrics.walletFailing('op1', true);
  metrics.walletRuleBroken({ operatorId: 'op1', rule: 'no-balances', gameround: 'r1' });
  metrics.walletRuleBroken({ operatorId: 'op1', rule: 'no-balances', gameround: 'r2' });
  metrics.walletOutcome({ operatorId: 'op2', purpose: 'balance', outcome: 'rejected' });
  metrics.walletCallWithheld({ operatorId: 'op1', operation: 'debit', why: 'failing' });
  const { port } = sdk.address() as AddressInfo;
  admin = await startAdmin({ host: '127.0.0.1', port: 0, metrics, logger });
  admin.add({
    health: { check: () => Promise.resolve(report) },
    measures: () => temporalMetrics(`127.0.0.1:${port}`),
  });
});

afterEach(async () => {
  await admin.close();
  await new Promise((resolve) => sdk.close(resolve));
});

async function get(path: string, method = 'GET'): Promise<[status: number, text: string]> {
  const reply = await fetch(`http://127.0.0.1:${admin.port}${path}`, { method });
  return [reply.status, await reply.text()];
}

test('what it has seen of each operator’s wallet', async () => {
  const [status, text] = await get('/health/wallets');
  const last = expect.stringMatching(/^20\d\d-.*Z$/) as string;
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      wallets: [
        {
          ...{ operatorId: 'op1', failing: true, outcomes: { debit: { accepted: 1 } } },
          brokenRules: [{ rule: 'no-balances', replies: 2, last, gameround: 'r2' }],
        },
        { operatorId: 'op2', failing: false, outcomes: { balance: { rejected: 1 } }, brokenRules: [] },
      ],
    },
  ]);
});

test('its measures by operator, and those of the Temporal SDK', async () => {
  const [status, text] = await get('/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n');
  expect(lines).toContain(
    'gameround_wallet_outcomes_total{operator="op1",purpose="debit",outcome="accepted"} 1',
  );
  expect(lines).toContain('gameround_wallet_failing{operator="op1"} 1');
  expect(lines).toContain(
    'gameround_wallet_calls_withheld_total{operator="op1",operation="debit",why="failing"} 1',
  );
  expect(lines).toContain('temporal_workflow_completed 3');
});

test('an answer of the SDK’s exporter that is not OK is no measure', async () => {
  sdk.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
    response.writeHead(500).end('temporal_half 1\n');
  });
  const [status, text] = await get('/metrics');
  expect([status, text.includes('gameround_wallet_failing'), text.includes('temporal_')]).toEqual([
    200,
    true,
    false,
  ]);
});

test('without the SDK’s, its own', async () => {
  await new Promise((resolve) => sdk.close(resolve));
  sdk = createServer();
  const [status, text] = await get('/metrics');
  expect([status, text.includes('gameround_wallet_failing'), text.includes('temporal_')]).toEqual([
    200,
    true,
    false,
  ]);
  expect(lines.join('')).toContain('the metrics of a part are left out');
  await new Promise<void>((resolve) => sdk.listen(0, '127.0.0.1', resolve));
});

test('live always; ready or what is missing', async () => {
  expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
  expect(await get('/health/ready')).toEqual([200, '{"status":"ready","missing":[]}']);
  report = { ready: false, degraded: false, missing: ['worker'] };
  expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
  expect(await get('/health/ready')).toEqual([503, '{"status":"unavailable","missing":["worker"]}']);
});

test('ready when all parts are, and not before there is one', async () => {
  const parts = [await part(), await part(report), await part(report, { ...report, ready: false })];
  expect(parts).toEqual([503, 200, 503]);
});

async function part(...reports: HealthReport[]): Promise<number> {
  const other = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    metrics: createMetrics({ defaults: false }),
    logger,
  });
  for (const each of reports) other.add({ health: { check: () => Promise.resolve(each) } });
  const { status } = await fetch(`http://127.0.0.1:${other.port}/health/ready`);
  await other.close();
  return status;
}

test.each([
  ['GET', '/', 404],
  ['POST', '/metrics', 405],
  ['GET', '/health/readyx', 404],
])('%s %s is %d', async (method, path, status) => {
  expect((await get(path, method))[0]).toBe(status);
});

test('its port taken: the setting to change is named', async () => {
  const { port } = admin;
  const metrics = createMetrics({ defaults: false });
  await expect(startAdmin({ host: '127.0.0.1', port, metrics, logger })).rejects.toThrow(
    `ADMIN_PORT: 127.0.0.1:${port} is in use`,
  );
});
