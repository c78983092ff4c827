import { createHash } from 'node:crypto';
import type { GameReply, GameStateEntry, RoundInfoReply, TransactionRecord } from './types';

/**
 * What a command leaves in its round: an entry of the game state, or a transaction that the wallet has accepted. With its
 * amount, where the command says one.
 */
type Trace = readonly [type: 'debit' | 'genericwin' | 'credit' | 'end', amount?: number | undefined];

/**
 * The reply to a command, made of what getGameRoundInfo says; undefined where the round does not show all that the
 * command leaves. Its hashes tell it from any other command (docs/interface#own-hash).
 */
export function effectOf(
  round: RoundInfoReply,
  key: string,
  traces: readonly Trace[],
): GameReply | undefined {
  if (round.gameRoundInfo.status === 'cancel') return undefined;
  if (!traces.every((trace) => isThere(round, trace, key))) return undefined;
  return { ...round, amountCredited: transactionOf(round, 'credit', key)?.amount ?? 0 };
}

/** A void has no key: it is done when each bet of the cancelled round is given back. */
export function effectOfVoid(round: RoundInfoReply): GameReply | undefined {
  const hashesOf = (wanted: string): string[] =>
    round.transactions.filter(({ type }) => type === wanted).map(({ hash }) => hash);
  const voided = hashesOf('void');
  const isDone =
    round.gameRoundInfo.status === 'cancel' && hashesOf('debit').every((hash) => voided.includes(hash));
  return isDone ? round : undefined;
}

export function commandKey(
  command: 'addWin' | 'end' | 'collectWin',
  { externalGameProviderTransactionId }: { externalGameProviderTransactionId: string },
): string {
  return `${command}:transaction:${normalId(externalGameProviderTransactionId)}`;
}

/** A start with another rngCallId than the first debit's is a follow-up debit, and no repeat of the first one. */
export function startKey(round: RoundInfoReply, rngCallId: string | undefined): string {
  const first = entryOf(round, 'debit', 'start')?.result.info['rngCallId'];
  const isFirst = rngCallId === undefined || first === undefined || normalId(rngCallId) === normalId(first);
  return isFirst ? 'start' : `debit:${normalId(rngCallId)}`;
}

function isThere(round: RoundInfoReply, [type, amount]: Trace, key: string): boolean {
  if (type === 'credit' || type === 'end') {
    const transaction = transactionOf(round, type, key);
    return transaction !== undefined && (amount ?? transaction.amount) === transaction.amount;
  }
  const entry = entryOf(round, type, key);
  const had = type === 'debit' ? entry?.amountWagered : entry?.result.winAmount;
  return entry !== undefined && (amount ?? had) === had;
}

function entryOf(round: RoundInfoReply, type: string, key: string): GameStateEntry | undefined {
  const own = hashOf(['gamestate', round.gameRoundInfo.hash, type, key]);
  return round.gameState.find(({ hash }) => hash === own);
}

function transactionOf(round: RoundInfoReply, type: string, key: string): TransactionRecord | undefined {
  const own = hashOf(['transaction', round.gameRoundInfo.hash, type, key]);
  return round.transactions.find(({ hash }) => hash === own);
}

function hashOf(parts: string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A UUID is the same one in capitals. */
function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}
