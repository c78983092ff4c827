import type { GameConfiguration } from '../../sdk';
import { begin, check } from './show';
import { type Connected, fetchJson, type Stage } from './stage';

/** From the operator's lobby to a session: POST /getGameURL, then GET /connect as the game's page does it. */
export async function launch(
  { operator, gameCode, currency }: Stage,
  mode: 'real' | 'demo' | 'history',
  more: { playerId?: string; gameround?: string } = {},
): Promise<Connected> {
  begin(`launch (${mode}): the operator asks for the game's address`);
  const launched = await operator.getGameURL({ currency, gameCode, language: 'en', mode, ...more });
  const query = new URL(launched.url).searchParams;
  check(
    'the address opens the game in this mode',
    [query.get('mode'), query.get('gameCode')],
    [mode, gameCode],
  );
  if (mode === 'real') check('the player is new', launched.isNew, false);

  begin(`connect (${mode}): the game's page spends the launch token`);
  const connected = await fetchJson<Connected>(`${query.get('login')}?token=${query.get('token')}`);
  check('the session is in this mode', connected.tokenData.mode, mode);
  check('the session is of this game', connected.tokenData.gameId, gameCode);
  return connected;
}

/** @returns the stakes in minor units, already multiplied by the currency's multiplier */
export async function configuration({ operator, gameCode, currency }: Stage): Promise<number[]> {
  begin('configuration: the operator reads the stake ladder');
  const reply: GameConfiguration = await operator.getGameConfiguration({ gameCode, currency });
  check('it is of this game and currency', [reply.gameCode, reply.config.currency], [gameCode, currency]);
  check('it has stakes', reply.config.stakes.length > 0, true);
  return reply.config.stakes;
}
