import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { until } from '../stack/until';
import { exchange, type Party } from '../test/support/e2e-http';
import type { E2eStack, Part } from '../test/support/e2e-stack';
import { BenchPlayer, post, signedBy, unanswered, type Seen } from './calls';
import type { Seat } from '../test/support/e2e-player';
import { FiguresByName, type Figures } from './figures';
import { longRound } from './play';

/* A rolling deploy under play: shared by `npm run bench:rolling` and its shorter form among the tests. */

const ATTEMPTS = 6;
const PAUSE_MS = 50;
/** What Retry-After says. */
const ASK_AGAIN_MS = 1_000;
const READY_MS = 120_000;

/**
 * Two APIs behind one address, as a load balancer makes it: one after the other, and where a connection is refused, or
 * was closed before anything of an answer came, the same call goes to the next. A 503 is asked again, as providers do.
 */
export class Balancer {
  readonly #agents: { api: string; agent: Agent }[];
  #next = 0;
  /** Calls that went to another one. */
  passedOn = 0;
  /** Calls that were told to come again (503), and did. */
  askedAgain = 0;

  constructor(
    apis: readonly string[],
    private readonly provider: Party,
  ) {
    this.#agents = apis.map((api) => ({ api, agent: new Agent({ connections: 64, pipelining: 1 }) }));
  }

  async call(path: string, content: object): Promise<Seen> {
    const signed = signedBy(this.provider, content);
    const began = performance.now();
    const after = (seen: Omit<Seen, 'ms'>): Seen => ({ ...seen, ms: performance.now() - began });
    // Counted by itself: other callers' turns must not lead a call to the same closed one again and again.
    const first = (this.#next += 1);
    for (let attempt = 1; ; attempt += 1) {
      const { api, agent } = this.#agents[(first + attempt) % this.#agents.length]!;
      try {
        const seen = await post(agent, `${api}${path}`, signed);
        if (seen.status !== 503 || attempt === ATTEMPTS) return after(seen);
        this.askedAgain += 1;
        await sleep(ASK_AGAIN_MS);
      } catch (error) {
        if (attempt === ATTEMPTS || !isClosed(error)) return after(unanswered(error));
        this.passedOn += 1;
        await sleep(PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map(({ agent }) => agent.destroy()));
  }
}

function isClosed(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE';
}

export interface Rollover {
  /** By kind of call. */
  figures: Figures[];
  /** What was not answered with 200. */
  failed: string[];
  passedOn: number;
  /** None on a machine that keeps up: a stopping process finishes what it has. */
  askedAgain: number;
  /** Rounds that were ended. */
  rounds: number;
}

/** In this order, each only when the one before is back and its successor has been played with. */
const REPLACED: readonly Part[] = ['api', 'api2', 'worker', 'worker2'];

/**
 * Replaces both APIs and both workers of a stack, `times` times, while every seat plays one round after another.
 * Starts the second API and worker where they don't run yet.
 */
export async function replaceUnderPlay(
  stack: E2eStack,
  seats: readonly Seat[],
  times: number,
  say: (line: string) => void = () => undefined,
): Promise<Rollover> {
  const missing = (['worker2', 'api2'] as const).filter((part) => stack.pid(part) === undefined);
  await stack.start(missing);
  await Promise.all([stack.api, stack.api2].map(untilReady));
  const balancer = new Balancer([stack.api, stack.api2], stack.provider);
  const figures = new FiguresByName();
  const failed: string[] = [];
  let rounds = 0;
  let isOver = false;
  const note = (name: string, { status, body, ms }: Seen): void => {
    figures.add(name, ms, status);
    if (status !== 200) failed.push(`${name.trim()}: ${status} ${JSON.stringify(body)}`);
    else if (name.trim() === 'endGameRound') rounds += 1;
  };
  const playing = seats.map(async (seat) => {
    const player = new BenchPlayer(balancer, seat);
    while (!isOver) await longRound(player, note);
  });
  const played = async (more: number): Promise<void> => {
    for (const goal = rounds + more; rounds < goal && failed.length === 0;) {
      await sleep(PAUSE_MS);
    }
  };
  try {
    await played(seats.length);
    for (let at = 0; at < times; at += 1) {
      for (const part of REPLACED) {
        say(`replacing ${part}`);
        await stack.stop(part);
        await stack.start([part]);
        await Promise.all([stack.api, stack.api2].map(untilReady));
        await played(seats.length);
      }
    }
  } finally {
    isOver = true;
    await Promise.all(playing);
    await balancer.close();
  }
  return {
    figures: figures.all,
    failed,
    passedOn: balancer.passedOn,
    askedAgain: balancer.askedAgain,
    rounds,
  };
}

function untilReady(api: string): Promise<void> {
  const ask = async (): Promise<void> => {
    const { status } = await exchange({ url: `${api}/health/ready` });
    if (status !== 200) throw new Error(`it is not ready: ${status}`);
  };
  return until(ask, { what: api, timeoutMs: READY_MS, everyMs: PAUSE_MS });
}
