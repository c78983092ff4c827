import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOperatorClient, type LostResponse, ProviderClient } from '../../sdk';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

jest.setTimeout(120_000);

/*
 * A game with the SDK calls the service through a gateway that loses calls and replies. A call succeeds only if this
 * call itself has taken effect. The SDK makes no call that the game did not ask for. Amounts are those that were credited.
 */

const FOLLOW_UP_GAME = 'follow-up-slot';
const BET = 250;

let stack: E2eStack;
let gateway: Server;
let game: ProviderClient;
/** `lost`: the service answers, and the reply is lost. `down`: the gateway answers 503, and the service hears nothing. */
let failure: { path: string; how: 'lost' | 'down'; times: number; afterwards?: () => Promise<unknown> };
let asked: string[];

beforeAll(async () => {
  stack = await startE2eStack({
    shape: 'service',
    operators: [{ operatorId: 'op1', walletTimeout: '30s' }],
    games: [{ gameCode: FOLLOW_UP_GAME, followUpDebits: true }],
  });
  gateway = createServer((request, response) => void relay(request, response));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  game = client((gateway.address() as AddressInfo).port);
});
afterAll(async () => {
  gateway?.closeAllConnections();
  gateway?.close();
  await stack?.close();
});
beforeEach(() => {
  failure = { path: '', how: 'lost', times: 0 };
  asked = [];
});

function client(port: number, timeoutMs?: number): ProviderClient {
  const { id: providerId, secret } = stack.provider;
  const baseUrl = `http://127.0.0.1:${port}`;
  return new ProviderClient({ baseUrl, providerId, secret, timeoutMs, backoffMs: 50 });
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url ?? '';
  asked.push(path);
  const isFailing = path === failure.path && failure.times-- > 0;
  if (isFailing && failure.how === 'down') return void response.writeHead(503).end('{}');
  const kept = Object.entries(request.headers).filter(([name]) => /^x-|^content-type$/.test(name));
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  const reply = await fetch(stack.api + path, { method: 'POST', headers, body: Buffer.concat(chunks) });
  const body = await reply.text();
  if (!isFailing) return void response.writeHead(reply.status).end(body);
  await failure.afterwards?.();
  response.destroy();
}

async function launch({ gameCode = stack.gameCode, mode = 'real' } = {}) {
  const { id: operatorId, secret } = stack.operator('op1');
  const operator = createOperatorClient({ baseUrl: stack.api, operatorId, secret });
  const playerId = `player-${randomUUID()}`;
  const { url } = await operator.getGameURL({ playerId, currency: 'EUR', gameCode, language: 'en', mode });
  return { playerId, token: new URL(url).searchParams.get('token') ?? '' };
}

const betOf = (token: string, rngCallId: string, winAmount = 0, debitAmount = BET) => ({
  ...{ token, externalGameProviderRoundId: randomUUID().replaceAll('-', '') },
  ...{ rngResult: { rngCallId, winAmount }, debitInformation: { debitAmount, currency: 'EUR' } },
});

/** A round with open winnings. */
async function open(winAmount = 0, options: Parameters<typeof launch>[0] = {}) {
  const { token, playerId } = await launch(options);
  const { gameRoundInfo } = await game.startGameRound(betOf(token, 'draw-1', winAmount));
  asked = [];
  return { token, playerId, gameRound: gameRoundInfo.hash };
}

/** The error of a call that does not succeed. */
const rejected = <Thrown = LostResponse>(call: Promise<unknown>): Promise<Thrown> =>
  call.then(
    (reply) => Promise.reject(new Error(`resolved with ${JSON.stringify(reply)}`)),
    (error: Thrown) => error,
  );

describe('a win', () => {
  it('that never arrives is not confused with an equal win that arrived', async () => {
    const { token, gameRound } = await open();
    const win = { token, gameRound, rngResult: { winAmount: 50 } };
    await game.addWin(win);
    failure = { path: '/addWin', how: 'down', times: 4 };
    const error = await rejected(game.addWin(win));
    expect(error.name).toBe('LostResponse');
    expect(await stack.wallet.sent(gameRound)).toEqual(['debit']);
    // What the error tells to do.
    expect(await game.addWin({ ...win, ...error.ids })).toMatchObject({ amountToCollect: 100 });
    expect(await game.endGameRound({ token, gameRound })).toMatchObject({ amountCredited: 100 });
    expect((await stack.wallet.ledger(gameRound)).net).toBe(100 - BET);
    // The round is over by now, and both wins are in it.
    expect(await game.addWin({ ...win, ...error.ids })).toMatchObject({ amountCredited: 0 });
  });

  it('whose reply is lost in the middle of a round leaves the round open', async () => {
    const { token, gameRound } = await open();
    failure = { path: '/addWin', how: 'lost', times: 1 };
    const first = await game.addWin({ token, gameRound, rngResult: { winAmount: 50 } });
    expect(first).toMatchObject({
      gameRoundInfo: { status: 'open' },
      amountToCollect: 50,
      amountCredited: 0,
    });
    expect(asked).not.toContain('/endGameRound');
    const second = await game.addWin({ token, gameRound, rngResult: { winAmount: 800 }, collect: true });
    expect(second).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 850 });
  });

  it('whose reply is lost, with collect, reports what this call paid', async () => {
    const { token, gameRound } = await open(500);
    failure = { path: '/addWin', how: 'lost', times: 1 };
    const reply = await game.addWin({ token, gameRound, rngResult: { winAmount: 50 }, collect: true });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 550 });
    expect(asked).toEqual(['/addWin', '/getGameRoundInfo']);
  });
});

describe('a bet', () => {
  it.each(['', 'a follow-up '])('%sthat never arrives does not succeed', async (which) => {
    const { token, playerId } = await launch({ gameCode: FOLLOW_UP_GAME });
    const first = betOf(token, 'draw-1');
    if (which !== '') await game.startGameRound(first);
    const bet = { ...first, rngResult: { rngCallId: 'draw-2' } };
    failure = { path: '/startGameRound', how: 'down', times: 4 };
    expect((await rejected(game.startGameRound(bet))).name).toBe('LostResponse');
    const taken = () => stack.wallet.callsOfPlayer(playerId);
    expect(await taken()).toHaveLength(which === '' ? 0 : 1);
    failure = { path: '/startGameRound', how: 'lost', times: 1 };
    expect((await game.startGameRound(bet)).gameRoundInfo.status).toBe('open');
    expect(await taken()).toHaveLength(which === '' ? 1 : 2);
  });

  // The service gives up waiting for the wallet after 10 s and says 503; a caller may give up earlier.
  it.each([15_000, 3_000])(
    'that is still undecided after %i ms does not succeed: the wallet may decline it',
    async (timeoutMs) => {
      const { token, playerId } = await launch();
      await stack.wallet.fault({ fault: 'slow', delayMs: 11_000, match: { type: 'debit', playerId } });
      const { port } = gateway.address() as AddressInfo;
      const call = client(port, timeoutMs).startGameRound(betOf(token, 'draw-1', 0, 10_000_000));
      expect(await rejected(call)).toMatchObject({ status: 400, errorCode: { id: 5001 } });
    },
  );

  it('that the wallet may have taken is refused for good, and voided', async () => {
    const { token, playerId } = await launch();
    await stack.wallet.fault({ fault: 'dropReply', match: { type: 'debit', playerId } });
    expect(await rejected(game.startGameRound(betOf(token, 'draw-1')))).toMatchObject({
      ...{ name: 'InterfaceError', status: 502, body: { gameRoundInfo: { status: 'cancel' } } },
    });
    expect(asked).toEqual(['/startGameRound']);
  });

  it('whose reply is lost, with endGame, reports what this call paid', async () => {
    const { token } = await launch();
    failure = { path: '/startGameRound', how: 'lost', times: 1 };
    const reply = await game.startGameRound({ ...betOf(token, 'draw-1', 700), endGame: true });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 700 });
  });
});

describe('a call that ends or pays a round', () => {
  it.each(['real', 'demo'])('endGameRound whose reply is lost reports what it paid, %s', async (mode) => {
    const { token, gameRound } = await open(500, { mode });
    failure = { path: '/endGameRound', how: 'lost', times: 1 };
    const reply = await game.endGameRound({ token, gameRound });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 500 });
  });

  it.each(['endGameRound', 'collectWin'] as const)(
    '%s that never arrives does not succeed when another call closes the round',
    async (call) => {
      const { token, gameRound } = await open(500);
      failure = { path: `/${call}`, how: 'down', times: 1 };
      await client(Number(new URL(stack.api).port)).endGameRound({ token, gameRound });
      const error = await rejected(game[call]({ token, gameRound }));
      expect(error).toMatchObject({ name: 'LostResponse', cause: { errorCode: { id: 2000 } } });
      expect(error.round).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 0 });
      expect(error.message).toContain('does not show this one');
    },
  );

  it('collectWin whose reply is lost reports what it paid, also when the round is closed by then', async () => {
    const { token, gameRound } = await open(500);
    const elsewhere = client(Number(new URL(stack.api).port));
    const afterwards = () => elsewhere.endGameRound({ token, gameRound });
    failure = { path: '/collectWin', how: 'lost', times: 1, afterwards };
    const reply = await game.collectWin({ token, gameRound, amount: 200 });
    expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 200 });
    expect((await stack.wallet.ledger(gameRound)).net).toBe(500 - BET);
  });

  it('voidGameRound whose reply is lost succeeds once the bets are voided', async () => {
    const { token, gameRound } = await open();
    failure = { path: '/voidGameRound', how: 'lost', times: 1 };
    expect((await game.voidGameRound({ token, gameRound })).gameRoundInfo.status).toBe('cancel');
    expect(await stack.wallet.ledger(gameRound)).toMatchObject({ status: 'voided', net: 0 });
  });

  it('addSpinCounterGameState whose reply is lost counts once', async () => {
    const { token, gameRound } = await open();
    failure = { path: '/addSpinCounterGameState', how: 'lost', times: 1 };
    const rngResult = { result: { awarded: 2 } };
    const counted = { token, gameRound, counterType: 'customspin', rngResult };
    expect((await game.addSpinCounterGameState(counted)).spinsAvailable).toBe(2);
  });
});
