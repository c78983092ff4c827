import type { OperatorWallet } from './clients/types';
import type { CommandPorts } from './commands/ports';
import type { RoundStateView } from './contracts/gameround';
import { refuse } from './domain/errors';
import type { Logger } from './logging';
import type { RoundQueries } from './queries/rounds';
import type { Rounds } from './read-model/rounds';
import type { Tenants } from './tenants';
import { createTicketChooser } from './tickets';

/** Connects the commands to the read model, the tenants and the wallet. */
export function commandPorts(parts: {
  guards: CommandPorts['guards'];
  rounds: Pick<Rounds, 'write' | 'recorded' | 'read'>;
  queries: Pick<RoundQueries, 'standing' | 'ticketUse'>;
  tenants: Tenants;
  wallet: Pick<OperatorWallet, 'getBalance'>;
  logger: Pick<Logger, 'warn'>;
}): CommandPorts {
  const { guards, rounds, queries, tenants } = parts;
  return {
    warn: (what, error) => parts.logger.warn({ error }, what),
    guards,
    findRecord: (gameround) => rounds.read(gameround),
    findRecorded: (gameround) => rounds.recorded(gameround),
    repairRecord: (state) => repairRecord(rounds, state),
    findStanding: (gameround) => queries.standing(gameround),
    settingsFor: (session) => {
      const operator = tenants.operator(session.operatorId);
      const game = tenants.game(session.gameCode);
      if (operator === undefined || game === undefined) return Promise.reject(refuse('GAMENOTFOUND'));
      return Promise.resolve({
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

/**
 * Writes the record from the state of its workflow, but only over an older version of the same run. After a restore of
 * Temporal a record may be ahead of its workflow. It must stay, since it prevents a second payment.
 */
export function repairRecord(
  rounds: Pick<Rounds, 'write'>,
  { phase: _phase, refusals: _refusals, version, ownVersions, ...snapshot }: RoundStateView,
): Promise<boolean> {
  const older = {
    upTo: Math.min(ownVersions.upTo, version - 1),
    also: ownVersions.also.filter((one) => one < version),
  };
  return rounds.write(snapshot, version, older);
}
