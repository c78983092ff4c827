import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/**
 * Hashes name what a thing is, so that a repeat, a replay or a reset of a workflow derives the same one again.
 * They have the form of a UUID (version 8 of RFC 9562: 122 bits taken from a SHA-256).
 * The parts go through JSON first: no two different lists of parts can run together into one text.
 */
export function hashOf(parts: unknown): string {
  const digest = sha256(utf8ToBytes(JSON.stringify(parts))).slice(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = bytesToHex(digest);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A UUID is the same one in capitals: whatever compares ids or looks one up uses this form. Others stay as they are. */
export function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** What names a round besides its operator, player and game; the first one present counts. */
export interface RoundNaming {
  externalGameProviderRoundId?: string;
  rngCallId?: string;
  requestId: string;
}

export function roundName(naming: RoundNaming): string {
  const { externalGameProviderRoundId: round, rngCallId, requestId } = naming;
  if (round !== undefined) return `round:${normalId(round)}`;
  return rngCallId === undefined ? `request:${normalId(requestId)}` : `rng:${normalId(rngCallId)}`;
}

export function gameroundHash(operatorId: string, playerId: string, gameCode: string, name: string): string {
  return hashOf(['gameround', operatorId, playerId, gameCode, name]);
}

/** `commandKey` is the idempotency key of the command that makes the transaction. */
export function transactionHash(gameround: string, type: string, commandKey: string): string {
  return hashOf(['transaction', gameround, type, commandKey]);
}

/** Hash of an entry of the game state. */
export function gameStateHash(gameround: string, type: string, commandKey: string): string {
  return hashOf(['gamestate', gameround, type, commandKey]);
}
