import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics } from '../../src/metrics';
import { startWorkerService, type WorkerService } from '../../worker/service';

/* What a worker tells about itself with WORKER_PORT set (docs/operations.md). */

let sdk: Server;
let service: WorkerService;
let isPolling: boolean;

beforeEach(async () => {
  isPolling = true;
  sdk = createServer((_request, response) => response.end('temporal_workflow_completed 3\n'));
  await new Promise<void>((resolve) => sdk.listen(0, '127.0.0.1', resolve));
  const metrics = createMetrics({ defaults: false });
  metrics.walletOutcome({ operatorId: 'op1', purpose: 'debit', outcome: 'accepted' });
  metrics.walletFailing('op1', true);
  metrics.walletCallWithheld({ operatorId: 'op1', operation: 'debit', why: 'failing' });
  service = await startWorkerService({
    ...{ host: '127.0.0.1', port: 0, metrics, isPolling: () => isPolling },
    temporalMetricsUrl: `http://127.0.0.1:${(sdk.address() as AddressInfo).port}/metrics`,
  });
});

afterEach(async () => {
  await service.close();
  await new Promise((resolve) => sdk.close(resolve));
});

async function get(path: string, method = 'GET'): Promise<[status: number, text: string]> {
  const reply = await fetch(`http://127.0.0.1:${service.port}${path}`, { method });
  return [reply.status, await reply.text()];
}

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

test('without the SDK’s, its own', async () => {
  await new Promise((resolve) => sdk.close(resolve));
  sdk = createServer();
  const [status, text] = await get('/metrics');
  expect([status, text.includes('gameround_wallet_failing'), text.includes('temporal_')]).toEqual([
    200,
    true,
    false,
  ]);
  await new Promise<void>((resolve) => sdk.listen(0, '127.0.0.1', resolve));
});

test('live always, ready while it polls', async () => {
  expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
  expect(await get('/health/ready')).toEqual([200, '{"status":"ready"}']);
  isPolling = false;
  expect(await get('/health/live')).toEqual([200, '{"status":"live"}']);
  expect(await get('/health/ready')).toEqual([503, '{"status":"unavailable"}']);
});

test.each([
  ['GET', '/', 404],
  ['POST', '/metrics', 405],
  ['GET', '/health/readyx', 404],
])('%s %s is %d', async (method, path, status) => {
  expect((await get(path, method))[0]).toBe(status);
});
