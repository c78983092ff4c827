import { identifier, object, roundHash, token } from './fields';

/* Requests that several endpoints share. docs/interface#required-fields lists the required fields; all others are optional. */

export const tokenOnly = object({ token });
export const tokenAndRound = object({ token, gameRound: roundHash });
export const roundOnly = object({ gameRound: roundHash });
export const playerAndRound = object({ playerId: identifier(), gameRound: roundHash });
export const noFields = object({});
