import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedProvider } from '../../src/clients/guarded-provider';
import { guardedWallet, type WalletGuardOptions } from '../../src/clients/guarded-wallet';
import type { BalanceAnswer, OperatorAddress, OperatorWallet, ProviderClient } from '../../src/clients/types';
import type { WalletAnswer, WalletCall, WalletPurpose } from '../../src/domain/wallet-call';
import { machineClock } from '../support/clock';

/* What holds back calls to a slow or dead operator, and what never does (docs/interface#slow-operator). The wallet is scripted. */

const SILENCE: WalletAnswer = { kind: 'no-response', reason: 'time-out' };
const TAKEN: WalletAnswer = { kind: 'answer', status: 200, body: { balances: [] } };
const NOT_SENT = expect.objectContaining({ kind: 'no-response', unsent: true }) as WalletAnswer;
const BALANCE: BalanceAnswer = { kind: 'balance', balance: { balances: [] } };

/** What is called "failures in a row" here. */
const ENOUGH = 3;

let now: number;
let sent: string[];
let answer: () => Promise<WalletAnswer>;
let balance: BalanceAnswer;
let changes: string[];
let wallet: OperatorWallet;

function guard(change: Partial<WalletGuardOptions> = {}): OperatorWallet {
  const bare: OperatorWallet = {
    doTransactions: ({ operatorId }, { call }) => {
      sent.push(`${operatorId} ${call.purpose}`);
      return answer();
    },
    getBalance: ({ operatorId }) => {
      sent.push(`${operatorId} getBalance`);
      return Promise.resolve(balance);
    },
    doGameRoundReport: async ({ operatorId }) => {
      sent.push(`${operatorId} report`);
      await answer();
    },
    close: () => Promise.resolve(),
  };
  return guardedWallet(bare, {
    ...{ monotonicNow: () => now, failuresInARow: ENOUGH, firstPauseMs: 1_000, maxPauseMs: 4_000 },
    ...{ callsPerOperator: 5, callsWhileFailing: 2, reportsPerOperator: 1 },
    onChange: (operatorId, failing) => changes.push(`${operatorId} ${failing ? 'failing' : 'well'}`),
    ...change,
  });
}

afterEach(() => jest.restoreAllMocks());
beforeEach(() => {
  now = 0;
  sent = [];
  changes = [];
  balance = BALANCE;
  answer = () => Promise.resolve(TAKEN);
  wallet = guard();
});

function operator(operatorId: string): OperatorAddress {
  return { operatorId, operatorUrl: 'http://127.0.0.1:9', secrets: ['s'], walletTimeoutMs: 1_000 };
}

function call(purpose: WalletPurpose, operatorId = 'a'): Promise<WalletAnswer> {
  const round = { playerId: 'p', gameCode: 'g', gameRound: randomUUID() };
  return wallet.doTransactions(operator(operatorId), {
    ...round,
    call: { purpose, transactions: [] } as unknown as WalletCall,
  });
}

function askBalance(operatorId = 'a'): Promise<BalanceAnswer> {
  return wallet.getBalance(operator(operatorId), { playerId: 'p', currency: 'EUR' });
}

async function fail(times = ENOUGH): Promise<void> {
  answer = () => Promise.resolve(SILENCE);
  for (let at = 0; at < times; at += 1) await call('debit');
}

describe('failures in a row', () => {
  test('bets for that operator are withheld; another operator’s go', async () => {
    await fail();
    expect(sent).toHaveLength(ENOUGH);
    expect(await call('debit')).toEqual(NOT_SENT);
    expect(sent).toHaveLength(ENOUGH);
    expect(await call('debit', 'b')).toEqual(SILENCE);
    expect(changes).toEqual(['a failing']);
  });

  test('an answer between them starts the count again', async () => {
    await fail(ENOUGH - 1);
    answer = () => Promise.resolve(TAKEN);
    await call('debit');
    await fail(ENOUGH - 1);
    answer = () => Promise.resolve(TAKEN);
    expect(await call('debit')).toEqual(TAKEN);
  });

  const answers: [string, WalletAnswer][] = [
    ['400 with an error', { kind: 'answer', status: 400, body: { errorCode: { id: 7 } } }],
    ['400 without one', { kind: 'answer', status: 400, body: undefined }],
    ['401', { kind: 'answer', status: 401, body: undefined }],
    ['429', { kind: 'answer', status: 429, body: undefined }],
    ['500 with an error', { kind: 'answer', status: 500, body: { errorCode: { id: 7 } } }],
  ];
  test.each(answers)('%s is an answer, however often', async (_name, given) => {
    answer = () => Promise.resolve(given);
    for (let at = 0; at < 3 * ENOUGH; at += 1) expect(await call('debit')).toEqual(given);
  });

  const failures: [string, WalletAnswer][] = [
    ['silence', SILENCE],
    ['502 of a proxy', { kind: 'answer', status: 502, body: undefined }],
    ['503 with something else', { kind: 'answer', status: 503, body: { message: 'down' } }],
    ['408', { kind: 'answer', status: 408, body: undefined }],
  ];
  test.each(failures)('%s is none', async (_name, given) => {
    answer = () => Promise.resolve(given);
    for (let at = 0; at < ENOUGH; at += 1) expect(await call('debit')).toEqual(given);
    expect(await call('debit')).toEqual(NOT_SENT);
  });

  test.each<WalletPurpose>(['credit', 'void'])(
    'a %s is sent all the same, and its answer opens the way',
    async (purpose) => {
      await fail();
      expect(await call(purpose)).toEqual(SILENCE);
      expect(await call('debit')).toEqual(NOT_SENT);
      answer = () => Promise.resolve(TAKEN);
      expect(await call(purpose)).toEqual(TAKEN);
      expect(await call('debit')).toEqual(TAKEN);
      expect(changes).toEqual(['a failing', 'a well']);
    },
  );

  test('credits count: one that fails is a failure', async () => {
    answer = () => Promise.resolve(SILENCE);
    for (let at = 0; at < ENOUGH; at += 1) await call('credit');
    expect(await call('debit')).toEqual(NOT_SENT);
  });
});

describe('trying again', () => {
  test('one bet at a time, after a pause that doubles up to its most', async () => {
    await fail();
    for (const pauseMs of [1_000, 2_000, 4_000, 4_000]) {
      now += pauseMs - 1;
      expect(await call('debit')).toEqual(NOT_SENT);
      now += 1;
      expect(await call('debit')).toEqual(SILENCE);
    }
  });

  test('while one tries, the others are withheld, however long it takes', async () => {
    await fail();
    now += 1_000;
    let finish: (given: WalletAnswer) => void = () => undefined;
    answer = () => new Promise((resolve) => (finish = resolve));
    const trying = call('debit');
    now += 100_000;
    expect(await call('debit')).toEqual(NOT_SENT);
    finish(TAKEN);
    expect(await trying).toEqual(TAKEN);
    answer = () => Promise.resolve(TAKEN);
    expect(await call('debit')).toEqual(TAKEN);
    expect(await call('debit')).toEqual(TAKEN);
  });

  test('a call that breaks counts as a failure and leaves nothing behind', async () => {
    await fail();
    now += 1_000;
    answer = () => Promise.reject(new Error('broken'));
    await expect(call('debit')).rejects.toThrow('broken');
    now += 2_000;
    answer = () => Promise.resolve(TAKEN);
    expect(await call('debit')).toEqual(TAKEN);
  });
});

describe('the share of pending calls', () => {
  const pending: (() => void)[] = [];
  beforeEach(() => {
    pending.length = 0;
    answer = () => new Promise((resolve) => pending.push(() => resolve(TAKEN)));
  });

  test('beyond it nothing is sent; another operator has its own; one that is answered makes room', async () => {
    const first = call('debit');
    const others = ['debit', 'credit', 'void', 'credit'].map((purpose) => call(purpose as WalletPurpose));
    for (const purpose of ['debit', 'credit', 'void'] as const) expect(await call(purpose)).toEqual(NOT_SENT);
    const elsewhere = call('debit', 'b');
    expect(sent.filter((to) => to.startsWith('b'))).toHaveLength(1);
    pending[0]!();
    await first;
    const next = call('credit');
    for (const finish of pending) finish();
    expect(await Promise.all([...others, elsewhere, next])).toEqual(Array(6).fill(TAKEN));
  });

  test('of a failing wallet credits and voids take a few only', async () => {
    await fail();
    answer = () => new Promise((resolve) => pending.push(() => resolve(TAKEN)));
    const going = [call('credit'), call('void')];
    expect(await call('credit')).toEqual(NOT_SENT);
    for (const finish of pending) finish();
    expect(await Promise.all(going)).toEqual([TAKEN, TAKEN]);
  });

  test('reports have their own, and take none of the calls’', async () => {
    const report = (): Promise<void> => wallet.doGameRoundReport(operator('a'), { hash: 'r' });
    const going = report();
    await expect(report()).rejects.toThrow('at the same time');
    const calls = Array.from({ length: 5 }, () => call('credit'));
    for (const finish of pending) finish();
    await going;
    expect(await Promise.all(calls)).toEqual(Array(5).fill(TAKEN));
  });
});

describe('getBalance', () => {
  test('is not asked of a failing wallet; then again', async () => {
    balance = { kind: 'unavailable', reason: 'time-out' };
    for (let at = 0; at < ENOUGH; at += 1) await askBalance();
    expect(await askBalance()).toMatchObject({ kind: 'unavailable' });
    expect(sent).toHaveLength(ENOUGH);
    balance = BALANCE;
    now += 1_000;
    expect(await askBalance()).toEqual(BALANCE);
    expect(await askBalance()).toEqual(BALANCE);
  });

  test.each<BalanceAnswer>([
    { kind: 'rejected' },
    { kind: 'unavailable', reason: 'status 500', answered: true },
  ])('%o is an answer', async (given) => {
    balance = given;
    for (let at = 0; at < 3 * ENOUGH; at += 1) expect(await askBalance()).toEqual(given);
  });
});

test('a provider’s calls: beyond its share they fail at once; another provider’s go', async () => {
  let finish: () => void = () => undefined;
  const bare = { doAutoClose: () => new Promise<void>((resolve) => (finish = resolve)) };
  const provider = guardedProvider(bare as unknown as ProviderClient, 1);
  const close = (providerId: string): Promise<void> =>
    provider.doAutoClose({ providerId, gameUrl: '', secrets: [] }, { gameRound: 'r', gameSettings: {} });
  const first = close('p1');
  const finishFirst = finish;
  await expect(close('p1')).rejects.toThrow('at the same time');
  const other = close('p2');
  finish();
  finishFirst();
  await Promise.all([first, other]);
  const again = close('p1');
  finish();
  await again;
});

test('a failing wallet is tried again after its pause, also when the clock is set back', async () => {
  const clock = machineClock();
  wallet = guard({ monotonicNow: undefined, firstPauseMs: 20 });
  await fail();
  clock.setBack();
  expect(await call('debit')).toMatchObject({ unsent: true });
  await sleep(30);
  answer = () => Promise.resolve(TAKEN);
  expect(await call('debit')).toEqual(TAKEN);
});
