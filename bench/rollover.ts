import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { until } from '../stack/until';
import { exchange, type Party } from '../test/support/e2e-http';
import type { E2eStack, Part } from '../test/support/e2e-stack';
import { BenchPlayer, post, signedBy, unanswered, type Seen } from './calls';
import type { Seat } from '../test/support/e2e-player';
import { FiguresByName, type Figures } from './figures';
import { longRound } from './play';

/* A rolling deploy while players play. `npm run bench -- rolling` and a shorter test (test/e2e) use it. */

const ATTEMPTS = 6;
const PAUSE_MS = 50;
/** The value of Retry-After in the service's responses. */
const ASK_AGAIN_MS = 1_000;
const READY_MS = 120_000;

/**
 * Distributes calls over the APIs in turn, like a load balancer. If a connection is refused, or is closed before an
 * answer begins, the same call goes to the next API. After a 503 the call is repeated, as providers do.
 */
export class Balancer {
  readonly #agents: { api: string; agent: Agent }[];
  #next = 0;
  /** Number of attempts that were repeated at the next API after a closed connection. */
  passedOn = 0;
  /** Number of attempts that got 503 and were repeated. */
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
    // Each call counts its own turns, so that calls of others don't lead it to the same closed API again.
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
  /** Calls that were not answered with 200. */
  failed: string[];
  passedOn: number;
  /** 0 on a machine that is fast enough, because a stopping process finishes the calls that it has. */
  askedAgain: number;
  /** Rounds that were ended. */
  rounds: number;
}

/** The order of replacement. The next part follows when the new process is ready and rounds were played with it. */
const REPLACED: readonly Part[] = ['api', 'api2', 'worker', 'worker2'];

/**
 * Replaces both APIs and both workers of a stack, `times` times, while every seat plays one round after another.
 * Starts the second API and worker if they don't run yet.
 */
export async function replaceUnderPlay(
  stack: E2eStack,
  seats: readonly Seat[],
  times: number,
  say: (line: string) => void = () => undefined,
): Promise<Rollover> {
  const missing = (['worker2', 'api2'] as const).filter((part) => stack.pid(part) === undefined);
  await stack.start(missing);
  const apis = [stack.api, stack.apiOf('api2')];
  await Promise.all(apis.map(untilReady));
  const balancer = new Balancer(apis, stack.provider);
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
        await Promise.all(apis.map(untilReady));
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

export function untilReady(api: string): Promise<void> {
  const ask = async (): Promise<void> => {
    const { status } = await exchange({ url: `${api}/health/ready` });
    if (status !== 200) throw new Error(`it is not ready: ${status}`);
  };
  return until(ask, { what: api, timeoutMs: READY_MS, everyMs: PAUSE_MS });
}
