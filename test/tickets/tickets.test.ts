import type { BalanceAnswer, GetBalance } from '../../src/clients/types';
import { RefusedError } from '../../src/domain/errors';
import { freePlaysAvailable } from '../../src/domain/free-plays';
import { readBalance } from '../../src/domain/classify-wallet-reply';
import type { Session } from '../../src/domain/session';
import { createTicketChooser } from '../../src/tickets';

const SESSION: Session = {
  sessionId: 's1',
  operatorId: 'op1',
  playerId: 'p1',
  gameCode: 'slot',
  providerId: 'gp1',
  mode: 'real',
  currency: 'EUR',
  currencyMultiplier: 1,
  language: 'en',
  device: 'desktop',
  walletMode: 'seamless',
  expired: false,
};
const OPERATOR = {
  operatorId: 'op1',
  operatorUrl: 'http://127.0.0.1:9',
  secrets: ['s'],
  walletTimeoutMs: 1_000,
};

/** docs/interface#balance: tickets are {count, stake, currency, price, feature, serial}. */
function ticket(serial: unknown, over: Record<string, unknown> = {}) {
  return { count: 3, stake: 20, currency: 'EUR', price: 60, feature: '', serial, ...over };
}

/** What the operator's getBalance reply becomes. */
function told(reply: object): BalanceAnswer {
  const balances = [{ type: 'real', amount: 1_000, currency: 'EUR' }];
  const balance = readBalance({ balances, ...reply }, 'EUR');
  return { kind: 'balance', balance: balance! };
}

let asked: GetBalance[];
let used: string[];

function choose(
  answer: BalanceAnswer,
  {
    session = {},
    stake,
    use,
  }: { session?: Partial<Session>; stake?: number; use?: () => Promise<never> } = {},
) {
  const chooser = createTicketChooser({
    wallet: {
      getBalance: (operator, request) => {
        expect(operator).toBe(OPERATOR);
        asked.push(request);
        return Promise.resolve(answer);
      },
    },
    operatorOf: (operatorId) => (operatorId === 'op1' ? OPERATOR : undefined),
    ticketUse: (operatorId, playerId, serial) => {
      used.push(`${operatorId} ${playerId} ${serial}`);
      return use?.() ?? Promise.resolve({ used: 2, won: 500 });
    },
  });
  return chooser({ ...SESSION, ...session }, stake).then(({ ticket: chosen, tickets }) => {
    expect(tickets).toEqual(answer.kind === 'balance' ? (answer.balance.tickets ?? []) : []);
    return chosen;
  });
}

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => 'not refused',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RefusedError)) throw new Error(`not refused: ${String(error)}`);
  const { status, errorCode } = error.refusal;
  return `${status} ${errorCode.id} ${errorCode.msg}`;
}

beforeEach(() => {
  asked = [];
  used = [];
});

describe('the ticket for a bet', () => {
  it('is asked for with the game, and comes with what it was used for before', async () => {
    const chosen = await choose(told({ tickets: [ticket('T-1', { feature: 'bonus' })] }));
    expect(asked).toEqual([{ playerId: 'p1', currency: 'EUR', gameCode: 'slot' }]);
    expect(used).toEqual(['op1 p1 T-1']);
    expect(chosen).toEqual({
      serial: 'T-1',
      stake: 20,
      currency: 'EUR',
      count: 3,
      feature: 'bonus',
      usedBefore: 2,
      wonBefore: 500,
    });
  });

  it('is found under freePlays as well, and has no feature where the operator names none', async () => {
    const chosen = await choose(told({ freePlays: [ticket('F-1', { feature: undefined })] }));
    expect(chosen).toEqual({
      serial: 'F-1',
      stake: 20,
      currency: 'EUR',
      count: 3,
      usedBefore: 2,
      wonBefore: 500,
    });
  });

  it('has the session’s currency, the stake that is asked for, and something left', async () => {
    const reply = told({
      tickets: [
        ticket('other-currency', { currency: 'USD' }),
        ticket('used-up', { count: 0 }),
        ticket('other-stake', { stake: 50 }),
        ticket('fits'),
      ],
    });
    expect(await choose(reply, { stake: 20 })).toMatchObject({ serial: 'fits' });
    expect(await choose(reply, { stake: 50 })).toMatchObject({ serial: 'other-stake', stake: 50 });
    expect(await refusalOf(choose(reply, { stake: 10 }))).toBe('400 2008 NOTICKETAVAILABLE');
    expect(await refusalOf(choose(reply, { stake: 20, session: { currency: 'JPY' } }))).toContain('2008');
    expect(used).toHaveLength(2);
  });

  it('is the same one in whatever order the operator lists them: lowest stake, fewest left, first serial', async () => {
    const tickets = [
      ticket('e', { stake: 50, count: 1 }),
      ticket('d', { count: 9 }),
      ticket('c', { count: 2 }),
      ticket('b', { count: 2 }),
    ];
    for (const listed of [tickets, [...tickets].reverse()]) {
      expect(await choose(told({ tickets: listed }))).toMatchObject({ serial: 'b', stake: 20, count: 2 });
      expect(await choose(told({ tickets: listed }), { stake: 50 })).toMatchObject({ serial: 'e' });
    }
  });
});

describe('what is refused', () => {
  it('demo and history: 400 MODENOTALLOWED, and the operator is not asked', async () => {
    for (const mode of ['demo', 'history'] as const) {
      expect(await refusalOf(choose(told({ tickets: [ticket('T-1')] }), { session: { mode } }))).toMatch(
        /^400 2010 MODENOTALLOWED/,
      );
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['none', {}],
    ['used up', { tickets: [ticket('T-1', { count: 0 })] }],
    [
      'malformed',
      {
        tickets: [
          ticket(7),
          ticket(''),
          ticket('a\nb'),
          ticket('T', { stake: 0.5 }),
          ticket('U', { count: -1 }),
          5,
        ],
      },
    ],
  ])('%s: 400 NOTICKETAVAILABLE', async (_what, reply) => {
    expect(await refusalOf(choose(told(reply)))).toBe('400 2008 NOTICKETAVAILABLE');
  });

  const errorCode = { id: 77, msg: 'LIMITREACHED', clientmsg: 'Your limit is reached.' };
  it.each<[string, BalanceAnswer, string]>([
    ['the operator’s own error passes through', { kind: 'rejected', errorCode }, '400 77 LIMITREACHED'],
    ['a refusal without one', { kind: 'rejected' }, '502 3000 WALLETUNAVAILABLE'],
    [
      'our signature',
      { kind: 'rejected', errorCode: { ...errorCode, id: 1001, msg: 'SIGNATUREWRONG' } },
      '502 3000 WALLETUNAVAILABLE',
    ],
    ['no answer', { kind: 'unavailable', reason: 'time-out' }, '502 3000 WALLETUNAVAILABLE'],
  ])('%s', async (_what, answer, refusal) => {
    expect(await refusalOf(choose(answer))).toBe(refusal);
    expect(used).toEqual([]);
  });

  it('an operator that nobody knows', async () => {
    expect(await refusalOf(choose(told({}), { session: { operatorId: 'op9' } }))).toBe(
      '502 3000 WALLETUNAVAILABLE',
    );
  });

  it('with the read model down: 503, since freePlayInfo could not be told', async () => {
    const down = () => Promise.reject(new Error('down'));
    expect(await refusalOf(choose(told({ tickets: [ticket('T-1')] }), { use: down }))).toBe(
      '503 3002 SERVICEUNAVAILABLE',
    );
  });
});

describe('freePlaysAvailable', () => {
  it('are the items of the tickets that can be used, in the operator’s order, each serial once', () => {
    const { balance } = told({
      tickets: [
        ticket('T-2', { feature: 'bonus' }),
        ticket('T-1', { currency: 'USD' }),
        ticket('T-0', { count: 0 }),
      ],
      freePlays: [ticket('T-2'), ticket('F-1', { feature: undefined })],
    }) as BalanceAnswer & { kind: 'balance' };
    const [first, second, third] = [
      { currency: 'EUR', stake: 20, count: 3, feature: 'bonus', serial: 'T-2' },
      { currency: 'USD', stake: 20, count: 3, feature: '', serial: 'T-1' },
      { currency: 'EUR', stake: 20, count: 3, feature: '', serial: 'F-1' },
    ];
    expect(freePlaysAvailable(balance)).toEqual([first, second, third]);
    expect(freePlaysAvailable(balance, 'EUR')).toEqual([first, third]);
    expect(freePlaysAvailable(undefined)).toEqual([]);
    expect(freePlaysAvailable({ balances: [] })).toEqual([]);
  });
});
