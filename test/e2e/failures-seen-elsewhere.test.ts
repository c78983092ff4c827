import { connect } from 'node:net';
import { moves, recordOf, booksAtRest } from '../support/e2e-books';
import { providerHeaders } from '../support/e2e-http';
import {
  describe as told,
  eventually,
  insist,
  newRoundId,
  roundOf,
  STAKE,
  takeSeat,
  type Seat,
} from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/* Failures of similar services elsewhere that only a test of the whole service can show (docs/interface#process-death). */
jest.setTimeout(120_000);

let stack: E2eStack;
beforeAll(async () => {
  stack = await startE2eStack({ operators: [{ operatorId: 'op1' }, { operatorId: 'op2' }] });
});
beforeEach(() => stack.wallet.clearFaults());
afterAll(() => stack?.close());

const WIN = 700;

/** The deliveries of a round with this transaction type that the wallet received. */
async function deliveries(gameRound: string, type: string): Promise<{ hash: string; amount?: number }[]> {
  const calls = await stack.wallet.calls(gameRound);
  return calls.flatMap(({ body }) => body.transactions).filter((one) => one.type === type);
}

function delivered(gameRound: string, type: string, times: number): Promise<unknown> {
  return eventually(
    `${times} deliveries`,
    () => deliveries(gameRound, type),
    ({ length }) => length >= times,
  );
}

async function playNext(seat: Seat): Promise<void> {
  const request = { roundId: newRoundId(), endGame: true, winAmount: 100 };
  const next = await insist(() => seat.start(request));
  expect(next.body.gameRoundInfo?.status).toBe('closed');
  expect((await booksAtRest(stack, roundOf(next))).ledger.net).toBe(100 - STAKE);
}

test('three dropped replies to a credit, API and worker restarted meanwhile: one hash, one amount, one win', async () => {
  const seat = await takeSeat(stack);
  const gameRound = await seat.open({ winAmount: WIN });
  await stack.wallet.fault({
    fault: 'dropReply',
    times: 3,
    match: { playerId: seat.playerId, type: 'credit' },
  });
  const lost = seat.end(gameRound, { transactionId: 'end' }).catch((error: unknown) => error);
  await delivered(gameRound, 'credit', 1);
  await stack.kill('api', 'worker');
  await stack.start(['worker', 'api']);
  const again = await insist(() => seat.end(gameRound, { transactionId: 'end' }));
  expect(again.body.gameRoundInfo?.status).toBe('closed');
  await lost;

  const sent = await deliveries(gameRound, 'credit');
  expect(sent).toHaveLength(4);
  expect(new Set(sent.map(({ hash, amount }) => `${hash} ${amount}`)).size).toBe(1);
  const { record, ledger } = await booksAtRest(stack, gameRound);
  expect(record).toMatchObject({ status: 'closed', totalWinAmount: WIN, attention: [] });
  expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
});

test('five 500s to a credit, everything killed and restarted: one win, recorded only after it was paid', async () => {
  const seat = await takeSeat(stack);
  const gameRound = await seat.open({ winAmount: WIN });
  const match = { playerId: seat.playerId, type: 'credit' };
  await stack.wallet.fault({ fault: 'status', status: 500, times: 5, match });
  const lost = seat.end(gameRound, { transactionId: 'end' }).catch((error: unknown) => error);
  await delivered(gameRound, 'credit', 2);
  await stack.kill('api', 'worker', 'temporal', 'mongod');
  await stack.start(['temporal', 'mongod', 'worker', 'api']);

  await eventually(
    'the credit in record and ledger',
    async () => {
      const record = await recordOf(stack, gameRound);
      const { movements } = await stack.wallet.ledger(gameRound);
      const isPaid = movements.some(({ type }) => type === 'credit');
      const isRecorded = record?.totalWinAmount === WIN || record?.status !== 'open';
      if (isRecorded) expect(isPaid).toBe(true);
      return isRecorded;
    },
    (isRecorded) => isRecorded,
    90_000,
  );
  await lost;
  expect(await deliveries(gameRound, 'credit')).toHaveLength(6);
  const { record, ledger } = await booksAtRest(stack, gameRound);
  expect(record).toMatchObject({ status: 'closed', totalWinAmount: WIN, attention: [] });
  expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
  await playNext(seat);
});

test('killed between a debit and its reply: the round is known, can be closed, and a new one starts', async () => {
  const seat = await takeSeat(stack);
  await stack.wallet.fault({
    fault: 'hang',
    when: 'after',
    match: { playerId: seat.playerId, type: 'debit' },
  });
  const lost = seat.start({ winAmount: WIN }).catch((error: unknown) => error);
  await eventually(
    'the debit',
    () => stack.wallet.balance(seat.playerId),
    (balance) => balance === 100_000 - STAKE,
  );
  await stack.kill('api', 'worker');
  await stack.start(['worker', 'api']);
  await lost;

  const info = await insist(() => seat.info());
  const gameRound = roundOf(info);
  // Its record comes when the repeated delivery of the debit has told what became of it.
  const listed = await eventually(
    'the round in the list',
    () => insist(() => seat.call('/getOpenGameRounds')),
    ({ body }) => (body.gameRoundList as unknown[]).length > 0,
  );
  expect(listed.body.gameRoundList).toMatchObject([
    { hash: gameRound, status: 'open', amountToCollect: WIN },
  ]);
  expect(told(await insist(() => seat.start()))).toBe('400 GAMEROUNDALREADYSTARTED open');
  expect(told(await insist(() => seat.end(gameRound, { transactionId: 'end' })))).toBe('200 closed');
  const { ledger } = await booksAtRest(stack, gameRound);
  expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
  await playNext(seat);
});

test('one externalGameProviderRoundId of two operators and two players names separate rounds', async () => {
  const roundId = newRoundId();
  const seats = await Promise.all([
    takeSeat(stack, { operatorId: 'op1', playerId: 'anna' }),
    takeSeat(stack, { operatorId: 'op1', playerId: 'berta' }),
    takeSeat(stack, { operatorId: 'op2', playerId: 'anna' }),
  ]);
  const started = await Promise.all(seats.map((seat) => seat.start({ roundId })));
  expect(started.map(told)).toEqual(['200 open', '200 open', '200 open']);
  const rounds = started.map(roundOf);
  expect(new Set(rounds).size).toBe(3);
  for (const [at, seat] of seats.entries()) {
    const own = rounds[at];
    expect(roundOf(await seat.info({ externalGameProviderRoundId: roundId }))).toBe(own);
    for (const other of rounds.filter((hash) => hash !== own)) {
      expect(told(await seat.info({ gameRound: other }))).toBe('404 GAMEROUNDNOTFOUND');
      expect(told(await seat.win(other, { winAmount: WIN }))).toBe('404 GAMEROUNDNOTFOUND');
      expect(told(await seat.end(other))).toBe('404 GAMEROUNDNOTFOUND');
      expect(told(await seat.void(other))).toBe('404 GAMEROUNDNOTFOUND');
    }
  }
  const ended = await Promise.all(seats.map((seat, at) => seat.end(rounds[at] ?? '')));
  expect(ended.map(told)).toEqual(['200 closed', '200 closed', '200 closed']);
  for (const gameRound of rounds) expect((await booksAtRest(stack, gameRound)).ledger.net).toBe(-STAKE);
});

test.each(['Asia/Tokyo', 'America/Los_Angeles'])(
  '13: a timestamp without a zone means UTC in %s',
  async (zone) => {
    const seat = await takeSeat(stack);
    await stack.stop('api');
    await stack.start(['api'], { TZ: zone });
    await stack.ready();
    const ping = async (timestamp: string): Promise<string> =>
      told(await seat.call('/testPing', { testData: 1 }, { timestamp }));
    const utc = new Date().toISOString();
    const inBerlin = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const noMillis = (text: string): string => text.replace(/\.\d{3}Z$/, '');
    expect(await ping(utc)).toBe('200');
    expect(await ping(`${noMillis(utc)}Z`)).toBe('200');
    expect(await ping(inBerlin.replace('Z', '+02:00'))).toBe('200');
    expect(await ping(`${noMillis(inBerlin)}+02:00`)).toBe('200');
    expect(await ping(utc.replace('Z', ''))).toBe('200');
    expect(await ping(noMillis(utc))).toBe('200');
    const local = new Date().toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
    expect(await ping(local)).toBe('401 SIGNATUREWRONG');
    expect(await ping(inBerlin)).toBe('401 SIGNATUREWRONG');
  },
);

test.each(['worker', 'api'] as const)(
  '14: SIGTERM to the %s during a debit: it is finished, not voided',
  async (part) => {
    const seat = await takeSeat(stack);
    const match = { playerId: seat.playerId, type: 'debit' };
    await stack.wallet.fault({ fault: 'slow', delayMs: 1_200, match });
    const bet = { roundId: `during-stop-of-${part}`, winAmount: WIN };
    const starting = seat.start(bet);
    await eventually(
      'the debit',
      () => stack.wallet.callsOfPlayer(seat.playerId),
      ({ length }) => length === 1,
    );
    await stack.stop(part);
    await stack.start([part]);
    // Where the only worker was away too long, the caller was told to come again.
    const first = await starting;
    const started = told(first).startsWith('503') ? await insist(() => seat.start(bet)) : first;
    expect(told(started)).toBe('200 open');
    const gameRound = roundOf(started);
    expect(told(await insist(() => seat.end(gameRound, { transactionId: 'end' })))).toBe('200 closed');
    const { ledger } = await booksAtRest(stack, gameRound);
    expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
    expect(await stack.wallet.sent(gameRound)).toEqual(['debit', 'credit+end']);
  },
);

describe('a dropped connection of the provider', () => {
  /** Sends a signed call by hand, `share` of its body, and leaves when `leaveWhen` says so. */
  async function abort(
    path: string,
    request: object,
    share: number,
    leaveWhen: () => Promise<unknown>,
  ): Promise<void> {
    const body = JSON.stringify(request);
    const headers = Object.entries({ Host: 'api', ...providerHeaders(stack.provider, body) });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const { hostname, port } = new URL(stack.api);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${body.slice(0, body.length * share)}`, () =>
        resolve(),
      );
    });
    await leaveWhen();
    socket.resetAndDestroy();
  }

  it('in the middle of a body leaves nothing behind', async () => {
    const seat = await takeSeat(stack);
    const request = {
      token: seat.token,
      rngResult: {},
      debitInformation: { debitAmount: STAKE, currency: 'EUR' },
      externalGameProviderRoundId: newRoundId(),
    };
    await abort('/startGameRound', request, 0.5, () => seat.call('/testPing', {}));
    // Calls that came after it have gone their whole way, and it has not.
    expect(told(await seat.call('/testPing', {}))).toBe('200');
    expect(told(await seat.info())).toBe('400 GAMEROUNDNOTSTARTED');
    expect(await stack.wallet.callsOfPlayer(seat.playerId)).toEqual([]);
    const roundId = request.externalGameProviderRoundId;
    expect(told(await seat.start({ roundId, endGame: true }))).toBe('200 closed');
  });

  it('before the reply to a bet: the same call again gets the answer, and there is one bet', async () => {
    const seat = await takeSeat(stack);
    await stack.wallet.fault({
      fault: 'slow',
      delayMs: 800,
      match: { playerId: seat.playerId, type: 'debit' },
    });
    const roundId = newRoundId();
    const request = {
      token: seat.token,
      rngResult: { winAmount: WIN },
      debitInformation: { debitAmount: STAKE, currency: 'EUR' },
      externalGameProviderRoundId: roundId,
    };
    const calls = (): Promise<unknown[]> => stack.wallet.callsOfPlayer(seat.playerId);
    await abort('/startGameRound', request, 1, () =>
      eventually('the debit', calls, ({ length }) => length === 1),
    );
    const again = await seat.start({ roundId, winAmount: WIN });
    expect(told(again)).toBe('200 open');
    const gameRound = roundOf(again);

    await stack.wallet.fault({
      fault: 'slow',
      delayMs: 800,
      match: { playerId: seat.playerId, type: 'credit' },
    });
    const ending = { token: seat.token, gameRound, externalGameProviderTransactionId: 'end' };
    await abort('/endGameRound', ending, 1, () => delivered(gameRound, 'credit', 1));
    const ended = await seat.end(gameRound, { transactionId: 'end' });
    expect(told(ended)).toMatch(/^(200|400 GAMEROUNDNOTACTIVE) closed$/);
    const { ledger } = await booksAtRest(stack, gameRound);
    expect(moves(ledger)).toEqual({ debit: 1, credit: 1, end: 1 });
    expect(await stack.wallet.sent(gameRound)).toEqual(['debit', 'credit+end']);
  });
});
