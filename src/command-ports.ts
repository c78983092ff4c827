import type { OperatorWallet } from './clients/types';
import type { CommandPorts, RoundGuards } from './commands/ports';
import type { RoundStateView } from './contracts/gameround';
import { refuse } from './domain/errors';
import { holdsGuard } from './domain/round/replies';
import type { RoundQueries } from './queries/rounds';
import type { Rounds } from './read-model/rounds';
import type { Tenants } from './tenants';
import { createTicketChooser } from './tickets';

/** What the commands need besides Temporal, from the parts that have it. */
export function commandPorts(parts: {
  guards: RoundGuards;
  rounds: Pick<Rounds, 'write' | 'recorded'>;
  queries: Pick<RoundQueries, 'find' | 'standing' | 'ticketUse'>;
  tenants: Tenants;
  wallet: Pick<OperatorWallet, 'getBalance'>;
}): CommandPorts {
  const { guards, rounds, queries, tenants } = parts;
  return {
    guards,
    findRecord: (gameround) => queries.find(gameround),
    findRecorded: (gameround) => rounds.recorded(gameround),
    repairRecord: (state) => repairRecord(rounds, guards, state),
    findStanding: (gameround) => queries.standing(gameround),
    policyFor: (session) => {
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
 * As its workflow tells it, under the version that the workflow gave; only over an older one of the same run. A record that
 * is ahead, after Temporal was put back, must stay: it is what keeps the round from paying again.
 */
export async function repairRecord(
  rounds: Pick<Rounds, 'write'>,
  guards: Pick<RoundGuards, 'release'>,
  { phase: _phase, refusals: _refusals, version, own, ...snapshot }: RoundStateView,
): Promise<boolean> {
  const older = {
    upTo: Math.min(own.upTo, version - 1),
    also: own.also.filter((one) => one < version),
  };
  const isWritten = await rounds.write(snapshot, version, older);
  if (!holdsGuard(snapshot)) await guards.release(snapshot.identity, snapshot.identity.gameround);
  return isWritten;
}
