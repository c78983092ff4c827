import { Worker, type InjectedSinks } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import type { CallSinks } from '../src/contracts/gameround';
import { describe, differences } from './differences';
import type { Fact } from '../src/histories/facts';
import type { Run } from './runs';
import type { ToldSinks } from './told';

/** Why a run can't be replayed by the code of today. */
export interface Problem {
  workflowId: string;
  runId: string;
  /** The event at which it was noticed, where it is known. */
  eventId?: string | undefined;
  reason: string;
}

/** A run and what its replay found. Without a problem the history is what the code of today would do. */
export interface Replayed {
  run: Run;
  problem: Problem | undefined;
}

export interface ReplayOptions {
  /** The bundle with told.ts (bundle.ts). */
  codePath: string;
  dataConverter?: DataConverter;
  /** After that time the replay of one run counts as failed. */
  limitMs?: number | undefined;
}

/** The largest histories replay in a fraction of it. */
const LIMIT_MS = 120_000;

/**
 * Replays runs, one after another. Besides the replay of the SDK it compares what the code of today asks of its activities,
 * answers and returns with what the history has, value by value.
 */
export async function* replay(runs: AsyncIterable<Run>, options: ReplayOptions): AsyncIterable<Replayed> {
  const { codePath, dataConverter = {}, limitMs = LIMIT_MS } = options;
  const source = runs[Symbol.asyncIterator]();
  // Runs without a readable history are not replayed. They are returned before the next replayed one.
  const unread: Replayed[] = [];
  let current: Run | undefined;
  let told = new Map<string, unknown>();
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (error: Error) => void = () => undefined;
  const sinks: InjectedSinks<ToldSinks & CallSinks> = {
    // No call waits here. Without this sink the SDK logs an error for each.
    calls: { askNow: { fn: () => undefined, callDuringReplay: false } },
    told: { did: { fn: (_info, what, values) => void told.set(what, values), callDuringReplay: true } },
  };

  async function* readable(): AsyncIterable<{ workflowId: string; history: NonNullable<Run['history']> }> {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const run = next.value;
      if (run.history === undefined) {
        unread.push({ run, problem: { ...nameOf(run), reason: run.unreadable ?? 'there is no history' } });
        continue;
      }
      current = run;
      told = new Map();
      timer = setTimeout(() => giveUp(new Error(`no result after ${limitMs / 1_000} s`)), limitMs);
      yield { workflowId: run.workflowId, history: run.history };
    }
  }

  function result<T>(replayed: AsyncIterator<T>): Promise<IteratorResult<T>> {
    return new Promise<IteratorResult<T>>((resolve, reject) => {
      giveUp = reject;
      replayed.next().then(resolve, reject);
    }).finally(() => clearTimeout(timer));
  }

  for (let isWhole = false; !isWhole;) {
    const replayed = Worker.runReplayHistories(
      { workflowBundle: { codePath }, dataConverter, sinks },
      readable(),
    );
    try {
      for (;;) {
        const next = await result(replayed);
        if (next.done === true) break;
        yield* unread.splice(0);
        if (current !== undefined)
          yield { run: current, problem: problemOf(current, next.value.error, told) };
        current = undefined;
      }
      isWhole = true;
    } catch (error) {
      // The SDK stops at a history that it can't take at all, or gives no result, since its native part has crashed. The next ones are
      // replayed by a new worker. The old one is left alone: its end might never come.
      if (current === undefined) throw error;
      yield { run: current, problem: { ...nameOf(current), reason: textOf(error) } };
      current = undefined;
    } finally {
      void replayed.return?.();
    }
  }
  yield* unread;
}

function problemOf(
  run: Run,
  error: Error | undefined,
  told: ReadonlyMap<string, unknown>,
): Problem | undefined {
  if (error === undefined) return differenceIn(run, told);
  const reason = textOf(error);
  // The SDK names the event in its message only.
  const eventId = /HistoryEvent\(id: (\d+)/.exec(reason)?.[1] ?? differenceIn(run, told)?.eventId;
  return { ...nameOf(run), eventId, reason };
}

/** The first value in the history that the code of today makes otherwise. It may add fields. */
function differenceIn(run: Run, told: ReadonlyMap<string, unknown>): Problem | undefined {
  for (const fact of run.facts) {
    const recorded = saidBy(fact);
    if (recorded === undefined || !told.has(recorded.what)) continue;
    const [first] = differences(recorded.values, told.get(recorded.what), { more: 'allowed', most: 1 });
    if (first === undefined) continue;
    const name = fact.is === 'scheduled' ? fact.activity : recorded.what;
    return { ...nameOf(run), eventId: fact.eventId, reason: `${name}${describe(first)}` };
  }
  return undefined;
}

function saidBy(fact: Fact): { what: string; values: unknown[] } | undefined {
  if (fact.is === 'scheduled') return { what: fact.what, values: fact.args };
  if (fact.is === 'answered') return { what: fact.what, values: [fact.result] };
  if (fact.is === 'ended' && fact.what !== undefined) return { what: fact.what, values: fact.values ?? [] };
  return undefined;
}

function nameOf({ workflowId, runId }: Run): { workflowId: string; runId: string } {
  return { workflowId, runId };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
