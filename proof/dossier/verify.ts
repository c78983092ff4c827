import { constants } from 'node:buffer';
import { ENTRY, readChain, SEAL, sha256, type Entry } from './chain';
import { htmlOf, pageOf, partsOf } from './page';

/** What was checked, and what is wrong with it. */
export interface Verified {
  head: string;
  entries: number;
  problems: string[];
}

/**
 * Checks both forms of a dossier: each hash, that the visible page is the sealed one, and that it says what the entries say.
 * `madeBy` is this program: another version may make another page of the same entries. `expectedHead`: a fingerprint that was
 * kept apart. Without one, a file whose hashes were all calculated anew is not noticed.
 */
export function verify(
  bytes: Uint8Array,
  { name, madeBy, expectedHead }: { name: string; madeBy: string; expectedHead?: string | undefined },
): Verified {
  if (bytes.byteLength > constants.MAX_STRING_LENGTH)
    return { head: '', entries: 0, problems: ['the file is larger than a dossier can be'] };
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.includes(ENTRY))
    return { head: '', entries: 0, problems: ['this is no dossier: it has no entries'] };
  const first = Buffer.compare(Buffer.from(text), bytes) === 0 ? [] : ['a character is not valid UTF-8'];
  const isPage = !text.startsWith('{');
  const wanted = isPage ? '.html' : '.json';
  if (!name.endsWith(wanted)) first.push(`this form of a dossier is in a file whose name ends in ${wanted}`);
  const parts = isPage ? partsOf(text) : undefined;
  if (isPage && parts === undefined) {
    const problems = [
      ...first,
      'the page has no entries, or the lines that separate them from the page were changed',
    ];
    return { head: '', entries: 0, problems };
  }
  const { chain, problems } = readChain(parts?.json ?? text);
  const { entries, head } = chain;
  const { page } = entries.at(-1)?.kind === SEAL ? (entries.at(-1)!.data as { page?: string }) : {};
  if (parts !== undefined && sha256(parts.page) !== page)
    problems.push(`the visible page was changed${placeIn(parts.page, entries)}`);
  else if (parts !== undefined && htmlOf(parts.page, parts.json, head) !== text)
    problems.push('the fingerprint below the page, or the text around the entries, was changed');
  else if (problems.length === 0 && sha256(pageIfAny(entries)) !== page) {
    const place = parts === undefined ? '' : placeIn(parts.page, entries);
    problems.push(
      `the sealed page is not the one that its entries make${place}${versionsOf(entries, madeBy)}`,
    );
  }
  if (expectedHead !== undefined && expectedHead !== head)
    problems.push(`the fingerprint is ${head}, not ${expectedHead}`);
  return { head, entries: entries.length, problems: [...first, ...problems] };
}

/** Says whether another version made the dossier: only that version can tell whether the page is right. */
function versionsOf(entries: readonly Entry[], madeBy: string): string {
  const about = Object(entries.find(({ kind }) => kind === 'about')?.data) as { madeBy?: unknown };
  const other = String(about.madeBy);
  return other === madeBy ? '' : ` (made by ${other}, and this is ${madeBy}: check it with that version)`;
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
