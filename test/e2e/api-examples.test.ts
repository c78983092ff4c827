import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorFields } from '../../sdk';
import { createGameApp } from '../../sandbox/game/game';
import { REEL_COUNT, seededNumbers, spinReels } from '../../sandbox/game/reels';
import { createWalletApp } from '../../sandbox/wallet/wallet';
import examples from '../../src/http/openapi/examples.json';
import { projectRoot } from '../../stack/paths';
import { booksAtRest } from '../support/e2e-books';
import { callAsOperator, callAsProvider, exchange, type Answer } from '../support/e2e-http';
import { eventually } from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { PROVIDER } from '../support/e2e-tenants';
import { recorded, type Seen } from '../support/recorder';

/*
 * The examples of GET /openapi.json are recorded by this test against real servers. The test makes every call again and
 * compares: a recorded example has the same fields and types as the current exchange.
 *
 *   RECORD_EXAMPLES=1 npx jest test/e2e/api-examples.test.ts    records new examples
 */

jest.setTimeout(240_000);

interface Example {
  title: string;
  request: Record<string, unknown>;
  status: number;
  reply: unknown;
}
type Examples = Record<string, Example[]>;

const FILE = join(projectRoot(), 'src/http/openapi/examples.json');
const PLAYER = 'alice';
/** A game with both callbacks. The demo game does not have both. */
const FRUITS = 'fruit-slot';
/** The game's first spin wins, so that each run has the same entries. */
const WINNING_SEED = Array.from({ length: 1_000 }, (_, seed) => seed).find(
  (seed) => spinReels(100, Array.from({ length: REEL_COUNT }, seededNumbers(seed))).winAmount > 0,
);

const played: Examples = {};
const toWallet: Seen[] = [];
const toGame: Seen[] = [];
let stack: E2eStack;

beforeAll(async () => {
  stack = await startE2eStack({
    operators: [{ operatorId: 'op1' }, { operatorId: 'op2', autoCloseAfter: '2s' }],
    games: [{ gameCode: FRUITS, name: 'Fruit Slot', historyCallback: true, resultCallback: true }],
    env: { ENVIRONMENT: 'local' },
    startWallet: async (options) => recorded(await createWalletApp(options).start(), toWallet),
    startGame: async (serviceUrl, { id, secret } = PROVIDER) => {
      const provider = { providerId: id, secrets: [secret] };
      return recorded(
        await createGameApp({
          provider,
          serviceUrl,
          timeoutMs: 15_000,
          rng: 'own',
          seed: WINNING_SEED,
        }).start(),
        toGame,
      );
    },
  });
});
afterAll(() => stack?.close());

function keep(name: string, title: string, request: object, answer: Answer): Answer {
  const { status, body: reply } = answer;
  (played[name] ??= []).push({ title, request: request as Example['request'], status, reply });
  return answer;
}

async function asProvider(path: string, title: string, request: object): Promise<Answer> {
  return keep(`POST ${path}`, title, request, await callAsProvider(stack.api, stack.provider, path, request));
}

async function asOperator(
  method: 'GET' | 'POST',
  path: string,
  title: string,
  request: Record<string, unknown>,
): Promise<Answer> {
  const fields = (operatorFields as unknown as Record<string, (of: object) => string[]>)[
    path.split('/').at(-1)!
  ]!(request);
  const answer = await callAsOperator(stack.api, stack.operator('op1'), { method, path, request, fields });
  return keep(`${method} ${path}`, title, request, answer);
}

async function asAnyone(path: string, title: string, request: Record<string, string> = {}): Promise<Answer> {
  const query = new URLSearchParams(request).toString();
  return keep(
    `GET ${path}`,
    title,
    request,
    await exchange({ url: `${stack.api}${path}${query && `?${query}`}` }),
  );
}

/** Stores the first exchange of this kind between the service and a partner. */
function keepCallback(
  seen: Seen[],
  name: string,
  title: string,
  isIt: (one: Seen) => boolean = () => true,
): void {
  const found = seen.find((one) => one.path === `/${name}` && isIt(one));
  if (found === undefined) throw new Error(`the service has not called ${name}: ${title}`);
  const { request, status, reply } = found;
  (played[name] ??= []).push({ title, request, status, reply });
}

const transactionsOf = ({ request }: Seen): string =>
  (request.transactions as { type: string; amount?: number }[])
    .map(({ type, amount }) => (type === 'debit' && amount === undefined ? 'free debit' : type))
    .join('+');

async function launched(title: string, change: object = {}): Promise<string> {
  const standard = {
    ...{ playerId: PLAYER, currency: 'EUR', gameCode: stack.gameCode },
    language: 'en',
    mode: 'real',
  };
  const { body } = await asOperator('POST', '/getGameURL', title, { ...standard, ...change });
  return new URL(String(body.url)).searchParams.get('token')!;
}

async function connected(title: string, token: string): Promise<string> {
  const { body } = await asAnyone('/connect', title, { token });
  return String(body.token);
}

const id = (): string => randomUUID().replaceAll('-', '');
const bet = (debitAmount: number): object => ({ debitInformation: { debitAmount, currency: 'EUR' } });
const roundOf = ({ body }: Answer): string => body.gameRoundInfo!.hash;

async function playOperatorAndSession(): Promise<string> {
  await asOperator('POST', '/registerPlayer', 'A new player', {
    playerId: PLAYER,
    playerdetails: { country: 'DE' },
  });
  const options = { device: 'desktop', homeURL: 'https://casino.example/' };
  const launchToken = await launched('Real money', { options });
  const token = await connected('Real money', launchToken);
  await asAnyone('/refresh', 'One more hour', { token });
  const query = { gameCode: stack.gameCode, currency: 'EUR' };
  await asOperator('GET', '/backoffice/getGameConfiguration', 'In euros', query);
  await asOperator('GET', '/getGameList', 'All games', {});
  await asOperator('GET', '/backoffice/getGameList', 'All games', {});
  return token;
}

async function playRound(token: string): Promise<string> {
  const externalGameProviderRoundId = id();
  await asProvider('/getTokenData', 'No round is open', { token });
  await asProvider('/getBalance', 'Real money', { token });
  const started = await asProvider('/startGameRound', 'A bet', {
    ...{ token, externalGameProviderRoundId, rngResult: { rngCallId: randomUUID() }, ...bet(250) },
  });
  const gameRound = roundOf(started);
  const round = { token, gameRound };
  await asProvider('/startGameRound', 'Another round is open', {
    ...{ token, externalGameProviderRoundId: id(), rngResult: { rngCallId: randomUUID() }, ...bet(250) },
  });
  await asProvider('/addSpinCounterGameState', 'Two free spins are awarded', {
    ...{ ...round, counterType: 'customspin', externalGameProviderTransactionId: id() },
    ...{ rngResult: { result: { awarded: 2, used: 0 } }, gameStateResult: { feature: 'free spins' } },
  });
  await asProvider('/getAvailableSpinCounter', 'Two free spins are left', {
    ...round,
    counterType: 'customspin',
  });
  await asProvider('/addWin', 'A win of 7 euros', {
    ...{ ...round, externalGameProviderTransactionId: id() },
    rngResult: { rngCallId: randomUUID(), winAmount: 700 },
  });
  await asProvider('/getUncollectedAmount', 'An open win', round);
  await asProvider('/getOpenGameRounds', 'One round', { token });
  await asProvider('/getOpenGameRoundsByGame', 'One round', { gameCode: stack.gameCode, maxRecords: 10 });
  await asProvider('/collectWin', 'A part of the winnings', {
    ...{ ...round, amount: 200, externalGameProviderTransactionId: id() },
  });
  await asProvider('/getGameRoundHistoryInfo', 'The round is still open', round);
  await asProvider('/endGameRound', 'The rest of the winnings', {
    ...round,
    externalGameProviderTransactionId: id(),
  });
  await asProvider('/endGameRound', 'The round is over', {
    ...round,
    externalGameProviderTransactionId: id(),
  });
  await asProvider('/getGameRoundInfo', 'After a lost reply', { token, externalGameProviderRoundId });
  await asProvider('/getTokenForGameRound', 'A token for one round', { gameRound });
  await booksAtRest(stack, gameRound);
  return gameRound;
}

async function playOtherRounds(token: string): Promise<void> {
  const start = (title: string, change: object): Promise<Answer> =>
    asProvider('/startGameRound', title, {
      token,
      externalGameProviderRoundId: id(),
      rngResult: {},
      ...change,
    });
  await start('A whole round in one call', {
    ...{ ...bet(250), rngResult: { rngCallId: randomUUID(), winAmount: 400 }, endGame: true },
  });

  const serial = 'welcome-2026-10';
  const ticket = {
    playerId: PLAYER,
    gameCode: stack.gameCode,
    currency: 'EUR',
    stake: 50,
    count: 10,
    serial,
  };
  await fetch(`${stack.walletUrl}/sandbox/tickets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ticket),
  });
  await asProvider('/getBalance', 'With free plays', { token });
  await start('A free play', {
    ...{ debitInformation: { currency: 'EUR', useTicketInfo: { useTicket: true } }, endGame: true },
  });

  const toVoid = { token, gameRound: roundOf(await start('A bet without an id of the draw', bet(100))) };
  await asProvider('/voidGameRound', 'The bet is given back', toVoid);

  const errorCode = { id: 4711, msg: 'LIMIT', clientmsg: 'Your limit is reached.' };
  await stack.wallet.fault({
    fault: 'status',
    status: 400,
    errorCode,
    match: { type: 'debit', playerId: PLAYER },
  });
  await start('The wallet declines the bet', bet(250));

  const rngPayload = { count: 5, min: 1, max: 6 };
  await asProvider('/getRandomResult', 'Five dice', { token, rngEndPoint: 'getIntegers', rngPayload });
  await asProvider('/getLastGameRounds', 'The newest two', { token, maxRecords: 2 });
}

async function playChecks(): Promise<void> {
  await asProvider('/testPing', 'The signature is right', { testData: 'hello' });
  const request = { testData: 'hello' };
  const secret = 'another-secret';
  keep(
    'POST /testPing',
    'The signature is wrong',
    request,
    await callAsProvider(stack.api, { ...stack.provider, secret }, '/testPing', request),
  );
  await asAnyone('/health/live', 'It runs');
  await asAnyone('/health/ready', 'It takes calls');
}

async function playLookingBack(gameRound: string): Promise<void> {
  const asked = { playerId: PLAYER, gameRound };
  await asOperator('GET', '/getGameRoundDetails', 'A closed round', asked);
  await asOperator('POST', '/getGameRoundReport', 'A closed round', asked);
  await asOperator('POST', '/reconcileTransactions', 'A closed round', { gameRound });
}

/** Plays a round on the game's own page, so that the game can answer the history callback. */
async function playInThePage(): Promise<void> {
  const inPage = async (
    path: string,
    body: object,
    seat = '',
  ): Promise<{ view: { seat: string; round: { hash: string } } }> => {
    const headers = { 'content-type': 'application/json', 'x-game-seat': seat };
    const reply = await fetch(`${stack.gameUrl}/api/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await reply.json()) as never;
  };
  const token = await launched('Another game', { gameCode: FRUITS });
  const { view } = await inPage('connect', { token, login: `${stack.api}/connect`, gameCode: FRUITS });
  const spun = await inPage('spin', { stake: 100 }, view.seat);
  const gameRound = spun.view.round.hash;
  await inPage('end', {}, view.seat);
  await booksAtRest(stack, gameRound);
  const history = await launched('A past round', { gameCode: FRUITS, mode: 'history', gameround: gameRound });
  const viewer = await connected('A past round', history);
  await asProvider('/getGameRoundHistoryInfo', 'In a history session', { token: viewer, gameRound });
}

/** The service closes a round that its operator does not leave open for long. */
async function playAutoClose(): Promise<void> {
  const launch = {
    playerId: PLAYER,
    currency: 'EUR',
    gameCode: stack.gameCode,
    language: 'en',
    mode: 'real',
  };
  const { body } = await callAsOperator(stack.api, stack.operator('op2'), {
    ...{ path: '/getGameURL', request: launch, fields: operatorFields.getGameURL(launch) },
  });
  const token = new URL(String(body.url)).searchParams.get('token');
  await callAsProvider(stack.api, stack.provider, '/startGameRound', { token, rngResult: {}, ...bet(250) });
  await eventually(
    'doAutoClose',
    () => Promise.resolve(toGame.some(({ path }) => path === '/doAutoClose')),
    (called) => called,
    60_000,
  );
}

function keepCallbacks(): void {
  const is = (types: string) => (one: Seen) => transactionsOf(one) === types && one.status === 200;
  keepCallback(toWallet, 'doTransactions', 'A bet', is('debit'));
  keepCallback(toWallet, 'doTransactions', 'Winnings, and the end of the round', is('credit+end'));
  keepCallback(toWallet, 'doTransactions', 'A free play, and the end of the round', is('free debit+end'));
  keepCallback(toWallet, 'doTransactions', 'A bet is given back', is('void'));
  keepCallback(toWallet, 'doTransactions', 'The wallet declines the bet', ({ status }) => status === 400);
  keepCallback(
    toWallet,
    'getBalance',
    'With the tickets of a game',
    ({ reply }) => (reply as { tickets: object[] }).tickets.length > 0,
  );
  keepCallback(toWallet, 'doGameRoundReport', 'A closed round');
  keepCallback(toGame, 'doAutoClose', 'The round is closed');
  keepCallback(toGame, 'getGameConfiguration', 'In euros');
  keepCallback(toGame, 'getGameResult', 'A spin');
  keepCallback(toGame, 'doGetGameHistory', 'A spin');
}

/** With the ports of `npm start`. */
function settledText(): string {
  const text = JSON.stringify(played, null, 2);
  const ports = { [stack.api]: '8080', [stack.walletUrl]: '9001', [stack.gameUrl]: '9002' };
  return Object.entries(ports).reduce(
    (all, [url, port]) =>
      all.replace(new RegExp(`(127\\.0\\.0\\.1(?::|%3A))${new URL(url).port}`, 'g'), `$1${port}`),
    text,
  );
}

/** The names and types in a value, without the values. A list becomes the set of its entries' shapes. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((entry) => JSON.stringify(shapeOf(entry))))].sort();
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, shapeOf(entry)] as const)
      .sort(([left], [right]) => left.localeCompare(right)),
  );
}

function shapesOf(all: Examples): unknown {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, list]) =>
      list.map(({ title, request, status, reply }) => [
        `${name}: ${title}: ${status}`,
        shapeOf({ request, reply }),
      ]),
    ),
  );
}

it('every example of the API page has the fields and types of a real exchange', async () => {
  const token = await playOperatorAndSession();
  const gameRound = await playRound(token);
  await playOtherRounds(token);
  await playChecks();
  await playLookingBack(gameRound);
  await playInThePage();
  await playAutoClose();
  await asAnyone('/logout', 'The session is over', { token });
  keepCallbacks();
  // Without Temporal it takes no calls.
  await stack.kill('temporal');
  await eventually(
    'not ready',
    () => exchange({ url: `${stack.api}/health/ready`, timeoutMs: 5_000 }),
    ({ status }) => status === 503,
    60_000,
  );
  await asAnyone('/health/ready', 'Temporal does not answer');

  const now = JSON.parse(settledText()) as Examples;
  if (process.env.RECORD_EXAMPLES !== undefined) writeFileSync(FILE, `${JSON.stringify(now, null, 2)}\n`);
  else expect(shapesOf(examples)).toEqual(shapesOf(now));
});
