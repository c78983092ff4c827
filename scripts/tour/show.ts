import { isDeepStrictEqual } from 'node:util';
import { InterfaceError } from '../../sdk';

/* The printed output of the tour: titles, every call and reply, and the checks. */

const WIDTH = 118;
const SECRET_KEYS: readonly string[] = ['token', 'currentToken'];
const KEPT_CHARS = 8;

/** A reply differs from docs/interface. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

let part = '';
let step = '';
let steps = 0;
let checks = 0;

/** The current step, for the message of a failure. */
export const currentStep = (): string => `${part}, step ${steps}, ${step}`;
export const counts = (): string => `${steps} steps, ${checks} checks`;

export function chapter(title: string): void {
  part = title;
  console.log(`\n\n═══ ${title} ${'═'.repeat(Math.max(0, WIDTH - title.length - 5))}`);
}

export function begin(title: string): void {
  step = title;
  steps += 1;
  console.log(`\n── ${steps}. ${title}`);
}

/** @throws Unexpected */
export function check(what: string, actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) {
    throw new Unexpected(`${what}: ${oneLine(actual)}, and not ${oneLine(wanted)}`);
  }
  checks += 1;
  console.log(`   ✓ ${what}: ${oneLine(wanted)}`);
}

/** Checks that the service refuses the call with this status and error. @throws Unexpected */
export async function checkRefused(
  what: string,
  call: Promise<unknown>,
  wanted: { status: number; msg: string },
): Promise<void> {
  const answer = await call.then(
    () => 'accepted',
    (error: unknown) => {
      if (!(error instanceof InterfaceError)) throw error;
      return { status: error.status, msg: error.errorCode?.msg };
    },
  );
  check(`${what} is refused`, answer, wanted);
}

function oneLine(value: unknown): string {
  return JSON.stringify(shortened(value)) ?? 'nothing';
}

/** Prints every request and reply of `fetch`, which the client kit uses. Tokens and signatures are shortened. */
export function showExchanges(): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    showRequest(init?.method ?? 'GET', url, new Headers(init?.headers), init?.body);
    const startedAt = performance.now();
    const response = await original(input, init);
    const text = await response.clone().text();
    console.log(`   ← ${response.status}  (${Math.round(performance.now() - startedAt)} ms)`);
    console.log(indented(text));
    return response;
  };
}

function showRequest(method: string, url: string, headers: Headers, body: unknown): void {
  const [id, signature] = [headers.get('X-H-AUTH-ID'), headers.get('X-H-AUTH-SIG')];
  const signed = id === null ? '' : `   [${id} ${shortText(signature ?? '')}]`;
  console.log(`   → ${method} ${shortUrl(url)}${signed}`);
  if (typeof body === 'string') console.log(indented(body));
}

function indented(text: string): string {
  const value = parsed(text);
  const lines = value === undefined ? text.slice(0, 1_000) : formatted(shortened(value), WIDTH - 5);
  return lines.replaceAll(/^/gm, '     ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON in lines of at most `width` characters, with as much on each line as fits. */
function formatted(value: unknown, width: number): string {
  const inline = JSON.stringify(value) ?? '';
  if (inline.length <= width || typeof value !== 'object' || value === null) return inline;
  const inner = (part: unknown, key = ''): string => key + formatted(part, width - 2 - key.length);
  const parts = Array.isArray(value)
    ? value.map((part) => inner(part))
    : Object.entries(value).map(([key, part]) => inner(part, `${JSON.stringify(key)}: `));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${filled(parts, width - 2)
    .join('\n')
    .replaceAll(/^/gm, '  ')}\n${close}`;
}

/** Joins the parts with commas into as few lines as possible. A part with several lines begins a new line. */
function filled(parts: string[], width: number): string[] {
  const lines: string[] = [];
  for (const [index, part] of parts.entries()) {
    const text = index === parts.length - 1 ? part : `${part},`;
    const last = lines.at(-1);
    const joined = `${last} ${text}`;
    if (last === undefined || joined.includes('\n') || joined.length > width) lines.push(text);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

/** Shortens tokens to their first characters, because a token opens a player's session. */
function shortened(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return SECRET_KEYS.includes(key) ? shortText(value) : shortUrl(value);
  if (Array.isArray(value)) return value.map((part) => shortened(part));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part, name)]));
}

function shortText(text: string): string {
  return text.length > KEPT_CHARS ? `${text.slice(0, KEPT_CHARS)}…` : text;
}

function shortUrl(text: string): string {
  return text.replaceAll(/([?&]token=)([^&]+)/g, (_, name: string, token: string) => name + shortText(token));
}
