import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/**
 * Derives a deterministic id from the parts, so that a repeat, a replay and a reset of a workflow get the same id. It has
 * the form of a UUID (version 8 of RFC 9562: 122 bits of a SHA-256). The parts are joined as JSON: two different lists of
 * parts never give the same text.
 */
export function hashOf(parts: unknown): string {
  const digest = sha256(utf8ToBytes(JSON.stringify(parts))).slice(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = bytesToHex(digest);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The form of an id to compare or look up. A UUID becomes lower case, since it may arrive in capitals; other ids stay. */
export function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** The ids that name a round, besides operator, player and game. The first one that is present counts. */
export interface RoundNaming {
  externalGameProviderRoundId?: string | undefined;
  rngCallId?: string | undefined;
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
