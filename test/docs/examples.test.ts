import type { z } from 'zod';
import tenants from '../../sandbox/tenants.json';
import { operatorFields, providerFields, verifyBody, verifyFields } from '../../sdk';
import { ENDPOINTS } from '../../src/http/endpoints';
import { CALLBACKS } from '../../src/http/openapi/callbacks';
import { textOf } from './pages';

/*
 * The guides have a complete request and reply of every call, from a run of the sandbox. Each has a right signature and
 * the shape of today's interface.
 */

const GUIDES = { game: 'docs/integrate-a-game.md', wallet: 'docs/integrate-a-wallet.md' };

interface Example {
  /** `POST /startGameRound`, as in the guide. */
  name: string;
  headers: Record<string, string>;
  /** The body's bytes of a POST, as sent. */
  text: string;
  /** The body of a POST, the query of a GET. */
  values: Record<string, unknown>;
  status: number;
  reply: unknown;
}

function examplesOf(page: string): Example[] {
  const blocks = [...textOf(page).matchAll(/^```http\n(.*?)\n```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block, at) =>
    block.startsWith('HTTP/1.1 ') ? [] : [exampleOf(block, blocks[at + 1])],
  );
}

function exampleOf(request: string, answer = ''): Example {
  const [head = '', text = ''] = split(request);
  const [first = '', ...lines] = head.split('\n');
  const [method = '', target = ''] = first.split(' ');
  const { pathname, searchParams } = new URL(target, 'http://x');
  const [status = '', reply = ''] = split(answer);
  return {
    name: `${method} ${pathname}`,
    headers: Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string])),
    text,
    values: text === '' ? Object.fromEntries(searchParams) : (JSON.parse(text) as Example['values']),
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(status)?.[1]),
    reply: JSON.parse(reply),
  };
}

/** The head of a message and its body, which an empty line parts. */
function split(message: string): string[] {
  const at = message.indexOf('\n\n');
  return at < 0 ? [message] : [message.slice(0, at), message.slice(at + 2)];
}

interface Described {
  guide: string;
  request: z.ZodType;
  replyOf(status: number): z.ZodType | undefined;
  isSigned(example: Example): boolean;
}

const [operator] = tenants.operators;
const [provider] = tenants.providers;

function signedFields(secrets: readonly string[], fields: Record<string, unknown>, name: string) {
  const fieldsOf = fields[name] as ((values: object) => string[]) | undefined;
  return ({ headers, values }: Example): boolean =>
    fieldsOf !== undefined && verifyFields({ ...signatureIn(headers), secrets }, fieldsOf(values));
}

function signatureIn(headers: Record<string, string>) {
  return {
    authId: headers['X-H-AUTH-ID'] ?? '',
    timestamp: headers['X-H-TIMESTAMP'] ?? '',
    signature: headers['X-H-AUTH-SIG'] ?? '',
  };
}

/** Every call that a partner makes or answers. */
function described(): Map<string, Described> {
  const calls = ENDPOINTS.filter(({ caller }) => caller !== 'anyone').map((operation) => {
    const { method, path, caller, request, replies } = operation;
    const name = path.split('/').at(-1) ?? '';
    const isSigned = {
      provider: ({ headers, text }: Example) =>
        verifyBody({ ...signatureIn(headers), secrets: provider!.secrets }, text),
      operator: signedFields(operator!.secrets, operatorFields, name),
      player: () => true,
      anyone: () => true,
    }[caller];
    const replyOf = (status: number) => {
      const reply = replies[status];
      return reply !== undefined && 'safeParse' in reply ? reply : undefined;
    };
    const guide = caller === 'operator' ? GUIDES.wallet : GUIDES.game;
    return [`${method.toUpperCase()} ${path}`, { guide, request, replyOf, isSigned }] as const;
  });
  const callbacks = CALLBACKS.map(({ method, name, to, request, reply, signed }) => {
    const isSigned =
      signed === undefined
        ? ({ headers }: Example) => !('X-H-AUTH-SIG' in headers)
        : to === 'operator'
          ? signedFields(operator!.secrets, operatorFields, name)
          : signedFields(provider!.secrets, providerFields, name);
    const guide = to === 'operator' ? GUIDES.wallet : GUIDES.game;
    return [`${method.toUpperCase()} /${name}`, { guide, request, replyOf: () => reply, isSigned }] as const;
  });
  return new Map<string, Described>([...calls, ...callbacks]);
}

const CALLS = described();
/** It is the same as getGameList, and the guide says so. */
const TOLD_BY_NAME = ['GET /backoffice/getGameList'];

const numbersOfQuery = ({ name, values }: Example): Record<string, unknown> =>
  name === 'GET /getGameConfiguration'
    ? { ...values, currencyMultiplier: Number(values['currencyMultiplier']) }
    : values;

describe.each(Object.values(GUIDES))('%s', (guide) => {
  const examples = examplesOf(guide);

  it('has an example of every call', () => {
    const wanted = [...CALLS].filter(([, call]) => call.guide === guide).map(([name]) => name);
    const given = new Set([...examples.map(({ name }) => name), ...TOLD_BY_NAME]);
    expect(wanted.filter((name) => !given.has(name))).toEqual([]);
    expect(examples.map(({ name }) => name).filter((name) => !CALLS.has(name))).toEqual([]);
  });

  it.each(examples.map((example) => [example.name, example] as const))('is true of %s', (name, example) => {
    const call = CALLS.get(name)!;
    expect(call.isSigned(example)).toBe(true);
    expect(call.request.safeParse(numbersOfQuery(example)).error?.issues).toBeUndefined();
    const reply = call.replyOf(example.status)!;
    // What the shape doesn't know would be left out.
    expect(reply.parse(example.reply)).toEqual(example.reply);
  });
});

it('testPing shows what the sandbox has seen of the call', () => {
  const { headers, text, reply } = examplesOf(GUIDES.game).find(({ name }) => name === 'POST /testPing')!;
  const { seen } = reply as { seen?: object };
  expect(seen).toMatchObject({
    ...{ id: headers['X-H-AUTH-ID'], bytes: Buffer.byteLength(text) },
    signed: `${text}#${headers['X-H-TIMESTAMP']}`,
  });
});
