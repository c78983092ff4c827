import { createLogger } from '../src/logging';
import { createMetrics } from '../src/metrics';
import { createPartnerClients } from '../src/partner-clients';

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
    ...{ outcome: 'repeat', why: '200 with error 5 NO', brokenRules: ['error-on-200' as const] },
  };
  outbound.observe(delivery);
  await outbound.close();
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ msg: 'wallet call classified', ...delivery, workflowId: 'gameround-g' }),
  ]);
  const { text } = await metrics.exposition();
  expect(text).toContain(
    'gameround_wallet_outcomes_total{operator="op1",purpose="credit",outcome="repeat"} 1',
  );
  expect(text).toContain('gameround_wallet_rules_broken_total{operator="op1",rule="error-on-200"} 1');
});
