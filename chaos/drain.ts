import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { resumeSignal, COMMANDS, workflowIdOf, type RoundStateView } from '../src/contracts/gameround';
import { askRunning, each, movementsOf, workflowsOf, type RecordInMongo } from './evidence';
import { reconcile } from './players/player';
import type { Notes } from './players/notes';
import type { Stack } from './stack';

const EVERY_MS = 400;
/** Marks of calls that wait until a person says that the operator accepts our signature again. */
const UNAUTHORISED: readonly string[] = ['void-refused', 'credit-unauthorised'];

/**
 * Brings every round to its end, as the staff of an operator and our own staff would: reconciles open rounds, resumes
 * calls whose signature the operator rejected, and starts the next retry of every call at once. Returns the rounds that
 * have not ended when the time is up.
 */
export async function drain(stack: Stack, notes: Notes, timeoutMs: number): Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const workflows = await workflowsOf(stack);
    const running = [...workflows].filter(([, { status }]) => status === 'RUNNING');
    // A database that was put back may have lost the workflow of a round, or the end of the round.
    const alone = (await openRecords(stack)).filter(({ _id }) => workflows.get(_id)?.status !== 'RUNNING');
    const left = [...running.map(([gameround]) => gameround), ...alone.map(({ _id }) => _id)];
    if (left.length === 0 || Date.now() > deadline) return left;
    await each(running, ([gameround]) => help(stack, notes, gameround).catch(() => undefined));
    await each(alone, async ({ _id, operator }) => void (await reconcile({ stack, notes }, operator, _id)));
    await sleep(EVERY_MS);
  }
}

/** The state of a round that has not ended. */
export async function whatItWaitsFor(stack: Stack, gameround: string): Promise<string> {
  const state = await askRunning(stack, gameround).then(
    ({ status, crashed, phase, attention }) => ({ status, crashed, phase, attention }),
    (error: unknown) => String(error),
  );
  const workflow = await stack.temporal.workflow
    .getHandle(workflowIdOf(gameround))
    .describe()
    .then(
      ({ status, raw }) => ({
        status: status.name,
        pending: raw.pendingActivities?.map(({ activityType, attempt, lastFailure }) => [
          ...[activityType?.name, attempt, lastFailure?.message],
        ]),
      }),
      (error: unknown) => String(error),
    );
  return `its workflow still runs: ${JSON.stringify({ state, workflow })}`;
}

function openRecords({ db }: Stack): Promise<Pick<RecordInMongo, '_id' | 'operator'>[]> {
  const records = db.collection<RecordInMongo>('gamerounds');
  return records
    .find({ status: 'open' })
    .project<Pick<RecordInMongo, '_id' | 'operator'>>({ operator: 1 })
    .toArray();
}

async function help(stack: Stack, notes: Notes, gameround: string): Promise<void> {
  const handle = stack.temporal.workflow.getHandle(workflowIdOf(gameround));
  const state = await askRunning(stack, gameround);
  await tryNow(stack, gameround);
  if (state.attention.some((mark) => UNAUTHORISED.includes(mark))) await handle.signal(resumeSignal);
  // A person decides a bet of unknown outcome that no void takes back, by the operator's books. The rest is owed then.
  if (state.crashed && state.transactions.some((one) => isInDoubt(one, state))) {
    await settleByBooks(stack, state);
  } else if (state.status === 'open' && state.phase !== 'starting') {
    const answer = await reconcile({ stack, notes }, state.identity.operatorId, gameround);
    // The operator has ended the round, and both databases were put back and have lost its end.
    if (state.crashed && answer?.status === 400) await settleByBooks(stack, state);
  }
}

type Transaction = RoundStateView['transactions'][number];

function isInDoubt({ outcome, hash }: Transaction, { transactions }: RoundStateView): boolean {
  return outcome === 'unknown' && !transactions.some((one) => one.type === 'void' && one.hash === hash);
}

async function settleByBooks(stack: Stack, state: RoundStateView): Promise<void> {
  const { gameround } = state.identity;
  const books = new Set(((await movementsOf(stack)).get(gameround) ?? []).map(({ hash }) => hash));
  const open = state.transactions.filter((one) => one.outcome === 'pending' || isInDoubt(one, state));
  await stack.temporal.workflow.getHandle(workflowIdOf(gameround)).signal(COMMANDS.settle.signal, {
    // A new key each time: the same key with other lists is refused.
    ...{ type: 'settle', key: randomUUID(), reason: 'settled by hand' },
    accepted: open.filter(({ hash }) => books.has(hash)).map(({ hash }) => hash),
    declined: open.filter(({ hash }) => !books.has(hash)).map(({ hash }) => hash),
  });
}

/** Starts the next retry at once. The pauses between retries grow to minutes, and the other side is known to be back. */
export async function tryNow({ temporal }: Stack, gameround: string): Promise<void> {
  const workflowId = workflowIdOf(gameround);
  const { raw } = await temporal.workflow.getHandle(workflowId).describe();
  for (const { activityId, attempt } of raw.pendingActivities ?? []) {
    if (!activityId || (attempt ?? 0) < 2) continue;
    await temporal.workflowService
      .resetActivity({ namespace: 'default', execution: { workflowId }, id: activityId, keepPaused: false })
      .catch(() => undefined);
  }
}
