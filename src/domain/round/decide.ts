import { refusal, type ErrorName, type Refusal } from '../errors';
import { gameStateHash, transactionHash } from '../hashes';
import { addAmounts } from '../money';
import type { WalletBalance } from '../wallet-call';
import { acceptedCredits, recomputeOpenWinnings, stakeOf, totalWonWith } from './winnings';
import { grantsAfter } from './grants';
import { fingerprintOf, keyOf, RECONCILE } from './keys';
import { beginDebit, besideGiven, endTransaction, infoOf, toOperatorTransaction } from './create-round';
import { growthOf, hasRoomFor, jsonBytes, MAX_SETTLED_BYTES } from './size';
import { openTransactions, takenDebits, undecidedDebits, voidedHashes } from './transactions';
import type {
  AddWinCommand,
  Answer,
  CollectWinCommand,
  Command,
  CommandEntry,
  EndCommand,
  GameStateEntry,
  PendingVoid,
  RoundState,
  RoundTransaction,
  SettleCommand,
  SpinCounterCommand,
  StartCommand,
} from './types';

/** Limits of a round, in addition to the size of its state (size.ts). */
export const MAX_COMMANDS = 2_000;
export const MAX_SPIN_COUNTERS = 100;
export const MAX_INFO_BYTES = 512 * 1024;

export type Decision =
  /** Not stored: the same command can be sent again and is decided anew. */
  | { kind: 'refuse'; refusal: Refusal }
  /** The command is known: it has an answer or is being carried out. */
  | { kind: 'join'; key: string }
  | { kind: 'accept'; key: string; state: RoundState };

/** Decides whether the round refuses, joins or accepts a command (docs/interface#round-states, #identify-first). */
export function decide(state: RoundState, command: Command, at: string): Decision {
  const key = keyOf(state, command);
  const known = Object.hasOwn(state.commands, key) ? state.commands[key] : undefined;
  if (known !== undefined && known.answer === undefined) return joinOrMismatch(known, command, key);
  if (command.type === 'settle') return settleRound(state, known, command, key, at);
  if (state.crashed) {
    const reconciles = command.type === 'end' && command.forReconciliation === true;
    return reconciles ? closeCrashed(state, command, key, at) : refuse('GAMEROUNDCRASHED');
  }
  if (state.status !== 'open') return refuse('GAMEROUNDNOTACTIVE');
  if (known !== undefined) return joinOrMismatch(known, command, key);
  // A call is in flight or being retried. Only one command at a time may move money.
  if (state.pending !== undefined) return refuse('OPERATIONBEINGPROCESSED');
  return carryOut(state, command, key, at);
}

/** The key is known. The same command joins, a command with other money fields is refused. */
function joinOrMismatch(known: CommandEntry, command: Command, key: string): Decision {
  return known.fingerprint === fingerprintOf(command) ? { kind: 'join', key } : refuse('IDEMPOTENCYMISMATCH');
}

function carryOut(
  state: RoundState,
  command: Exclude<Command, SettleCommand>,
  key: string,
  at: string,
): Decision {
  switch (command.type) {
    case 'start':
      return followUpDebit(state, command, key, at);
    case 'addWin':
      return addWin(state, command, key, at);
    case 'end':
      return {
        kind: 'accept',
        key,
        state: end(remember(state, command, key), command, key, at),
      };
    case 'collectWin':
      return collectWin(state, command, key, at);
    case 'void':
      return voidRound(remember(state, command, key), command.reason, key, at);
    case 'addSpinCounter':
      return addSpinCounter(state, command, key, at);
  }
}

function followUpDebit(state: RoundState, command: StartCommand, key: string, at: string): Decision {
  if (command.currency !== state.identity.currency)
    return refuse('INVALIDREQUEST', 'debitInformation.currency');
  const info = infoOf({ result: command.result, rngCallId: command.rngCallId });
  const full = fullOf(state, { info });
  if (full !== undefined) return full;
  // A ticket can only pay the initial debit.
  if (command.useTicket) return refuse('INVALIDREQUEST', 'debitInformation.useTicketInfo');
  if (totalWonWith(state, command.winAmount) === undefined)
    return refuse('INVALIDREQUEST', 'rngResult.winAmount');
  if (addAmounts(state.stake, command.stake) === undefined)
    return refuse('INVALIDREQUEST', 'debitInformation.debitAmount');
  return { kind: 'accept', key, state: beginDebit(state, command, key, at) };
}

function addWin(state: RoundState, command: AddWinCommand, key: string, at: string): Decision {
  const jackpots = command.jackpotPayout?.length ? JSON.stringify(command.jackpotPayout) : undefined;
  const { rngCallId, result, betData } = command;
  const data = besideGiven(infoOf({ rngCallId, result, jackpotPayout: jackpots }), betData);
  const full = fullOf(state, data);
  if (full !== undefined) return full;
  if (totalWonWith(state, command.winAmount) === undefined)
    return refuse('INVALIDREQUEST', 'rngResult.winAmount');
  const amountToCollect = state.amountToCollect + command.winAmount;
  const entry = newEntry(state, 'genericwin', key, command.winAmount, data, at);
  const won = withEntry({ ...remember(state, command, key), amountToCollect }, entry);
  if (command.collect) return { kind: 'accept', key, state: collectAndEnd(won, key, 'addWin collect', at) };
  return { kind: 'accept', key, state: answered(won, key) };
}

function collectWin(state: RoundState, command: CollectWinCommand, key: string, at: string): Decision {
  const amount = command.amount ?? state.amountToCollect;
  if (amount === 0 || amount > state.amountToCollect) return refuse('UNCOLLECTEDAMOUNTTOOLOW');
  const full = fullOf(state, { info: {} });
  if (full !== undefined) return full;
  const credit = creditTransaction(state, key, amount, 'collectWin', at);
  return { kind: 'accept', key, state: sendCredit(remember(state, command, key), key, [credit]) };
}

function addSpinCounter(state: RoundState, command: SpinCounterCommand, key: string, at: string): Decision {
  const { counterType } = command;
  const own = { counterType, awarded: String(command.awarded), used: String(command.used) };
  const data = besideGiven(own, command.gameStateResult);
  const full = fullOf(state, data);
  if (full !== undefined) return full;
  const counters = state.spinCounters;
  const before = Object.hasOwn(counters, command.counterType) ? counters[command.counterType] : undefined;
  if (before === undefined && Object.keys(counters).length >= MAX_SPIN_COUNTERS) {
    return refuse('INVALIDREQUEST', 'the round has too many spin counters');
  }
  const awarded = addAmounts(before?.awarded ?? 0, command.awarded);
  const used = addAmounts(before?.used ?? 0, command.used);
  if (awarded === undefined || used === undefined) return refuse('INVALIDREQUEST', 'rngResult.result');
  if (used > awarded) return refuse('SPINCOUNTEREXHAUSTED');
  const counted = withEntry(remember(state, command, key), newEntry(state, 'spincounter', key, 0, data, at));
  const next = { ...counted, spinCounters: { ...counters, [command.counterType]: { awarded, used } } };
  return { kind: 'accept', key, state: answered(next, key, { spinsAvailable: awarded - used }) };
}

function end(state: RoundState, command: EndCommand, key: string, at: string): RoundState {
  const ending = collectAndEnd(state, key, command.reason, at);
  if (!command.forReconciliation || ending.pending?.purpose !== 'credit') return ending;
  return { ...ending, pending: { ...ending.pending, forReconciliation: true } };
}

/**
 * A reconciliation credits the open winnings of a round and closes it. For a crashed round nothing is sent here: winnings
 * that are in no transaction yet, and the end, become pending, and the reconciliation sends them with all other transactions.
 */
function closeCrashed(state: RoundState, command: EndCommand, key: string, at: string): Decision {
  if (Object.hasOwn(state.commands, key)) return { kind: 'join', key };
  if (isEnding(state) || undecidedDebits(state.transactions).length > 0) return refuse('GAMEROUNDCRASHED');
  const unclaimedWinnings = unclaimedWinningsOf(state);
  return stillCrashed(
    owingUnclaimed(remember(state, command, key), unclaimedWinnings, key, command.reason, at),
    key,
  );
}

function isEnding({ transactions }: RoundState): boolean {
  return transactions.some(({ type, outcome }) => type === 'end' && outcome !== 'declined');
}

/** Open winnings that are in no pending credit. */
function unclaimedWinningsOf(state: RoundState): number {
  return state.amountToCollect - owedIn(state);
}

function owedIn({ transactions }: RoundState): number {
  return transactions
    .filter(({ type, outcome }) => type === 'credit' && outcome === 'pending')
    .reduce((sum, { amount = 0 }) => sum + amount, 0);
}

/** Adds a pending credit for the unclaimed winnings, and a pending end. */
function owingUnclaimed(
  state: RoundState,
  rest: number,
  key: string,
  reason: string,
  at: string,
): RoundState {
  const credit = rest > 0 ? [creditTransaction(state, key, rest, reason, at)] : [];
  return {
    ...state,
    transactions: [...state.transactions, ...credit, endTransaction(state, key, reason, at)],
  };
}

function stillCrashed(state: RoundState, key: string): Decision {
  if (growthOf(state) > MAX_SETTLED_BYTES) return refuse('INVALIDREQUEST', 'the round holds too much data');
  return { kind: 'accept', key, state: answered(state, key, { refusal: refusal('GAMEROUNDCRASHED') }) };
}

/** A person's settle also ends the wait for a wallet that never responds or never accepts. */
function settleRound(
  state: RoundState,
  known: CommandEntry | undefined,
  command: SettleCommand,
  key: string,
  at: string,
): Decision {
  const { pending } = state;
  if (pending === undefined || pending.progress === 'first-delivery' || command.key === RECONCILE) {
    return settleCrashed(state, known, command, key, at);
  }
  if (pending.purpose === 'void') {
    return known === undefined
      ? settleVoid(state, pending, command, key, at)
      : joinOrMismatch(known, command, key);
  }
  const why = refusal('GAMEROUNDCRASHED');
  // A delivery of the credit may be in flight.
  const crashed = crash({ ...state, maybePaid: true }, pending.commandKey, why);
  return settleCrashed(crashed, known, command, key, at);
}

/** A person says that the bet was given back. A void cannot be declined: the player would lose the bet. */
function settleVoid(
  state: RoundState,
  pending: PendingVoid,
  command: SettleCommand,
  key: string,
  at: string,
): Decision {
  const [{ hash }] = pending.transactions;
  const named = new Set([...command.accepted, ...(command.declined ?? [])]);
  if (!command.accepted.includes(hash) || named.size > 1) {
    return refuse('INVALIDREQUEST', `accepted: must contain the void ${hash} and nothing else`);
  }
  const transactions = state.transactions.map((transaction): RoundTransaction =>
    transaction.type === 'void' && transaction.hash === hash
      ? { ...transaction, outcome: 'accepted' }
      : transaction,
  );
  const settled = { key: command.key, reason: command.reason, at };
  const done = voidDone({ ...remember(state, command, key), transactions, settled }, at);
  return { kind: 'accept', key, state: answered(done, key) };
}

/**
 * Applies the two lists of a settle to a crashed round (docs/interface#crashed, #settle). A transaction in neither list stays
 * as it is. Winnings that are in no transaction become owed, and so does the end. The round becomes `closed` when no
 * transaction is open; until then it stays crashed.
 */
function settleCrashed(
  state: RoundState,
  known: CommandEntry | undefined,
  command: SettleCommand,
  key: string,
  at: string,
): Decision {
  if (!state.crashed) return refuse(state.status === 'open' ? 'GAMEROUNDOPEN' : 'GAMEROUNDNOTACTIVE');
  // All reconciliations use the same key, but each has its own list of accepted transactions. So this is no repeat.
  if (known !== undefined && command.key !== RECONCILE) return joinOrMismatch(known, command, key);
  const fault = faultOfLists(state.transactions, command);
  if (fault !== undefined) return refuse('INVALIDREQUEST', fault);
  const accepted = new Set(command.accepted);
  const declined = new Set(command.declined);
  const voided = voidedHashes(state.transactions);
  const transactions = state.transactions.map((transaction): RoundTransaction => {
    const { type, hash } = transaction;
    // A debit and its void have the same hash. The lists mean the void, since only the void is open.
    if (type === 'debit' && voided.has(hash)) return transaction;
    if (accepted.has(hash)) return { ...transaction, outcome: 'accepted' };
    return declined.has(hash) ? { ...transaction, outcome: 'declined' } : transaction;
  });
  const resolution = { key: command.key, reason: command.reason, at };
  const settled = command.key === RECONCILE ? (state.settled ?? resolution) : resolution;
  const decided = recomputeOpenWinnings({ ...remember(state, command, key), transactions, settled });
  // Use the state before the lists: a credit or end that they decline must not become owed again.
  const wasEnding = state.transactions.some(({ type }) => type === 'end');
  const owing = wasEnding ? decided : owingUnclaimed(decided, unclaimedWinningsOf(state), key, 'settle', at);
  const counted = { ...owing, stake: stakeOf(owing), amountToCollect: owedIn(owing) };
  if (openTransactions(counted.transactions).length > 0) return stillCrashed(counted, key);
  const closed: RoundState = { ...counted, status: 'closed', crashed: false, closedAt: at };
  return { kind: 'accept', key, state: answered(closed, key) };
}

/** What is wrong with the lists of a settle. They are checked strictly, so that a typing error gives up no money. */
function faultOfLists(transactions: readonly RoundTransaction[], command: SettleCommand): string | undefined {
  const hashesOf = (some: readonly RoundTransaction[]): Set<string> => new Set(some.map(({ hash }) => hash));
  const known = hashesOf(transactions);
  const alreadyDeclined = hashesOf(transactions.filter(({ outcome }) => outcome === 'declined'));
  const open = hashesOf(openTransactions(transactions));
  const voided = voidedHashes(transactions);
  const accepted = new Set(command.accepted);
  for (const hash of accepted) {
    if (!known.has(hash)) return `accepted: no transaction ${hash}`;
    if (alreadyDeclined.has(hash)) return `accepted: ${hash} was declined`;
  }
  for (const hash of command.declined ?? []) {
    if (!open.has(hash)) return `declined: no transaction ${hash} is pending or in doubt`;
    if (accepted.has(hash)) return `declined: ${hash} is accepted as well`;
    if (voided.has(hash)) return `declined: the void of ${hash} can only be accepted`;
  }
  return undefined;
}

/** Credits all open winnings, if any, and ends the round. */
export function collectAndEnd(state: RoundState, key: string, reason: string, at: string): RoundState {
  const credit =
    state.amountToCollect > 0 ? [creditTransaction(state, key, state.amountToCollect, reason, at)] : [];
  return sendCredit(state, key, [...credit, endTransaction(state, key, reason, at)]);
}

function sendCredit(state: RoundState, key: string, transactions: RoundTransaction[]): RoundState {
  return {
    ...state,
    transactions: [...state.transactions, ...transactions],
    pending: {
      purpose: 'credit',
      transactions: transactions.map(toOperatorTransaction),
      commandKey: key,
      endAfterwards: false,
      progress: 'first-delivery',
    },
  };
}

function voidRound(state: RoundState, reason: string, key: string, at: string): Decision {
  const credited = state.transactions.some(
    ({ type, outcome }) => type === 'credit' && outcome === 'accepted',
  );
  if (credited || state.maybePaid) return refuse('CREDITALREADYPROCESSED');
  return { kind: 'accept', key, state: cancelRound({ ...state, voidCommandKey: key }, reason, at) };
}

/** Cancels the round: voids every debit that was taken or may have been taken, the initial one first. */
export function cancelRound(state: RoundState, reason: string, at: string): RoundState {
  const done = voidedHashes(state.transactions);
  const cancelled: RoundState = {
    ...state,
    status: 'cancel',
    closedAt: at,
    amountToCollect: 0,
    pending: undefined,
  };
  const voids = takenDebits(state.transactions)
    .map(({ hash }) => hash)
    .filter((hash) => !done.has(hash));
  return sendNextVoid({ ...cancelled, voidsToCome: voids }, reason, at);
}

/** Sends one call per void, so that each has its own outcome. A void carries the hash of its debit. */
export function sendNextVoid(state: RoundState, reason: string, at: string): RoundState {
  const [hash, ...voidsToCome] = state.voidsToCome;
  if (hash === undefined) return state;
  const transaction: RoundTransaction = {
    type: 'void',
    hash,
    currency: state.identity.currency,
    timestamp: at,
    reason,
    outcome: 'pending',
  };
  return {
    ...state,
    voidsToCome,
    transactions: [...state.transactions, transaction],
    pending: {
      purpose: 'void',
      transactions: [toOperatorTransaction(transaction)],
      endAfterwards: false,
      progress: 'first-delivery',
    },
  };
}

/** After a void: sends the next void, or answers the command that asked for the voids. */
export function voidDone(state: RoundState, at: string, balance?: WalletBalance): RoundState {
  const reason = state.pending?.transactions[0]?.reason ?? '';
  const next = sendNextVoid({ ...state, pending: undefined }, reason, at);
  if (next.pending !== undefined || state.voidCommandKey === undefined) return next;
  return answered(next, state.voidCommandKey, { balance });
}

/** The status stays `open`, and nothing more is sent until a reconciliation. Credits stay pending: they are owed. */
export function crash(state: RoundState, key: string, why: Refusal, about: Partial<Answer> = {}): RoundState {
  return answered({ ...state, crashed: true, pending: undefined }, key, { refusal: why, ...about });
}

/** Stores the answer to a command. A repeat gets the same answer. */
export function answered(state: RoundState, key: string, about: Partial<Answer> = {}): RoundState {
  const entry = state.commands[key];
  if (entry === undefined) return state;
  const grants = grantsAfter(state, key);
  const balance = grants === undefined ? about.balance : { balances: [], ...grants, ...about.balance };
  const answer: Answer = {
    status: state.status,
    amountToCollect: state.amountToCollect,
    amountCredited: 0,
    entries: state.gameState.length,
    stake: state.stake,
    credits: acceptedCredits(state).length,
    ...about,
    // Only the first answer keeps discounts and tickets, since a long round stores one answer per command.
    balance: balance && key !== 'start' ? withoutGrants(balance) : balance,
  };
  return {
    ...state,
    ...(balance === undefined ? {} : { lastBalance: balance }),
    commands: { ...state.commands, [key]: { ...entry, answer } },
  };
}

function withoutGrants({ discountInfo: _info, tickets: _tickets, ...balance }: WalletBalance): WalletBalance {
  return balance;
}

function remember(state: RoundState, command: Command, key: string): RoundState {
  return { ...state, commands: { ...state.commands, [key]: { fingerprint: fingerprintOf(command) } } };
}

function creditTransaction(
  state: RoundState,
  key: string,
  amount: number,
  reason: string,
  at: string,
): RoundTransaction {
  const { gameround, currency } = state.identity;
  const hash = transactionHash(gameround, 'credit', key);
  return { type: 'credit', hash, amount, currency, timestamp: at, reason, outcome: 'pending' };
}

function newEntry(
  state: RoundState,
  type: GameStateEntry['type'],
  key: string,
  winAmount: number,
  { info, own }: GameData,
  at: string,
): GameStateEntry {
  const hash = gameStateHash(state.identity.gameround, type, key);
  return {
    hash,
    type,
    processedOn: at,
    result: { winAmount, info },
    own,
    amountWagered: 0,
    collected: 0,
    reason: '',
  };
}

export function withEntry(state: RoundState, entry: GameStateEntry): RoundState {
  return {
    ...state,
    gameState: [...state.gameState, entry],
    infoBytes: state.infoBytes + bytesOf({ info: entry.result.info, own: entry.own }),
  };
}

/** Refuses a command that would exceed the limits of a round. Commands that finish a round have no such limit. */
function fullOf(state: RoundState, data: GameData): Decision | undefined {
  if (Object.keys(state.commands).length >= MAX_COMMANDS)
    return refuse('INVALIDREQUEST', 'the round has too many steps');
  const infoBytes = bytesOf(data);
  if (state.infoBytes + infoBytes > MAX_INFO_BYTES || !hasRoomFor(state, infoBytes)) {
    return refuse('INVALIDREQUEST', 'the round holds too much data');
  }
  return undefined;
}

type GameData = ReturnType<typeof besideGiven>;

function bytesOf({ info, own }: GameData): number {
  return jsonBytes(info) + (own === undefined ? 0 : jsonBytes(own));
}

function refuse(name: ErrorName, detail?: string): Decision {
  return { kind: 'refuse', refusal: refusal(name, detail) };
}
