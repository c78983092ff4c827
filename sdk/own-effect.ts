import { createHash } from 'node:crypto';
import type { GameReply, GameStateEntry, RoundInfoReply, TransactionRecord } from './types';

/**
 * The effect of a command in its round: an entry of the game state, or an accepted transaction. It has an amount if the
 * command has one.
 */
type Trace = readonly [type: 'debit' | 'genericwin' | 'credit' | 'end', amount?: number | undefined];

/**
 * Makes the reply to a command from getGameRoundInfo. Undefined if the round does not show all effects of the command. The
 * hashes identify the command's own effects (docs/interface#own-hash).
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

/** A void has no key. It is done if the round is cancelled and each of its debits has a void. */
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

/** The key of a start: a start with another rngCallId than the initial debit is a follow-up debit, not a repeat. */
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

/** Lower case for a UUID, since capitals mean the same id. */
function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}
