import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createGameApp } from '../../sandbox/game/game';
import { createOperatorClient } from '../../sdk';
import { startBrowser, test } from '../support/browser';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { operatorParty } from '../support/e2e-tenants';

jest.setTimeout(180_000);

/*
 * The demo game, played in a real browser on a whole service. `PICTURES=<folder>` stores a picture of each state.
 * docs/images/demo-game.png is the picture `wide-win.png`.
 */

/** Spins of this seed: three plums (20 stakes), four without a win, three lemons (10 stakes). */
const SEED = 3164;
const PICTURES = process.env['PICTURES'];

let stack: E2eStack;
let browser: Browser;
beforeAll(async () => {
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
  stack = await startE2eStack({
    operators: [{ operatorId: 'op1', walletTimeout: '5s' }],
    // One attempt, so that the outcome of a call is unknown after ten seconds instead of forty.
    startGame: (serviceUrl, { id, secret }, walletUrl) =>
      createGameApp({
        ...{ provider: { providerId: id, secrets: [secret] }, serviceUrl, walletUrl },
        ...{ rng: 'own', seed: SEED, maxAttempts: 1 },
      }).start(),
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const WIDE = { viewport: { width: 1400, height: 1100 } };
const NARROW = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };

interface Played {
  page: Page;
  /** What the browser complained about, and the addresses outside the game's server. */
  faults: string[];
  text: (id: string) => Promise<string>;
  /** Waits until the element has the text. */
  shows: (id: string, text: string | RegExp) => Promise<void>;
  switchTo: (situation: string, on?: boolean) => Promise<void>;
  picture: (name: string) => Promise<void>;
}

interface Launch {
  mode?: string;
  gameround?: string;
}

async function launchUrl(playerId: string, launch: Launch = {}): Promise<string> {
  const { id: operatorId, secret } = operatorParty('op1');
  const operator = createOperatorClient({ baseUrl: stack.api, operatorId, secret });
  const { url } = await operator.getGameURL({
    ...{ playerId, currency: 'EUR', gameCode: stack.gameCode, language: 'en', mode: 'real' },
    ...launch,
  });
  return url;
}

async function open(
  playerId: string,
  how: BrowserContextOptions,
  as: string,
  { greeting = 'Good luck!', ...launch }: Launch & { greeting?: string } = {},
): Promise<Played> {
  const url = await launchUrl(playerId, launch);
  const page = await (await browser.newContext(how)).newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(stack.gameUrl).origin) faults.push(request.url());
  });
  await page.goto(url);
  const text = async (id: string) => (await page.locator(`#${id}`).textContent()) ?? '';
  const shows = (id: string, wanted: string | RegExp) =>
    page.locator(`#${id}`).filter({ hasText: wanted, visible: true }).waitFor({ timeout: 60_000 });
  await shows('message', greeting);
  const switchTo = async (situation: string, on = true) => {
    const box = page.locator(`#switch-${situation}`);
    await box.setChecked(on);
    await page.locator(`.switch${on ? '.on' : ':not(.on)'}`, { has: box }).waitFor();
  };
  const picture = async (name: string) => {
    if (PICTURES !== undefined)
      await page.screenshot({ path: join(PICTURES, `${as}-${name}.png`), fullPage: how === WIDE });
  };
  return { page, faults, text, shows, switchTo, picture };
}

const click = (page: Page, id: string) => page.locator(`#${id}`).click();

test('a player plays the whole game while the wallet fails in every way', async () => {
  const { page, faults, text, shows, switchTo, picture } = await open('alice', WIDE, 'wide');
  expect(page.url()).toBe(`${stack.gameUrl}/play`);
  expect(await text('mode')).toBe('real play · alice');
  expect(await text('balance')).toBe('€1,000.00');
  expect(await page.locator('#sound').getAttribute('aria-pressed')).toBe('false');
  await picture('idle');

  // By keyboard alone. The reels turn, then the line is lit.
  await page.locator('#stake').selectOption('100');
  await page.locator('#stake').blur();
  await page.keyboard.press('Space');
  await page.locator('.turning').first().waitFor();
  await picture('spinning');
  await shows('message', 'You win €20.00');
  expect(await page.locator('.won .lit').count()).toBe(3);
  expect(await page.locator('#reels').getAttribute('aria-label')).toBe('The line shows plum, plum, plum');
  expect([await text('balance'), await text('open'), await text('status')]).toEqual([
    '€999.00',
    '€20.00',
    'open',
  ]);
  await picture('win');
  await page.locator('#end').focus();
  await page.keyboard.press('Enter');
  await shows('message', 'The round is closed.');
  expect(await text('balance')).toBe('€1,019.00');

  // While the wallet takes its time, the page says what it waits for and what will happen.
  await switchTo('slow');
  await click(page, 'spin');
  await shows('waiting-for', 'The service asks the wallet for the bet.');
  expect(await text('waiting-then')).toContain('voids the bet');
  await shows('waiting-wallet', 'debit 100: has not answered');
  expect(await page.locator('#spin').isDisabled()).toBe(true);
  await picture('waiting');
  await shows('message', 'no win');
  expect(await page.locator('#waiting').isHidden()).toBe(true);
  await click(page, 'void');
  await shows('message', 'The bet was taken back.');
  expect([await text('balance'), await text('status')]).toEqual(['€1,019.00', 'cancel']);

  await switchTo('decline');
  await click(page, 'spin');
  await shows('error', 'The casino says: not today. (77 NOPE)');
  expect(await text('balance')).toBe('€1,019.00');
  await picture('declined');

  await switchTo('lost');
  await click(page, 'spin');
  await shows('error', 'the player loses nothing');
  await shows('balance', '€1,019.00');

  await page.locator('[data-give="freePlays"]').click();
  await shows('freeplays', '5');
  await page.locator('#ticket').check();
  await picture('free-plays');
  await click(page, 'spin');
  await shows('message', 'no win');
  await shows('freeplays', '4');
  expect(await text('balance')).toBe('€1,019.00');
  await click(page, 'end');
  await shows('message', 'The round is closed.');

  // A payout that the wallet does not take: the round stays open, and is paid when the wallet is back.
  await switchTo('outage');
  await page.locator('#ticket').uncheck();
  await click(page, 'spin');
  await shows('message', 'You win €10.00');
  await click(page, 'end');
  await shows('waiting-for', 'The service pays the wallet and ends the round.');
  await shows('waiting-wallet', /answered 503, call \d+ of this round/);
  await shows('error', 'The outcome is not known yet.');
  expect([await text('balance'), await text('status')]).toEqual(['€1,018.00', 'open']);
  await picture('outage');
  await switchTo('outage', false);
  await shows('message', 'The wallet has taken the payout. The round is closed.');
  expect([await text('balance'), await text('status')]).toEqual(['€1,028.00', 'closed']);

  await page.locator('#rounds-panel summary').click();
  await page.locator('#rounds td').first().waitFor();
  expect(await page.locator('#rounds tr').count()).toBe(4);

  // A call with its signature and its reply, and without the session's token.
  const started = page.locator('.call:not(.wallet)', { hasText: 'startGameRound' }).first();
  await started.locator('summary').click();
  expect(await started.locator('dd').last().textContent()).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  expect(await started.locator('pre').first().textContent()).toContain('"token": "<token>"');
  expect(await started.locator('pre').last().textContent()).toContain('"gameRoundInfo"');
  await picture('calls');
  expect(faults.filter((fault) => !fault.includes('status of'))).toEqual([]);
});

test('on a phone nothing is cut off, and a reload brings the round back', async () => {
  const { page, faults, shows, text, switchTo, picture } = await open('bob', NARROW, 'narrow');
  const overhang = () =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  await picture('idle');
  expect(await overhang()).toBe(0);
  await switchTo('slow');
  await click(page, 'spin');
  await shows('waiting-for', 'The service asks the wallet for the bet.');
  await picture('waiting');
  await page.locator('#message').filter({ hasText: /win/ }).waitFor();
  await picture('played');
  expect(await overhang()).toBe(0);
  const played = await text('hash');
  await page.reload();
  await shows('message', 'Your round is still open.');
  expect(await text('hash')).toBe(played);
  await page.locator('.call summary').first().click();
  await page.locator('.tables summary').last().click();
  await picture('open');
  await page.locator('#calls').scrollIntoViewIfNeeded();
  await picture('calls');
  await page.locator('#desk').scrollIntoViewIfNeeded();
  await picture('desk');
  expect(await overhang()).toBe(0);
  expect(faults).toEqual([]);
});

test('a launch that fails leaves no game of an earlier player, not even after a reload', async () => {
  const { page, shows, picture } = await open('frank', WIDE, 'failed');
  const call = page.locator('.call:not(.wallet)', { hasText: 'getGameRoundInfo' }).first();
  expect(await call.locator('.status').textContent()).toContain('400, no open round');
  expect(await call.locator('.status.bad').count()).toBe(0);

  const refusal = {
    fault: 'status',
    status: 400,
    errorCode: { id: 77, msg: 'NOPE', clientmsg: 'Not today.' },
  };
  await stack.wallet.fault({ ...refusal, match: { path: '/getBalance', playerId: 'mallory' } });
  await page.goto(await launchUrl('mallory'));
  await shows('error', 'Not today. (77 NOPE)');
  const hasNoGame = async () => {
    await shows('mode', 'no game');
    expect(
      await page.locator('#balance, #reels, #controls, #tables, #calls').locator('visible=true').count(),
    ).toBe(0);
    expect(await page.locator('main').textContent()).not.toContain('frank');
  };
  await hasNoGame();
  await picture('launch');
  await page.reload();
  await shows('error', 'This page needs a launch link.');
  await hasNoGame();
  await page.context().close();
});

test('a visit without a launch leads to the start page', async () => {
  const page = await browser.newPage();
  await page.goto(`${stack.gameUrl}/play`);
  await page.locator('#error a').click();
  await page.waitForURL(`${stack.gameUrl}/`);
  await page.close();
});

test('with reduced motion no reel turns', async () => {
  const how = { ...WIDE, reducedMotion: 'reduce' } as const;
  const { page, shows, switchTo } = await open('carol', how, 'calm');
  await switchTo('slow');
  await click(page, 'spin');
  await shows('waiting-for', 'The service asks the wallet for the bet.');
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  await page.locator('#message').filter({ hasText: /win/ }).waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});

test('a demo player has no switches, and a past round has no buttons', async () => {
  const demo = await open('dave', WIDE, 'demo', { mode: 'demo' });
  await click(demo.page, 'spin');
  await demo.shows('message', /win/);
  expect(await demo.page.locator('#desk').isHidden()).toBe(true);
  await demo.picture('played');

  const { page, shows, text } = await open('erin', WIDE, 'real');
  await page.locator('#quick').check();
  await click(page, 'spin');
  await shows('status', 'closed');
  const gameround = await text('hash');
  const launch = { mode: 'history', gameround, greeting: 'This round was played before.' };
  const past = await open('erin', WIDE, 'history', launch);
  expect(await past.text('history-facts')).toContain(gameround);
  expect(await past.page.locator('.cabinet button:visible').count()).toBe(0);
  await past.picture('shown');
  expect([...demo.faults, ...past.faults]).toEqual([]);
});
