import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { z } from 'zod';
import { callState, type Kit, parsedOr400 } from '../http/kit';
import { send } from '../http/fault-effects';
import type { SandboxOperator } from '../tenants';
import type { Books } from './books';
import { accountOf, type Ledger } from './ledger';
import type { Movement, Round } from './ledger-types';
import { discountBody, normalId, playerBody, ticketBody } from './protocol';

export interface WalletAdmin {
  kit: Kit;
  books: Books;
  operators: readonly SandboxOperator[];
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const PAGE = 10_000;

const ledgerQuery = z.object({
  operatorId: z.string().optional(),
  playerId: z.string().optional(),
  gameRound: z.string().transform(normalId).optional(),
  /** Only movements with a greater `seq`. Together with `limit`, this reads the ledger page by page. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000_000).default(PAGE),
});

/** The operator in `?operatorId=`, or the first one. If it is unknown, sends a 404 and returns undefined. */
function operatorOf(admin: WalletAdmin, ctx: Context): { operatorId: string; ledger: Ledger } | undefined {
  const asked = ctx.query['operatorId'] ?? admin.operators[0]?.operatorId ?? '';
  const operatorId = String(asked);
  const ledger = admin.books.ledger(operatorId);
  if (ledger !== undefined) return { operatorId, ledger };
  send(ctx, { status: 404, body: { error: 'no such operator' } });
  return undefined;
}

export function addWalletAdmin(admin: WalletAdmin): void {
  const { router } = admin.kit;
  router.get('/sandbox/ledger', (ctx) => getLedger(admin, ctx));
  router.get('/sandbox/players/:id', (ctx) => getPlayer(admin, ctx));
  router.put('/sandbox/players/:id', (ctx) => putPlayer(admin, ctx));
  router.post('/sandbox/tickets', (ctx) => postTicket(admin, ctx));
  router.post('/sandbox/discounts', (ctx) => postDiscount(admin, ctx));
  router.get('/sandbox/reports', (ctx) => getReport(admin, ctx));
}

function getLedger(admin: WalletAdmin, ctx: Context): void {
  const operator = operatorOf(admin, ctx);
  const query = operator && parsedOr400(ctx, ledgerQuery, ctx.query);
  if (operator === undefined || query === undefined) return;
  const { playerId, gameRound, after, limit } = query;
  const movements = movementsOf(operator.ledger, playerId, gameRound).filter(({ seq }) => seq > after);
  const page = movements.slice(0, limit);
  const body = {
    operatorId: operator.operatorId,
    rounds: roundsOf(operator.ledger, playerId, gameRound, page).map(shownRound),
    movements: page,
    ...(movements.length > limit ? { nextAfter: page.at(-1)?.seq } : {}),
  };
  send(ctx, { status: 200, body });
}

function movementsOf(ledger: Ledger, playerId?: string, gameRound?: string): Movement[] {
  const round = gameRound === undefined ? undefined : ledger.rounds.get(gameRound);
  if (gameRound !== undefined && round === undefined) return [];
  const owner = playerId ?? round?.playerId;
  const movements = owner === undefined ? ledger.movements : (ledger.movementsOfPlayer.get(owner) ?? []);
  return movements.filter((one) => gameRound === undefined || one.gameRound === gameRound);
}

/** A round whose debit was refused has no movement, so the rounds are not taken from the movements only. */
function roundsOf(
  ledger: Ledger,
  playerId: string | undefined,
  gameRound: string | undefined,
  page: readonly Movement[],
): Round[] {
  if (gameRound !== undefined) {
    const round = ledger.rounds.get(gameRound);
    return round && (playerId ?? round.playerId) === round.playerId ? [round] : [];
  }
  if (playerId !== undefined) return [...ledger.rounds.values()].filter((one) => one.playerId === playerId);
  const seen = new Set(page.flatMap((one) => one.gameRound ?? []));
  return [...seen].flatMap((hash) => ledger.rounds.get(hash) ?? []);
}

/** `net` is the change of the player's balances by the round: credits and voids minus debits. */
function shownRound(round: Round): Record<string, unknown> {
  const sum = (movements: Map<string, Movement>): number =>
    [...movements.values()].reduce((total, { realDelta, bonusDelta }) => total + realDelta + bonusDelta, 0);
  const [debited, credited, voided] = [-sum(round.debits) || 0, sum(round.credits), sum(round.voids)];
  const { gameRound, playerId, gameCode, currency, status, initialDebit } = round;
  const refused = [...round.refused.values()];
  const net = credited + voided - debited;
  return {
    gameRound,
    playerId,
    gameCode,
    currency,
    status,
    initialDebit,
    debited,
    credited,
    voided,
    net,
    refused,
  };
}

function getPlayer(admin: WalletAdmin, ctx: Context): void {
  const operator = operatorOf(admin, ctx);
  if (operator === undefined) return;
  const playerId = String((ctx.params as Record<string, string>)['id']);
  const currencies = [...operator.ledger.house.keys()];
  const balances = currencies.flatMap((currency) => {
    const balance = accountOf(operator.ledger, playerId, currency);
    return balance === undefined ? [] : [{ currency, ...balance }];
  });
  send(ctx, { status: balances.length === 0 ? 404 : 200, body: { playerId, balances } });
}

async function putPlayer(admin: WalletAdmin, ctx: Context): Promise<void> {
  const operator = operatorOf(admin, ctx);
  const wanted = operator && parsedOr400(ctx, playerBody, callState(ctx).json);
  if (operator === undefined || wanted === undefined) return;
  const playerId = String((ctx.params as Record<string, string>)['id']);
  await admin.books.adjust(operator.operatorId, playerId, wanted, admin.kit.now().toISOString());
  getPlayer(admin, ctx);
}

async function postTicket(admin: WalletAdmin, ctx: Context): Promise<void> {
  const operator = operatorOf(admin, ctx);
  const wanted = operator && parsedOr400(ctx, ticketBody, callState(ctx).json);
  if (operator === undefined || wanted === undefined) return;
  const ticket = { ...wanted, serial: wanted.serial ?? randomUUID() };
  await admin.books.grantTicket(operator.operatorId, ticket, admin.kit.now().toISOString());
  send(ctx, { status: 201, body: ticket });
}

async function postDiscount(admin: WalletAdmin, ctx: Context): Promise<void> {
  const operator = operatorOf(admin, ctx);
  const wanted = operator && parsedOr400(ctx, discountBody, callState(ctx).json);
  if (operator === undefined || wanted === undefined) return;
  const now = admin.kit.now();
  const discount = {
    ...wanted,
    campaignId: wanted.campaignId ?? randomUUID(),
    validFrom: wanted.validFrom ?? now.toISOString(),
    validTo: wanted.validTo ?? new Date(now.getTime() + DAY_MS).toISOString(),
  };
  await admin.books.grantDiscount(operator.operatorId, discount, now.toISOString());
  send(ctx, { status: 201, body: discount });
}

function getReport(admin: WalletAdmin, ctx: Context): void {
  const operator = operatorOf(admin, ctx);
  if (operator === undefined) return;
  const gameRound = ctx.query['gameRound'];
  const report = admin.books.reportOf(
    operator.operatorId,
    typeof gameRound === 'string' ? normalId(gameRound) : '',
  );
  send(ctx, report === undefined ? { status: 404, body: {} } : { status: 200, body: report });
}
