import fc from 'fast-check';
import type { Answer } from '../support/e2e-http';
import type { E2eStack } from '../support/e2e-stack';
import { batches, intents, planned, type BatchIntent, type Desk, type Intent } from './actions';
import { difference, differenceOfBooks } from './compare';
import { explanations, isBusy, type Exchange } from './linear';
import { forgetBalances, newState, sitDown, step, type Setup, type State } from './reference';
import { DEFAULT_MONEY, GAMES, Player } from './service';
import type { Tally } from './tally';
import type { Call } from './types';

/** What fast-check hands from command to command. */
interface Model {
  state: State;
  desk: Desk;
}

interface Real {
  player: Player;
  tally: Tally;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Records may lag behind an answer, and a void is repeated after it; never longer than this. */
const SETTLED_WITHIN_MS = 20_000;
/** A caller is told to come again after 10 s. */
const ANSWERED_WITHIN_MS = 60_000;
const PAUSE_MS = 40;

/** One call at a time: the answer is known beforehand. */
class One implements Command {
  constructor(private readonly intent: Intent) {}

  check({ state, desk }: Model): boolean {
    return planned(state, structuredClone(desk), this.intent) !== undefined;
  }

  async run(model: Model, real: Real): Promise<void> {
    const { state, desk } = model;
    const { call, invalid } = planned(state, desk, this.intent)!;
    const faults = this.intent.faults ?? [];
    await seated(model, real, call);
    await real.player.arm(faults);
    state.faults = [...faults];
    const expected = invalid ? { status: 400, errorIds: [1_000] } : step(state, call);
    const met = faults.length - state.faults.length;
    real.tally.met(state.met.splice(0));

    const answer = await ask(call, real, (seen) => difference(state, expected, seen, { balances: 'all' }));
    const repeat = (): string =>
      difference(state, step(structuredClone(state), call), answer.seen, { balances: 'none' });
    const wrong = answer.wrong !== '' && answer.again ? repeat() : answer.wrong;
    // The repeat may have come when all was over, and told nothing new.
    if (answer.again) state.games[call.game].lastBalance = undefined;
    real.tally.answered(call.kind, answer.seen);
    await real.player.disarm();
    state.faults = [];
    if (!invalid) desk.sent.push(call);
    if (wrong !== '') throw new Error(`${print(call)}\n  ${wrong}\n  answer: ${shortly(answer.seen)}`);
    if (met > 0) await agreement(real.player, [state]);
  }

  toString(): string {
    return JSON.stringify(this.intent);
  }
}

/** The call's session is there, whoever signs the call. */
async function seated({ state }: Model, { player }: Real, { game }: Call): Promise<void> {
  if (await player.sitDown(game)) sitDown(state, game);
}

interface Asked {
  seen: Answer;
  wrong: string;
  /** There was a 503 before: this may be the answer to a repeat. */
  again: boolean;
}

/**
 * Until there is a definite answer: a call that got 503 is sent again (docs/interface#still-being-processed). A question is asked again
 * while it is told otherwise than expected, since lists may lag behind.
 */
async function ask(call: Call, { player, tally }: Real, look: (answer: Answer) => string): Promise<Asked> {
  const isQuestion = call.kind.startsWith('get');
  const lateAt = Date.now() + SETTLED_WITHIN_MS;
  const deadline = Date.now() + ANSWERED_WITHIN_MS;
  for (let again = false; ;) {
    const seen = await player.send(call);
    const wrong = look(seen);
    const late = isQuestion && wrong !== '' && seen.status === 200 && Date.now() < lateAt;
    if (!(isBusy(seen) || late) || Date.now() > deadline) return { seen, wrong, again };
    again ||= isBusy(seen);
    tally.again(call.kind, late ? 'late' : (seen.body.errorCode?.msg ?? String(seen.status)));
    await pause();
  }
}

/** Several clients at one moment: some order of their calls has to explain all answers and what is left behind. */
class Batch implements Command {
  constructor(private readonly batch: BatchIntent) {}

  check({ state, desk }: Model): boolean {
    const copy = structuredClone(desk);
    return this.batch.intents.filter((intent) => planned(state, copy, intent) !== undefined).length > 1;
  }

  async run(model: Model, real: Real): Promise<void> {
    const { desk } = model;
    const calls = this.#calls(model);
    const { player, tally } = real;
    const { faults } = this.batch;
    for (const call of calls) await seated(model, real, call);
    await player.arm(faults);
    model.state.faults = [...faults];
    const exchanges = await Promise.all(
      calls.map(async (call): Promise<Exchange> => {
        const { seen, again } = await ask(call, real, () => '');
        return { call, answer: seen, again };
      }),
    );
    // Calls in two games do not wait for each other: a balance may be told in between.
    const balances = new Set(calls.map(({ game }) => game)).size > 1 ? 'none' : 'told';
    const states = await explanations(model.state, exchanges, { balances });
    tally.batch(exchanges);
    if (states.length === 0)
      throw new Error(`no order of these calls explains the answers:\n${printAll(exchanges)}`);
    await player.disarm();
    for (const state of states) state.faults = [];
    const agreed = await agreement(player, states).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\nafter\n${printAll(exchanges)}`);
    });
    tally.met(agreed.met.splice(0));
    // Which of the balances a session was told last, the order does not tell; nor, in two games, what each was.
    for (const game of agreed.games) game.lastBalance = undefined;
    if (balances === 'none') forgetBalances(agreed);
    Object.assign(model.state, agreed);
    desk.sent.push(...calls);
  }

  #calls({ state, desk }: Model): Call[] {
    const calls = this.batch.intents.flatMap((intent) => planned(state, desk, intent)?.call ?? []);
    // A bet with its win is two wallet calls. In two games at once another's may come in between, and where money is
    // short no order of whole calls explains that.
    const games = new Set(calls.map(({ game }) => game));
    if (games.size < 2) return calls;
    return calls.map((call) =>
      call.body.endGame ? { ...call, body: { ...call.body, endGame: false } } : call,
    );
  }

  toString(): string {
    return `at once ${JSON.stringify(this.batch)}`;
  }
}

const setups: fc.Arbitrary<Setup> = fc
  .record({
    whole: fc.constantFrom(false, false, false, true),
    second: fc.constantFrom('EUR', 'EUR', 'JPY'),
    money: fc.constantFrom(DEFAULT_MONEY, DEFAULT_MONEY, 300),
    tickets: fc.constantFrom(0, 1, 2),
  })
  .map(({ whole, second, money, tickets }) => ({
    voidsWholeRound: whole,
    games: GAMES.map((game, index) => ({ ...game, currency: index === 0 ? 'EUR' : second })),
    money,
    tickets: tickets === 0 ? [] : [{ serial: 'ticket-1', game: 0, stake: 100, count: tickets }],
  }));

const one = intents.map((intent) => new One(intent));
const batch = batches.map((intent) => new Batch(intent));

export type Kind = 'calls' | 'batches';

/** Sequences of calls, or with batches in between. */
export function sequences(kind: Kind, replayPath?: string): fc.Arbitrary<[Setup, Iterable<Command>]> {
  const options = {
    maxCommands: kind === 'calls' ? 12 : 8,
    size: 'max' as const,
    ...(replayPath && { replayPath }),
  };
  return fc.tuple(setups, fc.commands(kind === 'calls' ? [one] : [one, one, batch], options));
}

/** Runs a sequence on a player of its own; at its end the wallet's books, the records and the model have to agree. */
export async function play(
  stack: E2eStack,
  tally: Tally,
  setup: Setup,
  commands: Iterable<Command>,
): Promise<void> {
  const player = await Player.arrive(stack, setup);
  const model: Model = { state: newState(setup), desk: { next: 0, sent: [] } };
  const real: Real = { player, tally };
  await fc.asyncModelRun(() => ({ model, real }), commands);
  await agreement(player, [model.state]);
  tally.sequence(model.desk.sent.length);
}

/** Waits until the books are those of one of the states, and answers it. */
async function agreement(player: Player, states: State[]): Promise<State> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const books = await player.books();
    const agreed = states.find((state) => differenceOfBooks(state, books) === '');
    if (agreed !== undefined) return agreed;
    if (Date.now() > deadline) {
      const which = states.length > 1 ? ` (nor any other of ${states.length})` : '';
      throw new Error(`the books don't agree${which}\n${differenceOfBooks(states[0]!, books)}`);
    }
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

function print({ kind, game, requestId, body }: Call): string {
  return `${kind} in game ${game} (${requestId}) ${JSON.stringify(body)}`;
}

function printAll(exchanges: readonly Exchange[]): string {
  return exchanges.map(({ call, answer }) => `  ${print(call)}\n    → ${shortly(answer)}`).join('\n');
}

/** Without what the model does not look at. */
function shortly({ status, body }: Answer): string {
  const { tokenData: _tokenData, gameState: _gameState, ...rest } = body;
  return `${status} ${JSON.stringify(rest)}`.slice(0, 1_200);
}
