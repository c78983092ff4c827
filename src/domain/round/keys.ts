import { hashOf, normalId } from '../hashes';
import type { Command, RoundState } from './types';

/** Key and reason of the commands that a reconciliation sends to a round. */
export const RECONCILE = 'reconcile';

/** The prefix of the keys of follow-up debits. */
export const debitKeyPrefix = 'debit:';

/**
 * The key under which a round stores a command. A start has the key `start`, unless the game allows follow-up debits and
 * both calls have a rngCallId and these differ (docs/interface#follow-up-debit).
 */
export function keyOf(state: RoundState, command: Command): string {
  switch (command.type) {
    case 'start':
      return isFollowUpDebit(state, command.rngCallId)
        ? `${debitKeyPrefix}${normalId(command.rngCallId)}`
        : 'start';
    case 'void':
      return 'void';
    case 'addWin':
    case 'end':
    case 'collectWin':
    case 'addSpinCounter':
    case 'settle':
      return `${command.type}:${command.key}`;
  }
}

function isFollowUpDebit(state: RoundState, rngCallId: string | undefined): rngCallId is string {
  return (
    state.settings.followUpDebits &&
    rngCallId !== undefined &&
    state.firstRngCallId !== undefined &&
    normalId(rngCallId) !== normalId(state.firstRngCallId)
  );
}

/** The money fields of a command. A repeat must have the same. */
export function fingerprintOf(command: Command): string {
  switch (command.type) {
    case 'start':
      return JSON.stringify([
        command.debitAmount ?? null,
        command.currency,
        command.useTicket,
        command.winAmount,
      ]);
    case 'addWin':
      return JSON.stringify([command.winAmount, command.collect]);
    case 'collectWin':
      return JSON.stringify([command.amount ?? null]);
    case 'addSpinCounter':
      return JSON.stringify([command.counterType, command.awarded, command.used]);
    case 'settle':
      // A hash, since the lists may name every transaction of a long round.
      return hashOf([command.accepted, command.declined ?? []].map((list) => [...new Set(list)].sort()));
    case 'end':
    case 'void':
      return '';
  }
}
