import { createHash } from 'node:crypto';

/*
 * The hash chain of a dossier (docs/dossier.md). The file is JSON, with one entry on each line. The hash of an entry is the
 * SHA-256 of its canonical JSON, which contains the hash of the entry before. So a changed entry changes all hashes after it.
 */

export interface Entry {
  /** 1 for the first entry. */
  n: number;
  /** The hash of the entry before; 64 zeros for the first one. */
  previous: string;
  kind: string;
  data: unknown;
}

export interface Chain {
  entries: Entry[];
  /** The hash of the last entry: the fingerprint of the whole dossier. */
  head: string;
}

export const FORMAT = 'gameround dossier 1';
const FIRST_LINE = `{"format":"${FORMAT}","entries":[`;
const NOTHING = '0'.repeat(64);
/** The kind of the last entry, so that a dossier without its last entries is noticed. */
export const SEAL = 'seal';

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * JSON without white space, the names of each object in the order of their UTF-16 code units (RFC 8785). Each `<` is written
 * as `\u003c`, so that no text in a dossier can be markup, whatever program opens the file.
 */
export function canonical(value: unknown): string {
  return sorted(value).replaceAll('<', '\\u003c');
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${sorted(inner)}`);
  return `{${fields.join(',')}}`;
}

/** The text of a dossier. */
export function chainText(parts: readonly Pick<Entry, 'kind' | 'data'>[]): { text: string; head: string } {
  let previous = NOTHING;
  const lines = parts.map(({ kind, data }, index) => {
    const entry = canonical({ n: index + 1, previous, kind, data } satisfies Entry);
    previous = sha256(entry);
    return `${ENTRY}${entry},"hash":"${previous}"}`;
  });
  return { text: `${FIRST_LINE}\n${lines.join(',\n')}\n],"head":"${previous}"}\n`, head: previous };
}

/** The line of each entry begins with it. */
export const ENTRY = '{"entry":';
const LINE = /^\{"entry":(.*),"hash":"([0-9a-f]{64})"\}(,?)$/s;
const LAST_LINE = /^\],"head":"([0-9a-f]{64})"\}$/;

/** Reads a dossier and checks each hash. Each problem names what was changed. */
export function readChain(text: string): { chain: Chain; problems: string[] } {
  const [first, ...rest] = text.split('\n');
  const problems: string[] = [];
  const end = rest.findIndex((line) => line.startsWith(']'));
  const lines = rest.slice(0, Math.max(end, 0));
  const head = LAST_LINE.exec(rest[end] ?? '')?.[1] ?? '';
  if (first !== FIRST_LINE) problems.push('the first line was changed');
  if (end === -1 || head === '' || rest.slice(end + 1).join() !== '' || rest.length !== end + 2)
    problems.push('the end of the file was changed');
  const entries: Entry[] = [];
  let previous: string | undefined = NOTHING;
  let last = 0;
  lines.forEach((line, index) => {
    const n = index + 1;
    const [, json = '', hash, comma] = LINE.exec(line) ?? [];
    const { entry, isCanonical } = parsed(json) ?? {};
    const isLast = index === lines.length - 1;
    if (entry === undefined || (comma === '') !== isLast)
      problems.push(`the line of entry ${n} was changed: it can't be read`);
    if (entry === undefined) return void (previous = undefined);
    entries.push(entry);
    const name = `entry ${entry.n} (${nameOf(entry)})`;
    if (sha256(json) !== hash) problems.push(`${name} was changed`);
    else if (isCanonical === false) problems.push(`${name} is not in the canonical form`);
    if (previous !== undefined && (entry.previous !== previous || entry.n !== last + 1))
      problems.push(`before ${name}, an entry was changed, added or removed`);
    previous = hash;
    last = entry.n;
  });
  if (entries.at(-1)?.kind !== SEAL) problems.push('entries at the end are missing');
  else if (previous !== head) problems.push('the head is not the hash of the last entry');
  return { chain: { entries, head }, problems };
}

function parsed(json: string): { entry: Entry; isCanonical: boolean } | undefined {
  try {
    const { n, previous, kind, data } = JSON.parse(json) as Record<keyof Entry, unknown>;
    if (typeof n !== 'number' || typeof previous !== 'string' || typeof kind !== 'string') return undefined;
    if (typeof data !== 'object' || data === null) return undefined;
    const entry = { n, previous, kind, data };
    return { entry, isCanonical: canonical(entry) === json };
    // eslint-disable-next-line no-restricted-syntax -- a text that is no JSON, or is nested too deeply, is a finding
  } catch {
    return undefined;
  }
}

const MAX_NAME_CHARS = 90;

function nameOf({ kind, data }: Entry): string {
  const { what, type } = data as { what?: unknown; type?: unknown };
  const more = [what, type].find((one) => typeof one === 'string');
  return more === undefined ? kind : `${kind}: ${more.slice(0, MAX_NAME_CHARS)}`;
}
