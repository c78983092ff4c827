import { randomUUID } from 'node:crypto';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createWalletActivities, type DeliverDependencies } from '../../activities/deliver';
import { createReadModelActivities } from '../../activities/read-model';
import {
  BET_AGE_MS,
  BET_UNCONFIRMED,
  type BetDelivery,
  type CommandEnd,
  type Delivered,
  type DeliveryResult,
  type WalletDelivery,
} from '../../src/contracts/activities';
import { BEFORE_ANY_ATTEMPT, type Confirmed } from '../../src/contracts/guards';
import { createWaitingCalls } from '../../src/contracts/waiting-calls';
import { cancelRound, decide } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { snapshotOf } from '../../src/domain/round/replies';
import { applyWalletOutcome } from '../../src/domain/round/apply-wallet-outcome';
import type { Recorded } from '../../src/domain/round/known-entries';
import type { RoundIdentity, RoundState } from '../../src/domain/round/types';
import { callOf, type WalletAnswer, type WalletOutcome } from '../../src/domain/wallet-call';
import { openDatabase, type Database } from '../../src/read-model/connect';
import { createGuards } from '../../src/read-model/guards';
import { createRounds, ensureRoundIndexes } from '../../src/read-model/rounds';
import { until } from '../support/player';

/* What becomes of a delivery that may have been made before (docs/interface#debit-redelivered): real mongod, a scripted wallet. */

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
/** When an attempt was begun, and its signal came, as the Temporal server says. */
let startedAt: number;
let signalledAt: number | undefined;
/** What an attempt has told the server. */
let announced: unknown;
/** What the runs before a reset say. */
let before: Recorded | undefined;

beforeAll(async () => {
  database = openDatabase(process.env.TEST_MONGODB_URI!, `deliver_${randomUUID().slice(0, 8)}`);
  await ensureRoundIndexes(createRounds(database.db, 'test'));
});

afterAll(async () => {
  await database.db.dropDatabase();
  await database.client.close();
});

beforeEach(async () => {
  const { db } = database;
  sent = 0;
  answers = [];
  startedAt = ACCEPTED_AT;
  signalledAt = undefined;
  before = undefined;
  announced = undefined;
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
    times: { startedAt: () => Promise.resolve(startedAt), signalledAt: () => Promise.resolve(signalledAt) },
    previousRuns: { newest: () => Promise.resolve(before) },
    attempts: { report: (_, done) => Promise.resolve(void (announced = done)) },
    observe: () => undefined,
    waitingCalls: createWaitingCalls(),
  };
  state = createRound(identity(), SETTINGS, START, AT);
  await deps.guards.take(state.identity, state.identity.gameround);
});

const TAKEN_BET: WalletOutcome = { kind: 'accepted' };
const RUN = 'run-1';
const ACCEPTED_AT = 1_000;
const AFTER_RESET: Partial<Info> = { workflowExecution: { workflowId: 'w', runId: 'run-2' } };
const SETTINGS = {
  ...{ autoCloseAfterMs: 1_000, voidsWholeRound: false, followUpDebits: false },
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

const ownVersions = (upTo: number): Partial<WalletDelivery> => ({ ownVersions: { upTo, also: [] } });

function delivery(change: Partial<WalletDelivery> = {}, bet: Partial<BetDelivery> = {}): WalletDelivery {
  const call = callOf(state.pending!);
  const isFirst = call.transactions.some(({ isFirstDebit }) => isFirstDebit === true);
  const times = { acceptedAt: ACCEPTED_AT, isOver: false, maybeSent: false, neverBegun: false };
  return {
    ...{ round: state.identity, call, ownVersions: { upTo: 0, also: [] } },
    ...{ maybePaid: false, creditAccepted: false, originalRunId: RUN },
    ...(call.purpose === 'debit' ? { bet: { isFirst, ...times, ...bet } } : {}),
    ...change,
  };
}

/** A later attempt follows a worker's death; a first one again, a workflow that was reset. */
function deliver(
  change: Partial<WalletDelivery> = {},
  attempt = 1,
  more: Partial<Info> = {},
  bet: Partial<BetDelivery> = {},
): Promise<DeliveryResult> {
  return carriedOut(delivery(change, bet), attempt, more).then(({ result }) => result);
}

function carriedOut(
  sent: WalletDelivery,
  attempt: number,
  more: Partial<Info> = {},
  end?: CommandEnd,
): Promise<Delivered> {
  const workflowExecution = { workflowId: 'w', runId: RUN };
  const times = { scheduledTimestampMs: ACCEPTED_AT, currentAttemptScheduledTimestampMs: ACCEPTED_AT };
  const environment = new MockActivityEnvironment({ attempt, workflowExecution, ...times, ...more });
  const activity = createWalletActivities(deps).deliver;
  return environment.run<[WalletDelivery, CommandEnd?], Delivered, typeof activity>(activity, sent, end);
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

test('one that MongoDB does not know counts as unknown if it is refused after a reset: it may have been taken', async () => {
  answers = [REFUSED];
  expect(await deliver({}, 1, AFTER_RESET)).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(1);
});

describe('a record that is ahead of what this run has written is told, and nothing is sent', () => {
  const AHEAD = { kind: 'ahead', record: { version: 9, snapshot: { status: 'open' } } };

  test.each<[string, boolean]>([
    ['whose guard is still held', false],
    ['whose guard was given back', true],
  ])('to a first bet %s', async (_, isReleased) => {
    answers = [TAKEN];
    await deliver();
    await deps.rounds.write(snapshotOf(applyWalletOutcome(state, TAKEN_BET, AT)), 9);
    if (isReleased)
      await deps.guards.free(state.identity, { gameround: state.identity.gameround, confirmed: true });
    expect(await deliver()).toMatchObject(AHEAD);
    expect(await deliver({}, 1, {}, { isOver: true })).toMatchObject(AHEAD);
    expect(sent).toBe(1);
  });

  test('to a void, whatever purpose a call has', async () => {
    state = cancelRound(applyWalletOutcome(state, TAKEN_BET, AT), 'voidGameRound', AT);
    await deps.rounds.write(snapshotOf(applyWalletOutcome(state, { kind: 'accepted' }, AT)), 9);
    expect(await deliver(ownVersions(8))).toMatchObject({ kind: 'ahead' });
    expect(sent).toBe(0);
    answers = [TAKEN];
    expect(await deliver(ownVersions(9))).toMatchObject({ kind: 'accepted' });
  });
});

/** Of the current call, in a run that a person's reset made. */
function neverSentAfterReset(): void {
  test('after a reset is not sent if the record or the run before says more, nor before both can be read', async () => {
    const away = (): Promise<never> => Promise.reject(new Error('it is away'));
    const { rounds, previousRuns } = deps;
    for (const change of [
      { rounds: { ...rounds, overtake: away } },
      { rounds: { ...rounds, ahead: away } },
      { previousRuns: { newest: away } },
    ]) {
      deps = { ...deps, rounds, previousRuns, ...change };
      await expect(deliver({}, 1, AFTER_RESET)).rejects.toThrow();
    }
    deps = { ...deps, rounds, previousRuns };
    const told = (version: number) => ({ kind: 'ahead', record: { version } });
    before = { snapshot: snapshotOf(state), version: 8 };
    expect(await deliver({}, 1, AFTER_RESET)).toMatchObject(told(8));
    await rounds.write(snapshotOf(state), 9);
    expect(await deliver({}, 1, AFTER_RESET)).toMatchObject(told(9));
    expect(sent).toBe(0);
    expect(await deliver(ownVersions(9), 1, AFTER_RESET)).not.toMatchObject({ kind: 'ahead' });
  });
}

neverSentAfterReset();

describe('a credit', () => {
  beforeEach(() => {
    const end = { type: 'end', key: 'k', reason: 'endGameRound' } as const;
    const won = applyWalletOutcome(
      createRound(state.identity, SETTINGS, { ...START, winAmount: 40 }, AT),
      TAKEN_BET,
      AT,
    );
    const decision = decide(won, end, AT);
    if (decision.kind !== 'accept') throw new Error(`the end was not accepted: ${decision.kind}`);
    state = decision.state;
  });

  neverSentAfterReset();

  test('after a reset waits for the record, the first delivery and the retries', async () => {
    const retried = (): Promise<DeliveryResult> => {
      const workflowExecution = { workflowId: 'w', runId: 'run-2' };
      const environment = new MockActivityEnvironment({ workflowExecution });
      return environment.run(createWalletActivities(deps).deliverUntilDefinite, delivery());
    };
    const { rounds } = deps;
    deps.rounds = { ...rounds, ahead: () => Promise.reject(new Error('MongoDB is away')) };
    await expect(deliver({}, 1, AFTER_RESET)).rejects.toThrow('MongoDB is away');
    await expect(retried()).rejects.toThrow('MongoDB is away');
    deps.rounds = rounds;
    await rounds.write(snapshotOf(state), 9);
    expect(await retried()).toMatchObject({ kind: 'ahead', record: { version: 9 } });
    expect(sent).toBe(0);
  });

  test('that is refused at first was not paid', async () => {
    answers = [REFUSED];
    expect(await deliver()).toMatchObject({ kind: 'rejected', maybePaid: false });
  });

  test('does not wait for a database that is away; refused then, it may have been paid', async () => {
    deps.rounds = { ...deps.rounds, ahead: () => Promise.reject(new Error('MongoDB is away')) };
    answers = [TAKEN, REFUSED];
    expect(await deliver()).toMatchObject({ kind: 'accepted' });
    expect(await deliver()).toMatchObject({ kind: 'rejected', maybePaid: true });
  });

  test('whose worker died before may have been paid', async () => {
    answers = [REFUSED];
    expect(await deliver({}, 2)).toMatchObject({ kind: 'rejected', maybePaid: true });
  });

  test('that our own limit holds back fails with what the wallet last answered', async () => {
    const unsent: WalletAnswer = { kind: 'no-response', reason: 'not sent: too many calls', unsent: true };
    const failure = async (lastAnswer: string | undefined, heartbeatDetails?: unknown) => {
      answers = [unsent];
      const env = new MockActivityEnvironment({ attempt: 2, heartbeatDetails });
      const activity = createWalletActivities(deps).deliverUntilDefinite;
      return env.run(activity, { ...delivery(), lastAnswer }).catch((error: Error) => error.message);
    };
    const remembered = { attempt: 1, begun: false, lastAnswer: 'status 500' };
    const held = '(this attempt: not sent: too many calls)';
    expect(await failure('status 503')).toBe(`status 503 ${held}`);
    expect(await failure('status 503', remembered)).toBe(`status 500 ${held}`);
    expect(await failure(undefined)).toBe('not sent: too many calls');
  });

  test('that was delivered before a person reset the activity may have been paid', async () => {
    answers = [REFUSED];
    const times = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 9_000 };
    expect(await deliver({}, 1, times)).toMatchObject({ kind: 'rejected', maybePaid: true });
  });

  test('in a workflow that a person has reset may have been paid, whatever the record says', async () => {
    answers = [REFUSED];
    expect(await deliver({}, 1, AFTER_RESET)).toMatchObject({ kind: 'rejected', maybePaid: true });
  });
});

describe('a follow-up debit', () => {
  beforeEach(() => {
    const first = { ...START, rngCallId: 'one' };
    state = applyWalletOutcome(
      createRound(state.identity, { ...SETTINGS, followUpDebits: true }, first, AT),
      TAKEN_BET,
      AT,
    );
    const decision = decide(state, { ...START, rngCallId: 'another' }, AT);
    if (decision.kind !== 'accept') throw new Error(`the follow-up was not accepted: ${decision.kind}`);
    state = decision.state;
  });

  neverSentAfterReset();

  test('whose signal lay in the history for longer than it may is not sent', async () => {
    startedAt = 90_000;
    signalledAt = 79_000;
    const bet = { acceptedAt: 89_900, acceptedBefore: 17 };
    expect(await deliver(ownVersions(1), 1, {}, bet)).toEqual({
      ...{ kind: 'declined', unauthorised: true, processed: false },
      notSent: 'its time was over before it could be sent',
    });
    expect(sent).toBe(0);
    signalledAt = 81_000;
    answers = [TAKEN];
    expect(await deliver(ownVersions(1), 1, {}, bet)).toMatchObject(TAKEN_BET);
  });

  test('whose time is over after an attempt whose worker died is unknown', async () => {
    startedAt = 90_000;
    expect(await deliver(ownVersions(1), 2, {}, { acceptedAt: 79_000 })).toMatchObject({ kind: 'unknown' });
    expect(sent).toBe(0);
  });

  test('after a reset is a repeated delivery: a refusal is unknown', async () => {
    answers = [REFUSED];
    expect(await deliver({}, 1, AFTER_RESET)).toMatchObject({ kind: 'unknown' });
  });
});

test('whoever watches is told what was sent, what it was taken for and why', async () => {
  const observe = jest.fn();
  deps = { ...deps, observe };
  answers = [TAKEN];
  await deliver();
  const { hash } = state.pending!.transactions[0];
  expect(observe.mock.calls).toEqual([
    [
      {
        ...{ operatorId: 'op1', gameround: state.identity.gameround, purpose: 'debit', attempt: 1 },
        transactions: [{ type: 'debit', hash, amount: 100 }],
        ...{ outcome: 'accepted', why: 'status 200', brokenRules: ['no-balances', 'hash-not-listed'] },
      },
    ],
  ]);
});

test('another round holds the guard and there is no record: nothing was ever sent', async () => {
  const holder = { gameround: state.identity.gameround, confirmed: false };
  expect(await deps.guards.take(state.identity, 'another round')).toEqual(holder);
  await deps.guards.free(state.identity, holder);
  await deps.guards.take(state.identity, 'another round');
  expect(await deliver()).toEqual({ kind: 'guard-lost' });
  expect(sent).toBe(0);
});

test('the guard is given back only when the record is there, which tells from then on that the bet was sent', async () => {
  const cancelled = { ...snapshotOf(state), status: 'cancel' as const };
  const { guards, rounds } = deps;
  const { project } = createReadModelActivities({
    waitingCalls: createWaitingCalls(),
    rounds: { ...rounds, write: () => Promise.reject(new Error('MongoDB is away')) },
  });
  const known = { transactions: 0, gameState: 0, version: 0 };
  const projected = { snapshot: cancelled, version: 1, known, idleAt: 11 };
  const environment = new MockActivityEnvironment();
  await expect(environment.run(project, projected)).rejects.toThrow('MongoDB is away');
  expect((await guards.holder(state.identity))?.gameround).toBe(state.identity.gameround);
  const again = createReadModelActivities({ waitingCalls: createWaitingCalls(), rounds });
  await environment.run(again.project, projected);
  expect(await guards.holder(state.identity)).toBeUndefined();
});

const attemptAt = (currentAttemptScheduledTimestampMs: number): Partial<Info> => ({
  currentAttemptScheduledTimestampMs,
});
const isUnconfirmed = (nonRetryable: boolean): object => ({ type: BET_UNCONFIRMED, nonRetryable });

test('an attempt that was frozen while the next one was made sends nothing', async () => {
  answers = [REFUSED, TAKEN];
  expect(await deliver({}, 2, attemptAt(7_000))).toMatchObject({ kind: 'declined' });
  await expect(deliver()).rejects.toMatchObject(isUnconfirmed(false));
  expect(sent).toBe(1);
});

test('nor does one after the Temporal server’s clock was set back; it stays unknown where it may have been sent', async () => {
  answers = [FAILED, TAKEN];
  expect(await deliver({}, 1, attemptAt(9_000))).toMatchObject({ kind: 'unknown' });
  const setBack = attemptAt(-3_600_000);
  for (const attempt of [2, 3, 4, 5]) {
    await expect(deliver({}, attempt, setBack)).rejects.toMatchObject(isUnconfirmed(false));
  }
  expect(await deliver({}, 6, setBack)).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(1);
});

describe('a bet whose time is over', () => {
  const NEVER_SENT = {
    kind: 'declined',
    unauthorised: true,
    processed: false,
    notSent: expect.any(String) as string,
  };
  const LATE = attemptAt(ACCEPTED_AT + BET_AGE_MS);

  test.each<[string, () => Promise<DeliveryResult>]>([
    ['by the time its attempt was scheduled', () => deliver({}, 1, LATE)],
    ['by the word of the workflow', () => deliver({}, 1, {}, { isOver: true })],
    [
      'by the time a further attempt was begun',
      () => {
        startedAt = ACCEPTED_AT + BET_AGE_MS;
        return deliver({}, 2);
      },
    ],
  ])('%s is not sent, and its round keeps the guard until the record is there', async (_, late) => {
    expect(await late()).toEqual(NEVER_SENT);
    expect(sent).toBe(0);
    expect((await deps.guards.holder(state.identity))?.gameround).toBe(state.identity.gameround);
  });

  test('is sent by no attempt that was frozen meanwhile', async () => {
    await deliver({}, 1, {}, { isOver: true });
    await expect(deliver()).rejects.toMatchObject(isUnconfirmed(false));
    expect(sent).toBe(0);
  });

  test('is in time until then', async () => {
    answers = [TAKEN, TAKEN];
    expect(await deliver({}, 1, attemptAt(ACCEPTED_AT + BET_AGE_MS - 1_000))).toMatchObject(TAKEN_BET);
    startedAt = ACCEPTED_AT + BET_AGE_MS - 1_000;
    const second = { ...attemptAt(ACCEPTED_AT + BET_AGE_MS - 900) };
    expect(await deliver({}, 2, second)).toMatchObject(TAKEN_BET);
  });

  test('is not sent where the database takes the rest of it to confirm the guard', async () => {
    const { guards } = deps;
    deps.guards = {
      ...guards,
      confirm: async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, 150));
        return guards.confirm(...args);
      },
    };
    expect(await deliver({}, 1, attemptAt(ACCEPTED_AT + BET_AGE_MS - 100))).toEqual(NEVER_SENT);
    expect(sent).toBe(0);
  });

  test('and that may have been sent is unknown', async () => {
    answers = [FAILED];
    await deliver();
    expect(await deliver({}, 1, {}, { isOver: true })).toMatchObject({ kind: 'unknown' });
    startedAt = ACCEPTED_AT + BET_AGE_MS;
    expect(await deliver({}, 2)).toMatchObject({ kind: 'unknown' });
    expect(sent).toBe(1);
  });

  test('and that may have been sent is unknown also where its guard is gone with a database that was restored', async () => {
    await deps.guards.free(state.identity, { gameround: state.identity.gameround, confirmed: false });
    expect(await deliver({}, 2)).toMatchObject({ kind: 'unknown' });
    expect(await deliver({}, 1, {}, { isOver: true, maybeSent: true })).toMatchObject({ kind: 'unknown' });
    expect(sent).toBe(0);
  });

  test('waits for a database that is away: the workflow is told once, then it is asked without end', async () => {
    const { guards } = deps;
    deps.guards = { ...guards, shut: () => Promise.reject(new Error('MongoDB is away')) };
    await expect(deliver({}, 6)).rejects.toMatchObject(isUnconfirmed(true));
    await expect(deliver({}, 7, {}, { isOver: true })).rejects.toMatchObject(isUnconfirmed(false));
    deps.guards = guards;
    expect(await deliver({}, 8, {}, { isOver: true })).toEqual(NEVER_SENT);
    expect(sent).toBe(0);
  });
});

test('while a wallet takes its time the activity gives signs of life', async () => {
  const beats: unknown[] = [];
  let answer = (_: WalletAnswer): void => undefined;
  deps.wallet.doTransactions = () => new Promise((resolve) => (answer = resolve));
  const environment = new MockActivityEnvironment({ workflowExecution: { workflowId: 'w', runId: RUN } });
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  const activity = createWalletActivities(deps).deliver;
  const delivering = environment.run<[WalletDelivery], Delivered, typeof activity>(activity, delivery());
  await until(
    () => Promise.resolve(beats.length),
    (count) => count > 1,
  );
  answer(TAKEN);
  expect((await delivering).result).toMatchObject({ kind: 'accepted' });
});

describe('a delivery that may end its command', () => {
  const VERSION = 7;
  const ending = (attempt: number): Promise<Delivered> => {
    const known = { transactions: 0, gameState: 0, version: 0 };
    const end = { state, known, version: VERSION, key: 'start', calls: [], idleAt: 11 };
    return carriedOut(delivery({ ownVersions: { upTo: 0, also: [VERSION] } }), attempt, {}, end);
  };

  test('writes the record with the outcome, at the time that it returns', async () => {
    answers = [TAKEN];
    const { result, at, recordedAs } = await ending(1);
    expect([result.kind, recordedAs]).toEqual(['accepted', VERSION]);
    const recorded = await deps.rounds.recorded(state.identity.gameround);
    expect(recorded?.version).toBe(VERSION);
    expect(recorded?.snapshot).toMatchObject({ status: 'open', transactions: [{ outcome: 'accepted' }] });
    expect(recorded?.snapshot.gameState).toHaveLength(1);
    expect(Date.parse(at)).toBeGreaterThanOrEqual(ACCEPTED_AT);
  });

  test('writes no record after a newer attempt has looked at the round', async () => {
    deps.wallet.doTransactions = async () => {
      await deps.rounds.overtake(state.identity.gameround, [VERSION], ACCEPTED_AT + 1);
      return TAKEN;
    };
    const { result, recordedAs } = await ending(1);
    expect([result.kind, recordedAs]).toEqual(['accepted', undefined]);
    expect(await deps.rounds.recorded(state.identity.gameround)).toBeUndefined();
  });

  test('leaves it to the workflow after a further attempt: the one before may be frozen, and write later', async () => {
    answers = [TAKEN];
    const { result, recordedAs } = await ending(2);
    expect([result.kind, recordedAs]).toEqual(['accepted', undefined]);
    expect(await deps.rounds.recorded(state.identity.gameround)).toBeUndefined();
  });

  test('leaves it to the workflow where something follows, and where MongoDB does not take it', async () => {
    answers = [FAILED, TAKEN];
    // An unknown bet is taken back.
    expect((await ending(1)).recordedAs).toBeUndefined();
    expect(await deps.rounds.recorded(state.identity.gameround)).toBeUndefined();
    state = createRound(identity(), SETTINGS, START, AT);
    await deps.guards.take(state.identity, state.identity.gameround);
    deps.rounds = { ...deps.rounds, write: () => Promise.reject(new Error('MongoDB is away')) };
    const { result, recordedAs } = await ending(1);
    expect([result.kind, recordedAs]).toEqual(['accepted', undefined]);
  });
});

describe('a bet that a credit follows', () => {
  const [BET_VERSION, VERSION] = [6, 7];
  const WON = 700;
  const ending = (attempt = 1, more: Partial<Info> = {}): Promise<Delivered> => {
    const known = { transactions: 0, gameState: 0, version: 0 };
    const versions = { version: VERSION, betVersion: BET_VERSION };
    const end = { state, known, ...versions, key: 'start', calls: [], idleAt: 11 };
    return carriedOut(
      delivery({ ownVersions: { upTo: 0, also: [BET_VERSION, VERSION] } }),
      attempt,
      more,
      end,
    );
  };
  const recorded = (): Promise<Recorded | undefined> => deps.rounds.recorded(state.identity.gameround);

  beforeEach(() => {
    state = createRound(state.identity, SETTINGS, { ...START, endGame: true, winAmount: WON }, AT);
  });

  test('is recorded as taken before its credit is sent, and the round is recorded after it', async () => {
    const sentWith: { types: string[]; version: number | undefined; outcomes: string[] | undefined }[] = [];
    deps.wallet.doTransactions = async (_, { call }) => {
      const before = await recorded();
      sentWith.push({
        types: call.transactions.map(({ type }) => type),
        version: before?.version,
        outcomes: before?.snapshot.transactions.map(({ type, outcome }) => `${type} ${outcome}`),
      });
      return TAKEN;
    };
    const { result, credit, recordedAs } = await ending();
    expect(sentWith).toEqual([
      { types: ['debit'], version: undefined, outcomes: undefined },
      {
        types: ['credit', 'end'],
        version: BET_VERSION,
        outcomes: ['debit accepted', 'credit pending', 'end pending'],
      },
    ]);
    expect([result.kind, credit?.result.kind, recordedAs]).toEqual(['accepted', 'accepted', VERSION]);
    expect(credit?.call.transactions.map(({ type, amount }) => [type, amount])).toEqual([
      ['credit', WON],
      ['end', undefined],
    ]);
    const after = await recorded();
    expect([after?.version, after?.snapshot.status]).toEqual([VERSION, 'closed']);
  });

  test('stays taken if its worker dies at the credit, which counts as maybe paid and is not sent by this activity again', async () => {
    deps.wallet.doTransactions = () => {
      sent += 1;
      return sent === 1 ? Promise.resolve(TAKEN) : Promise.reject(new Error('the worker died'));
    };
    await expect(ending()).rejects.toThrow('the worker died');
    answers = [REFUSED];
    const { result, credit, recordedAs } = await ending(2);
    expect([result.kind, recordedAs]).toEqual(['accepted', undefined]);
    expect(credit?.result).toMatchObject({ kind: 'retryable', maybePaid: true, creditAccepted: false });
    expect(sent).toBe(2);
  });

  test('stays taken also if its record is lost meanwhile: the server was told before the credit', async () => {
    answers = [TAKEN];
    deps.attempts = {
      report: (_, done) => {
        announced = done;
        expect(sent).toBe(1);
        return Promise.reject(new Error('the worker died'));
      },
    };
    const { result, at } = await ending();
    expect(announced).toMatchObject({
      result,
      at,
      credit: { result: { kind: 'retryable', maybePaid: true } },
    });
    await database.db.collection('gamerounds').deleteMany({});
    answers = [FAILED];
    expect(await ending(2, { heartbeatDetails: announced })).toEqual(announced);
    deps.rounds = { ...deps.rounds, overtake: () => Promise.reject(new Error('MongoDB is away')) };
    expect(await ending(3, { heartbeatDetails: announced })).toEqual(announced);
    expect(sent).toBe(1);
  });

  test('has a result that leads the workflow to the state of its record', async () => {
    answers = [TAKEN, FAILED];
    const { result, at, credit, recordedAs } = await ending();
    expect(recordedAs).toBeUndefined();
    const taken = applyWalletOutcome(state, result as WalletOutcome, at);
    expect(await recorded()).toEqual({ version: BET_VERSION, snapshot: jsonOf(snapshotOf(taken)) });
    const next = applyWalletOutcome(taken, credit!.result, credit!.at);
    expect(next).toMatchObject({ maybePaid: true, pending: { purpose: 'credit', progress: 'retrying' } });
  });

  test.each<[string, () => void]>([
    [
      'its record can’t be written',
      () => (deps.rounds = { ...deps.rounds, write: () => Promise.reject(new Error('MongoDB is away')) }),
    ],
    [
      'a newer attempt has looked at the round',
      () =>
        (deps.wallet.doTransactions = async () => {
          sent += 1;
          await deps.rounds.overtake(state.identity.gameround, [BET_VERSION], ACCEPTED_AT + 1);
          return TAKEN;
        }),
    ],
    [
      'the server does not take the attempt for the current one',
      () => {
        deps.attempts = { report: () => Promise.reject(new Error('the activity is completed')) };
        deps.rounds = { ...deps.rounds, recorded: () => Promise.resolve(undefined) };
      },
    ],
    [
      'the bet took so long that the credit may not have its whole time',
      () =>
        (deps.wallet.doTransactions = () => {
          sent += 1;
          const now = performance.now() + 5_000;
          jest.spyOn(performance, 'now').mockReturnValue(now);
          return Promise.resolve(TAKEN);
        }),
    ],
  ])('leaves its credit to the workflow if %s', async (_, happens) => {
    answers = [TAKEN];
    happens();
    const { result, credit, recordedAs } = await ending().finally(() => jest.restoreAllMocks());
    expect([result.kind, credit, recordedAs]).toEqual(['accepted', null, undefined]);
    expect(sent).toBe(1);
    expect(await recorded()).toBeUndefined();
  });

  test('has no credit sent for it if it is declined', async () => {
    answers = [REFUSED];
    const { result, credit, recordedAs } = await ending();
    expect([result.kind, credit, recordedAs]).toEqual(['declined', null, VERSION]);
    expect(sent).toBe(1);
  });

  test('leaves the voids to the workflow if its credit is refused', async () => {
    answers = [TAKEN, REFUSED];
    const { credit, recordedAs } = await ending();
    expect([credit?.result.kind, recordedAs]).toEqual(['rejected', undefined]);
    expect(sent).toBe(2);
  });
});

describe('the guard that was confirmed while the first task of the round ran', () => {
  const CALL = 'call';
  let now: number;
  const known = { transactions: 0, gameState: 0, version: 0 };
  const bet = (attempt = 1, more: Partial<Info> = {}): Promise<Delivered> =>
    carriedOut(delivery(), attempt, more, {
      state,
      known,
      version: 7,
      key: 'start',
      calls: [CALL],
      idleAt: 11,
    });

  beforeEach(() => {
    now = 0;
    deps.waitingCalls = createWaitingCalls(() => now);
    deps.waitingCalls.expect(CALL);
  });

  const confirmedAs = (confirmed: Confirmed): void =>
    deps.waitingCalls.confirming(CALL, Promise.resolve(confirmed));

  test('is not confirmed again', async () => {
    const { identity } = state;
    const early = deps.guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT);
    deps.waitingCalls.confirming(CALL, early);
    deps.guards = { ...deps.guards, confirm: () => Promise.reject(new Error('confirmed again')) };
    answers = [REFUSED];
    expect(await bet()).toMatchObject({ result: { kind: 'declined' }, recordedAs: 7 });
  });

  test('says that the bet may have been sent, or that the round does not have it', async () => {
    confirmedAs('again');
    answers = [REFUSED];
    expect((await bet()).result.kind).toBe('unknown');
    confirmedAs('lost');
    expect((await bet()).result.kind).toBe('guard-lost');
    expect(sent).toBe(1);
  });

  test('is confirmed again if its answer is lost', async () => {
    const { identity } = state;
    await deps.guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT);
    deps.waitingCalls.confirming(CALL, Promise.reject(new Error('the connection broke')));
    answers = [REFUSED];
    expect((await bet()).result.kind).toBe('declined');
  });

  test.each([
    [1, 'declined'],
    [2, 'unknown'],
  ])('does not make the bet of attempt %s a repeated one, or does: %s', async (attempt, kind) => {
    const { identity } = state;
    await deps.guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT);
    answers = [REFUSED];
    expect((await bet(attempt)).result.kind).toBe(kind);
  });

  test.each<[string, () => Promise<Delivered>]>([
    ['a later attempt', () => bet(2)],
    ['a run that a reset made', () => bet(1, AFTER_RESET)],
    [
      'an attempt a second later, which may have been frozen',
      () => {
        now = 1_000;
        return bet();
      },
    ],
  ])('is confirmed again by %s', async (_, attempt) => {
    const { identity } = state;
    await deps.guards.confirm(identity, identity.gameround, ACCEPTED_AT + 2);
    confirmedAs('first');
    await expect(attempt()).rejects.toMatchObject({ type: BET_UNCONFIRMED });
    expect(sent).toBe(0);
  });

  test.each<[boolean, string, Partial<Info>]>([
    [true, 'declined', {}],
    [false, 'unknown', {}],
    [true, 'unknown', AFTER_RESET],
  ])('does not make a bet maybe sent if no attempt has begun: %s, %s', async (neverBegun, kind, more) => {
    const { identity } = state;
    await deps.guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT);
    expect(await deliver({}, 1, more, { isOver: true, neverBegun })).toMatchObject({ kind });
    expect(sent).toBe(0);
  });

  test('makes it maybe sent if an attempt of it was confirmed', async () => {
    const { identity } = state;
    await deps.guards.confirm(identity, identity.gameround, BEFORE_ANY_ATTEMPT);
    await deps.guards.confirm(identity, identity.gameround, ACCEPTED_AT);
    expect(await deliver({}, 1, {}, { isOver: true, neverBegun: true })).toMatchObject({ kind: 'unknown' });
  });
});

const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
