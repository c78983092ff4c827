import { RECONCILE_WORKFLOW } from '../../src/contracts/reconcile';
import { fingerprintOf, RECONCILE } from '../../src/domain/round/keys';
import type { Command } from '../../src/domain/round/types';
import { valuesIn, type PlainEvent } from './events';

/** The commands that the reconciliations of a round have sent to it, each as its type and its fingerprint. */
export type Reconciliations = ReadonlySet<string>;

/** From the activities of the reconciliations: a person can send a command with their key, too. */
export function reconciliationsIn(runs: readonly (readonly PlainEvent[])[]): Reconciliations {
  const sent = new Set<string>();
  for (const events of runs) {
    if (nameIn(events[0]?.about.workflowType) !== RECONCILE_WORKFLOW) continue;
    for (const { about } of events) {
      const activity = nameIn(about.activityType);
      const accepted = valuesIn(valuesIn(about.input)[1]) as string[];
      if (activity === 'closeAndRead') sent.add('end ');
      if (activity === 'settleCrashed')
        sent.add(nameOf({ type: 'settle', key: RECONCILE, reason: '', accepted }));
    }
  }
  return sent;
}

/** The command of a reconciliation whose history is there. */
export function isByReconciliation(command: Command, reconciliations: Reconciliations): boolean {
  return hasItsKey(command) && reconciliations.has(nameOf(command));
}

/** The round has refused it: a person's command with the key of reconciliations (workflows/gameround/inbox.ts). */
export function isReserved(command: Command, call: unknown): boolean {
  return hasItsKey(command) && typeof call !== 'string';
}

function hasItsKey(command: Command): boolean {
  return 'key' in command && command.key === RECONCILE;
}

function nameOf(command: Command): string {
  return `${command.type} ${fingerprintOf(command)}`;
}

function nameIn(type: unknown): string | undefined {
  return (Object(type) as { name?: string }).name;
}
