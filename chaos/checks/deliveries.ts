import type { Evidence, RoundEvidence, WalletCall } from '../evidence';
import type { Skew } from '../stack';
import { isRefusal, perRound, type Checked } from './check';
import { movedSince } from './restored';

/** A call's time stamp is a little older than its sending, and a history's time a little younger than its writing. */
const SLACK_MS = 1_000;
/** What a process does in its first moments after SIGCONT was decided before it was stopped. */
const AFTER_SLEEP_MS = 3_000;
/** More than calls are ever under way, stragglers too, and less than clocks are set wrong by. */
const UNDER_WAY_MS = 10_500;
/** Until a process has noticed that its clock was set: it looks ten times a second, when it is not busy. */
const CLOCK_MS = 3_000;

/**
 * I3: a bet is not sent again once its outcome is recorded; and where it was sent twice before that, nobody took the
 * answer to the repeat for an answer to the bet.
 */
export function deliveredOnce({ sampled, notes, stack }: Evidence): Checked {
  const promise =
    'no bet was sent again after its outcome was recorded, and no repeat was judged as a first delivery';
  return perRound('I3', promise, sampled, (round) => {
    // The history of its deliveries is lost with the server's newer database.
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
      // A failed delivery inside the task goes on as an ordinary activity: that one is the call's.
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
 * When a call left, ms since the epoch: by its time stamp and what was wrong with the sender's clock then; where that
 * makes no sense, when it came.
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
