import type { BalanceAnswer, OperatorAddress, OperatorWallet } from '../clients/types';
import type { CommandPorts } from '../commands/ports';
import { refuse, refuseBecause, RefusedError } from '../domain/errors';
import { chooseFreePlay, freePlaysAvailable } from '../domain/free-plays';
import type { WalletBalance } from '../domain/wallet-call';

export interface TicketChooserOptions {
  wallet: Pick<OperatorWallet, 'getBalance'>;
  operatorOf: (operatorId: string) => OperatorAddress | undefined;
  /** How many rounds a ticket has paid for, and what they won in minor units; rejects when that can't be told. */
  ticketUse: (operatorId: string, playerId: string, serial: string) => Promise<{ used: number; won: number }>;
}

const SIGNATURE_WRONG = 1001;

/**
 * The player's ticket for a bet, as the operator tells now (docs/interface#tickets): of the session's currency and, when
 * given, of that stake (minor units); for which of several see chooseFreePlay. Nothing is reserved: the wallet decides
 * races.
 * Rejects with RefusedError: 400 MODENOTALLOWED (real mode only), 400 NOTICKETAVAILABLE, 400 with the operator's own
 * errorCode, 502 WALLETUNAVAILABLE (no answer, none that can be read, our signature refused), 503 SERVICEUNAVAILABLE
 * (what the ticket was used for before can't be told).
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
    case 'refused':
      // A refusal of our signature is not the provider's to know of.
      if (answer.errorCode === undefined || answer.errorCode.id === SIGNATURE_WRONG)
        throw refuse('WALLETUNAVAILABLE');
      throw new RefusedError({ status: 400, errorCode: answer.errorCode });
    case 'unavailable':
      throw refuse('WALLETUNAVAILABLE');
  }
}
