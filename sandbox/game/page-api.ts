import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { z } from 'zod';
import {
  type GameReply,
  InterfaceError,
  LostResponse,
  type ProviderClient,
  type TokenData,
  type VoidReply,
} from '../../sdk';
import { exchange } from '../../sdk/transport';
import { send } from '../http/fault-effects';
import { callState, type Kit, parsedOr400 } from '../http/kit';
import { BoundedMap } from './bounded-map';
import { stakeLadder } from './reels';
import { NoOpenRound, type Seat, type Table } from './table';

/** What the page in the browser calls. It holds a seat's id and never a token that the service would take. */
export interface PageApi {
  kit: Kit;
  table: Table;
  client: ProviderClient;
  serviceUrl: string;
}

const SEATS_KEPT = 10_000;
const CONNECT_TIMEOUT_MS = 15_000;
const SEAT_HEADER = 'X-Game-Seat';

const connectBody = z.object({
  token: z.string().min(1).max(512),
  login: z.string().max(2_000),
  gameCode: z.string().max(128).default(''),
  gameRound: z.string().max(128).optional(),
});
const spinBody = z.object({
  stake: z.int().min(0),
  quick: z.boolean().default(false),
  useTicket: z.boolean().default(false),
  closeOpenGame: z.boolean().default(false),
});
const winBody = z.object({ collect: z.boolean().default(false) });

/** Of the connect reply (docs/interface#connect), what this game reads. */
const connected = z.looseObject({
  token: z.string(),
  tokenData: z.looseObject({ currencyMultiplier: z.number().optional() }),
  balance: z.unknown().optional(),
  gameSettings: z.looseObject({ customStakes: z.array(z.number()).optional() }).optional(),
  freePlaysAvailable: z.unknown().optional(),
  gameHistory: z.unknown().optional(),
});

type Action = (seat: Seat) => Promise<GameReply | VoidReply | undefined>;

export function addPageApi(api: PageApi): void {
  const seats = new BoundedMap<Seat>(SEATS_KEPT);
  const { router } = api.kit;
  const { table } = api;
  router.post('/api/connect', (ctx) => connect(api, seats, ctx));
  router.post('/api/state', (ctx) => act(seats, ctx, (seat) => table.refresh(seat)));
  router.post('/api/collect', (ctx) => act(seats, ctx, (seat) => table.collect(seat)));
  router.post('/api/end', (ctx) => act(seats, ctx, (seat) => table.end(seat)));
  router.post('/api/void', (ctx) => act(seats, ctx, (seat) => table.void(seat)));
  router.post('/api/spin', async (ctx) => {
    const bet = parsedOr400(ctx, spinBody, callState(ctx).json);
    if (bet !== undefined) await act(seats, ctx, (seat) => table.spin(seat, bet));
  });
  router.post('/api/win', async (ctx) => {
    const wanted = parsedOr400(ctx, winBody, callState(ctx).json);
    if (wanted !== undefined) await act(seats, ctx, (seat) => table.bonus(seat, wanted.collect));
  });
}

/** Spends the launch token. The login link comes from the page's URL: its path is used, its host is not. */
async function connect(api: PageApi, seats: BoundedMap<Seat>, ctx: Context): Promise<void> {
  const body = parsedOr400(ctx, connectBody, callState(ctx).json);
  if (body === undefined) return;
  await guarded(ctx, undefined, async () => {
    const reply = await spendLaunchToken(api.serviceUrl, body.login, body.token);
    const seat = newSeat(reply, body.gameCode);
    if (seat.mode === 'history') seat.history = await pastRound(api, seat, body.gameRound, reply.gameHistory);
    else await api.table.refresh(seat);
    seats.set(seat.id, seat);
    send(ctx, { status: 200, body: { view: viewOf(seat) } });
  });
}

async function spendLaunchToken(
  serviceUrl: string,
  login: string,
  token: string,
): Promise<z.output<typeof connected>> {
  const { pathname } = new URL(login, serviceUrl);
  const url = new URL(pathname, serviceUrl);
  url.searchParams.set('token', token);
  const reply = await exchange({ method: 'GET', url: url.href, headers: {}, timeoutMs: CONNECT_TIMEOUT_MS });
  const parsed = connected.safeParse(reply.body);
  if (reply.status !== 200 || !parsed.success) throw new InterfaceError('/connect', reply);
  return parsed.data;
}

function newSeat(reply: z.output<typeof connected>, gameCode: string): Seat {
  const tokenData = reply.tokenData as Partial<TokenData>;
  const custom = reply.gameSettings?.customStakes ?? [];
  return {
    id: randomUUID(),
    token: reply.token,
    tokenData,
    gameCode,
    mode: tokenData.mode ?? 'real',
    stakes: custom.length > 0 ? custom : stakeLadder(tokenData.currencyMultiplier ?? 1),
    round: undefined,
    spin: undefined,
    balance: reply.balance,
    freePlays: reply.freePlaysAvailable,
    history: undefined,
  };
}

async function pastRound(
  { client }: PageApi,
  { token, tokenData }: Seat,
  asked: string | undefined,
  gameHistory: unknown,
): Promise<unknown> {
  const gameRound = asked ?? tokenData.gameRound ?? '';
  const { gameRoundInfo, gameState, protectedInfo } = await client.getGameRoundHistoryInfo({
    token,
    gameRound,
  });
  return { gameRoundInfo, gameState, protectedInfo, gameHistory };
}

async function act(seats: BoundedMap<Seat>, ctx: Context, action: Action): Promise<void> {
  const seat = seats.get(ctx.get(SEAT_HEADER));
  if (seat === undefined)
    return send(ctx, { status: 401, body: { error: { message: 'Please open the game again.' } } });
  await guarded(ctx, seat, async () => {
    const reply = await action(seat);
    send(ctx, { status: 200, body: { view: viewOf(seat), reply: reply && shownReply(reply) } });
  });
}

async function guarded(ctx: Context, seat: Seat | undefined, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    send(ctx, {
      status: failure.status,
      body: { error: failure.error, ...(seat && { view: viewOf(seat) }) },
    });
  }
}

function failureOf(error: unknown): { status: number; error: Record<string, unknown> } | undefined {
  if (error instanceof InterfaceError) {
    const { errorCode, status } = error;
    const message = errorCode?.clientmsg || 'The service refused the request.';
    return { status: status >= 500 ? 502 : 422, error: { message, serviceStatus: status, errorCode } };
  }
  if (error instanceof LostResponse) {
    return {
      status: 502,
      error: { message: 'No answer from the service. Press Refresh to see where the round stands.' },
    };
  }
  if (error instanceof NoOpenRound) return { status: 422, error: { message: 'No round is open.' } };
  return undefined;
}

/** Everything the page shows, and no token in it. */
function viewOf(seat: Seat): Record<string, unknown> {
  const { id, mode, gameCode, stakes, round, spin, balance, freePlays, history, tokenData } = seat;
  const { currency, language, playerId } = tokenData;
  return {
    seat: id,
    mode,
    gameCode,
    currency,
    language,
    playerId,
    stakes,
    round,
    spin,
    balance,
    freePlays,
    history,
  };
}

function shownReply({ tokenData: _, ...rest }: GameReply | VoidReply): Record<string, unknown> {
  return rest;
}
