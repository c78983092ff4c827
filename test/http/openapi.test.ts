import type Router from '@koa/router';
import { ERRORS } from '../../src/domain/errors';
import { createApp } from '../../src/http/app';
import type { HttpDeps } from '../../src/http/deps';
import recorded from '../../src/http/openapi/examples.json';
import { rowsOf, sectionOf, textOf } from '../docs/pages';
import { DOCUMENT, faultOfExample, type Described } from './conformance';
import { startService, type Service } from './support';

const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, described })),
);

function headersOf({ security }: Described): string[] {
  const schemes = security.flatMap((together) => Object.keys(together));
  return schemes.map((name) => String(DOCUMENT.components.securitySchemes![name]!.name)).sort();
}

describe('the document', () => {
  it('has every route, and nothing else', () => {
    const app = createApp({ baseUrl: '', trustedProxies: 0, clock: Date.now } as HttpDeps);
    const [router] = app.middleware.flatMap((middleware) =>
      'router' in middleware ? [middleware.router as Router] : [],
    );
    const routes = router!.stack.flatMap(({ path, methods }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
    );
    const described = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(described.sort()).toEqual(routes.sort());
  });

  it('has every operation that the interface names', () => {
    const named = [
      ...['startGameRound', 'addWin', 'endGameRound', 'voidGameRound', 'getGameRoundHistoryInfo'],
      ...['getAvailableSpinCounter', 'addSpinCounterGameState', 'getRandomResult', 'getBalance'],
      ...['getLastGameRounds', 'reconcileTransactions', 'getGameRoundDetails', 'getGameURL'],
      ...['getGameRoundInfo', 'getTokenForGameRound', 'collectWin', 'getOpenGameRounds'],
      ...['getGameRoundReport', 'getOpenGameRoundsByGame', 'getGameList', 'registerPlayer'],
      'backoffice/getGameConfiguration',
    ].map((name) => `/${name}`);
    expect(Object.keys(DOCUMENT.paths)).toEqual(expect.arrayContaining(named));
    expect(Object.keys(DOCUMENT.webhooks).sort()).toEqual([
      ...['doAutoClose', 'doGameRoundReport', 'doGetGameHistory', 'doTransactions', 'getBalance'],
      ...['getGameConfiguration', 'getGameResult'],
    ]);
  });

  it('has every error with its id, its name, its status, its meaning and what to do', () => {
    const text = JSON.stringify({ paths: DOCUMENT.paths, webhooks: DOCUMENT.webhooks });
    const { description } = (DOCUMENT as unknown as { info: { description: string } }).info;
    const documented = rowsOf(sectionOf('docs/interface/errors-and-limits.md', 'Errors'));
    for (const [name, { id, status, clientmsg }] of Object.entries(ERRORS)) {
      // The page and docs/interface say the same.
      expect(description).toMatch(new RegExp(`^\\| ${id} \\| ${name} \\| ${status} \\| .+ \\| .+ \\|$`, 'm'));
      const [, , , when, then] = documented.find(([of]) => Number(of) === id)!;
      const row = [name, status, when, then].join(' | ').replaceAll("'", '’');
      expect(description).toContain(`| ${row} |`);
      expect(DOCUMENT.components.examples![name]!.value).toEqual({ errorCode: { id, msg: name, clientmsg } });
      expect(text).toContain(`#/components/examples/${name}"`);
    }
  });

  it('has the version of the package, and says that formats may change', () => {
    const { info } = DOCUMENT as unknown as { info: { version: string; description: string } };
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(info.version).toBe(version);
    expect(info.description).toContain('Nothing is released yet');
    expect(info.description).toContain('without it the answer is 400 INVALIDREQUEST');
  });

  it('lists an error under its status only', () => {
    for (const { path, described } of operations) {
      for (const [status, { content }] of Object.entries(described.responses)) {
        const examples = Object.values(content['application/json']?.examples ?? {});
        const names = examples.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
        const statuses = names.map((name) => ERRORS[name as keyof typeof ERRORS].status);
        expect([path, statuses.filter((of) => String(of) !== status)]).toEqual([path, []]);
      }
    }
  });

  it('tells how each call is signed', () => {
    const signed = ['X-H-AUTH-ID', 'X-H-AUTH-SIG', 'X-H-TIMESTAMP'];
    const at = (path: string, method = 'post'): Described => DOCUMENT.paths[path]![method]!;
    expect(headersOf(at('/addWin'))).toEqual(signed);
    expect(at('/addWin').parameters).toEqual([{ $ref: '#/components/parameters/RequiredRequestId' }]);
    expect(headersOf(at('/getGameURL'))).toEqual(signed);
    // docs/interface#sign-fields, the operator's calls.
    const fields: [Described, string][] = [
      [at('/reconcileTransactions'), 'gameRound'],
      [at('/getGameRoundDetails', 'get'), 'playerId, gameRound'],
      [at('/backoffice/getGameConfiguration', 'get'), 'gameCode, currency'],
      [at('/getGameURL'), 'playerId (only if present), currency, gameCode, mode'],
    ];
    for (const [{ description }, list] of fields) {
      expect(description).toContain(`Signed fields: secret, X-H-AUTH-ID, X-H-TIMESTAMP, ${list}.`);
    }
    expect(at('/connect', 'get').security).toEqual([]);
    expect(at('/connect', 'get').parameters).toContainEqual(
      expect.objectContaining({ name: 'token', in: 'query', required: true }),
    );
    expect(at('/health/live', 'get').security).toEqual([]);
    expect(headersOf(DOCUMENT.webhooks.doAutoClose!.post!)).toEqual(['X-H-AUTH-ID', 'X-H-TIMESTAMP']);
  });
});

describe('the examples', () => {
  const calls = [DOCUMENT.paths, DOCUMENT.webhooks].flatMap((all, at) =>
    Object.entries(all).flatMap(([name, methods]) =>
      Object.entries(methods).map(([method, described]) => {
        const key = at === 0 ? `${method.toUpperCase()} ${name.replace(/\{(\w+)\}/g, ':$1')}` : name;
        return [key, described] as const;
      }),
    ),
  );
  // The document is its own example.
  const withExamples = calls.filter(([name]) => name !== 'GET /openapi.json');
  type Examples = Record<string, { $ref?: string; value?: unknown }>;
  const valuesOf = (examples: Examples = {}): unknown[] =>
    Object.values(examples).map(({ $ref, value }) =>
      $ref === undefined ? value : DOCUMENT.components.examples![$ref.split('/').at(-1)!]!.value,
    );

  it.each(withExamples)('%s has one of its request and of each reply', (_name, described) => {
    const { requestBody, parameters = [], responses } = described;
    const bodies = Object.values(requestBody?.content ?? {});
    const answers = Object.values(responses).flatMap(({ content }) => content['application/json'] ?? []);
    expect([...bodies, ...answers].filter(({ examples }) => valuesOf(examples).length === 0)).toEqual([]);
    const inQuery = parameters.filter(({ in: place, required }) => place === 'query' && required);
    expect(inQuery.filter(({ example }) => example === undefined)).toEqual([]);
  });

  it.each(calls)('%s: each has the shape that the document says', (_name, described) => {
    const { requestBody, parameters = [], responses } = described;
    const faults = (kind: 'request' | 'reply', schema: object, values: unknown[]): string[] =>
      values.map((value) => faultOfExample(kind, schema as never, value)).filter((fault) => fault !== '');
    const wrong = [
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema, examples }) =>
        faults('request', schema, valuesOf(examples)),
      ),
      ...parameters.flatMap(({ schema, example }) =>
        example === undefined ? [] : faults('request', schema!, [example]),
      ),
      ...Object.values(responses).flatMap(({ content }) =>
        Object.values(content).flatMap(({ schema, examples }) => faults('reply', schema, valuesOf(examples))),
      ),
    ];
    expect(wrong).toEqual([]);
  });

  it('are all of a call that exists', () => {
    const names = calls.map(([name]) => name);
    expect(Object.keys(recorded).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('served', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('GET /openapi.json is the document', async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(await response.json()).toEqual(DOCUMENT);
  });

  it('GET /docs is a page that needs nobody else, under a policy that allows just what it needs', async () => {
    const response = await fetch(`${service.url}/docs`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    const page = await response.text();
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(page).not.toMatch(/<script>|style=/);
    const files = links.filter((link) => link.startsWith('/docs/'));
    expect(links.filter((link) => !files.includes(link)).sort()).toEqual(['/openapi.json', 'data:,']);
    for (const file of files) {
      const loaded = await fetch(service.url + file);
      const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
      expect([file, loaded.status, loaded.headers.get('content-type')]).toEqual([file, 200, type]);
      await loaded.arrayBuffer();
    }
  });

  it('has no secrets, and sends no calls, where the service is no sandbox', async () => {
    const html = await (await fetch(`${service.url}/docs`)).text();
    expect(html).not.toContain('id="sandbox"');
    expect(html).toContain('This page sends no calls.');
    expect((await fetch(`${service.url}/docs/sandbox.json`)).status).toBe(404);
  });

  it('has the tenants of a sandbox', async () => {
    const sandbox = {
      operator: { id: 'op1', secret: 'sandbox-only-o' },
      provider: { id: 'gp1', secret: 'sandbox-only-p' },
      gameCode: 'slot',
    };
    const other = await startService({ deps: { sandbox } });
    expect(await (await fetch(`${other.url}/docs`)).text()).toContain('id="sandbox"');
    expect(await (await fetch(`${other.url}/docs/sandbox.json`)).json()).toEqual(sandbox);
    await other.stop();
  });

  it.each(['/docs/', '/docs/package.json', '/docs/..%2fpackage.json', '/docs/__proto__', '/docs/docs.js/'])(
    '%s is 404',
    async (path) => {
      expect((await fetch(service.url + path)).status).toBe(404);
    },
  );
});
