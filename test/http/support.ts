import { createHmac, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import type { BalanceAnswer } from '../../src/clients/types';
import type { RoundReply } from '../../src/contracts/gameround';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { createApp } from '../../src/http/app';
import type { HttpDeps, HttpLimits } from '../../src/http/deps';
import { createHttpServer, type ServerBounds } from '../../src/http/server';
import { createLogger } from '../../src/logging';
import { createMetrics, type Metrics } from '../../src/metrics';
import { createRng, type Draw } from '../../src/rng';
import { createSessions, type Sessions } from '../../src/sessions';
import { tenantsInMemory, type Tenants } from '../../src/tenants';
import { parseTenants } from '../../src/tenants/file';
import { faultOf, faultOfRequest } from './conformance';
import { fakeCommands, pretendedParts, type FakeCommands, type Pretended } from './pretended';

/** Two operators, which differ only in id and secret, and two providers, each with a game. */
export function tenants(change: (content: TenantsContent) => void = () => undefined): Tenants {
  const content: TenantsContent = {
    operators: ['op1', 'op2'].map((operatorId) => ({
      operatorId,
      operatorUrl: 'http://127.0.0.1:9',
      secrets: [`secret-of-${operatorId}`],
      currencies: { EUR: 1, JPY: 100, BTC: 0.1 },
      gameSettings: { maxStake: 255, minStake: 5, turboEnabled: true },
      profiles: {
        'jurisdiction-de': { turboEnabled: false, autoplayEnabled: false },
        vip: { maxStake: 500 },
      },
    })),
    providers: ['gp1', 'gp2'].map((providerId) => ({
      providerId,
      gameUrl: 'http://127.0.0.1:9',
      secrets: [`secret-of-${providerId}`],
    })),
    games: [
      {
        gameCode: 'slot',
        providerId: 'gp1',
        name: 'Slot',
        studio: 'S',
        launchUrl: 'https://game.example/play?skin=x',
      },
      {
        gameCode: 'other',
        providerId: 'gp2',
        name: 'Other',
        studio: 'O',
        launchUrl: 'https://other.example/',
      },
    ],
  };
  change(content);
  return tenantsInMemory(parseTenants('tenants.json', JSON.stringify(content)));
}

export type TenantsContent = Record<'operators' | 'providers' | 'games', Record<string, unknown>[]>;

export interface Service extends Pretended {
  url: string;
  sessions: Sessions;
  commands: FakeCommands;
  getBalance: jest.Mock<Promise<BalanceAnswer>>;
  openRound: jest.Mock<Promise<RoundSnapshot | undefined>>;
  draws: Draw[];
  metrics: Metrics;
  /** Everything that was logged. */
  log: string[];
  /** A test may change both. `now` only moves forward. `setBackMs`: how far the machine's clock is behind `now`. */
  clock: { now: number; setBackMs: number };
  server: Server;
  stop(): Promise<void>;
}

export const BALANCE = { balances: [{ type: 'real', amount: 10_000, currency: 'EUR' }] };

/** Services of tests that failed before they stopped them. Jest would not end while these run. */
const stops = new Set<() => Promise<void>>();
afterAll(() => Promise.all([...stops].map((stop) => stop())));

/** Starts the app on a free port, with real sessions in MongoDB. Commands, wallet and read model are mocks. */
export async function startService(
  options: {
    tenants?: Tenants;
    limits?: Partial<HttpLimits>;
    bounds?: Partial<ServerBounds>;
    now?: number;
    deps?: Partial<HttpDeps>;
  } = {},
): Promise<Service> {
  const client = await MongoClient.connect(process.env.TEST_MONGODB_URI!);
  const db = client.db(`http-${randomUUID()}`);
  const clock = { now: options.now ?? Date.now(), setBackMs: 0 };
  const wall = (): number => clock.now - clock.setBackMs;
  const log: string[] = [];
  const logger = createLogger({
    level: 'debug',
    process: 'api',
    destination: { write: (line: string) => void log.push(line) },
  });
  const sessions = createSessions({ db, logger, clock: wall, monotonicNow: () => clock.now });
  const commands = fakeCommands();
  const getBalance = jest.fn<Promise<BalanceAnswer>, []>(() =>
    Promise.resolve({ kind: 'balance', balance: BALANCE }),
  );
  const openRound = jest.fn<Promise<RoundSnapshot | undefined>, []>(() => Promise.resolve(undefined));
  const pretended = pretendedParts();
  const metrics = createMetrics({ defaults: false });
  const draws: Draw[] = [];
  const app = createApp({
    baseUrl: 'https://api.example',
    trustedProxies: 0,
    tenants: options.tenants ?? tenants(),
    sessions,
    rounds: { commands, queries: { findOpenRound: openRound } },
    roundLists: pretended.lists,
    reconcile: pretended.reconcile,
    wallet: { getBalance },
    provider: { doGetGameHistory: pretended.doGetGameHistory },
    rng: createRng({ log: (draw) => void draws.push(draw) }),
    gameConfigurations: { get: pretended.gameConfiguration },
    environment: 'test',
    signatureHints: false,
    health: { check: () => Promise.resolve({ ready: true, degraded: false, missing: [] }) },
    metrics,
    logger,
    clock: wall,
    monotonicNow: () => clock.now,
    limits: options.limits,
    ...options.deps,
  });
  const server = createHttpServer(app.callback(), options.bounds);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await sessions.close();
    await db.dropDatabase();
    await client.close();
  };
  let closed: Promise<void> | undefined;
  const stop = (): Promise<void> => (closed ??= close());
  stops.add(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, sessions, commands, getBalance, openRound, ...pretended },
    ...{ draws, metrics, log, clock, server, stop },
  };
}

export const HASH = '0f0f0f0f-0000-8000-8000-00000000000f';

export function roundReply(change: Partial<RoundReply> = {}): RoundReply {
  return {
    gameRoundInfo: {
      hash: HASH,
      status: 'open',
      stake: 100,
      baseStake: 100,
      mode: 'real',
      currency: 'EUR',
      game: 'slot',
      currencyMultiplier: 1,
      commonRoundHash: '',
    },
    gameState: [],
    amountToCollect: 0,
    amountCredited: 0,
    balance: { balances: [{ type: 'real', amount: 9_900, currency: 'EUR' }] },
    ...change,
  };
}

export function snapshot(
  change: Partial<RoundSnapshot> = {},
  identity: Partial<RoundSnapshot['identity']> = {},
) {
  const round: RoundSnapshot = {
    identity: {
      gameround: HASH,
      operatorId: 'op1',
      playerId: 'p1',
      gameCode: 'slot',
      providerId: 'gp1',
      sessionId: 's',
      mode: 'real',
      currency: 'EUR',
      currencyMultiplier: 1,
      language: 'de',
      ...identity,
    },
    openedAt: '2026-01-02T03:04:05.000Z',
    status: 'open',
    crashed: false,
    stake: 100,
    amountToCollect: 250,
    transactions: [
      {
        type: 'debit',
        hash: 'd1',
        isFirstDebit: true,
        amount: 100,
        currency: 'EUR',
        timestamp: '2026-01-02T03:04:05.000Z',
        outcome: 'accepted',
        balanceAfter: 9_900,
      },
    ],
    gameState: [
      {
        hash: 'g1',
        type: 'genericwin',
        processedOn: '2026-01-02T03:04:06.000Z',
        result: { winAmount: 250, info: {} },
        amountWagered: 0,
        collected: 0,
        reason: '',
      },
    ],
    spinCounters: { customspin: { awarded: 5, used: 2 } },
    attention: [],
    ...change,
  };
  return round;
}

export interface Reply {
  status: number;
  headers: Headers;
  body: { errorCode?: { id: number; msg: string; clientmsg: string }; [field: string]: unknown };
  text: string;
}

/** Reads a reply and compares it with the document. An accepted request body is compared, too. */
export async function readReply(response: Response, method = 'GET', sent?: string): Promise<Reply> {
  const text = await response.text();
  const { status, headers, url } = response;
  const body = JSON.parse(text || '{}') as Reply['body'];
  const path = url === '' ? '' : new URL(url).pathname;
  expect(faultOf(method, path, status, body)).toBe('');
  if (status === 200 && sent !== undefined) expect(faultOfRequest(path, JSON.parse(sent))).toBe('');
  return { status, headers, body, text };
}

export interface Signing {
  id?: string;
  secret?: string;
  timestamp?: string;
  signature?: string;
  requestId?: string | null;
  headers?: Record<string, string>;
}

/** Makes a signed game-engine call. */
export async function providerCall(
  { url, clock }: Service,
  path: string,
  body: unknown,
  signing: Signing = {},
): Promise<Reply> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const id = signing.id ?? 'gp1';
  const timestamp = signing.timestamp ?? new Date(clock.now - clock.setBackMs).toISOString();
  const secret = signing.secret ?? `secret-of-${id}`;
  const signature =
    signing.signature ?? createHmac('sha256', secret).update(`${raw}#${timestamp}`).digest('base64');
  const requestId = signing.requestId === undefined ? randomUUID() : signing.requestId;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-h-auth-id': id,
      'x-h-auth-sig': signature,
      'x-h-timestamp': timestamp,
      ...(requestId === null ? {} : { 'x-request-id': requestId }),
      ...signing.headers,
    },
    body: raw,
  });
  return readReply(response, 'POST', raw);
}

/** Makes a signed call of an operator. `fields` are the signed fields after secret, id and time stamp. */
export async function operatorCall(
  { url, clock }: Service,
  method: 'GET' | 'POST',
  path: string,
  fields: string[],
  body: object | string | undefined,
  signing: Signing = {},
): Promise<Reply> {
  const id = signing.id ?? 'op1';
  const timestamp = signing.timestamp ?? new Date(clock.now - clock.setBackMs).toISOString();
  const secret = signing.secret ?? `secret-of-${id}`;
  const message = [secret, id, timestamp, ...fields].join('#');
  const raw = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-h-auth-id': id,
      'x-h-auth-sig': signing.signature ?? createHmac('sha256', secret).update(message).digest('base64'),
      'x-h-timestamp': timestamp,
      ...signing.headers,
    },
    ...(raw === undefined ? {} : { body: raw }),
  });
  return readReply(response, method, raw);
}

export interface Launch {
  playerId?: string | undefined;
  currency?: string;
  gameCode?: string | undefined;
  mode?: string;
  [field: string]: unknown;
}

export async function getGameUrl(
  service: Service,
  launch: Launch = {},
  signing: Signing = {},
): Promise<Reply> {
  const body = { playerId: 'p1', currency: 'EUR', gameCode: 'slot', language: 'de', mode: 'real', ...launch };
  const fields = [...(body.playerId ? [body.playerId] : []), body.currency, body.gameCode ?? '', body.mode];
  return operatorCall(service, 'POST', '/getGameURL', fields, body, signing);
}

/** Launches a game and returns the token of the launch URL. */
export async function launchToken(
  service: Service,
  launch: Launch = {},
  signing: Signing = {},
): Promise<string> {
  const reply = await getGameUrl(service, launch, signing);
  return new URL(reply.body.url as string).searchParams.get('token')!;
}

export async function connect(service: Service, token: string): Promise<Reply> {
  return readReply(await fetch(`${service.url}/connect?token=${token}`));
}

/** Launches a game, connects, and returns the session's token. */
export async function sessionToken(
  service: Service,
  launch: Launch = {},
  signing: Signing = {},
): Promise<string> {
  const reply = await connect(service, await launchToken(service, launch, signing));
  return reply.body.token as string;
}

export const start = (token: string, change: object = {}) => ({
  token,
  rngResult: { rngCallId: 'r1' },
  debitInformation: { debitAmount: 100, currency: 'EUR' },
  ...change,
});

/** docs/interface#token-data of player p1 of op1 in the game slot. */
export const tokenDataOf = (currentToken: string, gameRound: string = HASH) => ({
  operatorId: 'op1',
  playerId: 'p1',
  gameId: 'slot',
  mode: 'real',
  currency: 'EUR',
  currentToken,
  gameRound,
  walletMode: 'seamless',
  language: 'de',
  currencyMultiplier: 1,
  device: 'desktop',
  commonDraw: '',
});
