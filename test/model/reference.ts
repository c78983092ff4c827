import type { Call, CallBody, Fault, GameIndex } from './types';
import { deliver, type Delivery } from './delivery';
import type { Outcome, RoundRecord, Status } from './outcome';
import { newWalletRound, type Purse, type Transaction, type WalletRound } from './wallet';

/*
 * What the service has to answer, written from docs/interface alone: plain data, one pure step for
 * each call. It knows nothing of workflows, queues or records, and carries each call out in one go.
 */

export interface Game {
  readonly code: string;
  readonly currency: string;
  readonly followUpDebits: boolean;
  /** The balance that the game's session was told last; undefined where docs/interface leaves that open. */
  lastBalance: number | undefined;
}

export interface Ticket {
  readonly serial: string;
  readonly game: GameIndex;
  readonly stake: number;
}

/** A transaction that was sent, and what became of it as far as the service was told. */
export interface Sent {
  readonly transaction: Transaction;
  outcome: 'accepted' | 'declined' | 'unknown' | 'pending';
}

export interface Round {
  readonly game: GameIndex;
  /** What names it (docs/interface#round-name). */
  readonly name: string;
  /** As the service called it; learned from its first answer. */
  hash: string | undefined;
  status: Status;
  crashed: boolean;
  /** All that was won in it, and all that was credited. */
  won: number;
  credited: number;
  maybePaid: boolean;
  readonly firstCallId: string | undefined;
  sent: Sent[];
  /** First replies by key, for repeats. */
  kept: Record<string, { print: string; outcome: Outcome }>;
  counters: Record<string, { awarded: number; used: number }>;
  wallet: WalletRound;
}

export interface State {
  readonly voidsWholeRound: boolean;
  readonly games: readonly [Game, Game];
  readonly tickets: readonly Ticket[];
  readonly purses: Record<string, Purse>;
  rounds: Round[];
  /** Tickets that starts have chosen before they come to their bet, by the id of the request. */
  chosen: Record<string, Ticket>;
  /** Waiting for the wallet's next calls, oldest first. */
  faults: Fault[];
  /** Names of faults that were met. */
  met: string[];
}

export interface Setup {
  readonly voidsWholeRound: boolean;
  readonly games: readonly { code: string; currency: string; followUpDebits: boolean }[];
  readonly money: number;
  readonly tickets: readonly (Ticket & { count: number })[];
}

export function newState({ voidsWholeRound, games, money, tickets }: Setup): State {
  const purses: Record<string, Purse> = {};
  for (const { currency } of games) purses[currency] = { money, tickets: {} };
  for (const { serial, game, count } of tickets) purses[games[game]!.currency]!.tickets[serial] = count;
  const opened = games.map((game): Game => ({ ...game, lastBalance: undefined }));
  return {
    voidsWholeRound,
    games: [opened[0]!, opened[1]!],
    tickets,
    purses,
    rounds: [],
    chosen: {},
    faults: [],
    met: [],
  };
}

export const openWin = ({ status, won, credited }: Round): number =>
  status === 'cancel' ? 0 : won - credited;

/** What the player has of the game's currency. */
export function moneyIn(state: State, game: GameIndex): number {
  return state.purses[state.games[game].currency]!.money;
}

/** A session begins: its balance is asked for. */
export function sitDown(state: State, game: GameIndex): void {
  state.games[game].lastBalance = moneyIn(state, game);
}

/** Repeats carry the balance of the first reply, which is not known after calls in two games at once. */
export function forgetBalances({ rounds }: State): void {
  for (const kept of rounds.flatMap((round) => Object.values(round.kept))) {
    kept.outcome = { ...kept.outcome, balance: undefined };
  }
}

/** Carries a call out and answers what its reply has to say. */
export function step(state: State, call: Call): Outcome {
  switch (call.kind) {
    case 'startGameRound':
      return startGameRound(state, call);
    case 'addWin':
      return onRound(state, call, addWin);
    case 'collectWin':
      return onRound(state, call, collectWin);
    case 'endGameRound':
      return onRound(state, call, (at) => collectAndEnd(at, at.round));
    case 'voidGameRound':
      return onRound(state, call, voidGameRound);
    case 'addSpinCounterGameState':
      return onRound(state, call, addSpins);
    case 'reconcileTransactions':
      return reconcile(state, call);
    default:
      return ask(state, call);
  }
}

const refused = (status: number, ...errorIds: number[]): Outcome => ({ status, errorIds });

// --- questions ---------------------------------------------------------------------------------------------------

function ask(state: State, { kind, game, body }: Call): Outcome {
  switch (kind) {
    case 'getBalance': {
      const balance = moneyIn(state, game);
      state.games[game].lastBalance = balance;
      return { status: 200, bareBalance: balance };
    }
    case 'getLastGameRounds':
      return { status: 200, list: state.rounds.filter(({ status }) => status === 'closed').map(lastRound) };
    case 'getOpenGameRounds':
      return { status: 200, list: state.rounds.filter(({ status }) => status === 'open').map(openRound) };
    default:
      return askOfRound(state, kind, body, roundAskedFor(state, game, body));
  }
}

function roundAskedFor(state: State, game: GameIndex, body: CallBody): Round | undefined {
  const { gameRound, externalGameProviderRoundId } = body;
  if (gameRound !== undefined) return roundOf(state, game, gameRound);
  if (externalGameProviderRoundId === undefined) return openRoundOf(state, game);
  return state.rounds.find(
    (round) => round.game === game && round.name === `ext ${externalGameProviderRoundId}`,
  );
}

function askOfRound(state: State, kind: Call['kind'], body: CallBody, round: Round | undefined): Outcome {
  if (round === undefined) return body.gameRound === undefined ? refused(400, 15) : refused(404, 2_001);
  const { lastBalance: balance } = state.games[round.game];
  const info = {
    status: 200,
    ...about(state, round),
    amountToCollect: openWin(round),
    balance,
    moved: false,
  };
  switch (kind) {
    case 'getGameRoundInfo': {
      const totalWinAmount = round.status === 'cancel' ? round.credited : round.won;
      return { ...info, totalWinAmount, transactions: effective(round) };
    }
    case 'getGameRoundHistoryInfo':
      return round.status === 'open' ? refused(400, 2_014) : info;
    case 'getGameRoundDetails':
      return { status: 200, record: recordOf(round) };
    case 'getAvailableSpinCounter': {
      const { awarded, used } = round.counters[body.counterType ?? ''] ?? { awarded: 0, used: 0 };
      return { status: 200, amountToCollect: openWin(round), spinsAvailable: awarded - used };
    }
    default:
      return { status: 200, amountToCollect: openWin(round) };
  }
}

const lastRound = (round: Round): object => ({ id: round.hash, bet: betsOf(round), won: round.credited });
const openRound = (round: Round): object => ({ hash: round.hash, amountToCollect: openWin(round) });

/** The operator's record: what took effect. */
export function recordOf(round: Round): RoundRecord {
  const { status, crashed, credited } = round;
  const totals = { totalBetAmount: betsOf(round), totalWinAmount: credited };
  return { status, crashed, ...totals, transactions: effective(round) };
}

/** Accepted transactions, and debits that may have been taken; in the order they were sent. */
function effective({ sent }: Round): string[] {
  return sent
    .filter(
      ({ transaction, outcome }) =>
        outcome === 'accepted' || (transaction.type === 'debit' && outcome === 'unknown'),
    )
    .map(({ transaction: { type, amount } }) => `${type} ${amount}`);
}

/** The debits that were taken and not given back. */
function betsOf({ sent }: Round): number {
  const voided = new Set(
    sent.flatMap(({ transaction, outcome }) =>
      transaction.type === 'void' && outcome === 'accepted' ? [transaction.ref] : [],
    ),
  );
  return sent
    .filter(({ transaction, outcome }) => transaction.type === 'debit' && outcome === 'accepted')
    .filter(({ transaction }) => !voided.has(transaction.ref))
    .reduce((sum, { transaction }) => sum + transaction.amount, 0);
}

// --- startGameRound ----------------------------------------------------------------------------------------------

interface Bet {
  stake: number;
  win: number;
  end: boolean;
  serial?: string | undefined;
}

function startGameRound(state: State, call: Call): Outcome {
  const { game, body } = call;
  const { debitInformation, rngResult = {}, endGame = false, closeOpenGame = false } = body;
  if (debitInformation!.currency !== state.games[game].currency) return refused(400, 1_000);
  const name = nameOf(call);
  const known = state.rounds.find((round) => round.game === game && round.name === name);
  if (known !== undefined) return startOfKnown(state, known, call);

  const wantsTicket = wantsATicket(call);
  const ticket = wantsTicket ? (state.chosen[call.requestId] ?? ticketOf(state, call)) : undefined;
  const open = openRoundOf(state, game);
  // Which of the two is told first, docs/interface leaves open; neither costs anything.
  const problems = [
    ...(open !== undefined && !closeOpenGame ? [12] : []),
    ...(wantsTicket && ticket === undefined ? [2_008] : []),
  ];
  if (problems.length > 0) return refused(400, ...problems);
  if (open !== undefined) closeForAnother(state, game);

  const round: Round = {
    ...{ game, name, hash: undefined, status: 'open', crashed: false, won: 0, credited: 0, maybePaid: false },
    ...{ firstCallId: rngResult.rngCallId, sent: [], kept: {}, counters: {}, wallet: newWalletRound() },
  };
  state.rounds.push(round);
  const stake = ticket === undefined ? debitInformation!.debitAmount! : ticket.stake;
  const paid = ticket === undefined ? {} : { serial: ticket.serial };
  const bet: Bet = { stake, win: rngResult.winAmount ?? 0, end: endGame, ...paid };
  return keep(round, 'start', printOfStart(body), firstDebit({ state, round, key: 'start' }, bet));
}

export const wantsATicket = ({ body }: Call): boolean =>
  body.debitInformation?.useTicketInfo?.useTicket === true;

export function ticketOf(state: State, { game, body }: Call): Ticket | undefined {
  return ticketFor(state, game, body.debitInformation?.debitAmount);
}

/** The open round is collected and closed, or voided or crashed by a refused credit: out of the way all the same. */
export function closeForAnother(state: State, game: GameIndex): void {
  const open = openRoundOf(state, game);
  if (open !== undefined) collectAndEnd({ state, round: open, key: 'close-by-another' }, open);
}

export function nameOf({ requestId, body }: Call): string {
  if (body.externalGameProviderRoundId !== undefined) return `ext ${body.externalGameProviderRoundId}`;
  return body.rngResult?.rngCallId === undefined ? `request ${requestId}` : `rng ${body.rngResult.rngCallId}`;
}

function printOfStart({ debitInformation, rngResult }: CallBody): string {
  const { debitAmount, currency, useTicketInfo } = debitInformation!;
  return JSON.stringify([
    debitAmount,
    currency,
    useTicketInfo?.useTicket === true,
    rngResult?.winAmount ?? 0,
  ]);
}

/** Of that stake where one is given; else the lowest stake, then the fewest left, then the first serial. */
function ticketFor(state: State, game: GameIndex, stake: number | undefined): Ticket | undefined {
  const { tickets } = state.purses[state.games[game].currency]!;
  const left = ({ serial }: Ticket): number => tickets[serial] ?? 0;
  return state.tickets
    .filter(
      (ticket) => ticket.game === game && left(ticket) > 0 && (stake === undefined || ticket.stake === stake),
    )
    .sort((a, b) => a.stake - b.stake || left(a) - left(b) || (a.serial < b.serial ? -1 : 1))[0];
}

/** Identify first: a repeat or a follow-up debit of an open round; never closed or replaced by itself. */
function startOfKnown(state: State, round: Round, { body }: Call): Outcome {
  if (round.crashed) return refused(400, 2_012);
  if (round.status !== 'open') return { ...refused(400, 2_000), ...about(state, round) };
  const { debitInformation, rngResult = {}, endGame = false } = body;
  const key = keyOfStart(state, round, body);
  const print = printOfStart(body);
  const before = round.kept[key];
  if (before !== undefined) return before.print === print ? repeated(before.outcome) : refused(400, 2_002);
  const bet = { stake: debitInformation!.debitAmount!, win: rngResult.winAmount ?? 0, end: endGame };
  return keep(round, key, print, followUpDebit({ state, round, key }, bet));
}

/** A follow-up debit only in a game that has them, and where both calls name their draw and name two. */
function keyOfStart({ games }: State, { game, firstCallId }: Round, { rngResult }: CallBody): string {
  const callId = rngResult?.rngCallId;
  const named = callId !== undefined && firstCallId !== undefined;
  return games[game].followUpDebits && named && callId !== firstCallId ? `debit ${callId}` : 'start';
}

interface At {
  readonly state: State;
  readonly round: Round;
  /** Of the command that is carried out. */
  readonly key: string;
}

function firstDebit(at: At, bet: Bet): Outcome {
  const { round, key } = at;
  const together = bet.end && bet.win === 0;
  const debit: Transaction = {
    ...{ type: 'debit', ref: key, amount: bet.serial === undefined ? bet.stake : 0, first: true },
    serial: bet.serial,
  };
  const end: Transaction = { type: 'end', ref: key, amount: 0 };
  const sent = send(round, together ? [debit, end] : [debit]);
  const answer = deliverTo(at, sent);
  if (answer.says === 'noEndOn200' && together) {
    mark(sent.slice(0, 1), 'accepted');
    return crash(at, refused(400, answer.errorId!));
  }
  if (answer.says !== 'yes') return debitFailed(at, sent, answer, true);
  mark(sent, 'accepted');
  round.won += bet.win;
  if (bet.end && !together) return collectAndEnd(at, round);
  if (together) round.status = 'closed';
  return told(at, 0);
}

function followUpDebit(at: At, bet: Bet): Outcome {
  const { round, key } = at;
  const sent = send(round, [{ type: 'debit', ref: key, amount: bet.stake, first: false }]);
  const answer = deliverTo(at, sent);
  if (answer.says !== 'yes') return debitFailed(at, sent, answer, false);
  mark(sent, 'accepted');
  round.won += bet.win;
  return bet.end ? collectAndEnd(at, round) : told(at, 0);
}

/** docs/interface#debit-declined: declined, or of unknown outcome. */
function debitFailed(at: At, sent: Sent[], answer: Delivery, first: boolean): Outcome {
  const { state, round } = at;
  const [debit, ...others] = sent;
  mark(others, 'declined');
  const isKnown = answer.says === 'no' || answer.says === 'notNow' || answer.says === 'unauthorised';
  const tookEffect = answer.says === 'noEnd';
  debit!.outcome = isKnown ? 'declined' : 'unknown';
  const why = isKnown || tookEffect ? declined(answer) : refused(502, 3_000);
  if (first) {
    cancel(at);
  } else if (debit!.outcome === 'unknown') {
    if (!state.voidsWholeRound) voidOne(at, debit!.transaction.ref);
    else if (mayHavePaid(round)) return crash(at, why);
    else cancel(at);
  }
  state.games[round.game].lastBalance = undefined;
  return { ...why, ...about(state, round) };
}

function declined({ says, errorId }: Delivery): Outcome {
  if (says === 'unauthorised') return refused(502, 3_000);
  return refused(400, errorId ?? 3_004);
}

// --- calls on a round --------------------------------------------------------------------------------------------

interface AtCall extends At {
  readonly body: CallBody;
}

/** Whose round it is, whether it takes anything, whether it is a repeat: the same for every call on a round. */
function onRound(state: State, call: Call, carryOut: (at: AtCall) => Outcome): Outcome {
  const { game, body } = call;
  const round = roundOf(state, game, body.gameRound!);
  if (round === undefined) return refused(404, 2_001);
  if (round.crashed) return refused(400, 2_012);
  if (round.status !== 'open') return { ...refused(400, 2_000), ...about(state, round) };
  const key = keyOf(call);
  const print = printOf(call);
  const before = round.kept[key];
  if (before !== undefined) return before.print === print ? repeated(before.outcome) : refused(400, 2_002);
  const outcome = carryOut({ state, round, key, body });
  return outcome.notKept ? outcome : keep(round, key, print, outcome);
}

/** A round is voided once, whatever the request is called. */
function keyOf({ kind, requestId, body }: Call): string {
  const { externalGameProviderTransactionId: id, rngResult } = body;
  if (kind === 'voidGameRound') return kind;
  if (id !== undefined) return `${kind} transaction ${id}`;
  return `${kind} ${rngResult?.rngCallId === undefined ? `request ${requestId}` : `rng ${rngResult.rngCallId}`}`;
}

/** Another command under the same key. */
export function crosses(one: Call, other: Call): boolean {
  const isSameRound = one.game === other.game && one.body.gameRound === other.body.gameRound;
  return isSameRound && keyOf(one) === keyOf(other) && printOf(one) !== printOf(other);
}

function printOf({ body }: Call): string {
  return JSON.stringify([
    body.rngResult?.winAmount ?? 0,
    body.collect ?? false,
    body.amount ?? null,
    body.counterType,
    body.rngResult?.result?.awarded ?? 0,
    body.rngResult?.result?.used ?? 0,
  ]);
}

/**
 * The reply to the same call that was being carried out: who sends it meanwhile joins it (docs/interface#still-being-processed), also where it
 * ends the round.
 */
export function joined(state: State, call: Call): Outcome | undefined {
  if (call.kind === 'startGameRound') {
    const round = state.rounds.find(({ game, name }) => game === call.game && name === nameOf(call));
    const key = round === undefined ? '' : keyOfStart(state, round, call.body);
    const kept = round?.kept[key];
    return kept?.print === printOfStart(call.body) ? repeated(kept.outcome) : undefined;
  }
  const kept = roundOf(state, call.game, call.body.gameRound ?? '')?.kept[keyOf(call)];
  return kept?.print === printOf(call) ? repeated(kept.outcome) : undefined;
}

function addWin(at: AtCall): Outcome {
  const { round, body } = at;
  round.won += body.rngResult?.winAmount ?? 0;
  if (body.collect) return collectAndEnd(at, round);
  return untold(at);
}

function collectWin(at: AtCall): Outcome {
  const { round, body } = at;
  const amount = body.amount ?? openWin(round);
  if (amount === 0 || amount > openWin(round)) return { ...refused(400, 2_013), notKept: true };
  return credit(at, amount, false);
}

function voidGameRound(at: AtCall): Outcome {
  const { state, round } = at;
  if (mayHavePaid(round)) return { ...refused(400, 2_011), notKept: true };
  cancel(at);
  // The balance of this reply may be missing (docs/interface#void-reply).
  state.games[round.game].lastBalance = undefined;
  return { status: 200, ...about(state, round) };
}

function addSpins(at: AtCall): Outcome {
  const { round, body } = at;
  const { awarded = 0, used = 0 } = body.rngResult?.result ?? {};
  const before = round.counters[body.counterType!] ?? { awarded: 0, used: 0 };
  const after = { awarded: before.awarded + awarded, used: before.used + used };
  if (after.used > after.awarded) return { ...refused(400, 2_009), notKept: true };
  round.counters[body.counterType!] = after;
  return { ...untold(at), spinsAvailable: after.awarded - after.used };
}

// --- money -------------------------------------------------------------------------------------------------------

function collectAndEnd(at: At, round: Round, forReconciliation = false): Outcome {
  return credit({ ...at, round }, openWin(round), true, forReconciliation);
}

/** docs/interface#credit-refused; `forReconciliation`: a refusal crashes the round and never voids it. */
function credit(at: At, amount: number, ends: boolean, forReconciliation = false): Outcome {
  const { round, key } = at;
  const paying: Transaction[] = amount > 0 ? [{ type: 'credit', ref: key, amount }] : [];
  const sent = send(round, [...paying, ...(ends ? [{ type: 'end', ref: key, amount: 0 } as const] : [])]);
  let paid = false;
  for (;;) {
    const answer = deliverTo(at, sent);
    if (answer.says === 'yes') {
      mark(sent, 'accepted');
      round.credited += amount;
      if (ends) round.status = 'closed';
      return told(at, amount);
    }
    if (answer.says === 'nothing') round.maybePaid ||= amount > 0;
    if (answer.says === 'noEnd' || answer.says === 'noEndOn200') paid = true;
    const again = answer.says === 'nothing' || answer.says === 'notNow' || answer.says === 'noEndOn200';
    if (again) continue;
    return creditRefused(at, sent, { amount, paid, forReconciliation }, answer);
  }
}

function creditRefused(
  at: At,
  sent: Sent[],
  { amount, paid, forReconciliation }: { amount: number; paid: boolean; forReconciliation: boolean },
  answer: Delivery,
): Outcome {
  const { round } = at;
  const why = declined(answer);
  // The win was paid, only the end was not (docs/interface#end-refused).
  if (paid) {
    mark(sent.slice(0, -1), 'accepted');
    round.credited += amount;
    return crash(at, why);
  }
  if (amount === 0 || forReconciliation || mayHavePaid(round)) return crash(at, why);
  mark(sent, 'declined');
  cancel(at);
  at.state.games[round.game].lastBalance = undefined;
  return { ...why, ...about(at.state, round) };
}

function crash({ state, round }: At, why: Outcome): Outcome {
  round.crashed = true;
  state.games[round.game].lastBalance = undefined;
  return { ...why, ...about(state, round) };
}

const mayHavePaid = ({ credited, maybePaid }: Round): boolean => credited > 0 || maybePaid;

/** Every debit that was taken, or may have been, is given back, the initial one first. */
function cancel(at: At): void {
  const { round } = at;
  round.status = 'cancel';
  const debits = round.sent.filter(({ transaction }) => transaction.type === 'debit');
  for (const { transaction, outcome } of debits) {
    if (outcome === 'accepted' || outcome === 'unknown') voidOne(at, transaction.ref);
  }
}

/** A void is sent until it is answered; a 400 says that it was done before. */
function voidOne(at: At, ref: string): void {
  const done = at.round.sent.some(
    ({ transaction }) => transaction.type === 'void' && transaction.ref === ref,
  );
  if (done) return;
  const sent = send(at.round, [{ type: 'void', ref, amount: 0 }]);
  for (;;) {
    const { says } = deliverTo(at, sent);
    if (says === 'yes' || says === 'no') break;
  }
  mark(sent, 'accepted');
}

// --- reconcileTransactions ---------------------------------------------------------------------------------------

function reconcile(state: State, { body }: Call): Outcome {
  const round = state.rounds.find(({ hash }) => hash === body.gameRound);
  if (round === undefined) return refused(404, 2_001);
  const at = { state, round, key: 'reconcile' };
  // The game's session is told nothing of all this.
  const { lastBalance } = state.games[round.game];
  const closing = round.status === 'open' && !round.crashed ? collectAndEnd(at, round, true) : undefined;
  if (closing === undefined && round.crashed && !isUnsure(round)) closeCrashed(round);
  state.games[round.game].lastBalance = lastBalance;
  // What refused the closing for good is told, and nothing is sent again.
  if (closing !== undefined && round.crashed) {
    return { status: closing.status, errorIds: closing.errorIds, record: recordOf(round) };
  }

  const everAccepted = round.sent.some(({ outcome }) => outcome === 'accepted' || outcome === 'unknown');
  const again = round.sent.filter((one) => isResent(round, one));
  if (!everAccepted || again.length === 0) return { status: 200, record: recordOf(round) };
  const answer = deliverTo(at, again);
  if (answer.says !== 'yes') {
    // The operator's answer is mirrored: its error, whatever the status.
    const told = answer.errorId === undefined ? refused(502, 3_000) : refused(400, answer.errorId);
    return { ...told, record: recordOf(round) };
  }
  if (round.crashed && !isUnsure(round)) settle(at);
  return { status: 200, record: recordOf(round), reconciledBalance: moneyIn(state, round.game) };
}

/** A debit of which nobody knows whether it was taken, and that nothing takes back. */
function isUnsure(round: Round): boolean {
  return round.sent.some((one) => one.outcome === 'unknown' && !isResent(round, one));
}

/** A declined one never; an unknown debit only with its void. */
function isResent({ sent }: Round, { transaction, outcome }: Sent): boolean {
  if (outcome === 'declined') return false;
  if (transaction.type !== 'debit' || outcome === 'accepted') return true;
  return sent.some(({ transaction: { type, ref } }) => type === 'void' && ref === transaction.ref);
}

/** A crashed round is open, so it is closed as any other: what was won beyond what it owes already is owed as well. */
function closeCrashed(round: Round): void {
  if (round.sent.some(({ transaction, outcome }) => transaction.type === 'end' && outcome !== 'declined'))
    return;
  const owed = round.sent.filter(({ outcome }) => outcome === 'pending');
  const rest = owed.reduce((left, { transaction }) => left - transaction.amount, openWin(round));
  const paying: Transaction[] = rest > 0 ? [{ type: 'credit', ref: 'reconcile', amount: rest }] : [];
  send(round, [...paying, { type: 'end', ref: 'reconcile', amount: 0 }]);
}

/** What it owed has been accepted. */
function settle(at: At): void {
  const { round } = at;
  const owed = round.sent.filter(({ outcome }) => outcome === 'pending');
  for (const { transaction } of owed) round.credited += transaction.amount;
  mark(owed, 'accepted');
  round.crashed = false;
  round.status = 'closed';
}

// --- small things ------------------------------------------------------------------------------------------------

function send(round: Round, transactions: Transaction[]): Sent[] {
  const sent = transactions.map((transaction): Sent => ({ transaction, outcome: 'pending' }));
  round.sent.push(...sent);
  return sent;
}

function deliverTo({ state, round }: At, sent: readonly Sent[]): Delivery {
  const purse = state.purses[state.games[round.game].currency]!;
  return deliver(
    state,
    round.wallet,
    purse,
    sent.map(({ transaction }) => transaction),
  );
}

function mark(sent: readonly Sent[], outcome: Sent['outcome']): void {
  for (const one of sent) one.outcome = outcome;
}

function keep(round: Round, key: string, print: string, outcome: Outcome): Outcome {
  round.kept[key] = { print, outcome };
  return outcome;
}

/** The reply to a command that was carried out, with the balance that its wallet call told. */
function told({ state, round }: At, amountCredited: number): Outcome {
  const balance = moneyIn(state, round.game);
  state.games[round.game].lastBalance = balance;
  return {
    ...{ status: 200, ...about(state, round), amountToCollect: openWin(round) },
    ...{ amountCredited, balance, moved: true },
  };
}

/** … and where there was no wallet call, with the session's last known one. */
function untold({ state, round }: At): Outcome {
  const { lastBalance: balance } = state.games[round.game];
  const stands = { status: 200, ...about(state, round), amountToCollect: openWin(round), amountCredited: 0 };
  return { ...stands, balance, moved: false };
}

/** The first reply again; where it had no balance of its own it carries whatever the session knows by now. */
function repeated(outcome: Outcome): Outcome {
  return outcome.moved === false ? { ...outcome, balance: undefined } : outcome;
}

function about(state: State, round: Round): Pick<Outcome, 'round' | 'roundStatus'> {
  return { round: state.rounds.indexOf(round), roundStatus: round.status };
}

export function roundOf(state: State, game: GameIndex, hash: string): Round | undefined {
  return state.rounds.find((round) => round.game === game && round.hash === hash);
}

/** At most one: a crashed round is no longer in anybody's way. */
export function openRoundOf(state: State, game: GameIndex): Round | undefined {
  return state.rounds.find((round) => round.game === game && round.status === 'open' && !round.crashed);
}
