import { RefusedError, refuse } from '../domain/errors';
import type { Session } from '../domain/session';
import type { WalletBalance } from '../domain/wallet-call';
import type { RouteContext } from './route-context';

const SIGNATURE_WRONG = 1001;

/**
 * Asks the operator for the player's balance and stores it as the session's last known balance. Demo sessions have a pretend
 * balance; a history session has none.
 * @throws RefusedError 400 with the operator's own errorCode; 502 WALLETUNAVAILABLE if the operator does not respond, gives
 * no errorCode, or does not accept our signature
 */
export async function currentBalance({ deps }: RouteContext, session: Session): Promise<WalletBalance> {
  if (session.mode === 'history') return { balances: [] };
  if (session.mode === 'demo') {
    return (await deps.demoRounds?.balance(session)) ?? session.balance ?? { balances: [] };
  }
  const operator = deps.tenants.operator(session.operatorId);
  if (operator === undefined) throw refuse('WALLETUNAVAILABLE');
  const answer = await deps.wallet.getBalance(operator, {
    playerId: session.playerId,
    currency: session.currency,
    gameCode: session.gameCode,
  });
  if (answer.kind === 'balance') {
    deps.sessions.keepBalance(session.sessionId, answer.balance, true);
    return answer.balance;
  }
  if (
    answer.kind === 'rejected' &&
    answer.errorCode !== undefined &&
    answer.errorCode.id !== SIGNATURE_WRONG
  ) {
    throw new RefusedError({ status: 400, errorCode: answer.errorCode });
  }
  throw refuse('WALLETUNAVAILABLE');
}
