import { constants } from 'node:buffer';
import { readChain, SEAL, sha256, type Entry } from './chain';
import { htmlOf, pageOf, partsOf } from './page';

/** What was checked, and what is wrong with it. */
export interface Verified {
  head: string;
  entries: number;
  problems: string[];
}

/**
 * Checks both forms of a dossier: each hash, and that the visible page is the sealed one. `expectedHead`: a fingerprint that
 * was kept apart. Without one, a file whose hashes were all calculated anew is not noticed.
 */
export function verify(bytes: Uint8Array, expectedHead?: string): Verified {
  if (bytes.byteLength > constants.MAX_STRING_LENGTH)
    return { head: '', entries: 0, problems: ['the file is larger than a dossier can be'] };
  const text = Buffer.from(bytes).toString('utf8');
  const broken = Buffer.compare(Buffer.from(text), bytes) === 0 ? [] : ['a character is not valid UTF-8'];
  const isPage = !text.startsWith('{');
  const parts = isPage ? partsOf(text) : undefined;
  if (isPage && parts === undefined) {
    const problems = [
      ...broken,
      'the page has no entries, or the lines that separate them from the page were changed',
    ];
    return { head: '', entries: 0, problems };
  }
  const { chain, problems } = readChain(parts?.json ?? text);
  const { entries, head } = chain;
  if (parts !== undefined) {
    const { page } = entries.at(-1)?.kind === SEAL ? (entries.at(-1)!.data as { page?: string }) : {};
    if (sha256(parts.page) !== page)
      problems.push(`the visible page was changed${placeIn(parts.page, entries)}`);
    else if (htmlOf(parts.page, parts.json, head) !== text)
      problems.push('the fingerprint below the page, or the text around the entries, was changed');
  }
  if (expectedHead !== undefined && expectedHead !== head)
    problems.push(`the fingerprint is ${head}, not ${expectedHead}`);
  return { head, entries: entries.length, problems: [...broken, ...problems] };
}

const MAX_CHARS = 120;

/** The first line in which the page differs from the one that its entries make. */
function placeIn(page: string, entries: readonly Entry[]): string {
  const [lines, wanted] = [page.split('\n'), pageIfAny(entries).split('\n')];
  if (wanted.length === 1) return '';
  const at = wanted.findIndex((line, index) => line !== lines[index]);
  if (at === -1) return '';
  const shown = (line = ''): string => {
    const words = line
      .replace(/<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    return (words === '' ? line : words).slice(0, MAX_CHARS);
  };
  return `: line ${at + 1} says “${shown(lines[at])}”, its entries say “${shown(wanted[at])}”`;
}

/** Entries that somebody has changed may make no page. */
function pageIfAny(entries: readonly Entry[]): string {
  try {
    return pageOf(entries);
    // eslint-disable-next-line no-restricted-syntax -- the change is a finding already
  } catch {
    return '';
  }
}
