import type { Evidence, RoundEvidence, WalletCall } from '../evidence';
import type { Skew } from '../stack';
import { isRefusal, perRound, type Checked } from './check';
import { movedSince } from './restored';

/** Tolerance: a call is stamped a little before it is sent, and the history's time is a little late. */
const SLACK_MS = 1_000;
/** Calls in the first moments after SIGCONT were decided before the process was frozen. */
const AFTER_SLEEP_MS = 3_000;
/** Longer than any call is under way, stragglers included, and shorter than any error of a clock. */
const UNDER_WAY_MS = 10_500;
/** How long a process may take to notice that its clock was set. It looks ten times a second if it is not busy. */
const CLOCK_MS = 3_000;

/**
 * I3: a bet is not sent again once its outcome is recorded. If it was sent twice before, the refusal of the repeat does
 * not count as a refusal of the bet.
 */
export function deliveredOnce({ sampled, notes, stack }: Evidence): Checked {
  const promise =
    'no bet was sent again after its outcome was recorded, and no repeat was judged as a first delivery';
  return perRound('I3', promise, sampled, (round) => {
    // Temporal was restored, so the history of the deliveries is incomplete.
    if (movedSince(stack.restores, round.gameround).length > 0) return undefined;
    const bets = betsOf(round);
    if (bets.length === 0) return undefined;
    const until = notes.reconciledAt.get(round.gameround) ?? Number.POSITIVE_INFINITY;
    return bets.flatMap((bet) => {
      const sent = bet.calls.filter(({ receivedMs }) => receivedMs < until);
      const when = new Map(sent.map((call) => [call, sentAt(call, stack.skews)]));
      const late = [...when.values()].filter(
        (at) => at > bet.recordedMs + SLACK_MS && !justWoken(at, stack.resumedAt),
      );
      const wrong = late.map(
        (at) => `bet ${bet.hash} was sent ${at - bet.recordedMs} ms after its outcome was recorded`,
      );
      const before = sent.filter((call) => when.get(call)! <= bet.recordedMs);
      const undecided = before.slice(0, -1).some((call) => !isRefusal(call));
      if (bet.outcome === 'declined' && before.length > 1 && undecided)
        wrong.push(`bet ${bet.hash} was sent ${before.length} times and counts as declined`);
      return wrong;
    });
  });
}

interface Bet {
  hash: string;
  outcome: string;
  recordedMs: number;
  calls: WalletCall[];
}

/** The nth wallet call of a round has the nth definite `deliver` in its history. */
function betsOf({ state, history, calls }: RoundEvidence): Bet[] {
  if (state === undefined || history === undefined) return [];
  const definite = history.deliveries.filter(
    ({ kind }, at) =>
      !['ahead', 'guard-lost'].includes(kind) &&
      // After a local activity has failed, an ordinary activity delivers the same call. The latter counts.
      !(kind === 'failed' && history.deliveries[at + 1] !== undefined),
  );
  const bets: Bet[] = [];
  let at = 0;
  let previous: { type: string; timestamp: string } | undefined;
  for (const transaction of state.transactions) {
    const { type, timestamp, hash, outcome } = transaction;
    const isTogether = type === 'end' && previous?.type !== 'void' && previous?.timestamp === timestamp;
    previous = transaction;
    if (isTogether) continue;
    const delivery = definite[at++];
    if (type !== 'debit' || delivery === undefined) continue;
    const sent = calls.filter(({ body }) =>
      body.transactions.some((one) => one.type === 'debit' && one.hash === hash),
    );
    bets.push({ hash, outcome, recordedMs: delivery.atMs, calls: sent });
  }
  return bets;
}

/**
 * When a call was sent, ms since the epoch: its time stamp, corrected by the error of the sender's clock. If no known
 * error gives a plausible time, the time when the call was received.
 */
export function sentAt(
  { receivedMs, headers }: Pick<WalletCall, 'receivedMs' | 'headers'>,
  skews: readonly Skew[],
): number {
  const stamped = Date.parse(headers['X-H-TIMESTAMP'] ?? '');
  const right = { skewMs: 0, from: 0, until: Number.POSITIVE_INFINITY };
  const possible = [right, ...skews].flatMap(({ skewMs, from, until = Number.POSITIVE_INFINITY }) => {
    const at = stamped - skewMs;
    const wasSoThen = at >= from - CLOCK_MS && at <= until + CLOCK_MS;
    return wasSoThen && at <= receivedMs + SLACK_MS && at >= receivedMs - UNDER_WAY_MS ? [at] : [];
  });
  return possible.length === 0 ? receivedMs : Math.max(...possible);
}

function justWoken(at: number, resumedAt: readonly number[]): boolean {
  return resumedAt.some((resumed) => at >= resumed - 100 && at <= resumed + AFTER_SLEEP_MS);
}
