import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kit } from '../http/kit';

/** The files of the page by path. No other file is served. */
const [SCRIPT, STYLE, PAGE, IMAGE] = [
  'text/javascript; charset=utf-8',
  'text/css; charset=utf-8',
  'text/html; charset=utf-8',
  'image/svg+xml',
];
const FILES = {
  '/play': ['play.html', PAGE],
  '/play.css': ['play.css', STYLE],
  '/play.svg': ['play.svg', IMAGE],
  '/play.js': ['play.js', SCRIPT],
  '/panels.js': ['panels.js', SCRIPT],
  '/reels.js': ['reels.js', SCRIPT],
  '/sound.js': ['sound.js', SCRIPT],
} as const;

/** Allows the page's own files only and no inline scripts. Frames are allowed, since operators show games in an iframe. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

export function addPage({ router }: Kit): void {
  const folder = pageFolder();
  for (const [path, [file, type]] of Object.entries(FILES)) {
    const content = readFileSync(join(folder, file));
    router.get(path, (ctx) => {
      ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      ctx.set('X-Content-Type-Options', 'nosniff');
      // The page's address contains the launch token. It must not be sent as a referrer or stay in a cache.
      ctx.set('Referrer-Policy', 'no-referrer');
      ctx.set('Cache-Control', 'no-store');
      ctx.type = type;
      ctx.body = content;
    });
  }
}

/** The folder beside this file. For the compiled file in dist/ or deeper, the folder beside its source. */
function pageFolder(): string {
  const above = ['../../..', '../../../..'].map((up) => join(__dirname, up, 'sandbox/game/page'));
  const candidates = [join(__dirname, 'page'), ...above];
  const found = candidates.find((folder) => existsSync(join(folder, 'play.html')));
  if (found === undefined) throw new Error(`the demo game's page is in none of ${candidates.join(', ')}`);
  return found;
}
