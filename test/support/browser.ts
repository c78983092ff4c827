import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** Jest's `test`, or `test.skip` if no browser is installed. */
export const test = found === undefined ? globalThis.test.skip : globalThis.test;

if (found === undefined) {
  process.stderr.write(
    `No browser at ${PLACES.join(', ')}, and CHROMIUM is not set: tests of pages are skipped (apt-get install chromium).\n`,
  );
}

export function startBrowser(): Promise<Browser> {
  // Chromium's own sandbox needs rights that a container does not have. The tests open only our own pages.
  return chromium.launch({ executablePath: found!, args: ['--no-sandbox'] });
}
