import { GAMEROUND_ATTENTION } from '../../src/contracts/search-attributes';
import { abandonedRounds, moves, recordOf, booksAtRest, workflowStatus } from '../support/e2e-books';
import { exchange } from '../support/e2e-http';
import {
  describe as told,
  eventually,
  insist,
  launch,
  newRoundId,
  roundOf,
  STAKE,
  takeSeat,
  type Seat,
} from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/* MongoDB is down while rounds are open (docs/interface#mongodb-down-round). The tests are steps on one stack. */
jest.setTimeout(120_000);

const WIN = 700;
let stack: E2eStack;
/** The API process knows the sessions of these players. */
let ending: Seat, retrying: Seat, voiding: Seat;
/** The API process does not know this player's session, because it was restarted after the connect. */
let unknown: Seat;
let rounds: { ending: string; retrying: string; voiding: string };

beforeAll(async () => {
  stack = await startE2eStack();
  [ending, retrying, voiding, unknown] = await Promise.all([
    takeSeat(stack),
    takeSeat(stack),
    takeSeat(stack),
    takeSeat(stack),
  ]);
  await stack.kill('api');
  await stack.start(['api']);
  await stack.ready();
  rounds = {
    ending: await ending.open(),
    retrying: await retrying.open({ winAmount: WIN }),
    voiding: await voiding.open(),
  };
  await stack.kill('mongod');
});
afterAll(() => stack?.close());

test('the API stays ready, and says that it is degraded', async () => {
  const health = await eventually(
    'a degraded API',
    () => exchange({ url: `${stack.api}/health/ready` }),
    ({ body }) => body.status === 'degraded',
  );
  expect(health).toMatchObject({ status: 200, body: { status: 'degraded', missing: ['mongodb'] } });
});

test('rounds of sessions that the API knows can be played to their end', async () => {
  expect(told(await ending.win(rounds.ending, { winAmount: WIN, transactionId: 'win' }))).toBe('200 open');
  const ended = await ending.end(rounds.ending, { transactionId: 'end' });
  expect(told(ended)).toBe('200 closed');
  expect(ended.body.amountCredited).toBe(WIN);
  expect(told(await voiding.void(rounds.voiding))).toBe('200 cancel');
  expect(moves(await stack.wallet.ledger(rounds.ending))).toEqual({ debit: 1, credit: 1, end: 1 });
  expect(moves(await stack.wallet.ledger(rounds.voiding))).toEqual({ debit: 1, void: 1 });
});

test('a credit that the wallet refuses for a while is retried', async () => {
  const match = { playerId: retrying.playerId, type: 'credit' };
  await stack.wallet.fault({ fault: 'status', status: 500, times: 2, match });
  const ended = await insist(() => retrying.end(rounds.retrying, { transactionId: 'end' }));
  expect(ended.body.gameRoundInfo?.status).toBe('closed');
  expect(moves(await stack.wallet.ledger(rounds.retrying))).toEqual({ debit: 1, credit: 1, end: 1 });
});

test('the state of a round is read from its workflow', async () => {
  const info = await ending.info({ gameRound: rounds.ending });
  expect(told(info)).toBe('200 closed');
  expect(info.body.totalWinAmount).toBe(WIN);
});

test('no round starts, and sessions that the API does not know get 503', async () => {
  expect(told(await ending.start())).toBe('503 SERVICEUNAVAILABLE');
  expect(told(await unknown.start())).toBe('503 SERVICEUNAVAILABLE');
  expect(told(await unknown.info())).toBe('503 SERVICEUNAVAILABLE');
  await expect(launch(stack, 'op1', unknown.playerId)).rejects.toThrow('503 SERVICEUNAVAILABLE');
  expect(await stack.wallet.callsOfPlayer(unknown.playerId)).toEqual([]);
});

test('the rounds wait for their records and are marked', async () => {
  for (const gameRound of Object.values(rounds)) {
    expect(await workflowStatus(stack, gameRound)).toBe('RUNNING');
    const { typedSearchAttributes } = await stack.temporal.workflow
      .getHandle(`gameround-${gameRound}`)
      .describe();
    expect(typedSearchAttributes.get(GAMEROUND_ATTENTION)).toContain('projection-pending');
  }
});

test('MongoDB is back: the records catch up, and every player plays on', async () => {
  await stack.start(['mongod']);
  const [ended, retried, voided] = await Promise.all(
    [rounds.ending, rounds.retrying, rounds.voiding].map((gameRound) => booksAtRest(stack, gameRound)),
  );
  expect(ended?.record).toMatchObject({ status: 'closed', totalWinAmount: WIN, attention: [] });
  expect(retried?.record).toMatchObject({ status: 'closed', totalWinAmount: WIN, attention: [] });
  expect(voided?.record).toMatchObject({ status: 'cancel', totalBetAmount: 0, attention: [] });
  for (const seat of [ending, retrying, voiding, unknown]) {
    const request = { roundId: newRoundId(), endGame: true };
    const started = await insist(() => seat.start(request));
    expect(told(started)).toBe('200 closed');
    expect((await booksAtRest(stack, roundOf(started))).ledger.net).toBe(-STAKE);
    expect((await recordOf(stack, roundOf(started)))?.player).toBe(seat.playerId);
  }
  expect(await abandonedRounds(stack)).toEqual([]);
  await stack.ready();
});
