import type { Evidence, RoundEvidence, WalletCall } from '../evidence';
import type { Restore } from '../stack';
import { isRefusal, nameOf, perRound, type Checked } from './check';

/** Restores of Temporal after which the round's record is newer than its workflow. */
export const movedSince = (restores: readonly Restore[], gameround: string): Restore[] =>
  restores.filter(({ moved }) => moved.has(gameround));

/** I11a: a round that was over when Temporal was restored keeps its status, and accepted transactions stay accepted. */
export function overStaysOver({ rounds, stack }: Evidence): Checked {
  const promise =
    'rounds that were over and transactions that were accepted before Temporal was restored stay so';
  return perRound('I11a', promise, rounds.values(), ({ gameround, record }) => {
    const restores = movedSince(stack.restores, gameround);
    if (restores.length === 0) return undefined;
    return restores.flatMap(({ moved }) => {
      const { status, accepted } = moved.get(gameround)!;
      const wrong: string[] = [];
      if (status !== 'open' && record?.status !== status)
        wrong.push(`was ${status} when Temporal was put back, is ${record?.status ?? 'without a record'}`);
      const outcomes = new Map(
        (record?.snapshot.transactions ?? []).map((one) => [nameOf(one), one.outcome as string]),
      );
      for (const name of accepted)
        if (outcomes.get(name) !== 'accepted')
          wrong.push(`the record has forgotten that ${name} was accepted: ${outcomes.get(name) ?? 'gone'}`);
      return wrong;
    });
  });
}

/**
 * I11b: a round's record is ahead of its workflow. Until a person reconciles the round, no transaction takes effect
 * that the record doesn't contain. A credit or end is sent even if MongoDB does not answer within a second
 * (docs/interface#restored-temporal), so a call that the wallet refused is no violation: it changed nothing.
 */
export function nothingNewSent({ rounds, notes, stack }: Evidence): Checked {
  const promise =
    'if the record is ahead of the workflow, no new transaction takes effect before the round is reconciled';
  return perRound('I11b', promise, rounds.values(), ({ gameround, calls }) => {
    const restores = movedSince(stack.restores, gameround);
    if (restores.length === 0) return undefined;
    const reconciledAt = notes.reconciledAt.get(gameround) ?? Number.POSITIVE_INFINITY;
    return restores.flatMap((restored) => newlySent(calls, restored, gameround, reconciledAt));
  });
}

function newlySent(
  calls: readonly WalletCall[],
  { backAtMs, moved }: Restore,
  gameround: string,
  reconciledAt: number,
): string[] {
  const { status, names } = moved.get(gameround)!;
  // A cancelled round may owe more voids than its record names: one for each bet.
  const isKnown = (name: string): boolean =>
    names.has(name) || (status === 'cancel' && names.has(name.replace(/^void /, 'debit ')));
  return calls
    .filter(({ receivedMs }) => receivedMs > backAtMs && receivedMs < reconciledAt)
    .filter((call) => !isRefusal(call))
    .flatMap(({ body }) => body.transactions.map(nameOf))
    .filter((name) => !isKnown(name))
    .map((name) => `${name} was sent, which the newer record does not contain`);
}

/**
 * Leaves out the rounds that had a call at the wallet that no record contained when Temporal was restored. Neither
 * database knows such a call, so a person compares it with the operator's books. `leftOut`: the number of these rounds.
 */
export function withoutInFlight(evidence: Evidence): { evidence: Evidence; leftOut: number } {
  const { rounds, notes, stack, sampled } = evidence;
  const inFlight = new Set(stack.restores.flatMap((restored) => [...restored.inFlight]));
  const isKept = ({ gameround }: RoundEvidence): boolean => !inFlight.has(gameround);
  const names = new Set(
    [...inFlight].flatMap((gameround) => [
      notes.names.get(gameround)?.roundName,
      rounds.get(gameround)?.record?.snapshot.identity.externalGameProviderRoundId,
    ]),
  );
  const commands = new Map([...notes.commands].filter(([, { roundName }]) => !names.has(roundName)));
  const sightings = new Map([...notes.sightings].filter(([gameround]) => !inFlight.has(gameround)));
  return {
    evidence: {
      stack,
      rounds: new Map([...rounds].filter(([, round]) => isKept(round))),
      sampled: sampled.filter(isKept),
      notes: Object.assign(Object.create(notes) as typeof notes, { commands, sightings }),
    },
    leftOut: inFlight.size,
  };
}
