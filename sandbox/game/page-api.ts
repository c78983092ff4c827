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
import { MACHINE, stakeLadder } from './reels';
import { NoOpenRound, type Seat, type Table } from './table';
import type { Trace, Tracer } from './trace';
import { type Player, SITUATIONS, type WalletDesk } from './wallet-desk';

/** The API for the page in the browser. The page has the id of its seat, and never a token that the service accepts. */
export interface PageApi {
  kit: Kit;
  table: Table;
  client: ProviderClient;
  serviceUrl: string;
  tracer: Tracer;
  desk: WalletDesk | undefined;
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
const switchBody = z.object({ situation: z.string().max(64), on: z.boolean() });
const giveBody = z.union([z.object({ freePlaysOf: z.int().min(1) }), z.object({ balance: z.int().min(0) })]);

/** The fields of the connect reply (docs/interface#connect) that this game reads. */
const connected = z.looseObject({
  token: z.string(),
  tokenData: z.looseObject({ currencyMultiplier: z.number().optional() }),
  balance: z.unknown().optional(),
  gameSettings: z.looseObject({ customStakes: z.array(z.number()).optional() }).optional(),
  freePlaysAvailable: z.unknown().optional(),
  gameHistory: z.unknown().optional(),
});

type Action = () => Promise<GameReply | VoidReply | undefined>;
const NO_VIEW = (): undefined => undefined;

export function addPageApi(api: PageApi): void {
  const seats = new BoundedMap<Seat>(SEATS_KEPT);
  const { router } = api.kit;
  const { table } = api;
  const at = (path: string, run: (ctx: Context, seat: Seat) => Promise<void>): void => {
    router.post(`/api/${path}`, async (ctx) => {
      const seat = seats.get(ctx.get(SEAT_HEADER));
      if (seat === undefined)
        return send(ctx, { status: 401, body: { error: { message: 'Please open the game again.' } } });
      await api.tracer.during(seat.trace, () => run(ctx, seat));
    });
  };
  router.post('/api/connect', (ctx) => connect(api, seats, ctx));
  at('state', (ctx, seat) => act(api, ctx, seat, () => table.refresh(seat)));
  at('collect', (ctx, seat) => act(api, ctx, seat, () => table.collect(seat)));
  at('end', (ctx, seat) => act(api, ctx, seat, () => table.end(seat)));
  at('void', (ctx, seat) => act(api, ctx, seat, () => table.void(seat)));
  at('spin', async (ctx, seat) => {
    const bet = parsedOr400(ctx, spinBody, callState(ctx).json);
    if (bet !== undefined) await act(api, ctx, seat, () => table.spin(seat, bet));
  });
  at('win', async (ctx, seat) => {
    const wanted = parsedOr400(ctx, winBody, callState(ctx).json);
    if (wanted !== undefined) await act(api, ctx, seat, () => table.bonus(seat, wanted.collect));
  });
  at('rounds', (ctx, seat) =>
    guarded(ctx, NO_VIEW, async () =>
      send(ctx, { status: 200, body: { rounds: await table.lastRounds(seat) } }),
    ),
  );
  at('calls', (ctx, seat) => calls(api, ctx, seat));
  at('switch', async (ctx, seat) => {
    const wanted = parsedOr400(ctx, switchBody, callState(ctx).json);
    const player = playerOf(seat);
    if (wanted === undefined) return;
    const known = player && (await api.desk?.set(player, wanted.situation, wanted.on));
    send(ctx, { status: known ? 200 : 404, body: {} });
  });
  at('give', async (ctx, seat) => {
    const wanted = parsedOr400(ctx, giveBody, callState(ctx).json);
    const player = playerOf(seat);
    if (wanted === undefined) return;
    if (player === undefined || api.desk === undefined) return send(ctx, { status: 404, body: {} });
    if ('balance' in wanted) await api.desk.setBalance(player, wanted.balance);
    else await api.desk.giveFreePlays(player, seat.gameCode, wanted.freePlaysOf);
    await act(api, ctx, seat, () => table.refresh(seat));
  });
}

/** Returns the game's calls to the service, the calls that the wallet received, and the switches that are on. */
async function calls({ desk }: PageApi, ctx: Context, seat: Seat): Promise<void> {
  const player = playerOf(seat);
  const [wallet, on] =
    desk === undefined || player === undefined
      ? [[], []]
      : await Promise.all([desk.calls(player, seat.since), desk.switchedOn(player)]);
  send(ctx, { status: 200, body: { service: seat.trace, wallet, on } });
}

/** Undefined without real money, since the operator's wallet is not used then. */
function playerOf({ mode, tokenData }: Seat): Player | undefined {
  const { operatorId, playerId, currency } = tokenData;
  const isReal = mode === 'real' && operatorId !== undefined && playerId !== undefined;
  return isReal && currency !== undefined ? { operatorId, playerId, currency } : undefined;
}

/** Uses the launch token. The login link comes from the page's URL, so only its path is used, and not its host. */
async function connect(api: PageApi, seats: BoundedMap<Seat>, ctx: Context): Promise<void> {
  const body = parsedOr400(ctx, connectBody, callState(ctx).json);
  if (body === undefined) return;
  const trace: Trace = [];
  const since = api.kit.now().toISOString();
  await api.tracer.during(trace, () =>
    guarded(ctx, NO_VIEW, async () => {
      const reply = await spendLaunchToken(api, body.login, body.token);
      const seat = { ...newSeat(reply, body.gameCode), since, trace };
      if (seat.mode === 'history')
        seat.history = await pastRound(api, seat, body.gameRound, reply.gameHistory);
      else await api.table.refresh(seat);
      seats.set(seat.id, seat);
      send(ctx, { status: 200, body: { view: viewOf(api, seat) } });
    }),
  );
}

async function spendLaunchToken(
  { serviceUrl, tracer: { debug } }: PageApi,
  login: string,
  token: string,
): Promise<z.output<typeof connected>> {
  const url = new URL(serviceUrl);
  url.pathname = new URL(login, serviceUrl).pathname;
  url.searchParams.set('token', token);
  const timeoutMs = CONNECT_TIMEOUT_MS;
  const reply = await exchange({ method: 'GET', url: url.href, headers: {}, timeoutMs, debug });
  const parsed = connected.safeParse(reply.body);
  if (reply.status !== 200 || !parsed.success) throw new InterfaceError('/connect', reply);
  return parsed.data;
}

function newSeat(reply: z.output<typeof connected>, gameCode: string): Omit<Seat, 'since' | 'trace'> {
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
    unanswered: undefined,
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

async function act(api: PageApi, ctx: Context, seat: Seat, action: Action): Promise<void> {
  await guarded(
    ctx,
    () => viewOf(api, seat),
    async () => {
      const reply = await action();
      send(ctx, { status: 200, body: { view: viewOf(api, seat), reply: reply && shownReply(reply) } });
    },
  );
}

async function guarded(
  ctx: Context,
  view: () => Record<string, unknown> | undefined,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    send(ctx, {
      status: failure.status,
      body: { error: failure.error, view: view() },
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
      error: {
        message:
          'The outcome is not known yet. The service continues by itself, and no money is lost. Press the same button again: the game sends the same call with the same ids.',
      },
    };
  }
  if (error instanceof NoOpenRound) return { status: 422, error: { message: 'No round is open.' } };
  return undefined;
}

/** All data for the page, without tokens. */
function viewOf({ desk }: PageApi, seat: Seat): Record<string, unknown> {
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
    machine: MACHINE,
    situations: desk && playerOf(seat) ? SITUATIONS : [],
  };
}

function shownReply({ tokenData: _, ...rest }: GameReply | VoidReply): Record<string, unknown> {
  return rest;
}
