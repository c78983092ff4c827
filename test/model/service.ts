import { randomUUID } from 'node:crypto';
import { operatorFields } from '../../sdk';
import { callAsOperator, callAsProvider, exchange, type Answer } from '../support/e2e-http';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { recordShown, type Books, type RecordOnWire } from './compare';
import type { Setup } from './reference';
import { meaningOf, REPEATABLE_ERROR, type Call, type Fault, type GameIndex } from './types';
import { A_RECORD } from '../../src/read-model/guards';

/** The player's two games: plain, and with follow-up debits. */
export const GAMES = [
  { code: 'model-slot', followUpDebits: false },
  { code: 'model-follow-up', followUpDebits: true },
] as const;
/** More than one, so that a hanging wallet call takes the slots of few others. */
const OPERATORS = ['op1', 'op2', 'op3', 'op4'];
const WHOLE = 'op-whole';

export function startService(): Promise<E2eStack> {
  return startE2eStack({
    operators: [...OPERATORS, WHOLE].map((operatorId) => ({
      operatorId,
      walletTimeout: '6s',
      gameRoundReport: false,
      voidsWholeRound: operatorId === WHOLE,
      repeatableErrorIds: [REPEATABLE_ERROR],
    })),
    games: GAMES.map(({ code, followUpDebits }) => ({ gameCode: code, followUpDebits })),
    env: { LOG_LEVEL: 'warn' },
  });
}

/** What the sandbox gives an unknown player. */
export const DEFAULT_MONEY = 100_000;

/** Longer than any answer takes, also on a machine that is busy with other things. */
const PATIENCE_MS = 90_000;

/** A player of one's own at the real service: signed calls, the sandbox wallet's switches and books. */
export class Player {
  readonly #faults: number[] = [];

  readonly #tokens: (string | undefined)[] = [];

  private constructor(
    private readonly stack: E2eStack,
    private readonly setup: Setup,
    readonly operatorId: string,
    readonly playerId: string,
  ) {}

  static async arrive(stack: E2eStack, setup: Setup): Promise<Player> {
    const operatorId = setup.voidsWholeRound
      ? WHOLE
      : OPERATORS[Math.floor(Math.random() * OPERATORS.length)]!;
    const playerId = `player-${randomUUID()}`;
    const currencies = setup.money === DEFAULT_MONEY ? [] : currenciesOf(setup);
    for (const currency of currencies) {
      const body = { currency, balance: setup.money };
      await admin(stack, 'PUT', `players/${playerId}?operatorId=${operatorId}`, body);
    }
    for (const { serial, game, stake, count } of setup.tickets) {
      const { code, currency } = setup.games[game]!;
      const ticket = { playerId, gameCode: code, currency, stake, count, serial };
      await admin(stack, 'POST', `tickets?operatorId=${operatorId}`, ticket);
    }
    return new Player(stack, setup, operatorId, playerId);
  }

  /** Opens a session in that game; false where there is one already. */
  async sitDown(game: GameIndex): Promise<boolean> {
    if (this.#tokens[game] !== undefined) return false;
    const { code, currency } = this.setup.games[game]!;
    this.#tokens[game] = await launch(this.stack, this.operatorId, this.playerId, code, currency);
    return true;
  }

  send({ kind, game, requestId, body }: Call): Promise<Answer> {
    const { stack, operatorId, playerId } = this;
    const operator = stack.operator(operatorId);
    const gameRound = body.gameRound ?? '';
    if (kind === 'reconcileTransactions') {
      const fields = operatorFields.reconcileTransactions({ gameRound });
      return callAsOperator(
        stack.api,
        operator,
        { path: `/${kind}`, request: { gameRound }, fields },
        { timeoutMs: PATIENCE_MS },
      );
    }
    if (kind === 'getGameRoundDetails') {
      const request = { playerId, gameRound };
      const fields = operatorFields.getGameRoundDetails(request);
      return callAsOperator(stack.api, operator, { path: `/${kind}`, request, fields, method: 'GET' });
    }
    const request = { token: this.#tokens[game], ...body };
    return callAsProvider(stack.api, stack.provider, `/${kind}`, request, {
      requestId,
      timeoutMs: PATIENCE_MS,
    });
  }

  /** Sets faults for the wallet's next calls for this player. */
  async arm(faults: readonly Fault[]): Promise<void> {
    for (const fault of faults) {
      const match = { type: fault.on, playerId: this.playerId, path: '/doTransactions' };
      const body = { ...meaningOf(fault).switch, match };
      this.#faults.push(((await admin(this.stack, 'POST', 'faults', body)) as { id: number }).id);
    }
  }

  /** Takes back those that nothing has met, and forgets the others. */
  async disarm(): Promise<void> {
    for (const id of this.#faults.splice(0)) await admin(this.stack, 'DELETE', `faults/${id}`);
  }

  async books(): Promise<Books> {
    const { operatorId, playerId } = this;
    const [ledger, account, records] = await Promise.all([
      admin(this.stack, 'GET', `ledger?operatorId=${operatorId}&playerId=${playerId}`) as Promise<Ledger>,
      admin(
        this.stack,
        'GET',
        `players/${playerId}?operatorId=${operatorId}`,
        undefined,
        404,
      ) as Promise<Account>,
      this.stack.db
        .collection<RecordOnWire & { _id: string; player: string }>('gamerounds')
        .find({ operator: operatorId, player: playerId, ...A_RECORD }, { projection: { snapshot: 0 } })
        .toArray(),
    ]);
    const moves: Books['moves'] = {};
    const seen = new Set<string>();
    for (const { gameRound, type, hash, amount, realDelta } of ledger.movements) {
      if (gameRound === undefined) continue;
      if (seen.has(`${type} ${hash}`)) throw new Error(`${type} ${hash} moved money twice`);
      seen.add(`${type} ${hash}`);
      (moves[gameRound] ??= []).push(`${type} ${type === 'void' ? realDelta : amount} ${realDelta}`);
    }
    const known = new Map(account.balances.map(({ currency, real }) => [currency, real]));
    return {
      money: Object.fromEntries(
        currenciesOf(this.setup).map((currency) => [currency, known.get(currency) ?? DEFAULT_MONEY]),
      ),
      moves,
      records: Object.fromEntries(records.map((record) => [record._id, recordShown(record)])),
    };
  }
}

interface Ledger {
  movements: { gameRound?: string; type: string; hash: string; amount: number; realDelta: number }[];
}

interface Account {
  balances: { currency: string; real: number }[];
}

const currenciesOf = ({ games }: Setup): string[] => [...new Set(games.map(({ currency }) => currency))];

async function admin(
  { walletUrl }: E2eStack,
  method: string,
  path: string,
  body?: object,
  alsoGood = 200,
): Promise<unknown> {
  const response = await fetch(`${walletUrl}/sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok && response.status !== alsoGood)
    throw new Error(`sandbox ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function launch(
  stack: E2eStack,
  operatorId: string,
  playerId: string,
  gameCode: string,
  currency: string,
): Promise<string> {
  const request = { playerId, currency, gameCode, language: 'en', mode: 'real' };
  const fields = operatorFields.getGameURL(request);
  const call = { path: '/getGameURL', request, fields };
  const launched = await callAsOperator(stack.api, stack.operator(operatorId), call);
  if (launched.status !== 200)
    throw new Error(`getGameURL: ${launched.status} ${JSON.stringify(launched.body)}`);
  const { searchParams } = new URL(String(launched.body.url));
  const query = new URLSearchParams({ token: searchParams.get('token') ?? '' });
  const connected = await exchange({ url: `${searchParams.get('login')}?${query.toString()}` });
  if (connected.status !== 200)
    throw new Error(`connect: ${connected.status} ${JSON.stringify(connected.body)}`);
  return String(connected.body.token);
}
