import type { OperatorWallet } from './clients/types';
import type { CommandPorts, RoundGuards } from './commands/ports';
import { refuse } from './domain/errors';
import type { RoundQueries } from './queries/rounds';
import type { Tenants } from './tenants';
import { createTicketChooser } from './tickets';

/** What the commands need besides Temporal, from the parts that have it. */
export function commandPorts(parts: {
  guards: RoundGuards;
  queries: Pick<RoundQueries, 'find' | 'ticketUse'>;
  tenants: Tenants;
  wallet: Pick<OperatorWallet, 'getBalance'>;
}): CommandPorts {
  const { guards, queries, tenants } = parts;
  return {
    guards,
    findRecord: (gameround) => queries.find(gameround),
    policyFor: (session) => {
      const operator = tenants.operator(session.operatorId);
      const game = tenants.game(session.gameCode);
      if (operator === undefined || game === undefined) return Promise.reject(refuse('GAMENOTFOUND'));
      return Promise.resolve({
        walletTimeoutMs: operator.walletTimeoutMs,
        autoCloseAfterMs: operator.autoCloseAfterMs,
        voidsWholeRound: operator.voidsWholeRound,
        gameRoundReport: operator.gameRoundReport,
        followUpDebits: game.followUpDebits,
        resultCallback: game.resultCallback,
      });
    },
    chooseTicket: createTicketChooser({
      wallet: parts.wallet,
      operatorOf: (operatorId) => tenants.operator(operatorId),
      ticketUse: (operatorId, playerId, serial) => queries.ticketUse(operatorId, playerId, serial),
    }),
  };
}
