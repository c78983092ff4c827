import { setTimeout as sleep } from 'node:timers/promises';
import { operatorFields } from '../../sdk';
import {
  callAsOperator,
  callAsProvider,
  exchange,
  type Answer,
  type Party,
} from '../../test/support/e2e-http';
import { stream, type Stream } from '../random';
import type { Stack } from '../stack';
import { CURRENCY, partyOf, provider, type Game } from '../tenants';
import { isDefinite, type Command, type Heard, type Notes } from './notes';
import { planOf, type Manner, type RoundPlan, type Step } from './plan';

/** Longer than the service needs for any answer (10 s). */
const CALL_TIMEOUT_MS = 12_000;
/** Number from which the rounds of `spin` are counted, so that they differ from the rounds of `play`. */
const LAST = 1_000_000;
const PAUSES_MS = [50, 200, 400, 800, 1_500, 2_500] as const;

export interface Who {
  playerId: string;
  operatorId: string;
  game: Game;
  /** The provider whose server calls. Default: the provider of all games. */
  provider?: Party;
}

export interface Table {
  stack: Stack;
  notes: Notes;
  seed: number;
  /** True when no new rounds and no further attempts should be made. */
  isOver: () => boolean;
}

interface Call {
  key: string;
  path: string;
  request: Record<string, unknown>;
}

/**
 * A player of a game. Calls as the provider's server does (docs/interface#lost-reply): after a lost answer it asks
 * getGameRoundInfo, and repeats the call under the same key.
 */
export class Player {
  rounds = 0;
  #token: string | undefined;
  readonly #pause: Stream;

  constructor(
    readonly who: Who,
    private readonly table: Table,
  ) {
    this.#pause = stream(table.seed, 'pauses', who.playerId);
  }

  /** Plays one round after another until the time is over. */
  async play(): Promise<void> {
    for (let n = 1; !this.table.isOver(); n += 1) {
      const { playerId, game } = this.who;
      const plan = planOf(this.table.seed, playerId, game, n);
      if (this.#token === undefined) this.#token = await this.#sitDown();
      if (this.#token === undefined) return;
      this.rounds += 1;
      await this.#playRound(plan);
      await sleep(plan.pauseMs);
    }
  }

  /** Plays a whole round in one call, and closes an open round. `nth` counts the calls of `spin`. */
  async spin(nth: number): Promise<Answer | undefined> {
    this.#token ??= await this.#sitDown(true);
    const { ticket: _, ...plan } = planOf(this.table.seed, this.who.playerId, this.who.game, LAST + nth);
    const spin = { ...plan, endGame: true, closeOpenGame: true };
    const call = this.#startCall(spin, spin.rngCallId, spin.stake, spin.winAmount);
    return (await this.#once(spin.name, call)).answer;
  }

  /** Repeats a call that has no definite answer. */
  async repeat(key: string, { path, request, roundName }: Command): Promise<void> {
    const call = { key, path, request };
    const { answer } = await this.#once(roundName, call);
    if (answer?.status === 401) await this.#once(roundName, await this.#withNewToken(call, true));
  }

  /** Makes one call outside any plan. */
  async say(
    roundName: string,
    path: string,
    own: Record<string, unknown>,
    about: Pick<Command, 'inVain'> = {},
  ): Promise<Heard> {
    this.#token ??= await this.#sitDown(true);
    const { rngResult, externalGameProviderTransactionId } = own as {
      rngResult?: { rngCallId: string };
      externalGameProviderTransactionId?: string;
    };
    const key = this.#key(roundName, path, externalGameProviderTransactionId ?? rngResult?.rngCallId ?? '');
    return this.#once(roundName, { key, path, request: { token: this.#token, ...own } }, about);
  }

  async read(roundName: string, gameRound: string): Promise<Heard> {
    const request = { token: this.#token, gameRound };
    return this.#once(roundName, { key: '', path: '/getGameRoundInfo', request });
  }

  async #playRound(plan: RoundPlan): Promise<void> {
    if (plan.ticket !== undefined) await this.#grantTicket(plan.ticket, plan.stake);
    const gameRound = await this.#start(plan);
    if (gameRound === undefined || plan.endGame) return;
    const { last, steps } = plan;
    for (const step of last === 'leave' ? steps : [...steps, last]) {
      await sleep(step.pauseMs);
      if ((await this.#step(plan, gameRound, step)) === 'over') return;
    }
  }

  /** Returns the round's hash if the round is open now. */
  async #start(plan: RoundPlan): Promise<string | undefined> {
    const call = this.#startCall(plan, plan.rngCallId, plan.stake, plan.winAmount);
    const answer = await this.#insist(plan.name, call, plan, { externalGameProviderRoundId: plan.name });
    const info = answer?.body.gameRoundInfo;
    const isThis = answer?.body.errorCode?.msg !== 'GAMEROUNDALREADYSTARTED';
    return isThis && info?.status === 'open' ? info.hash : undefined;
  }

  #startCall(plan: RoundPlan, rngCallId: string, stake: number, winAmount: number): Call {
    const isFirst = rngCallId === plan.rngCallId;
    const useTicket = isFirst && plan.ticket !== undefined;
    return {
      key: this.#key(plan.name, '/startGameRound', rngCallId),
      path: '/startGameRound',
      request: {
        token: this.#token,
        rngResult: { rngCallId, winAmount },
        debitInformation: {
          currency: CURRENCY,
          debitAmount: stake,
          ...(useTicket ? { useTicketInfo: { useTicket: true } } : {}),
        },
        endGame: isFirst && plan.endGame,
        closeOpenGame: isFirst && plan.closeOpenGame,
        externalGameProviderRoundId: plan.name,
      },
    };
  }

  async #step(plan: RoundPlan, gameRound: string, step: Step): Promise<'open' | 'over'> {
    if (step.kind === 'reconcile') {
      await reconcile(this.table, this.who.operatorId, gameRound);
      return 'over';
    }
    if (step.kind === 'rivals') {
      const pair = [
        this.#call(plan, gameRound, { ...step, kind: 'end', key: step.endKey }),
        this.#call(plan, gameRound, { ...step, kind: 'void' }),
      ];
      await Promise.all(pair.map((call) => this.#insist(plan.name, call, step, { gameRound })));
      return 'over';
    }
    const answer = await this.#insist(plan.name, this.#call(plan, gameRound, step), step, { gameRound });
    return answer?.body.gameRoundInfo?.status === 'open' ? 'open' : 'over';
  }

  #call(plan: RoundPlan, gameRound: string, step: Exclude<Step, { kind: 'reconcile' | 'rivals' }>): Call {
    if (step.kind === 'bet') return this.#startCall(plan, step.rngCallId, step.stake, step.winAmount);
    const [path, own] = this.#ownPart(step);
    const key = this.#key(plan.name, path, step.kind === 'void' ? '' : step.key);
    return { key, path, request: { token: this.#token, gameRound, ...own } };
  }

  #ownPart(step: Exclude<Step, { kind: 'reconcile' | 'rivals' | 'bet' }>): [path: string, own: object] {
    switch (step.kind) {
      case 'win':
        return [
          '/addWin',
          {
            rngResult: { rngCallId: step.key, winAmount: step.winAmount },
            collect: step.collect,
            externalGameProviderTransactionId: step.key,
          },
        ];
      case 'collect':
        return ['/collectWin', { externalGameProviderTransactionId: step.key, amount: step.amount }];
      case 'spins':
        return [
          '/addSpinCounterGameState',
          {
            counterType: 'customspin',
            rngResult: { rngCallId: step.key, result: { awarded: step.awarded, used: step.used } },
            externalGameProviderTransactionId: step.key,
          },
        ];
      case 'end':
        return ['/endGameRound', { externalGameProviderTransactionId: step.key }];
      case 'void':
        return ['/voidGameRound', {}];
    }
  }

  /** After a restore of MongoDB the session may be lost. A new session of the same player reaches the same rounds. */
  async #withNewToken(call: Call, insists = false): Promise<Call> {
    this.#token = await this.#sitDown(insists);
    return { ...call, request: { ...call.request, token: this.#token } };
  }

  /** Repeats the call until there is a definite answer, all attempts are used, or the time is over. */
  async #insist(roundName: string, first: Call, manner: Manner, asked: object): Promise<Answer | undefined> {
    let call = first;
    for (const [attempt, pauseMs] of PAUSES_MS.entries()) {
      const callers = Array.from({ length: attempt === 0 ? manner.copies : 1 }, () =>
        this.#once(roundName, call),
      );
      const answers = (await Promise.all(callers)).map(({ answer }) => answer);
      const definite =
        answers.find((one) => isDefinite(one) && one.status === 200) ?? answers.find(isDefinite);
      if (definite !== undefined) {
        if (manner.again) await this.#once(roundName, call);
        return definite;
      }
      if (answers.some((one) => one?.status === 401 && one.body.errorCode?.msg !== 'SIGNATUREWRONG'))
        call = await this.#withNewToken(call);
      if (this.table.isOver()) return undefined;
      await sleep(pauseMs + this.#pause.int(0, 100));
      const told = await this.#ask(roundName, asked);
      const status = told?.body.gameRoundInfo?.status;
      if (told?.status === 200 && status !== undefined && status !== 'open') return told;
    }
    return undefined;
  }

  async #ask(roundName: string, asked: object): Promise<Answer | undefined> {
    const request = { token: this.#token, ...asked };
    return (await this.#once(roundName, { key: '', path: '/getGameRoundInfo', request })).answer;
  }

  async #once(
    roundName: string,
    { key, path, request }: Call,
    more: Pick<Command, 'inVain'> = {},
  ): Promise<Heard> {
    const { stack, notes } = this.table;
    const sentAt = Date.now();
    const answer = await callAsProvider(stack.api, this.who.provider ?? provider, path, request, {
      timeoutMs: CALL_TIMEOUT_MS,
    }).catch(() => undefined);
    const heard = { sentAt, heardAt: Date.now(), answer };
    const about = { ...this.who, roundName, ...more };
    if (key === '') notes.see(heard, about);
    else notes.hear({ path, request, ...about }, key, heard);
    return heard;
  }

  #key(roundName: string, path: string, own: string): string {
    return [this.who.operatorId, this.who.playerId, roundName, path, own].join(' ');
  }

  async #grantTicket(serial: string, stake: number): Promise<void> {
    const { playerId, operatorId, game } = this.who;
    await exchange({
      method: 'POST',
      url: `${this.table.stack.walletUrl}/sandbox/tickets?operatorId=${operatorId}`,
      body: JSON.stringify({ playerId, gameCode: game, currency: CURRENCY, stake, count: 1, serial }),
    });
  }

  /** Launches the game and connects. Returns the session's token. */
  async #sitDown(insists = false): Promise<string | undefined> {
    while (insists || !this.table.isOver()) {
      const token = await this.#connect().catch(() => undefined);
      if (token !== undefined) return token;
      await sleep(300);
    }
    return undefined;
  }

  async #connect(): Promise<string | undefined> {
    const { stack } = this.table;
    const { playerId, operatorId, game } = this.who;
    const request = { playerId, currency: CURRENCY, gameCode: game, language: 'en', mode: 'real' };
    const launched = await callAsOperator(stack.api, partyOf(operatorId), {
      path: '/getGameURL',
      request,
      fields: operatorFields.getGameURL(request),
    });
    if (launched.status !== 200) return undefined;
    const token = new URL(String(launched.body['url'])).searchParams.get('token') ?? '';
    const query = new URLSearchParams({ token });
    const connected = await exchange({
      url: `${stack.api}/connect?${query.toString()}`,
      timeoutMs: CALL_TIMEOUT_MS,
    });
    return connected.status === 200 ? String(connected.body['token']) : undefined;
  }
}

/** The operator asks once for a reconciliation of the round. Undefined if no answer came. */
export async function reconcile(
  { stack, notes }: Pick<Table, 'stack' | 'notes'>,
  operatorId: string,
  gameRound: string,
): Promise<Answer | undefined> {
  if (!notes.reconciledAt.has(gameRound)) notes.reconciledAt.set(gameRound, Date.now());
  const request = { gameRound };
  const fields = operatorFields.reconcileTransactions(request);
  const answer = await callAsOperator(stack.api, partyOf(operatorId), {
    path: '/reconcileTransactions',
    request,
    fields,
  }).catch(() => undefined);
  const label = `/reconcileTransactions ${answer === undefined ? 'no answer' : `${answer.status} ${answer.body.errorCode?.msg ?? ''}`.trim()}`;
  notes.answers.set(label, (notes.answers.get(label) ?? 0) + 1);
  return answer;
}
