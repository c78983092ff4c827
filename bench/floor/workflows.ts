import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { FloorActivities, Spin } from './program';

const answerUpdate = defineUpdate<string>('answer');

const local = proxyLocalActivities<FloorActivities>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});
const ordinary = proxyActivities<FloorActivities>({
  startToCloseTimeout: '13s',
  retry: { maximumAttempts: 5 },
});

/** The smallest program for a spin: one local activity for the wallet, one for the record. */
export async function floor(spin: Spin): Promise<string> {
  return carryOut(spin, local);
}

/** The program that a beginner with Temporal writes: every step is an ordinary activity. */
export async function naive(spin: Spin): Promise<string> {
  return carryOut(spin, ordinary);
}

async function carryOut(spin: Spin, { wallet, record }: FloorActivities): Promise<string> {
  const done: { answer?: string } = {};
  setHandler(answerUpdate, async () => {
    await condition(() => done.answer !== undefined);
    return done.answer ?? '';
  });
  const answer = await wallet(spin);
  await record(spin);
  done.answer = answer;
  await condition(allHandlersFinished);
  return answer;
}
