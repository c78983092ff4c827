import type { Browser, Page } from 'playwright-core';
import { startBrowser, test } from '../support/browser';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/* The page GET /docs of a sandbox in a browser. The page sends signed calls to a real service. */

jest.setTimeout(180_000);

let stack: E2eStack;
let browser: Browser | undefined;
beforeAll(async () => {
  stack = await startE2eStack({ env: { ENVIRONMENT: 'local', API_PAGE_SIGNS: 'on' } });
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

interface OpenPage {
  page: Page;
  /** Requests to another server, and what the page's policy or a fault of a script reported. */
  problems: string[];
}

async function opened(width: number): Promise<OpenPage> {
  browser ??= await startBrowser();
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const problems: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== stack.api) problems.push(request.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(`${stack.api}/docs`);
  await page.waitForSelector('.opblock');
  return { page, problems };
}

/** Opens a call from the list, sends it without changes, and returns status and body. */
async function execute(
  page: Page,
  hash: string,
): Promise<{ status: string; body: Record<string, unknown>; curl: string }> {
  if (!(await page.isVisible('#calls a'))) await page.click('#calls summary');
  await page.click(`#calls a[href="#/${hash}"]`);
  const call = page.locator(`.opblock[id$="-${hash.split('/').at(-1)}"]`);
  await call.locator('.execute').click();
  const live = call.locator('.live-responses-table');
  const text = await live.locator('.response-col_description pre').first().textContent();
  return {
    status: (await live.locator('.response-col_status').last().textContent())!.trim().slice(0, 3),
    body: JSON.parse(text!) as Record<string, unknown>,
    curl: (await call.locator('.curl-command').textContent())!,
  };
}

test('the page plays a round: it signs as the operator and as the provider', async () => {
  const { page, problems } = await opened(1_400);
  await page.click('#sandbox button');
  await page
    .locator('#session')
    .getByText(/^token /)
    .waitFor();

  const started = await execute(page, 'Game%20engine/startGameRound');
  expect(started).toMatchObject({ status: '200', body: { gameRoundInfo: { status: 'open', stake: 250 } } });
  // What was sent can be taken to a terminal.
  expect(started.curl).toMatch(/X-H-AUTH-SIG: [A-Za-z0-9+/]{43}=/);
  const { hash } = started.body.gameRoundInfo as { hash: string };
  const won = await execute(page, 'Game%20engine/addWin');
  expect(won).toMatchObject({ status: '200', body: { amountToCollect: 700 } });
  const info = await execute(page, 'Game%20engine/getGameRoundInfo');
  expect(info).toMatchObject({ status: '200', body: { gameRoundInfo: { hash, status: 'open' } } });
  const ended = await execute(page, 'Game%20engine/endGameRound');
  expect(ended).toMatchObject({ status: '200', body: { gameRoundInfo: { hash, status: 'closed' } } });

  const details = await execute(page, 'Operator/getGameRoundDetails');
  // A player of the page's own: the rounds of the guides' players are not touched.
  expect(details).toMatchObject({
    status: '200',
    body: { gameRound: { hash, totalWinAmount: 700, player: 'api-page' } },
  });
  const report = await execute(page, 'Operator/getGameRoundReport');
  expect(report).toMatchObject({ status: '200', body: { gameRoundDetail: { hash } } });
  expect(await execute(page, 'Operator/getGameList')).toMatchObject({ status: '200' });
  expect(await execute(page, 'Player/refresh')).toMatchObject({ status: '200' });
  expect(problems).toEqual([]);
});

test('on a phone the session bar stays visible, and a call without a session shows how to start one', async () => {
  const { page } = await opened(390);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.click('#calls summary');
  await page.click('#calls a[href="#/Game%20engine/getBalance"]');
  const call = page.locator('.opblock[id$="-getBalance"]', { has: page.locator('.execute') });
  await call.locator('.execute').click();
  const why = 'Nothing was sent: there is no {{token}} yet. Press “New session” first.';
  await call.locator('.live-responses-table').getByText(why).first().waitFor({ timeout: 10_000 });
  expect(sent).toEqual([]);
  const bar = (await page.locator('#sandbox').boundingBox())!;
  expect([bar.y, bar.height < 80]).toEqual([0, true]);
  expect(await page.locator('#session').textContent()).toBe(why);
});

test('the page fits a phone, and can’t send the calls that partners receive', async () => {
  const { page, problems } = await opened(390);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.click('#calls summary');
  await page.click('#calls a[href="#/webhooks/answerDoTransactions"]');
  const callback = page.locator('.opblock[id$="-answerDoTransactions"]');
  await callback.getByText('hashesProcessed').first().waitFor();
  expect(await callback.locator('.execute, .try-out').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(problems).toEqual([]);
});
