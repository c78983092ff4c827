import type { Evidence, RoundEvidence, WalletCall } from '../evidence';
import type { Restore } from '../stack';
import { isRefusal, nameOf, perRound, type Checked } from './check';

/** Databases that were put back: the round's record knows more than its workflow. */
export const movedSince = (restores: readonly Restore[], gameround: string): Restore[] =>
  restores.filter(({ moved }) => moved.has(gameround));

/** A round that was over when Temporal was put back is what it was, and every record ends. */
export function overStaysOver({ rounds, stack }: Evidence): Checked {
  const promise = 'what a record said was over or paid before Temporal was put back is so in the end';
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
 * Until a person has a round reconciled whose record is ahead of its workflow, nothing that the record doesn't know takes
 * effect. A credit or end is sent although MongoDB does not answer within a second (docs/interface#restored-temporal): one
 * that the wallet refused has changed nothing.
 */
export function nothingNewSent({ rounds, notes, stack }: Evidence): Checked {
  const promise =
    'nothing new of a round whose record is ahead of its workflow takes effect before it is reconciled';
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
    .map((name) => `${name} was sent, which the record of a later time does not know`);
}

/**
 * Without the rounds that had a call at the wallet which no record told of when Temporal was put back: what is in neither
 * database is a person's to compare with the operator's books. Returns how many were left out, too.
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
