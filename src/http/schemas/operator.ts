import { z } from 'zod';
import { gameSettingsShape } from '../../tenants/file';
import { currency, details, identifier, object, roundHash } from './fields';

const MODES = ['real', 'demo', 'history'] as const;

const ANY_CASE = {
  real: '[Rr][Ee][Aa][Ll]',
  demo: '[Dd][Ee][Mm][Oo]',
  history: '[Hh][Ii][Ss][Tt][Oo][Rr][Yy]',
} as const;
const MODE_PATTERN = `^(${Object.values(ANY_CASE).join('|')})$`;

/** The fields that a mode requires in addition, as JSON Schema. */
const inMode = (mode: keyof typeof ANY_CASE, ...required: string[]) => ({
  required: ['mode', ...required],
  properties: { mode: { pattern: `^${ANY_CASE[mode]}$` } },
});

/** docs/interface#get-game-url. The mode may have any letter case (docs/interface#launch-mode). */
export const getGameURL = object({
  playerId: identifier().optional(),
  currency,
  gameCode: identifier(),
  language: identifier(35).default('en'),
  mode: z
    .string({ error: 'must be real, demo or history' })
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(MODES, { error: 'must be real, demo or history' }))
    .meta({
      description: 'Any letter case. The signature covers the text as it is sent.',
      pattern: MODE_PATTERN,
      examples: ['real'],
    }),
  gameround: roundHash.optional(),
  playerdetails: details.optional(),
  profile: z.string({ error: 'must be a string' }).max(1_024, 'must have at most 1024 characters').optional(),
  options: object({ ...gameSettingsShape, device: identifier(32).optional() }).optional(),
})
  .refine(({ playerId, mode }) => playerId !== undefined || mode === 'demo', {
    path: ['playerId'],
    message: 'is required',
  })
  .refine(({ gameround, mode }) => gameround !== undefined || mode !== 'history', {
    path: ['gameround'],
    message: 'is required',
  })
  .meta({ anyOf: [inMode('real', 'playerId'), inMode('demo'), inMode('history', 'playerId', 'gameround')] });

export type GetGameURL = z.infer<typeof getGameURL>;

export const registerPlayer = object({ playerId: identifier(), playerdetails: details.optional() });

export const reconcileTransactions = object({ gameRound: roundHash });
export const playerAndRound = object({ playerId: identifier(), gameRound: roundHash });
export const getGameConfiguration = object({ gameCode: identifier(), currency });
export const noFields = object({});
