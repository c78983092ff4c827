import { exchange } from './e2e-http';
import { eventually } from './e2e-player';
import type { E2eStack, Part } from './e2e-stack';

/** The state of a round's wallet call at the moment of the kill. */
export const MOMENTS = [
  'between wallet calls',
  'during a debit, before the wallet processed it',
  'during a debit, after the wallet processed it',
  'during a credit, before the wallet processed it',
  'during a credit, after the wallet processed it',
  'during a void, before the wallet processed it',
  'during a void, after the wallet processed it',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** One round of a cell of the table. It is brought to its moment; after the kill it is recovered and judged. */
export interface Scenario {
  moment: Moment;
  name: string;
  /** Does everything before the call that the kill interrupts. */
  prepare(): Promise<Prepared>;
}

export interface Prepared {
  playerId: string;
  /** Sends the call and returns when the scenario's moment is reached. */
  strike(): Promise<void>;
  /** Does what the provider does after the kill, and judges the round. */
  recover(): Promise<void>;
}

/** The transaction that the wallet catches, and how. */
export interface Catch {
  type: 'debit' | 'credit' | 'void';
  when: 'before' | 'after';
  /** `silent`: the wallet never answers, and never processes a caught call later. `late`: it goes on after the kill. */
  wallet: 'silent' | 'late';
}

/** Longer than all rounds of a row need to reach their moments, shorter than the wallet time-out. */
const LATE_MS = 8_000;

/** Makes the wallet catch the player's next call of this type. Returns a function that waits until it is caught. */
export async function catchCall(
  stack: E2eStack,
  playerId: string,
  operatorId: string,
  { type, when, wallet }: Catch,
): Promise<() => Promise<void>> {
  const match = { playerId, type };
  const id = await stack.wallet.fault({ ...faultOf(when, wallet), match });
  return async () => {
    await eventually(
      `a ${type} of ${playerId}`,
      () => hits(stack, id),
      (seen) => seen === 1,
    );
    if (when === 'before') return;
    const query = new URLSearchParams({ playerId, operatorId });
    const look = async (): Promise<{ type: string }[]> =>
      (await sandbox(stack, `ledger?${query.toString()}`)).movements as { type: string }[];
    await eventually(`the ${type} in the ledger`, look, (moved) => moved.some((one) => one.type === type));
  };
}

function faultOf(when: Catch['when'], wallet: Catch['wallet']): object {
  if (wallet === 'silent') return { fault: 'hang', when };
  return when === 'before' ? { fault: 'hold' } : { fault: 'slow', when, delayMs: LATE_MS };
}

async function hits(stack: E2eStack, id: number): Promise<number> {
  const { faults } = await sandbox(stack, 'faults');
  return (faults as { id: number; hits: number }[]).find((fault) => fault.id === id)?.hits ?? 0;
}

async function sandbox(stack: E2eStack, path: string): Promise<Record<string, unknown>> {
  return (await exchange({ url: `${stack.walletUrl}/sandbox/${path}` })).body;
}

/** Results by scenario. A failure of one does not affect the others. */
export type Outcomes = Map<Scenario, Promise<void>>;

/**
 * Brings all scenarios to their moments, kills the parts at the same time, starts them again and lets every provider
 * recover. Returns when all scenarios have ended. A failed scenario rejects only its own outcome.
 */
export async function killAndRecover(
  stack: E2eStack,
  victims: readonly Part[],
  scenarios: readonly Scenario[],
): Promise<Outcomes> {
  await stack.wallet.clearFaults();
  const preparing = scenarios.map((scenario) => scenario.prepare());
  await Promise.allSettled(preparing);
  const striking = preparing.map(async (prepared) => (await prepared).strike());
  await Promise.allSettled(striking);
  const held = await heldPlayers(stack);

  await stack.kill(...victims);
  const recovering = scenarios.map(async (scenario, at) => {
    await striking[at];
    const prepared = await preparing[at];
    if (prepared === undefined) throw new Error('the scenario was not prepared');
    if (scenario.moment !== 'between wallet calls' && !held.has(prepared.playerId))
      throw new Error('before the kill the wallet had already answered, or its caller had left');
    await prepared.recover();
  });
  const releasing = stack.wallet.release();
  const restarting = stack.start(victims);
  await Promise.allSettled(recovering);
  await releasing;
  await restarting;
  return new Map(scenarios.map((scenario, at) => [scenario, recovering[at] ?? Promise.resolve()]));
}

/** Players with a call at the wallet that has no answer yet. */
async function heldPlayers(stack: E2eStack): Promise<Set<string>> {
  const { calls } = await sandbox(stack, 'calls?path=/doTransactions&limit=100000');
  const held = (
    calls as { fault?: string; status: number | null; clientLeft?: true; body: unknown }[]
  ).filter(
    ({ fault, status, clientLeft }) => fault !== undefined && status === null && clientLeft === undefined,
  );
  return new Set(held.map(({ body }) => (body as { playerId: string }).playerId));
}

/** Judges all rounds of one cell. Throws with a line for each failed round. */
export async function judgeCell(outcomes: Outcomes, moment: Moment): Promise<void> {
  const cell = [...outcomes].filter(([scenario]) => scenario.moment === moment);
  expect(cell.length).toBeGreaterThan(0);
  const failures: string[] = [];
  for (const [{ name }, outcome] of cell) {
    await outcome.catch((error: unknown) => failures.push(`${name}: ${(error as Error).message}`));
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${cell.length} rounds:\n${failures.join('\n')}`);
}
