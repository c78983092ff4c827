import { defaultPayloadConverter } from '@temporalio/common';
import { AMOUNT_AT_RISK, CURRENCY, WAITING_SINCE } from '../../src/contracts/search-attributes';
import { workflowIdOf } from '../../src/contracts/gameround';
import { reconcileWorkflowIdOf } from '../../src/contracts/reconcile';
import { agreedBooks, finished, playerOf, refused, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* What a person reads in Temporal Web, and what a button there answers (docs/operations.md). */

const WIN = 700;
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;
let player: Player;

beforeAll(async () => {
  harness = await startRounds({ roundSettings: { gameRoundReport: true } });
});
beforeEach(() => {
  player = playerOf(harness);
});
afterAll(() => harness?.stop());

const fault = (type: string, change: object): Promise<unknown> =>
  harness.fault({ fault: 'status', match: { type, playerId: player.session.playerId }, ...change });

const isMarked = (hash: string, mark: string): Promise<unknown> =>
  until(
    () => harness.attention(hash),
    (marks) => marks.includes(mark),
  );

/** A round whose win waits for its wallet. */
async function waiting(): Promise<string> {
  const hash = await player.open({ winAmount: WIN });
  await fault('credit', { status: 503, times: 1_000 });
  player.end(hash, 'end').catch(() => undefined);
  await isMarked(hash, 'credit-pending');
  return hash;
}

async function crashed(): Promise<string> {
  const hash = await player.open({ winAmount: WIN });
  await fault('credit', { status: 503, when: 'after' });
  await fault('credit', { status: 400, errorCode: OWN });
  expect(await refused(player.end(hash))).toBe('400 LIMIT');
  await isMarked(hash, 'crashed');
  return hash;
}

async function attributes(workflowId: string) {
  const { typedSearchAttributes } = await harness.client.workflow.getHandle(workflowId).describe();
  const [currency, atRisk, since] = [CURRENCY, AMOUNT_AT_RISK, WAITING_SINCE].map((key) =>
    typedSearchAttributes.get(key as never),
  );
  return { currency, atRisk, since };
}

/** The activities and timers of a history, each with its summary. */
async function summaries(workflowId: string): Promise<string[]> {
  const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    ({
      activityTaskScheduledEventAttributes: activity,
      timerStartedEventAttributes: timer,
      userMetadata,
    }) => {
      if (!activity && !timer) return [];
      const summary = userMetadata?.summary;
      const text: unknown = summary && defaultPayloadConverter.fromPayload(summary);
      return [`${activity?.activityType?.name ?? 'timer'}: ${String(text)}`];
    },
  );
}

interface Described {
  name: string;
  description?: string;
}
interface Metadata {
  currentDetails: string;
  definition: {
    signalDefinitions: Described[];
    queryDefinitions: Described[];
    updateDefinitions: Described[];
  };
}
const metadata = (hash: string): Promise<Metadata> =>
  harness.handle(hash).query<Metadata>('__temporal_workflow_metadata');

const byHand = (hash: string, update: string, ...args: object[]): Promise<unknown> =>
  harness.handle(hash).executeUpdate(update, { args: args as [object] });

async function refusedByHand(hash: string, update: string, ...args: object[]): Promise<string | undefined> {
  const error = await byHand(hash, update, ...args).then(
    () => undefined,
    (thrown: unknown) => thrown as { cause?: { message?: string } },
  );
  return error?.cause?.message;
}

describe('the list', () => {
  test('finds a waiting round by the money at risk and since when it waits, until it is over', async () => {
    const begun = Date.now();
    const hash = await waiting();
    const { currency, atRisk, since } = await attributes(workflowIdOf(hash));
    expect([currency, atRisk]).toEqual(['EUR', 7]);
    expect(Math.abs((since as unknown as Date).getTime() - begun)).toBeLessThan(30_000);
    const query = `PlayerId = '${player.session.playerId}' AND Currency = 'EUR' AND AmountAtRisk >= 7 AND WaitingSince > '2026-01-01T00:00:00Z'`;
    const found = await until(
      async () => (await harness.client.workflow.count(query)).count,
      (count) => count > 0,
    );
    expect(found).toBe(1);
    await harness.clearFaults();
    await finished(harness, hash);
    expect(await attributes(workflowIdOf(hash))).toEqual({ currency: 'EUR' });
  });

  test('keeps the time of the first mark while another one follows, and the money that is still at risk', async () => {
    const hash = await waiting();
    const { since } = await attributes(workflowIdOf(hash));
    await byHand(hash, 'settle', { key: 's-1', reason: 'by hand', accepted: [] });
    await isMarked(hash, 'crashed');
    expect(await attributes(workflowIdOf(hash))).toEqual({ currency: 'EUR', atRisk: 7, since });
  });

  test('counts a bet that is being given back', async () => {
    const hash = await player.open();
    await fault('void', { status: 503, times: 2 });
    const voiding = player.void(hash);
    await isMarked(hash, 'void-pending');
    expect((await attributes(workflowIdOf(hash))).atRisk).toBe(STAKE / 100);
    await voiding;
  });

  test('shows whose a reconciliation is', async () => {
    const hash = await crashed();
    await harness.reconcile('op1', hash);
    const { typedSearchAttributes } = await harness.client.workflow
      .getHandle(reconcileWorkflowIdOf(hash))
      .describe();
    expect(typedSearchAttributes.getAll()).toContainEqual({
      key: { name: 'PlayerId', type: 'KEYWORD' },
      value: player.session.playerId,
    });
  });
});

describe('a round', () => {
  test('has a summary on every activity and timer, with money in major units', async () => {
    const hash = await player.open({ winAmount: WIN });
    await fault('credit', { status: 503 });
    await player.end(hash);
    await finished(harness, hash);
    const all = await summaries(workflowIdOf(hash));
    expect(all).toEqual(
      expect.arrayContaining([
        'deliver: debit 2.50 EUR to op1',
        'timer: auto-close after 24 h',
        'deliver: credit 7.00 EUR and end to op1',
        'timer: pause of 1 s, then again: credit 7.00 EUR and end to op1',
        'deliverUntilDefinite: again: credit 7.00 EUR and end to op1',
        'project: record: closed',
        'report: report to op1: closed',
      ]),
    );
    expect(all.filter((one) => one.endsWith('undefined') || one.endsWith('null'))).toEqual([]);
  });

  test('and so has a void, and a reconciliation', async () => {
    const voided = await player.open();
    await player.void(voided);
    await finished(harness, voided);
    expect(await summaries(workflowIdOf(voided))).toContain('deliver: void 2.50 EUR to op1');
    const hash = await crashed();
    await harness.reconcile('op1', hash);
    expect(await summaries(reconcileWorkflowIdOf(hash))).toEqual([
      'closeAndRead: close the round if it is open, and read it',
      'resend: send every transaction again to op1: bets 2.50 EUR, wins 0.00 EUR so far',
      'settleCrashed: end the crashed round: op1 has accepted what was owed',
    ]);
  });

  test('tells in its details what it waits for, what the wallet said, and what to do', async () => {
    const hash = await waiting();
    const { currentDetails } = await metadata(hash);
    expect(currentDetails).toContain('**open, 7.00 EUR to collect**, bet 2.50 EUR');
    expect(currentDetails).toContain(', 7.00 EUR at risk');
    expect(currentDetails).toContain('`credit-pending`: ');
    expect(currentDetails).toContain('credit 7.00 EUR and end to op1. Last answer: `status 503`');
    expect(currentDetails).toContain('**Terminate: never.**');
  });

  test('names in its details, when it is crashed, the transactions that a settle decides', async () => {
    const hash = await crashed();
    const { currentDetails } = await metadata(hash);
    const transactions = await harness
      .handle(hash)
      .query<{ hash: string; outcome: string }[]>('transactions');
    const [credit, end] = transactions.filter(({ outcome }) => outcome === 'pending');
    expect(currentDetails).toContain(`- pending: credit 7.00 EUR \`${credit?.hash}\``);
    expect(currentDetails).toContain(`- pending: end \`${end?.hash}\``);
  });

  test('describes every signal, query and update', async () => {
    const { signalDefinitions, queryDefinitions, updateDefinitions } = (await metadata(await player.open()))
      .definition;
    const own = [...signalDefinitions, ...queryDefinitions, ...updateDefinitions].filter(
      ({ name }) => !name.startsWith('__'),
    );
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['settle', 'resume', 'state', 'end']));
    expect(own.filter(({ description = '' }) => description === '')).toEqual([]);
  });
});

describe('an update', () => {
  test('settle says at once that it was taken, while a win is being retried, and is no refusal', async () => {
    const hash = await waiting();
    const reply = await byHand(hash, 'settle', { key: 's-1', reason: 'by hand', accepted: [] });
    expect(reply).toMatchObject({
      ...{ key: 's-1', taken: true, gameRoundInfo: { status: 'open' } },
      refusal: { errorCode: { msg: 'GAMEROUNDCRASHED' } },
    });
    const { refusals } = await harness.handle(hash).query<{ refusals: object[] }>('state');
    expect(refusals.filter((one) => JSON.stringify(one).includes('settle'))).toEqual([]);
    const transactions = await harness
      .handle(hash)
      .query<{ hash: string; outcome: string }[]>('transactions');
    const accepted = transactions.filter(({ outcome }) => outcome === 'pending').map((one) => one.hash);
    expect(await byHand(hash, 'settle', { key: 's-2', reason: 'paid', accepted })).toMatchObject({
      ...{ key: 's-2', taken: true, gameRoundInfo: { status: 'closed' } },
    });
    await finished(harness, hash);
  });

  test('settle that is refused says why, with its key; so does a signal, in the state', async () => {
    const hash = await crashed();
    const wrong = { key: 's-1', reason: 'by hand', accepted: ['nonsense'] };
    const why = 'INVALIDREQUEST: accepted: no transaction nonsense';
    expect(await refusedByHand(hash, 'settle', wrong)).toBe(`${why} (key s-1)`);
    await harness.handle(hash).signal('settle', wrong);
    const { refusals } = await harness.handle(hash).query<{ refusals: object[] }>('state');
    expect(refusals.at(-1)).toMatchObject({ command: 'settle', key: 's-1', errorCode: { msg: why } });
  });

  test('resume sends a refused win again and says so; where nothing waits for it, it is refused', async () => {
    const hash = await player.open({ winAmount: WIN });
    const nothing = 'INVALIDREQUEST: no call of this round waits to be resumed';
    expect(await refusedByHand(hash, 'resume')).toBe(nothing);
    await harness.handle(hash).signal('resume');
    const { refusals } = await harness.handle(hash).query<{ refusals: object[] }>('state');
    expect(refusals).toMatchObject([{ command: 'resume', errorCode: { msg: nothing } }]);
    await fault('credit', { status: 401 });
    player.end(hash, 'end').catch(() => undefined);
    await isMarked(hash, 'credit-unauthorised');
    expect(await byHand(hash, 'resume')).toEqual({ resumed: 'credit 7.00 EUR and end to op1' });
    await finished(harness, hash);
    expect((await agreedBooks(harness, hash)).ledger.net).toBe(WIN - STAKE);
  });
});
