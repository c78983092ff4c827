import type { BalanceAnswer, OperatorAddress, OperatorWallet } from '../clients/types';
import type { CommandPorts } from '../commands/ports';
import { refuse, refuseBecause, RefusedError } from '../domain/errors';
import { chooseFreePlay, freePlaysAvailable } from '../domain/free-plays';
import type { WalletBalance } from '../domain/wallet-call';

export interface TicketChooserOptions {
  wallet: Pick<OperatorWallet, 'getBalance'>;
  operatorOf: (operatorId: string) => OperatorAddress | undefined;
  /** How many rounds a ticket has paid for, and the sum of their wins in minor units. Rejects if that can't be read. */
  ticketUse: (operatorId: string, playerId: string, serial: string) => Promise<{ used: number; won: number }>;
}

const SIGNATURE_WRONG = 1001;

/**
 * Asks the operator for the player's tickets and chooses one for a bet (docs/interface#tickets): in the session's currency
 * and, if given, with this stake (minor units); see chooseFreePlay. Nothing is reserved: the wallet decides if two bets use
 * the same ticket.
 * Rejects with RefusedError: 400 MODENOTALLOWED (real mode only), 400 NOTICKETAVAILABLE, 400 with the operator's own
 * errorCode, 502 WALLETUNAVAILABLE (no response, unreadable reply, our signature refused), 503 SERVICEUNAVAILABLE (the
 * earlier use of the ticket can't be read).
 */
export function createTicketChooser(options: TicketChooserOptions): CommandPorts['chooseTicket'] {
  const { wallet, operatorOf, ticketUse } = options;
  return async (session, stake) => {
    if (session.mode !== 'real') throw refuse('MODENOTALLOWED', 'tickets exist in real mode only');
    const { operatorId, playerId, currency, gameCode } = session;
    const operator = operatorOf(operatorId);
    if (operator === undefined) throw refuse('WALLETUNAVAILABLE');
    const balance = balanceIn(await wallet.getBalance(operator, { playerId, currency, gameCode }));
    const chosen = chooseFreePlay(freePlaysAvailable(balance, currency), stake);
    if (chosen === undefined) throw refuse('NOTICKETAVAILABLE');
    const { feature, ...ticket } = chosen;
    const use = await ticketUse(operatorId, playerId, chosen.serial).catch((error: unknown) => {
      throw refuseBecause(error, 'SERVICEUNAVAILABLE');
    });
    return {
      ticket: {
        ...ticket,
        ...(feature === '' ? {} : { feature }),
        usedBefore: use.used,
        wonBefore: use.won,
      },
      tickets: balance.tickets ?? [],
    };
  };
}

function balanceIn(answer: BalanceAnswer): WalletBalance {
  switch (answer.kind) {
    case 'balance':
      return answer.balance;
    case 'rejected':
      // A refusal of our signature is not the provider's fault, so it is not passed through.
      if (answer.errorCode === undefined || answer.errorCode.id === SIGNATURE_WRONG)
        throw refuse('WALLETUNAVAILABLE');
      throw new RefusedError({ status: 400, errorCode: answer.errorCode });
    case 'unavailable':
      throw refuse('WALLETUNAVAILABLE');
  }
}
