import type {
  Balance,
  CallHead,
  Discount,
  ErrorObject,
  LedgerEvent,
  LedgerOptions,
  Movement,
  Round,
  Ticket,
  TransactionsCall,
} from './ledger-types';

/**
 * The operator's books: accounts, rounds, tickets and discounts. All of them follow from the events. The functions here use
 * no clock and no I/O, so that reading the journal again results in the same books.
 */
export interface Ledger {
  options: LedgerOptions;
  accounts: Map<string, Balance>;
  /** The house's balance per currency. It is always the opposite of the sum of all players' balances. */
  house: Map<string, number>;
  rounds: Map<string, Round>;
  movements: Movement[];
  movementsOfPlayer: Map<string, Movement[]>;
  tickets: Map<string, Ticket>;
  discounts: Map<string, Discount>;
  /** The round in which a (type, hash) was first used. A hash identifies one transaction of one round. */
  roundOfHash: Map<string, string>;
}

export function createLedger(options: LedgerOptions): Ledger {
  return {
    options,
    accounts: new Map(),
    house: new Map(),
    rounds: new Map(),
    movements: [],
    movementsOfPlayer: new Map(),
    tickets: new Map(),
    discounts: new Map(),
    roundOfHash: new Map(),
  };
}

/** Joins the parts as JSON, so that different lists never have the same key. */
export function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

export function accountOf(ledger: Ledger, playerId: string, currency: string): Balance | undefined {
  return ledger.accounts.get(keyOf(playerId, currency));
}

/** Collects the events of a call. Each event is applied to the books at once, and listed for the journal. */
export class Decision {
  readonly events: LedgerEvent[] = [];

  constructor(
    readonly ledger: Ledger,
    readonly at: string,
  ) {}

  record(event: LedgerEvent): void {
    applyEvent(this.ledger, event);
    this.events.push(event);
  }

  /** The player's account in the currency. A new account is opened with the default balance. */
  account(playerId: string, currency: string): Balance {
    const known = accountOf(this.ledger, playerId, currency);
    if (known !== undefined) return known;
    this.adjust(playerId, currency, this.ledger.options.defaultBalance, 0, 'opening');
    return accountOf(this.ledger, playerId, currency) ?? { real: 0, bonus: 0 };
  }

  adjust(playerId: string, currency: string, realDelta: number, bonusDelta: number, hash: string): void {
    this.move({
      type: 'adjustment',
      hash,
      playerId,
      currency,
      amount: realDelta + bonusDelta,
      realDelta,
      bonusDelta,
    });
  }

  move(movement: Omit<Movement, 'seq' | 'at' | 'balanceAfter'>): void {
    const balance = accountOf(this.ledger, movement.playerId, movement.currency) ?? { real: 0, bonus: 0 };
    const balanceAfter = balance.real + balance.bonus + movement.realDelta + movement.bonusDelta;
    const seq = this.ledger.movements.length + 1;
    this.record({ kind: 'moved', movement: { seq, at: this.at, ...movement, balanceAfter } });
  }
}

export function applyEvent(ledger: Ledger, event: LedgerEvent): void {
  switch (event.kind) {
    case 'moved':
      applyMovement(ledger, event.movement);
      return;
    case 'debitRefused':
      applyRefusedDebit(ledger, event.call, event.currency, event.refused);
      return;
    case 'ticketGranted':
      ledger.tickets.set(keyOf(event.ticket.playerId, event.ticket.serial), { ...event.ticket });
      return;
    case 'discountGranted': {
      const { discount } = event;
      const key = keyOf(discount.playerId, discount.currency, discount.campaignId);
      ledger.discounts.set(key, {
        ...discount,
        discounts: discount.discounts.map((entry) => ({ ...entry })),
      });
      return;
    }
  }
}

function applyMovement(ledger: Ledger, movement: Movement): void {
  ledger.movements.push(movement);
  const ofPlayer = ledger.movementsOfPlayer.get(movement.playerId) ?? [];
  ofPlayer.push(movement);
  ledger.movementsOfPlayer.set(movement.playerId, ofPlayer);
  moveMoney(ledger, movement);
  useGrants(ledger, movement);
  if (movement.type !== 'adjustment') recordInRound(ledger, movement);
}

function moveMoney(ledger: Ledger, movement: Movement): void {
  const { currency } = movement;
  // A void of an unknown round may have no currency. It moves no money and opens no account.
  if (currency === '') return;
  const key = keyOf(movement.playerId, currency);
  const { real, bonus } = ledger.accounts.get(key) ?? { real: 0, bonus: 0 };
  ledger.accounts.set(key, { real: real + movement.realDelta, bonus: bonus + movement.bonusDelta });
  const house = ledger.house.get(currency) ?? 0;
  ledger.house.set(currency, house - movement.realDelta - movement.bonusDelta);
}

/** A debit uses a ticket or a discounted spin. The void of the debit gives it back. */
function useGrants(ledger: Ledger, movement: Movement): void {
  const uses = movement.type === 'debit' ? 1 : -1;
  if (movement.serial !== undefined) {
    const ticket = ledger.tickets.get(keyOf(movement.playerId, movement.serial));
    if (ticket !== undefined) ticket.count -= uses;
  }
  if (movement.discountCampaignId !== undefined) {
    const key = keyOf(movement.playerId, movement.currency, movement.discountCampaignId);
    const entry = ledger.discounts.get(key)?.discounts.find(({ stake }) => stake === movement.amount);
    if (entry !== undefined) entry.spinsRemaining -= uses;
  }
}

function newRound(ledger: Ledger, head: CallHead, currency: string, initialDebit: string): Round {
  const round: Round = {
    gameRound: head.gameRound,
    playerId: head.playerId,
    gameCode: head.gameCode,
    currency,
    status: 'open',
    initialDebit,
    debits: new Map(),
    credits: new Map(),
    ends: new Map(),
    voids: new Map(),
    refused: new Map(),
  };
  ledger.rounds.set(head.gameRound, round);
  return round;
}

function recordInRound(ledger: Ledger, movement: Movement): void {
  const { type, hash, gameRound = '', gameCode = '', playerId } = movement;
  const known = ledger.rounds.get(gameRound);
  const round =
    known ?? newRound(ledger, { playerId, gameCode, gameRound }, movement.currency, movement.hash);
  ledger.roundOfHash.set(keyOf(type, hash), gameRound);
  switch (type) {
    case 'debit':
      round.debits.set(hash, movement);
      return;
    case 'credit':
      round.credits.set(hash, movement);
      return;
    case 'end':
      round.ends.set(hash, movement);
      round.status = 'closed';
      return;
    case 'void':
      round.voids.set(hash, movement);
      // A void of the initial debit voids the round. A void of a follow-up debit takes back only that debit.
      if (hash === round.initialDebit || ledger.options.voidsWholeRound) round.status = 'voided';
      return;
    case 'adjustment':
      return;
  }
}

function applyRefusedDebit(
  ledger: Ledger,
  head: CallHead,
  currency: string,
  refused: { hash: string; isFirstDebit: boolean; errorCode: ErrorObject },
): void {
  const known = ledger.rounds.get(head.gameRound);
  const round = known ?? newRound(ledger, head, currency, refused.hash);
  // A refused initial debit ends the round. A refused follow-up or second initial debit does not change it.
  if (known === undefined) round.status = 'failed';
  round.refused.set(refused.hash, refused);
  ledger.roundOfHash.set(keyOf('debit', refused.hash), head.gameRound);
}

export function ticketsOf(ledger: Ledger, playerId: string, currency: string, gameCode: string): Ticket[] {
  return [...ledger.tickets.values()].filter(
    (ticket) =>
      ticket.playerId === playerId &&
      ticket.currency === currency &&
      ticket.gameCode === gameCode &&
      ticket.count > 0,
  );
}

/** The player's first campaign that is valid at the time `at` (ISO 8601) and has discounted spins left. */
export function discountOf(
  ledger: Ledger,
  playerId: string,
  currency: string,
  at: string,
): Discount | undefined {
  const now = Date.parse(at);
  return [...ledger.discounts.values()].find(
    (discount) =>
      discount.playerId === playerId &&
      discount.currency === currency &&
      Date.parse(discount.validFrom) <= now &&
      now < Date.parse(discount.validTo) &&
      discount.discounts.some(({ spinsRemaining }) => spinsRemaining > 0),
  );
}

/** Whether the round of the call belongs to another player or game. */
export function belongsToOther(ledger: Ledger, call: TransactionsCall): boolean {
  const round = ledger.rounds.get(call.gameRound);
  return round !== undefined && (round.playerId !== call.playerId || round.gameCode !== call.gameCode);
}
