import type { CommandDependencies } from '../../src/commands/send-to-round';
import { startGameRound } from '../../src/commands/start-game-round';
import { refuse } from '../../src/domain/errors';
import type { ReadRecord } from '../../src/domain/round/record';
import type { RoundSnapshot } from '../../src/domain/round/types';
import type { Session } from '../../src/domain/session';

/* Whatever a start has to ask, its caller waits for one command's time in all (docs/interface#call-time). What it asks is scripted. */

const session = { operatorId: 'op1', playerId: 'p', gameCode: 'g', providerId: 'gp1' } as Session;
const snapshot: object = { status: 'open', identity: session };
const RECORD: ReadRecord = { snapshot: snapshot as RoundSnapshot };

const call = {
  ...{ session, requestId: 'q', rngResult: { rngCallId: 'd' }, endGame: false, closeOpenGame: true },
  debitInformation: { currency: 'EUR', useTicketInfo: { useTicket: true } },
};

it.each<[string, Partial<CommandDependencies['ports']>, Partial<Session>]>([
  ['a round on record', { findRecord: () => Promise.resolve(RECORD) }, {}],
  ['no free play', { chooseTicket: () => Promise.reject(refuse('NOTICKETAVAILABLE')) }, {}],
  ['another round in the way', {}, {}],
  ['an expired session', {}, { expired: true }],
])('%s: all that is asked has one deadline', async (_what, change, over) => {
  const deadlines: (number | undefined)[] = [];
  const asked = (gone: unknown) => (deadline?: number) => {
    deadlines.push(deadline);
    return Promise.resolve(gone);
  };
  const rounds = {
    updateOnly: (_round: string, _command: unknown, _actor: unknown, until?: number) => asked('gone')(until),
    signalThenUpdate: (_round: string, _command: unknown, _actor: unknown, until?: number) =>
      asked('gone')(until),
    state: (_round: string, until?: number) => asked(undefined)(until),
    isRunning: (_round: string, until?: number) => asked(false)(until),
    start: (_start: unknown, _actor: unknown, until?: number) =>
      asked({ gameRoundInfo: { status: 'open' } })(until),
  };
  const ports = {
    findRecord: () => Promise.resolve(undefined),
    findRecorded: () => Promise.resolve(undefined),
    settingsFor: () => Promise.resolve({ followUpDebits: false }),
    chooseTicket: () => Promise.resolve({ ticket: { stake: 1 }, tickets: [] }),
    guards: {
      take: () => Promise.resolve({ gameround: 'another', confirmed: true }),
      replace: () => Promise.resolve(true),
    },
    ...change,
  };
  const deps = { rounds, ports, nowMs: Date.now } as unknown as CommandDependencies;
  const began = performance.now();
  await startGameRound(deps, { ...call, session: { ...session, ...over } }).catch(() => undefined);
  expect(deadlines.length).toBeGreaterThan(0);
  expect(new Set(deadlines).size).toBe(1);
  expect(deadlines[0]! - began).toBeGreaterThanOrEqual(9_500);
  expect(deadlines[0]! - began).toBeLessThan(10_000);
});

it('starts no round after its call has ended, if the guard took so long', async () => {
  const start = jest.fn();
  const take = (_key: unknown, gameround: string): Promise<object> => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);
    return Promise.resolve({ gameround, confirmed: false });
  };
  const deps = {
    nowMs: Date.now,
    rounds: { start },
    ports: { settingsFor: () => Promise.resolve({}), guards: { take } },
  } as unknown as CommandDependencies;
  const bet = { ...call, debitInformation: { currency: 'EUR', debitAmount: 100 } };
  await expect(startGameRound(deps, bet)).rejects.toThrow('OPERATIONBEINGPROCESSED');
  expect(start).not.toHaveBeenCalled();
  jest.restoreAllMocks();
});

describe('a repeat', () => {
  const known = { gameRoundInfo: { status: 'open' } };
  const bet = { ...call, debitInformation: { currency: 'EUR', debitAmount: 100 } };
  const repeated = (change: object, updated: unknown = known): CommandDependencies =>
    ({
      nowMs: Date.now,
      rounds: { updateOnly: () => Promise.resolve(updated) },
      ports: {
        settingsFor: () => Promise.resolve({ followUpDebits: false }),
        findRecord: () => Promise.resolve(RECORD),
        warn: () => undefined,
        ...change,
      },
    }) as unknown as CommandDependencies;

  it('of a bet that a ticket paid does not ask the wallet for tickets', async () => {
    const chooseTicket = jest.fn();
    expect(await startGameRound(repeated({ chooseTicket }), call)).toBe(known);
    expect(chooseTicket).not.toHaveBeenCalled();
  });

  it('gets its answer from the workflow while MongoDB is down; without a workflow it is refused', async () => {
    const guards = { take: () => Promise.reject(new Error('down')) };
    expect(await startGameRound(repeated({ guards }), bet)).toBe(known);
    await expect(startGameRound(repeated({ guards }, 'gone'), bet)).rejects.toThrow('SERVICEUNAVAILABLE');
  });
});
