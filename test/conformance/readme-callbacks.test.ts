import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROVIDER_REPLY_RULES, PROVIDER_RULES } from '../../conformance/provider/rules';
import { TestedProvider } from '../../conformance/provider/tested-provider';
import { runRules } from '../../conformance/run';
import { FakeService, PROVIDER } from '../sandbox/fake-service';
import { readmeServer } from '../sdk/readme';
import { pythonTest } from '../sdk-python/python';
import { readmeServer as pythonServer } from '../sdk-python/python-kit';

/* The callbacks of the READMEs of both kits, by the tester of a provider's callbacks. */

const OPEN = { hash: 'open', status: 'open', stake: 100, open: 50, won: 50, paid: 0, keys: [] } as const;
const NOT_IN_THE_README = ['history'];

async function brokenRules(start: (env: Record<string, string>) => Promise<Server>): Promise<string[]> {
  const secret = PROVIDER.secrets[0]!;
  const service = new FakeService();
  const serviceUrl = await service.start();
  const server = await start({ GAMEROUND_URL: serviceUrl, GAMEROUND_SECRET: secret });
  const provider = new TestedProvider({
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, serviceUrl },
    ...{ authId: PROVIDER.providerId, secret, gameCode: 'demo-slot' },
    ...{ currency: 'JPY', multiplier: 100, playerId: 'alice', closedRound: 'closed', openRound: 'open' },
    ...{ timeoutMs: 20_000, timestampToleranceMs: 300_000 },
  });
  const rules = PROVIDER_RULES.filter(({ name }) => !NOT_IN_THE_README.includes(name)).map((rule) => ({
    ...rule,
    check: (subject: TestedProvider) => {
      if (rule.name === 'auto-close') service.round = { ...OPEN, keys: [] };
      return rule.check(subject);
    },
  }));
  try {
    const results = await runRules(provider, rules, PROVIDER_REPLY_RULES, { only: [], skip: [] });
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([]);
    return results.filter(({ outcome }) => outcome === 'broken').map(({ name }) => name);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  }
}

test('the callbacks of sdk/README.md keep the rules', async () => {
  expect(await brokenRules((env) => readmeServer('callbacks.ts', env))).toEqual([]);
});

pythonTest('the callbacks of sdk-python/README.md keep the rules', async () => {
  expect(await brokenRules((env) => pythonServer('callbacks.py', env))).toEqual([]);
});
