import type { BalanceAnswer } from '../src/clients/types';
import { commandPorts } from '../src/command-ports';
import type { Session } from '../src/domain/session';
import { tenantsInMemory } from '../src/tenants';
import { parseTenants } from '../src/tenants/file';

const session: Session = {
  ...{ sessionId: 's', operatorId: 'op1', playerId: 'p1', gameCode: 'slot', providerId: 'gp1', mode: 'real' },
  ...{ currency: 'EUR', currencyMultiplier: 1, language: 'en', device: '', walletMode: '', expired: false },
};

const tenants = tenantsInMemory(
  parseTenants(
    'tenants.json',
    JSON.stringify({
      operators: [
        {
          ...{ operatorId: 'op1', operatorUrl: 'http://x', secrets: ['s'], currencies: { EUR: 1 } },
          ...{ autoCloseAfter: '13h', walletTimeout: '3s', voidsWholeRound: true },
        },
      ],
      providers: [{ providerId: 'gp1', gameUrl: 'http://x', secrets: ['s'] }],
      games: [
        { gameCode: 'slot', providerId: 'gp1', name: 'S', launchUrl: 'http://x', followUpDebits: true },
      ],
    }),
  ),
);

function portsWith(answer: BalanceAnswer) {
  const getBalance = jest.fn(() => Promise.resolve(answer));
  const ports = commandPorts({
    guards: {
      take: jest.fn(),
      free: jest.fn(),
      restore: jest.fn(),
      holder: jest.fn(),
      undecidedBets: jest.fn(),
    },
    rounds: { write: jest.fn(), recorded: jest.fn(), read: jest.fn() },
    queries: { standing: jest.fn(), ticketUse: () => Promise.resolve({ used: 2, won: 30 }) },
    tenants,
    wallet: { getBalance },
    logger: { warn: jest.fn() },
  });
  return { ports, getBalance };
}

const withTickets = (...tickets: Record<string, unknown>[]): BalanceAnswer => ({
  kind: 'balance',
  balance: { balances: [], tickets },
});
const refusedWith = (msg: string) => ({ refusal: { errorCode: { msg } } });

describe('settingsFor', () => {
  it('is the operator’s and the game’s settings', async () => {
    const { ports } = portsWith(withTickets());
    expect(await ports.settingsFor(session)).toEqual({
      ...{ autoCloseAfterMs: 13 * 3_600_000, voidsWholeRound: true },
      ...{ gameRoundReport: false, followUpDebits: true, resultCallback: false },
    });
    await expect(ports.settingsFor({ ...session, gameCode: 'x' })).rejects.toMatchObject(
      refusedWith('GAMENOTFOUND'),
    );
  });
});

describe('chooseTicket', () => {
  const ticket = { serial: 't1', stake: 100, currency: 'EUR', count: 3, feature: 'f', price: 0 };

  it('takes the ticket of that currency and stake, asked for with the game', async () => {
    const others = [
      { ...ticket, serial: 't2', stake: 200 },
      { ...ticket, serial: 't3', currency: 'JPY' },
      { ...ticket, serial: 't4', count: 0 },
      { ...ticket, serial: '' },
      { ...ticket, stake: '100' },
    ];
    const { ports, getBalance } = portsWith(withTickets(...others, ticket));
    const { price: _price, ...chosen } = ticket;
    expect(await ports.chooseTicket(session, 100)).toEqual({
      ticket: { ...chosen, usedBefore: 2, wonBefore: 30 },
      tickets: [...others, ticket],
    });
    expect(getBalance).toHaveBeenCalledWith(expect.objectContaining({ operatorId: 'op1' }), {
      ...{ playerId: 'p1', currency: 'EUR', gameCode: 'slot' },
    });
  });

  it('refuses when there is none, or the wallet has no answer', async () => {
    const none = portsWith(withTickets(ticket)).ports;
    await expect(none.chooseTicket(session, 101)).rejects.toMatchObject(refusedWith('NOTICKETAVAILABLE'));
    const silent = portsWith({ kind: 'unavailable', reason: '' }).ports;
    await expect(silent.chooseTicket(session, 100)).rejects.toMatchObject(refusedWith('WALLETUNAVAILABLE'));
  });
});
