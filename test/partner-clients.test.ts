import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '../src/logging';
import { createMetrics } from '../src/metrics';
import { createPartnerClients } from '../src/partner-clients';
import { temporalLog } from '../worker/run';

test('a wallet call is one log line, and each rule that its answer breaks is counted', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', process: 'worker', destination });
  const metrics = createMetrics({ defaults: false });
  const outbound = createPartnerClients({ callbackAddresses: 'any' }, logger, metrics);
  const delivery = {
    ...{ operatorId: 'op1', gameround: 'g', purpose: 'credit', attempt: 3 },
    transactions: [
      { type: 'credit' as const, hash: 'c', amount: 250 },
      { type: 'end' as const, hash: 'e' },
    ],
    ...{ outcome: 'retryable', why: '200 with error 5 NO', brokenRules: ['error-on-200' as const] },
  };
  outbound.observe(delivery);
  await outbound.close();
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      ...{ msg: 'wallet call classified', level: 'warn', ...delivery, workflowId: 'gameround-g' },
    }),
  ]);
  const { text } = await metrics.exposition();
  expect(text).toContain(
    'gameround_wallet_outcomes_total{operator="op1",purpose="credit",outcome="retryable"} 1',
  );
  expect(text).toContain('gameround_wallet_rules_broken_total{operator="op1",rule="error-on-200"} 1');
});

test('a reply to getBalance or doGameRoundReport is judged, too', async () => {
  const replies: [status: number, body: string][] = [
    [200, '{"balances":[{"type":"real","amount":"5","currency":"USD"}]}'],
    [404, '{"errorCode":{"id":2003,"msg":"PLAYERNOTFOUND","clientmsg":""}}'],
    [200, '<html>'],
    [200, '{"balances":[{"type":"real","amount":5,"currency":"EUR"}]}'],
    [200, '{}'],
    [500, '<html>'],
  ];
  const wallet = createServer((_request, response) => {
    const [status, body] = replies.shift()!;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve));
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', process: 'api', destination });
  const metrics = createMetrics({ defaults: false });
  const outbound = createPartnerClients({ callbackAddresses: 'any' }, logger, metrics);
  const operatorUrl = `http://127.0.0.1:${(wallet.address() as AddressInfo).port}`;
  const operator = { operatorId: 'op1', operatorUrl, secrets: ['s'], walletTimeoutMs: 5_000 };
  while (replies.length > 2) await outbound.wallet.getBalance(operator, { playerId: 'p', currency: 'EUR' });
  await outbound.wallet.doGameRoundReport(operator, { hash: 'r1' });
  await expect(outbound.wallet.doGameRoundReport(operator, { hash: 'r2' })).rejects.toThrow('status 500');
  await outbound.close();
  await new Promise((resolve) => wallet.close(resolve));

  const judged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const about = { operatorId: 'op1', purpose: 'balance' };
  expect(judged.filter(({ msg }) => msg === 'wallet call classified')).toEqual([
    expect.objectContaining({
      ...{ ...about, outcome: 'unreachable', why: 'no balance in EUR in the reply' },
      brokenRules: ['balance-amount', 'balance-currency'],
    }),
    expect.objectContaining({
      ...{ ...about, outcome: 'rejected', why: 'status 404, 2003 PLAYERNOTFOUND', brokenRules: [] },
    }),
    expect.objectContaining({ ...about, outcome: 'unreachable', brokenRules: ['not-json'] }),
    expect.objectContaining({
      ...about,
      level: 'info',
      outcome: 'accepted',
      why: 'status 200',
      brokenRules: [],
    }),
    expect.objectContaining({ purpose: 'report', gameround: 'r1', outcome: 'accepted', brokenRules: [] }),
    expect.objectContaining({
      ...{ purpose: 'report', workflowId: 'gameround-r2', outcome: 'rejected', why: 'status 500' },
      brokenRules: ['not-json'],
    }),
  ]);
  const { text } = await metrics.exposition();
  expect(text).toContain('gameround_wallet_rules_broken_total{operator="op1",rule="not-json"} 2');
});

test('a round that waits is a log line with the same names at the same place', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = temporalLog(createLogger({ level: 'info', process: 'worker', destination }));
  const names = { mark: 'crashed', gameround: 'g', operatorId: 'op1', workflowId: 'gameround-g' };
  const entry = { level: 'WARN' as const, timestampNanos: 0n };
  log({ ...entry, message: 'a round waits', meta: { ...names, runId: 'r', token: 't' } });
  log({ ...entry, message: 'no meta' });
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      ...{ level: 'warn', msg: 'a round waits', ...names, temporal: { runId: 'r', token: '***' } },
    }),
    expect.objectContaining({ msg: 'no meta', temporal: {} }),
  ]);
});
