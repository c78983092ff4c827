import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pages, ROOT, textOf } from './pages';

/* Every link from one page to another, or to a file, leads to something that is there. */

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** As GitHub makes anchors: lower case, without marks, blanks as hyphens; `<a id>` besides. */
function anchorsOf(page: string): string[] {
  const text = textOf(page);
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return [...headings, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)];
}

function linksOf(page: string): string[] {
  // A link's text may be code; its target is not.
  const text = textOf(page).replace(/^```.*?^```/gms, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map(
    ([, link, image = '']) => link ?? image,
  );
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function faultOf(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return `${page}: ${link} leads to nothing`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined;
  return `${page}: ${link} has no such heading`;
}

it('leads somewhere', () => {
  const links = pages().flatMap((page) => linksOf(page).map((link) => [page, link] as const));
  expect(links.length).toBeGreaterThan(30);
  expect(links.flatMap(([page, link]) => faultOf(page, link) ?? [])).toEqual([]);
});

it('names pages of docs/ in plain text that are there', () => {
  const named = pages().flatMap((page) =>
    [...withoutCode(textOf(page)).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => [page, path] as const),
  );
  expect(named.filter(([, path]) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('every page of docs/ can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const [path = ''] = link.split('#');
      const target = join(dirname(page), path);
      if (target.endsWith('.md') && existsSync(join(ROOT, target))) reached.add(target);
    }
  }
  expect(pages().filter((page) => !reached.has(page))).toEqual([]);
});
