import type { CommandEnd, Delivered, DeliveryResult, ProjectedRound } from '../contracts/activities';
import { creditIn, isCreditLost } from '../contracts/activity-results';
import type { GameroundResult, GameroundStart } from '../contracts/gameround';
import { applyWalletOutcome, creditMaybeSent } from '../domain/round/apply-wallet-outcome';
import { withKnown, type Recorded } from '../domain/round/known-entries';
import { snapshotOf } from '../domain/round/replies';
import type { RoundIdentity, RoundSnapshot, RoundState } from '../domain/round/types';
import type { Ending, Fact } from './facts';

/** What the history of a run says about the round's record. */
export interface RecordInHistory {
  identity: RoundIdentity;
  /** The newest record that was written; absent before the first one. */
  written?: Recorded;
  /** Newer ones that may have been written: their activity runs, or ended without an answer. */
  maybe: Recorded[];
  /** The versions of the records that a delivery under way may write. */
  deliveringAs: number[];
  /** What the deliveries left that may not have been recorded: the round with its pending call, or after its outcome. */
  unrecorded: Recorded[];
  /** Absent while the run goes on. */
  ending?: Ending;
  /** What the history contradicts itself in. */
  faults: string[];
}

interface Write {
  scheduledId: number;
  version: number;
  /** The versions of all records that it may write, the oldest first. */
  versions: number[];
  /** The record, from the result of the activity. Undefined if the base of the left-out entries is unknown. */
  record: (result: unknown) => RoundSnapshot | undefined;
  /** The record of the bet, if the delivery has sent the credit, too. */
  ofBet?: (result: unknown) => Recorded | undefined;
  /** The round with the pending call of a delivery. */
  before?: () => RoundSnapshot | undefined;
  isDelivery: boolean;
}

/**
 * Rebuilds the record of a round from the history of one run, by the rules of the activities (activities/read-model.ts and
 * deliver.ts): a projection writes its snapshot, a delivery the round after its outcome. The version decides which write
 * is newer. A run that was continued begins with the record of the run before. Undefined for any other workflow.
 */
export function recordIn(facts: readonly Fact[]): RecordInHistory | undefined {
  const first = facts[0];
  if (first?.is !== 'started') return undefined;
  const { identity, continued } = Object(first.args[0]) as Partial<GameroundStart>;
  if (identity === undefined) return undefined;
  const running = new Map<string, Write>();
  const unanswered: Write[] = [];
  const unrecorded: Recorded[] = [];
  const faults: string[] = [];
  let written: Recorded | undefined = continued && {
    snapshot: snapshotOf(continued.state),
    version: continued.version,
  };
  let writtenBy = 0;
  let lastOutcome = 0;
  let end: Extract<Fact, { is: 'ended' }> | undefined;

  const take = (record: Recorded, by: number): void => {
    if (written !== undefined && written.version >= record.version) return;
    written = record;
    writtenBy = by;
  };

  for (const fact of facts) {
    const at = Number(fact.eventId);
    if (fact.is === 'scheduled') {
      const write = writeOf(fact, at, written);
      if (write !== undefined) running.set(fact.what, write);
    } else if (fact.is === 'failed') {
      const write = running.get(fact.what);
      running.delete(fact.what);
      if (write !== undefined) unanswered.push(write);
    } else if (fact.is === 'done') {
      const write = running.get(fact.what);
      running.delete(fact.what);
      const ahead = aheadIn(fact);
      const bet = write?.ofBet?.(fact.result);
      if (write !== undefined && bet !== undefined) take(bet, write.scheduledId);
      if (ahead !== undefined) take(ahead, at);
      else if (write !== undefined && isWritten(write, fact.result)) {
        const snapshot = write.record(fact.result);
        if (snapshot === undefined) faults.push(`event ${fact.eventId}: the record before it is unknown`);
        else take({ snapshot, version: write.version }, write.scheduledId);
      } else if (write?.isDelivery === true) {
        const snapshot = write.record(fact.result) ?? write.before?.();
        if (snapshot !== undefined) unrecorded.push({ snapshot, version: write.version });
      }
      const isRecorded = (fact.result as Partial<Delivered> | undefined)?.recordedAs !== undefined;
      if (fact.activity.startsWith('deliver') && !isRecorded) lastOutcome = at;
    } else if (fact.is === 'ended') end = fact;
  }
  if (end?.how === 'completed') {
    const { status } = end.values?.[0] as GameroundResult;
    const recorded = written?.snapshot.status;
    if (recorded !== status) faults.push(`event ${end.eventId}: ended as ${status}, recorded as ${recorded}`);
    if (lastOutcome > writtenBy) faults.push(`event ${lastOutcome}: this outcome was never recorded`);
  }
  const open = [...unanswered, ...running.values()].filter(
    ({ version }) => version > (written?.version ?? 0),
  );
  return {
    identity,
    ...(written === undefined ? {} : { written }),
    maybe: open
      .filter(({ isDelivery }) => !isDelivery)
      .flatMap(({ version, record }) => {
        const snapshot = record(undefined);
        return snapshot === undefined ? [] : [{ snapshot, version }];
      }),
    deliveringAs: open.find(({ isDelivery }) => isDelivery)?.versions ?? [],
    unrecorded: [
      ...unrecorded,
      // A record of the delivery itself says more than this.
      ...open.flatMap(({ before, versions: [version = 0] }) => {
        const snapshot = before?.();
        return snapshot === undefined ? [] : [{ snapshot, version }];
      }),
    ],
    ...(end === undefined ? {} : { ending: end.how }),
    faults,
  };
}

/** The newest state of the round that the run says. */
export function newestIn({ written, maybe, unrecorded }: RecordInHistory): Recorded | undefined {
  return [...(written === undefined ? [] : [written]), ...maybe, ...unrecorded].reduce<Recorded | undefined>(
    (newest, one) => (newest === undefined || one.version > newest.version ? one : newest),
    undefined,
  );
}

function writeOf(
  { activity, args }: Extract<Fact, { is: 'scheduled' }>,
  scheduledId: number,
  base: Recorded | undefined,
): Write | undefined {
  if (activity === 'project') {
    const { snapshot, known, version } = args[0] as ProjectedRound;
    const whole = withKnown(snapshot, known, base);
    return { scheduledId, version, versions: [version], record: () => whole, isDelivery: false };
  }
  const end = activity === 'deliver' ? (args[1] as CommandEnd | undefined) : undefined;
  if (!end) return undefined;
  const { version, betVersion } = end;
  const before = withKnown(end.state, end.known, base);
  const after = (result: unknown): RoundState | undefined =>
    before && afterDelivery(before, end, result as Delivered);
  return {
    ...{ scheduledId, version, isDelivery: true },
    versions: betVersion === undefined ? [version] : [betVersion, version],
    record: (result) => snapshotIn(after(result)),
    ofBet: (result) => {
      const snapshot = creditIn(result) && snapshotIn(after({ ...(result as Delivered), credit: null }));
      return snapshot && { snapshot, version: betVersion ?? version };
    },
    before: () => snapshotIn(before),
  };
}

function snapshotIn(state: RoundState | undefined): RoundSnapshot | undefined {
  return state && snapshotOf(state);
}

/** The round after a delivery, by the rules of the workflow (workflows/gameround/wallet.ts). */
export function afterDelivery(
  before: RoundState,
  end: CommandEnd,
  delivered: Delivered,
): RoundState | undefined {
  const { result, at } = delivered;
  if (result.kind === 'guard-lost' || result.kind === 'ahead') return undefined;
  const from = isCreditLost(end, delivered) ? creditMaybeSent(before) : before;
  const after = applyWalletOutcome(from, result, at);
  const credit = creditIn(delivered);
  return credit !== undefined && after.pending?.purpose === 'credit'
    ? applyWalletOutcome(after, credit.result, credit.at)
    : after;
}

/** A projection has no result if it has written its record, a delivery says so. */
function isWritten({ isDelivery }: Write, result: unknown): boolean {
  return isDelivery ? (result as Delivered).recordedAs !== undefined : !result;
}

/** The record that an activity has found to be newer. */
function aheadIn({ activity, result }: Extract<Fact, { is: 'done' }>): Recorded | undefined {
  if (activity === 'project') return (result as Recorded | undefined) || undefined;
  const outcome = walletOutcomeIn(activity, result) as DeliveryResult | undefined;
  return outcome?.kind === 'ahead' ? outcome.record : undefined;
}

/** What a wallet call came to, as its activity says it. Undefined for an activity that calls no wallet. */
export function walletOutcomeIn(activity: string | undefined, result: unknown): unknown {
  if (activity === 'deliver') return (Object(result) as Partial<Delivered>).result;
  return activity === 'deliverUntilDefinite' ? result : undefined;
}
