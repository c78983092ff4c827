import { condition, log, proxyActivities } from '@temporalio/workflow';
import type { GameroundActivities } from '../../src/contracts/activities';
import { mark } from '../../src/domain/round/attention';
import { snapshotOf } from '../../src/domain/round/replies';
import { REPORT, REPORT_LATE_MS, RESULT } from '../policies';
import type { Projection } from './projection';
import type { Round } from './round';

const { fetchResult } = proxyActivities<Pick<GameroundActivities, 'fetchResult'>>(RESULT);
const { report } = proxyActivities<Pick<GameroundActivities, 'report'>>(REPORT);

export interface Afterwards {
  /** Begins what follows a close, once; nothing for a round that was cancelled. */
  begin(): void;
  isDone(): boolean;
}

/** What follows a closed round without holding anybody up: the provider's data about it, the operator's report. */
export function createAfterwards(round: Round, projection: Projection, publish: () => void): Afterwards {
  let begun = false;
  let done = true;

  async function keepResult(): Promise<void> {
    try {
      const dataStored = await fetchResult(round.state.identity);
      round.state = { ...round.state, dataStored };
      await projection.project();
    } catch (error) {
      log.warn('the provider told nothing about the closed round', { reason: String(error) });
    }
  }

  async function tellOperator(): Promise<void> {
    let told = false;
    const telling = report(snapshotOf(round.state))
      .catch((error: unknown) => log.error('the report was given up', { reason: String(error) }))
      .finally(() => (told = true));
    if (await condition(() => told, REPORT_LATE_MS)) return;
    setMark(true);
    await telling;
    setMark(false);
  }

  function setMark(on: boolean): void {
    round.state = mark(round.state, 'report-pending', on);
    publish();
    projection.projectSoon();
  }

  async function follow(): Promise<void> {
    const { resultCallback, gameRoundReport } = round.state.policy;
    if (resultCallback) await keepResult();
    if (gameRoundReport) await tellOperator();
    done = true;
  }

  return {
    begin() {
      const { resultCallback, gameRoundReport } = round.state.policy;
      if (begun || round.state.status !== 'closed' || !(resultCallback || gameRoundReport)) return;
      begun = true;
      done = false;
      void follow();
    },
    isDone: () => done,
  };
}
