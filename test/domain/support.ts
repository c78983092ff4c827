import { decide, type Decision } from '../../src/domain/round/decide';
import { keyOf } from '../../src/domain/round/keys';
import { createRound } from '../../src/domain/round/create-round';
import { replyTo, type RoundReply } from '../../src/domain/round/replies';
import { applyWalletOutcome } from '../../src/domain/round/apply-wallet-outcome';
import type {
  AddWinCommand,
  CollectWinCommand,
  Command,
  EndCommand,
  RoundIdentity,
  RoundSettings,
  RoundState,
  RoundTransaction,
  SpinCounterCommand,
  StartCommand,
  VoidCommand,
} from '../../src/domain/round/types';
import type { ErrorObject } from '../../src/domain/errors';
import type { OperatorTransaction, WalletBalance, WalletOutcome } from '../../src/domain/wallet-call';

export const AT = '2026-03-01T10:00:00.000Z';
export const LATER = '2026-03-01T10:00:05.000Z';

export const IDENTITY: RoundIdentity = {
  gameround: '3a2f1c00-0000-8000-8000-000000000001',
  operatorId: 'op1',
  playerId: 'player-1',
  gameCode: 'demo-slot',
  providerId: 'gp1',
  sessionId: 'session-hash',
  mode: 'real',
  currency: 'EUR',
  currencyMultiplier: 1,
  language: 'en',
  externalGameProviderRoundId: 'round-1',
};

export function settings(over: Partial<RoundSettings> = {}): RoundSettings {
  return {
    autoCloseAfterMs: 86_400_000,
    voidsWholeRound: false,
    followUpDebits: false,
    gameRoundReport: false,
    resultCallback: false,
    ...over,
  };
}

/** A bet of 100 drawn as `rng-1`, unless said otherwise. */
export function start(over: Partial<StartCommand> = {}): StartCommand {
  const debitAmount = over.debitAmount ?? over.stake ?? 100;
  return {
    type: 'start',
    debitAmount,
    stake: debitAmount,
    currency: 'EUR',
    useTicket: false,
    endGame: false,
    winAmount: 0,
    rngCallId: 'rng-1',
    ...over,
  };
}

export function ticketStart(over: Partial<StartCommand> = {}): StartCommand {
  return {
    type: 'start',
    stake: 20,
    currency: 'EUR',
    useTicket: true,
    endGame: false,
    winAmount: 0,
    rngCallId: 'rng-1',
    ticket: { serial: 'T-1', stake: 20, currency: 'EUR', count: 3, usedBefore: 2, wonBefore: 500 },
    ...over,
  };
}

export function addWin(key: string, winAmount: number, over: Partial<AddWinCommand> = {}): AddWinCommand {
  return { type: 'addWin', key, winAmount, collect: false, ...over };
}

export function end(key = 'end-1', reason = 'endGameRound'): EndCommand {
  return { type: 'end', key, reason };
}

export function collectWin(key: string, amount?: number): CollectWinCommand {
  return { type: 'collectWin', key, ...(amount === undefined ? {} : { amount }) };
}

export const VOID: VoidCommand = { type: 'void', reason: 'voidGameRound' };

export function spins(key: string, counterType: string, awarded: number, used: number): SpinCounterCommand {
  return { type: 'addSpinCounter', key, counterType, awarded, used };
}

export const BALANCE: WalletBalance = { balances: [{ type: 'real', amount: 900, currency: 'EUR' }] };
export const OPERATOR_ERROR: ErrorObject = {
  id: 77,
  msg: 'LIMITREACHED',
  clientmsg: 'Your limit is reached.',
};

export const ACCEPTED: WalletOutcome = { kind: 'accepted', balance: BALANCE };
export const END_REJECTED: WalletOutcome = { kind: 'accepted', endRejected: OPERATOR_ERROR };
export const UNCONFIRMED: WalletOutcome = { kind: 'accepted', unconfirmed: true };
export const UNKNOWN: WalletOutcome = { kind: 'unknown', reason: 'time-out' };
export const DECLINED: WalletOutcome = {
  kind: 'declined',
  unauthorised: false,
  errorCode: OPERATOR_ERROR,
  processed: false,
};
export const DECLINED_BUT_PROCESSED: WalletOutcome = { ...DECLINED, processed: true };
export const UNAUTHORISED_DEBIT: WalletOutcome = { ...DECLINED, unauthorised: true };

export function retryable(
  about: Partial<{ creditAccepted: boolean; maybePaid: boolean }> = {},
): WalletOutcome & { kind: 'retryable' } {
  return { kind: 'retryable', reason: 'status 500', creditAccepted: false, maybePaid: false, ...about };
}

export function rejected(
  about: Partial<WalletOutcome & { kind: 'rejected' }> = {},
): WalletOutcome & { kind: 'rejected' } {
  return {
    kind: 'rejected',
    unauthorised: false,
    errorCode: OPERATOR_ERROR,
    creditAccepted: false,
    maybePaid: false,
    ...about,
  };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** As the state comes out of a continue-as-new. */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** `debit 100`, `end`: what a call asks for, in its order. */
export function describeCall(
  transactions: readonly Pick<OperatorTransaction, 'type' | 'amount'>[],
): string[] {
  return transactions.map(({ type, amount }) => (amount === undefined ? type : `${type} ${amount}`));
}

/** A round that is driven as its workflow drives it. Everything it is given and keeps is frozen. */
export class TestRound {
  private current: RoundState;
  /** Every call that the machine put on its way, oldest first; retries of one aren't repeated here. */
  readonly calls: OperatorTransaction[][] = [];

  constructor(command: StartCommand = start(), over: Partial<RoundSettings> = {}, identity = IDENTITY) {
    this.current = deepFreeze(createRound(deepFreeze(identity), settings(over), deepFreeze(command), AT));
    this.noteCall(undefined);
  }

  get state(): RoundState {
    return this.current;
  }

  get shapes(): string[][] {
    return this.calls.map(describeCall);
  }

  /** Goes on with a state made by hand. */
  replace(change: Partial<RoundState>): this {
    this.current = deepFreeze({ ...this.current, ...change });
    return this;
  }

  deliver(...outcomes: WalletOutcome[]): this {
    for (const outcome of outcomes) {
      const before = this.current.pending;
      this.current = deepFreeze(applyWalletOutcome(this.current, deepFreeze(outcome), LATER));
      this.noteCall(before);
    }
    return this;
  }

  send(command: Command): Decision {
    const decision = decide(this.current, deepFreeze(command), LATER);
    if (decision.kind === 'accept') {
      const before = this.current.pending;
      this.current = deepFreeze(decision.state);
      this.noteCall(before);
    }
    return decision;
  }

  /** Sends a command that has to be accepted, delivers its calls in turn and tells its reply. */
  do(command: Command, ...outcomes: WalletOutcome[]): RoundReply {
    const decision = this.send(command);
    if (decision.kind !== 'accept') throw new Error(`not accepted: ${JSON.stringify(decision)}`);
    this.deliver(...outcomes);
    return this.reply(command);
  }

  /** The name of the error with which a command is refused. */
  refusal(command: Command): string {
    const decision = this.send(command);
    return decision.kind === 'refuse'
      ? nameOf(decision.refusal.errorCode.msg)
      : `not refused: ${decision.kind}`;
  }

  /** The reply to a command that was answered. */
  reply(command: Command): RoundReply {
    const answer = this.current.commands[keyOf(this.current, command)]?.answer;
    if (answer === undefined) throw new Error(`no answer to ${JSON.stringify(command)}`);
    return replyTo(this.current, answer);
  }

  transactions(type: RoundTransaction['type']): RoundTransaction[] {
    return this.current.transactions.filter((transaction) => transaction.type === type);
  }

  private noteCall(before: RoundState['pending']): void {
    const { pending } = this.current;
    if (pending === undefined) return;
    const isNew = JSON.stringify(before?.transactions) !== JSON.stringify(pending.transactions);
    if (isNew) this.calls.push(pending.transactions);
  }
}

/** An open round whose bet was taken. */
export function opened(command: StartCommand = start(), over: Partial<RoundSettings> = {}): TestRound {
  return new TestRound(command, over).deliver(ACCEPTED);
}

/** An open round of a game with follow-up debits. */
export function openedForFollowUps(over: Partial<RoundSettings> = {}): TestRound {
  return opened(start(), { followUpDebits: true, ...over });
}

function nameOf(msg: string): string {
  return msg.split(':')[0] ?? '';
}
