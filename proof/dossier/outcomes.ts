import type { WalletDelivery } from '../../src/contracts/activities';
import { creditIn } from '../../src/contracts/activity-results';
import { exactSum, isAmount, moneyText } from '../../src/domain/money';
import { RECONCILE } from '../../src/domain/round/keys';
import { readCommand } from '../../src/domain/round/read-command';
import { voidedHashes } from '../../src/domain/round/transactions';
import type { RoundSnapshot, RoundTransaction, SettleCommand } from '../../src/domain/round/types';
import { walletOutcomeIn } from '../../src/histories/record';
import type { WalletCall } from '../../src/domain/wallet-call';
import { isOwnIdentity } from '../../src/temporal-identity';
import { updateIn, valuesIn, type PlainEvent } from './events';
import { isByReconciliation, isReserved, reconciliationsIn } from './reconciliations';
import { answersIn, balancesIn, reasonText } from './story';

/* What became of each transaction, and who says so: the wallet, a reconciliation of the operator, or a person. */

interface Said {
  isAccepted?: boolean;
  /** The wallet's error. */
  rejected?: string;
  noAnswer?: string;
  /** Who has entered the answer of the wallet by hand. */
  enteredBy?: string;
}

export interface Known {
  /** What the wallet said, by type and hash. */
  said: Map<string, Said>;
  decisions: { command: SettleCommand; at: string; isReconciliation: boolean }[];
  /** Balances that reconciliations returned. */
  balances: { at: string; balance: unknown }[];
}

/** From the events of each run of the round and of its reconciliations, the oldest run first. */
export function knownIn(runs: readonly (readonly PlainEvent[])[]): Known {
  const known: Known = { said: new Map(), decisions: [], balances: [] };
  const reconciliations = reconciliationsIn(runs);
  for (const events of runs) {
    const answers = answersIn(events);
    const calls = new Map<number, { activity: string | undefined; args: unknown[] }>();
    for (const event of events) {
      const { id, at, type, about } = event;
      const update = updateIn(event);
      const { activityType, signalName, scheduledEventId, identity } = about as {
        activityType?: { name?: string };
        signalName?: string;
        scheduledEventId?: string;
        identity?: unknown;
      };
      if (type === 'ActivityTaskScheduled') {
        const args = valuesIn(about.input);
        calls.set(id, { activity: activityType?.name, args });
      }
      const call = type === 'ActivityTaskCompleted' ? calls.get(Number(scheduledEventId)) : undefined;
      const [result] = valuesIn(about.result);
      const enteredBy = isOwnIdentity(identity) ? undefined : String(identity);
      if (call?.activity?.startsWith('deliver') === true) {
        note(known, (call.args[0] as WalletDelivery).call, walletOutcomeIn(call.activity, result), enteredBy);
        const credit = creditIn(result);
        if (credit !== undefined) note(known, credit.call, credit.result, enteredBy);
      }
      if (call?.activity === 'resend' && enteredBy === undefined)
        known.balances.push({ at, balance: (Object(result) as { balance?: unknown }).balance });
      if ((signalName ?? update?.input?.name) !== 'settle') continue;
      const [raw, , callId] = valuesIn(signalName === 'settle' ? about.input : update?.input?.args);
      const read = readCommand('settle', raw);
      if (!('command' in read) || read.command.type !== 'settle' || isReserved(read.command, callId))
        continue;
      const { command } = read;
      const refusal = (answers.get(String(callId)) ?? answers.get(`settle:${command.key}`))?.refusal;
      const isReconciliation =
        isOwnIdentity(update?.meta?.identity ?? identity) && isByReconciliation(command, reconciliations);
      // A settle that leaves something open is applied, and its answer is that the round is still crashed.
      if (refusal === undefined || refusal.errorCode.msg === 'GAMEROUNDCRASHED')
        known.decisions.push({ command, at, isReconciliation });
    }
  }
  return known;
}

interface Answered {
  kind?: string;
  reason?: string;
  errorCode?: { id?: number; msg?: string } | null;
  endRejected?: { id?: number; msg?: string } | null;
  creditAccepted?: boolean;
}

function note(
  { said }: Known,
  { transactions }: WalletCall,
  outcome: unknown,
  enteredBy: string | undefined,
): void {
  const { kind, reason, errorCode, endRejected, creditAccepted } = Object(outcome) as Answered;
  for (const { type, hash } of transactions) {
    const name = `${type} ${hash}`;
    if (said.get(name)?.isAccepted) continue;
    if (kind === 'accepted' && type === 'end' && endRejected)
      said.set(name, { rejected: errorText(endRejected) });
    else if (kind === 'accepted' || (creditAccepted && type === 'credit'))
      said.set(name, { isAccepted: true, ...(enteredBy === undefined ? {} : { enteredBy }) });
    else if (kind === 'declined' || kind === 'rejected') said.set(name, { rejected: errorText(errorCode) });
    else said.set(name, { noAnswer: reasonText(reason ?? 'no answer') });
  }
}

function errorText(error: Answered['errorCode']): string {
  return error ? `error ${error.id} ${error.msg}` : 'it does not accept the call';
}

const EFFECT = { debit: 'taken', credit: 'paid', void: 'given back', end: 'noted' };

/** The outcome in words, and the balance that a reconciliation returned with it. */
export function outcomeOf(
  one: RoundTransaction,
  { crashed, settled, transactions, identity }: RoundSnapshot,
  { said: all, decisions, balances }: Known,
): { outcome: string; balanceAfter?: string } {
  const { type, hash, outcome, errorCode } = one;
  const said = all.get(`${type} ${hash}`);
  const rejected = said?.rejected ?? (errorCode && errorText(errorCode));
  const before =
    rejected !== undefined
      ? `refused by the wallet: ${rejected}`
      : said?.noAnswer !== undefined && `no definite answer of the wallet: ${said.noAnswer}`;
  const then = before ? `${before}; ` : '';
  const decided = before ? `${before}; then ` : '';
  // A debit and its void have the same hash; the lists mean the void.
  const isListed = type !== 'debit' || !voidedHashes(transactions).has(hash);
  const decision = decisions.find(
    ({ command }) =>
      isListed &&
      !(outcome === 'accepted' && said?.isAccepted) &&
      ((outcome === 'accepted' && command.accepted.includes(hash)) ||
        (outcome === 'declined' && command.declined?.includes(hash))),
  );
  if (decision?.isReconciliation) {
    const { currency } = identity;
    const each = balancesIn(balances.findLast(({ at }) => at <= decision.at)?.balance, currency);
    const sum = exactSum(each.map(({ amount }) => amount));
    const isKnown = each.length > 0 && each.every((one) => isAmount(one.amount) && one.currency === currency);
    return {
      outcome: `${decided}accepted by the operator in a reconciliation on ${momentText(decision.at)}`,
      ...(isKnown && isAmount(sum) ? { balanceAfter: moneyText(sum, currency) } : {}),
    };
  }
  if (decision !== undefined) {
    const { key, reason } = decision.command;
    const effect = outcome === 'accepted' ? EFFECT[type] : `never ${EFFECT[type]}`;
    const how = `on ${momentText(decision.at)}, reason “${reason}”, key “${key}”`;
    const who =
      key === RECONCILE
        ? 'decided with the key of reconciliations, and no history of one says so'
        : 'decided by a person';
    return { outcome: `${decided}${who}: ${effect} (${how})` };
  }
  switch (outcome) {
    case 'accepted':
      return {
        outcome:
          said === undefined && settled !== undefined
            ? 'accepted by the wallet, or decided later: no history says which'
            : said?.enteredBy === undefined
              ? 'accepted by the wallet'
              : `a person has entered that the wallet accepts it (sent by ${said.enteredBy})`,
      };
    case 'declined':
      return {
        outcome:
          type === 'void'
            ? 'the wallet never had this bet'
            : `declined by the wallet: it had no effect${rejected === undefined ? '' : ` (${rejected})`}`,
      };
    case 'unknown':
      return { outcome: `${then || 'no answer came; '}it is not known whether it was ${EFFECT[type]}` };
    case 'pending': {
      const waits =
        rejected === undefined ? 'it is sent again' : 'it waits until the wallet accepts the call';
      if (crashed) return { outcome: `${then || 'not answered; '}in doubt until it is decided` };
      return { outcome: then === '' ? 'not answered yet' : `${then}${waits}` };
    }
  }
}

/** `2026-11-29 16:29:32 UTC` */
function momentText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
