import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createWalletActivities, type DeliverDependencies } from '../../activities/deliver';
import { createSlots } from '../../src/clients/slots';
import type { DeliveryResult, WalletDelivery } from '../../src/contracts/activities';
import { openRound } from '../../src/domain/round/open';
import { snapshotOf } from '../../src/domain/round/replies';
import { settle } from '../../src/domain/round/settle';
import type { RoundIdentity, RoundState } from '../../src/domain/round/types';
import type { WalletAnswer, WalletOutcome } from '../../src/domain/wallet-call';
import { openDatabase, type Database } from '../../src/read-model/connect';
import { createDeliveryMarks } from '../../src/read-model/delivery-marks';
import { createGuards } from '../../src/read-model/guards';
import { createRounds } from '../../src/read-model/rounds';

/* What becomes of a delivery that may have been made before (contract: Money, debit): real mongod, a scripted wallet. */

const AT = '2026-01-02T03:04:05.000Z';
const REFUSED: WalletAnswer = {
  kind: 'answer',
  status: 400,
  body: { errorCode: { id: 5, msg: 'NO', clientmsg: '' } },
};
const FAILED: WalletAnswer = { kind: 'answer', status: 500, body: undefined };
const TAKEN: WalletAnswer = { kind: 'answer', status: 200, body: { balances: [] } };

let database: Database;
let deps: DeliverDependencies;
let answers: WalletAnswer[];
let sent: number;
let state: RoundState;

beforeAll(() => {
  database = openDatabase(process.env.TEST_MONGODB_URI!, `deliver_${randomUUID().slice(0, 8)}`);
});

afterAll(async () => {
  await database.db.dropDatabase();
  await database.client.close();
});

beforeEach(async () => {
  const { db } = database;
  sent = 0;
  answers = [];
  deps = {
    tenants: {
      operator: () =>
        Promise.resolve({
          ...{ operatorId: 'op1', operatorUrl: 'http://127.0.0.1:9', secrets: ['s'] },
          ...{ walletTimeoutMs: 1_000, repeatableErrorIds: [] },
        }),
      provider: () => Promise.reject(new Error('no provider here')),
    },
    wallet: {
      doTransactions: () => {
        sent += 1;
        return Promise.resolve(answers.shift() ?? FAILED);
      },
      getBalance: () => Promise.reject(new Error('not asked for')),
      doGameRoundReport: () => Promise.reject(new Error('not asked for')),
      close: () => Promise.resolve(),
    },
    guards: createGuards(db),
    marks: createDeliveryMarks(db),
    rounds: createRounds(db, 'test'),
    slots: createSlots(8),
    isFailing: () => false,
    observe: () => undefined,
  };
  state = openRound(identity(), POLICY, START, AT);
  await deps.guards.take(state.identity, state.identity.gameround);
});

const POLICY = {
  ...{ walletTimeoutMs: 1_000, autoCloseAfterMs: 1_000, voidsWholeRound: false, followUpDebits: false },
  ...{ gameRoundReport: false, resultCallback: false },
};
const START = {
  ...({ type: 'start', debitAmount: 100, stake: 100, currency: 'EUR' } as const),
  ...{ useTicket: false, endGame: false, winAmount: 0 },
};

function identity(): RoundIdentity {
  return {
    ...{
      gameround: randomUUID(),
      operatorId: 'op1',
      playerId: randomUUID(),
      gameCode: 'g',
      providerId: 'gp1',
    },
    ...{ sessionId: 's', mode: 'real', currency: 'EUR', currencyMultiplier: 1, language: 'en' },
  };
}

function delivery(change: Partial<WalletDelivery> = {}): WalletDelivery {
  const { purpose, transactions } = state.pending!;
  return {
    ...{ round: state.identity, call: { purpose, transactions }, confirmGuard: purpose === 'debit' },
    ...{ maybePaid: false, creditAccepted: false, gentle: false, redelivered: false, late: false },
    ...change,
  };
}

function deliver(change: Partial<WalletDelivery> = {}, isLocal = true): Promise<DeliveryResult> {
  const environment = new MockActivityEnvironment({ isLocal });
  const activity = createWalletActivities(deps).deliver;
  return environment.run<[WalletDelivery], DeliveryResult, typeof activity>(activity, delivery(change));
}

test('a first delivery is judged by its answer', async () => {
  answers = [REFUSED];
  expect(await deliver()).toMatchObject({ kind: 'declined', errorCode: { id: 5 } });
});

test('a repeated delivery: a refusal may speak of the repeat, so it is unknown', async () => {
  answers = [FAILED, REFUSED];
  await deliver();
  expect(await deliver()).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(2);
});

test('a repeated delivery that is accepted is accepted', async () => {
  answers = [FAILED, TAKEN];
  await deliver();
  expect(await deliver()).toMatchObject({ kind: 'accepted' });
});

test('what the record says is its outcome: it is not sent again', async () => {
  answers = [TAKEN];
  await deliver();
  await deps.rounds.write(snapshotOf(settle(state, { kind: 'accepted' }, AT)), 1);
  expect(await deliver()).toEqual({ kind: 'accepted' });
  expect(sent).toBe(1);
});

test('a declined one keeps the operator’s word', async () => {
  answers = [REFUSED];
  const declined = await deliver();
  await deps.rounds.write(snapshotOf(settle(state, declined as WalletOutcome, AT)), 1);
  await deps.guards.release(state.identity, state.identity.gameround);
  expect(await deliver()).toMatchObject({ kind: 'declined', processed: false, errorCode: { id: 5 } });
  expect(sent).toBe(1);
});

test('a credit that was begun after it proves that it was accepted, however the wallet is now', async () => {
  answers = [TAKEN, FAILED];
  await deliver();
  await deps.marks.begin(state.identity.gameround, [{ type: 'credit', hash: randomUUID() }]);
  expect(await deliver()).toEqual({ kind: 'accepted' });
  expect(sent).toBe(1);
});

test('another round holds the guard and there is no record: nothing was ever sent', async () => {
  const holder = await deps.guards.take(state.identity, 'any');
  await deps.guards.replace(state.identity, holder, 'another round');
  expect(await deliver()).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
});

test('a start that comes too late gives the guard back and sends nothing', async () => {
  expect(await deliver({ late: true }, false)).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
  expect(await deps.guards.holder(state.identity)).toBeUndefined();
});

test('late, but sent before: it goes on as a repeated delivery', async () => {
  answers = [FAILED, TAKEN];
  await deliver();
  expect(await deliver({ late: true }, false)).toMatchObject({ kind: 'accepted' });
});

test('an operator that holds its share of the slots: nothing is sent, and the ordinary way is open', async () => {
  deps.slots = createSlots(0);
  expect(await deliver()).toEqual({ kind: 'unsent' });
  answers = [TAKEN];
  expect(await deliver({}, false)).toMatchObject({ kind: 'accepted' });
  expect(sent).toBe(1);
});
