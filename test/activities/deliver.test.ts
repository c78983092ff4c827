import { randomUUID } from 'node:crypto';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createWalletActivities, type DeliverDependencies } from '../../activities/deliver';
import { createReadModelActivities } from '../../activities/read-model';
import type { DeliveryResult, WalletDelivery } from '../../src/contracts/activities';
import { decide } from '../../src/domain/round/decide';
import { openRound } from '../../src/domain/round/open';
import { snapshotOf } from '../../src/domain/round/replies';
import { settle } from '../../src/domain/round/settle';
import type { RoundIdentity, RoundState } from '../../src/domain/round/types';
import type { WalletAnswer, WalletOutcome } from '../../src/domain/wallet-call';
import { openDatabase, type Database } from '../../src/read-model/connect';
import { createGuards } from '../../src/read-model/guards';
import { createRounds } from '../../src/read-model/rounds';
import { until } from '../support/player';

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
          ...{ walletTimeoutMs: 1_000, repeatableErrorIds: [], strictReplies: false },
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
    rounds: createRounds(db, 'test'),
    observe: () => undefined,
  };
  state = openRound(identity(), POLICY, START, AT);
  await deps.guards.take(state.identity, state.identity.gameround);
});

const TAKEN_BET: WalletOutcome = { kind: 'accepted' };
const RUN = 'run-1';
const AFTER_RESET: Partial<Info> = { workflowExecution: { workflowId: 'w', runId: 'run-2' } };
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
    ...{ maybePaid: false, creditAccepted: false, gentle: false, late: false, originalRunId: RUN },
    ...change,
  };
}

/** A later attempt follows a worker's death; a first one again, a workflow that was reset. */
function deliver(
  change: Partial<WalletDelivery> = {},
  attempt = 1,
  more: Partial<Info> = {},
): Promise<DeliveryResult> {
  const workflowExecution = { workflowId: 'w', runId: RUN };
  const environment = new MockActivityEnvironment({ attempt, workflowExecution, ...more });
  const activity = createWalletActivities(deps).deliver;
  return environment.run<[WalletDelivery], DeliveryResult, typeof activity>(activity, delivery(change));
}

test('a first delivery is judged by its answer', async () => {
  answers = [REFUSED];
  expect(await deliver()).toMatchObject({ kind: 'declined', errorCode: { id: 5 } });
});

test.each([
  ['the next attempt', 2],
  ['a first attempt in a workflow that was reset', 1],
])('%s is a repeated delivery: a refusal may speak of the repeat, so it is unknown', async (_, attempt) => {
  answers = [FAILED, REFUSED];
  await deliver();
  expect(await deliver({}, attempt)).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(2);
});

test('a repeated delivery that is accepted is accepted', async () => {
  answers = [FAILED, TAKEN];
  await deliver();
  expect(await deliver({}, 2)).toMatchObject({ kind: 'accepted' });
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

test('one that was unknown stays so: it was voided, and may not be taken now', async () => {
  answers = [FAILED, TAKEN];
  const unknown = await deliver();
  await deps.rounds.write(snapshotOf(settle(state, unknown as WalletOutcome, AT)), 1);
  expect(await deliver()).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(1);
});

describe('a credit', () => {
  beforeEach(() => {
    const end = { type: 'end', key: 'k', reason: 'endGameRound' } as const;
    const won = settle(openRound(state.identity, POLICY, { ...START, winAmount: 40 }, AT), TAKEN_BET, AT);
    const decision = decide(won, end, AT);
    if (decision.kind !== 'accept') throw new Error(`the end was not accepted: ${decision.kind}`);
    state = decision.state;
  });

  test('that is refused at first was not paid', async () => {
    answers = [REFUSED];
    expect(await deliver()).toMatchObject({ kind: 'refused', maybePaid: false });
  });

  test('whose worker died before may have been paid', async () => {
    answers = [REFUSED];
    expect(await deliver({}, 2)).toMatchObject({ kind: 'refused', maybePaid: true });
  });

  test('that was delivered before a person reset the activity may have been paid', async () => {
    answers = [REFUSED];
    const times = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 9_000 };
    expect(await deliver({}, 1, times)).toMatchObject({ kind: 'refused', maybePaid: true });
  });

  test('in a workflow that a person has reset may have been paid, whatever the record says', async () => {
    answers = [REFUSED];
    expect(await deliver({}, 1, AFTER_RESET)).toMatchObject({ kind: 'refused', maybePaid: true });
  });
});

describe('a follow-up debit in a workflow that was reset', () => {
  beforeEach(() => {
    const first = { ...START, rngCallId: 'one' };
    state = settle(openRound(state.identity, { ...POLICY, followUpDebits: true }, first, AT), TAKEN_BET, AT);
    const decision = decide(state, { ...START, rngCallId: 'another' }, AT);
    if (decision.kind !== 'accept') throw new Error(`the follow-up was not accepted: ${decision.kind}`);
    state = decision.state;
  });

  test('is a repeated delivery: a refusal is unknown', async () => {
    answers = [REFUSED];
    expect(await deliver({ confirmGuard: false }, 1, AFTER_RESET)).toMatchObject({ kind: 'unknown' });
  });

  test('that the record shows as taken is not sent again', async () => {
    await deps.rounds.write(snapshotOf(settle(state, TAKEN_BET, AT)), 1);
    expect(await deliver({ confirmGuard: false }, 1, AFTER_RESET)).toEqual({ kind: 'accepted' });
    expect(sent).toBe(0);
  });
});

test('another round holds the guard and there is no record: nothing was ever sent', async () => {
  const holder = await deps.guards.take(state.identity, 'any');
  await deps.guards.replace(state.identity, holder, 'another round');
  expect(await deliver()).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
});

test('the guard is given back only when the record is there, which tells from then on that the bet was sent', async () => {
  const cancelled = { ...snapshotOf(state), status: 'cancel' as const };
  const { guards, rounds } = deps;
  const { project } = createReadModelActivities({
    guards,
    rounds: { ...rounds, write: () => Promise.reject(new Error('MongoDB is away')) },
  });
  const projected = { snapshot: cancelled, version: 1, known: { transactions: 0, gameState: 0, version: 0 } };
  await expect(project(projected)).rejects.toThrow('MongoDB is away');
  expect(await guards.holder(state.identity)).toBe(state.identity.gameround);
  await createReadModelActivities({ guards, rounds }).project(projected);
  expect(await guards.holder(state.identity)).toBeUndefined();
});

test('an attempt that was frozen while the next one was made sends nothing', async () => {
  answers = [REFUSED, TAKEN];
  const at = (currentAttemptScheduledTimestampMs: number): Partial<Info> => ({
    scheduledTimestampMs: 1_000,
    currentAttemptScheduledTimestampMs,
  });
  expect(await deliver({}, 2, at(7_000))).toMatchObject({ kind: 'declined' });
  expect(await deliver({}, 1, at(1_000))).toEqual({ kind: 'unconfirmed' });
  expect(sent).toBe(1);
});

test('nor does one after the Temporal server’s clock was set back, until it is where it was; the bet is not given up', async () => {
  answers = [FAILED, TAKEN];
  const at = (currentAttemptScheduledTimestampMs: number): Partial<Info> => ({
    currentAttemptScheduledTimestampMs,
  });
  expect(await deliver({}, 1, at(20_000))).toMatchObject({ kind: 'unknown' });
  expect(await deliver({}, 2, at(7_000))).toEqual({ kind: 'unconfirmed' });
  expect(await deliver({ late: true }, 1, at(8_000))).toEqual({ kind: 'unconfirmed' });
  expect(sent).toBe(1);
  expect(await deliver({ late: true }, 1, at(20_001))).toMatchObject({ kind: 'accepted' });
});

test('a start that comes too late gives the guard back and sends nothing', async () => {
  expect(await deliver({ late: true })).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
  expect(await deps.guards.holder(state.identity)).toBeUndefined();
});

test('late, and giving the guard back fails at first: nothing is sent then either', async () => {
  const giveUp = deps.guards.giveUp.bind(deps.guards);
  deps.guards.giveUp = () => Promise.reject(new Error('MongoDB is away'));
  expect(await deliver({ late: true })).toEqual({ kind: 'unconfirmed' });
  deps.guards.giveUp = giveUp;
  expect(await deliver({ late: true }, 2)).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
  expect(await deps.guards.holder(state.identity)).toBeUndefined();
});

test('late, but sent before: it goes on as a repeated delivery', async () => {
  answers = [FAILED, TAKEN];
  await deliver();
  expect(await deliver({ late: true })).toMatchObject({ kind: 'accepted' });
});

test('late, and the worker of an attempt died before it had confirmed the guard: nothing was sent', async () => {
  expect(await deliver({ late: true }, 2)).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
});

test('while a wallet takes its time the activity gives signs of life', async () => {
  const beats: unknown[] = [];
  let answer = (_: WalletAnswer): void => undefined;
  deps.wallet.doTransactions = () => new Promise((resolve) => (answer = resolve));
  const environment = new MockActivityEnvironment({ workflowExecution: { workflowId: 'w', runId: RUN } });
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  const activity = createWalletActivities(deps).deliver;
  const delivering = environment.run<[WalletDelivery], DeliveryResult, typeof activity>(activity, delivery());
  await until(
    () => Promise.resolve(beats.length),
    (count) => count > 1,
  );
  answer(TAKEN);
  expect(await delivering).toMatchObject({ kind: 'accepted' });
});
