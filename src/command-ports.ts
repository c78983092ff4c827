import type { OperatorWallet } from './clients/types';
import type { CommandPorts, RoundGuards } from './commands/ports';
import { refuse } from './domain/errors';
import { isAmount } from './domain/money';
import type { Ticket } from './domain/round/types';
import type { Session } from './domain/session';
import type { RoundQueries } from './queries/rounds';
import type { Tenants } from './tenants';

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
    chooseTicket: async (session, stake) => {
      const ticket = await currentTicket(parts, session, stake);
      if (ticket === undefined) throw refuse('NOTICKETAVAILABLE');
      const use = await queries.ticketUse(session.operatorId, session.playerId, ticket.serial);
      return { ...ticket, usedBefore: use.used, wonBefore: use.won };
    },
  };
}

type CurrentTicket = Omit<Ticket, 'usedBefore' | 'wonBefore'>;

/** The first of the player's tickets that fits, as the operator tells them now (contract §4 "Tickets"). */
async function currentTicket(
  { tenants, wallet }: { tenants: Tenants; wallet: Pick<OperatorWallet, 'getBalance'> },
  session: Session,
  stake: number | undefined,
): Promise<CurrentTicket | undefined> {
  const { operatorId, playerId, currency, gameCode } = session;
  const operator = tenants.operator(operatorId);
  if (operator === undefined) throw refuse('WALLETUNAVAILABLE');
  const answer = await wallet.getBalance(operator, { playerId, currency, gameCode });
  if (answer.kind !== 'balance') throw refuse('WALLETUNAVAILABLE');
  return (answer.balance.tickets ?? [])
    .map(ticketIn)
    .find((ticket) => ticket?.currency === currency && (stake === undefined || ticket.stake === stake));
}

function ticketIn(entry: Record<string, unknown>): CurrentTicket | undefined {
  const { serial, stake, currency, count, feature } = entry;
  if (typeof serial !== 'string' || serial === '' || typeof currency !== 'string') return undefined;
  if (!isAmount(stake) || !isAmount(count) || count === 0) return undefined;
  return { serial, stake, currency, count, ...(typeof feature === 'string' ? { feature } : {}) };
}
