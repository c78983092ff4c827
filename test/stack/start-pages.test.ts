import { createGameApp } from '../../sandbox/game/game';
import { startLinks as linksOfSandbox } from '../../sandbox/http/start-page';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import { loadConfig } from '../../src/config';
import { readStackConfig } from '../../stack/config';
import { startLinks } from '../../stack/summary';
import { startService } from '../http/support';

/* The start pages of the API, the wallet and the game show the links that `npm start` prints. */

const SECRETS = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), BACKOFFICE_TOKEN: 'b'.repeat(16) };
const ENV = { ...SECRETS, DATA_DIR: '/nonexistent', TEMPORAL_UI_PORT: '8300' };
const text = startLinks(readStackConfig(ENV), {
  temporalAddress: '127.0.0.1:7233',
  mongodbUri: 'mongodb://m',
});

async function rootOf(server: { url: string }): Promise<string> {
  const reply = await fetch(`${server.url}/`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  return reply.text();
}

const PRINTED = [
  '<a href="http://127.0.0.1:8080/docs">API description</a>',
  '<a href="http://127.0.0.1:8300">Temporal Web</a>',
  '<a href="http://127.0.0.1:8300/namespaces/default/workflows?query=GameroundAttention+IS+NOT+NULL+AND+ExecutionStatus+%3D+%22Running%22&amp;savedQuery=Rounds+that+wait">Rounds that wait</a>',
  '<a href="http://127.0.0.1:9001/launch?redirect=1">Play</a>',
];

it('the API', async () => {
  const links = loadConfig({ ...ENV, START_LINKS: text }).http.startLinks;
  const service = await startService({ deps: { startLinks: links } });
  const html = await rootOf(service);
  await service.stop();
  for (const link of PRINTED) expect(html).toContain(link);
});

it('the only link to the demo game is the launch: its page without one has no session', () => {
  expect(text).not.toContain(':9002/play');
});

it.each<[string, NodeJS.ProcessEnv]>([
  ['without the sandbox', { SANDBOX: 'off' }],
  ['that other machines can reach', { HOST: '0.0.0.0' }],
])('the API of a service %s: only its own links', (_, env) => {
  const config = readStackConfig({ ...ENV, ...env });
  const servers = { temporalAddress: '127.0.0.1:7233', mongodbUri: 'mongodb://m' };
  expect(startLinks(config, servers).split('; ')).toEqual([
    expect.stringMatching(/^API http:/),
    expect.stringMatching(/^API description http:.*\/docs$/),
    expect.stringMatching(/^Health http:.*\/health\/ready$/),
  ]);
});

it('the API by itself: its own pages', async () => {
  const service = await startService();
  const html = await rootOf(service);
  await service.stop();
  expect(html).toContain('<a href="/docs">API description</a>');
});

it.each([
  ['wallet', createWalletApp],
  ['game', createGameApp],
])('the sandbox’s %s', async (_, create) => {
  const server = await create({ links: linksOfSandbox(text) }).start();
  const html = await rootOf(server);
  await server.close();
  for (const link of PRINTED) expect(html).toContain(link);
});

it('a text that is no list of links is refused', () => {
  expect(() => loadConfig({ ...ENV, START_LINKS: 'Play javascript:alert(1)' })).toThrow('START_LINKS');
});
