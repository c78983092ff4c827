import { condition, log, proxyActivities } from '@temporalio/workflow';
import type { GameroundActivities } from '../../src/contracts/activities';
import { setMark } from '../../src/domain/round/marks';
import { snapshotOf } from '../../src/domain/round/replies';
import type { Mark } from '../../src/domain/round/types';
import { POST_CLOSE_WARN_MS, REPORT, RESULT } from '../policies';
import type { Projection } from './projection';
import type { Round } from './round';
import { durationText, statusText } from './texts';

const { fetchResult } = proxyActivities<Pick<GameroundActivities, 'fetchResult'>>(RESULT);
const { report } = proxyActivities<Pick<GameroundActivities, 'report'>>(REPORT);

export interface PostClose {
  /** Starts the steps after a close, once. Does nothing for a cancelled round. */
  begin(): void;
  isDone(): boolean;
}

/** The steps after a close, for which no caller waits: getGameResult at the provider, then the report to the operator. */
export function createPostClose(round: Round, projection: Projection, publish: () => void): PostClose {
  let begun = false;
  let done = true;

  async function keepResult(): Promise<void> {
    try {
      const { identity } = round.state;
      const summary = `ask ${identity.providerId} for the result`;
      const fetching = fetchResult.executeWithOptions({ summary }, [identity]);
      const dataStored = await marked('result-pending', fetching);
      round.state = { ...round.state, dataStored };
      await projection.project();
    } catch (error) {
      log.warn('the provider returned no result of the closed round', { reason: String(error) });
    }
  }

  async function tellOperator(): Promise<void> {
    const snapshot = snapshotOf(round.state);
    const summary = `report to ${snapshot.identity.operatorId}: ${statusText(round.state)}`;
    const telling = report
      .executeWithOptions({ summary }, [snapshot])
      .catch((error: unknown) => log.error('the report was given up', { reason: String(error) }));
    await marked('report-pending', telling);
  }

  /** Marks the round for a person while the step takes too long. */
  async function marked<T>(mark: Mark, waiting: Promise<T>): Promise<T> {
    let over = false;
    const watched = waiting.finally(() => (over = true));
    // The caller handles the failure. Without this, the unhandled rejection would fail the workflow first.
    watched.catch(() => undefined);
    const marking = {
      summary: `mark the round ${mark} if this takes over ${durationText(POST_CLOSE_WARN_MS)}`,
    };
    if (await condition(() => over, POST_CLOSE_WARN_MS, marking)) return watched;
    show(mark, true);
    try {
      return await watched;
    } finally {
      show(mark, false);
    }
  }

  function show(mark: Mark, on: boolean): void {
    round.state = setMark(round.state, mark, on);
    publish();
    projection.projectSoon();
  }

  async function follow(): Promise<void> {
    const { resultCallback, gameRoundReport } = round.state.settings;
    if (resultCallback) await keepResult();
    if (gameRoundReport) await tellOperator();
    done = true;
  }

  return {
    begin() {
      const { resultCallback, gameRoundReport } = round.state.settings;
      if (begun || round.state.status !== 'closed' || !(resultCallback || gameRoundReport)) return;
      begun = true;
      done = false;
      void follow();
    },
    isDone: () => done,
  };
}
