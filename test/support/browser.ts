import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** As jest's own; without a browser it skips. */
export const test = found === undefined ? globalThis.test.skip : globalThis.test;

if (found === undefined) {
  process.stderr.write(
    `No browser is at ${PLACES.join(', ')}, and CHROMIUM names none: tests of pages are skipped (apt-get install chromium).\n`,
  );
}

export function startBrowser(): Promise<Browser> {
  // Chromium's own sandbox needs rights that a container does not give. The pages are our own.
  return chromium.launch({ executablePath: found!, args: ['--no-sandbox'] });
}
