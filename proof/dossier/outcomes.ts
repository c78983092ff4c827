import type { Delivered, WalletDelivery } from '../../src/contracts/activities';
import { totalBalance } from '../../src/domain/classify-wallet-reply';
import { moneyText } from '../../src/domain/money';
import { RECONCILE } from '../../src/domain/round/keys';
import { readCommand } from '../../src/domain/round/read-command';
import type { ReconcileOutcome } from '../../src/domain/round/reconcile';
import { voidedHashes } from '../../src/domain/round/transactions';
import type { RoundSnapshot, RoundTransaction, SettleCommand } from '../../src/domain/round/types';
import type { WalletBalance } from '../../src/domain/wallet-call';
import type { PlainEvent } from './events';
import { answersIn, reasonText } from './story';

/* What became of each transaction, and who says so: the wallet, a reconciliation of the operator, or a person. */

interface Said {
  isAccepted?: boolean;
  /** The wallet's error. */
  refused?: string;
  noAnswer?: string;
}

interface Known {
  /** What the wallet said, by type and hash. */
  said: Map<string, Said>;
  decisions: { command: SettleCommand; at: string }[];
  /** Balances that reconciliations returned. */
  balances: { at: string; balance: WalletBalance }[];
}

/** From the events of each run of the round and of its reconciliations. */
export function knownIn(runs: readonly (readonly PlainEvent[])[]): Known {
  const known: Known = { said: new Map(), decisions: [], balances: [] };
  for (const events of runs) {
    const answers = answersIn(events);
    const calls = new Map<number, { activity?: string; args: unknown[] }>();
    for (const { id, at, type, about } of events) {
      const { activityType, input, result, signalName, acceptedRequest, scheduledEventId } = about as {
        activityType?: { name?: string };
        input?: unknown[];
        result?: unknown[];
        signalName?: string;
        acceptedRequest?: { input?: { name?: string; args?: unknown[] } };
        scheduledEventId?: string;
      };
      if (type === 'ActivityTaskScheduled')
        calls.set(id, { activity: activityType?.name, args: input ?? [] });
      const call = type === 'ActivityTaskCompleted' ? calls.get(Number(scheduledEventId)) : undefined;
      if (call?.activity === 'deliver')
        note(known, call.args, (result?.[0] as Partial<Delivered> | null)?.result);
      if (call?.activity === 'deliverUntilDefinite') note(known, call.args, result?.[0]);
      if (call?.activity === 'resend') {
        const { balance } = Object(result?.[0]) as Partial<ReconcileOutcome>;
        if (Array.isArray(balance?.balances)) known.balances.push({ at, balance });
      }
      const args = signalName === 'settle' ? input : acceptedRequest?.input?.args;
      if ((signalName ?? acceptedRequest?.input?.name) !== 'settle') continue;
      const read = readCommand('settle', args?.[0]);
      if (!('command' in read) || read.command.type !== 'settle') continue;
      const { command } = read;
      const refusal = (answers.get(String(args?.[2])) ?? answers.get(`settle:${command.key}`))?.refusal;
      // A settle that leaves something open is applied, and its answer is that the round is still crashed.
      if (refusal === undefined || refusal.errorCode.msg === 'GAMEROUNDCRASHED')
        known.decisions.push({ command, at });
    }
  }
  return known;
}

interface Answered {
  kind?: string;
  reason?: string;
  errorCode?: { id?: number; msg?: string } | null;
  endRefused?: { id?: number; msg?: string } | null;
  creditAccepted?: boolean;
}

function note({ said }: Known, args: unknown[], outcome: unknown): void {
  const { kind, reason, errorCode, endRefused, creditAccepted } = Object(outcome) as Answered;
  for (const { type, hash } of (args[0] as WalletDelivery).call.transactions) {
    const name = `${type} ${hash}`;
    if (said.get(name)?.isAccepted) continue;
    if (kind === 'accepted' && type === 'end' && endRefused)
      said.set(name, { refused: errorText(endRefused) });
    else if (kind === 'accepted' || (creditAccepted && type === 'credit'))
      said.set(name, { isAccepted: true });
    else if (kind === 'declined' || kind === 'refused') said.set(name, { refused: errorText(errorCode) });
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
  const refused = said?.refused ?? (errorCode && errorText(errorCode));
  const before =
    refused !== undefined
      ? `refused by the wallet: ${refused}`
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
  if (decision?.command.key === RECONCILE) {
    const balance = balances.findLast(({ at }) => at <= decision.at)?.balance;
    const sum = balance && totalBalance(balance);
    return {
      outcome: `${decided}accepted by the operator in a reconciliation on ${momentText(decision.at)}`,
      ...(sum !== undefined && Number.isSafeInteger(sum) && sum >= 0
        ? { balanceAfter: moneyText(sum, identity.currency) }
        : {}),
    };
  }
  if (decision !== undefined) {
    const { key, reason } = decision.command;
    const effect = outcome === 'accepted' ? EFFECT[type] : `never ${EFFECT[type]}`;
    const how = `on ${momentText(decision.at)}, reason “${reason}”, key “${key}”`;
    return { outcome: `${decided}decided by a person: ${effect} (${how})` };
  }
  switch (outcome) {
    case 'accepted':
      return {
        outcome:
          said === undefined && settled !== undefined
            ? 'accepted by the wallet, or decided later: no history says which'
            : 'accepted by the wallet',
      };
    case 'declined':
      return {
        outcome:
          type === 'void'
            ? 'the wallet never had this bet'
            : `declined by the wallet: it had no effect${refused === undefined ? '' : ` (${refused})`}`,
      };
    case 'unknown':
      return { outcome: `${then || 'no answer came; '}it is not known whether it was ${EFFECT[type]}` };
    case 'pending': {
      const waits = refused === undefined ? 'it is sent again' : 'it waits until the wallet accepts the call';
      if (crashed) return { outcome: `${then || 'not answered; '}in doubt until it is decided` };
      return { outcome: then === '' ? 'not answered yet' : `${then}${waits}` };
    }
  }
}

/** `2026-11-29 16:29:32 UTC` */
function momentText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
