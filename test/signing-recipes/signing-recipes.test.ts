import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorFields, providerFields, verifyBody, verifyFields } from '../../sdk';
import { AUTH_ID, BODY_CASES, EXPECTED, FIELD_CASES, SECRET, TIMESTAMP } from './cases';
import { codeOf, RECIPES, run, runRecipe, wayOf } from './recipes';

/**
 * The recipes of docs/signing.md, taken out of the page and run against signatures made by openssl. Which languages can
 * be run depends on the machine; openssl, Python and Node.js are on every one that can run the service.
 */
const ALWAYS_RUN = ['openssl and curl', 'Python', 'Node.js'];
const ROOT = join(__dirname, '../..');

let page: string;
let folder: string;
const available = new Map<string, Awaited<ReturnType<typeof wayOf>>>();
const ran: string[] = [];

beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/signing.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'signing-recipes-'));
  for (const recipe of RECIPES) available.set(recipe.heading, await wayOf(recipe));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(RECIPES)('$heading: the recipe is in the page and signs as openssl does', async (recipe) => {
  const code = codeOf(page, recipe.heading, recipe.fence);
  for (const name of recipe.functions) expect(code).toMatch(new RegExp(`\\b${name} ?\\(`));
  const found = available.get(recipe.heading);
  if (found === undefined) return;
  const lines = await runRecipe(found.way, found.version, code, await mkdtemp(join(folder, 'recipe-')));
  // The signature, and of a driver with `matches`: right for itself, wrong for another and for one of another length.
  const said = recipe.functions.length > 2 ? ' true false false' : '';
  expect(lines.map((line) => line.replaceAll(/\b(True|False)\b/g, (word) => word.toLowerCase()))).toEqual(
    EXPECTED.map((signature) => signature + said),
  );
  ran.push(recipe.heading);
});

test('every recipe whose language is on this machine was run', () => {
  expect(ran).toEqual(RECIPES.map(({ heading }) => heading).filter((heading) => available.get(heading)));
  expect(ran).toEqual(expect.arrayContaining(ALWAYS_RUN));
});

test('the signatures in the page are those of the vectors', () => {
  const shown = [...page.matchAll(/^\| `sign(Body|Fields)` *\| (.*?) *\| `([A-Za-z0-9+/]{43}=)` *\|$/gm)];
  expect(shown).toHaveLength(6);
  for (const [, kind, of, signature] of shown) expect(signature).toBe(signatureShown(kind, of));
});

/** Of a row "the body `…`" or "`field`, `field`, …". */
function signatureShown(kind: string | undefined, of: string | undefined): string | undefined {
  const values = [...(of ?? '').matchAll(/`([^`]+)`/g)].map(([, value]) => value ?? '');
  if (kind === 'Body') return BODY_CASES.find(([body]) => body.toString() === values[0])?.[1];
  return FIELD_CASES.find(([fields]) => fields.join('#') === values.join('#'))?.[1];
}

test('the page names id, secret and timestamp of its signatures, and the one call that is not signed', () => {
  for (const text of [SECRET, AUTH_ID, TIMESTAMP, '`POST /doAutoClose`'])
    expect(page.includes(text)).toBe(true);
});

/** Every field list of the kit, made of values that are the fields' own names. */
const NAMES = {
  ...{
    playerId: 'playerId',
    gameCode: 'gameCode',
    gameRound: 'gameRound',
    currency: 'currency',
    mode: 'mode',
  },
  transactions: [{ hash: 'hash', amount: 1 }],
};
const LISTS: [call: string, to: string, fields: string[]][] = [
  ...Object.entries(operatorFields).map(([call, fieldsOf]): [string, string, string[]] => {
    const isOutbound = ['doTransactions', 'getBalance', 'doGameRoundReport'].includes(call);
    const path = call === 'getGameConfiguration' ? 'backoffice/getGameConfiguration' : call;
    return [path, isOutbound ? 'service → operator' : 'operator → service', fieldsOf(NAMES)];
  }),
  ...Object.entries(providerFields).map(([call, fieldsOf]): [string, string, string[]] => [
    call,
    'service → provider',
    fieldsOf(NAMES),
  ]),
];

test.each(LISTS)('the page gives the fields of %s, %s', (call, to, fields) => {
  const rows = [...page.matchAll(/^\| (`.*?`) +\| (\w+ → \w+) *\| (.*?) *\|$/gm)].filter(
    ([, calls, direction]) => direction === to && new RegExp(` /${call}`).test(calls ?? ''),
  );
  expect(rows).toHaveLength(1);
  const written = rows[0]?.[3]?.replaceAll(/[¹²]|then for each transaction /g, '');
  expect(written).toBe(fields.join(', ').replace('hash, 1', 'hash, amount') || 'none');
});

describe('the curl recipe', () => {
  let server: Server;
  let received: { request: IncomingMessage; body: Buffer }[];

  beforeEach(async () => {
    received = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ request, body: Buffer.concat(chunks) });
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  async function curl(command: string): Promise<{ request: IncomingMessage; body: Buffer }> {
    const [signing, calling] = [0, 1].map((nth) => codeOf(page, 'openssl and curl', 'bash', nth));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = `BASE_URL=${baseUrl} AUTH_ID=${AUTH_ID} SECRET=${SECRET}`;
    await run(['bash', '-c', `set -eu\n${settings}\n${signing}\n${calling}\n${command}`], folder);
    return received[0]!;
  }

  const signedBy = ({ headers }: IncomingMessage) => ({
    secrets: [SECRET],
    authId: String(headers['x-h-auth-id']),
    timestamp: String(headers['x-h-timestamp']),
    signature: String(headers['x-h-auth-sig']),
  });

  test('a provider’s body arrives byte for byte, signed', async () => {
    const body = '{ "token":"é",\n  "testData": 1.0 }\n';
    await writeFile(join(folder, 'body.json'), body);
    const { request, body: arrived } = await curl('as_provider testPing body.json');
    expect([request.method, request.url, arrived.toString()]).toEqual(['POST', '/testPing', body]);
    expect(request.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(verifyBody(signedBy(request), arrived)).toBe(true);
  });

  test('an operator’s query is signed as its decoded values', async () => {
    const { request } = await curl("round_details 'p é+1&x' r1");
    const query = new URL(request.url ?? '', 'http://service').searchParams;
    expect(Object.fromEntries(query)).toEqual({ playerId: 'p é+1&x', gameRound: 'r1' });
    expect(verifyFields(signedBy(request), ['p é+1&x', 'r1'])).toBe(true);
  });
});
