import { agreedBooks, finished, playerOf, refused, STAKE } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

test('a spin with a win, closed in the same call: debit, then credit and end', async () => {
  const player = playerOf(harness);
  const reply = await player.start({ endGame: true, winAmount: 700 });
  expect(reply).toMatchObject({
    gameRoundInfo: { status: 'closed', stake: STAKE },
    amountCredited: 700,
    amountToCollect: 0,
  });
  const { hash } = reply.gameRoundInfo;
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  await finished(harness, hash);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record.status).toBe('closed');
  expect(ledger).toMatchObject({ status: 'closed', net: 700 - STAKE });
});

test('a spin without a win, closed in the same call: debit and end together', async () => {
  const reply = await playerOf(harness).start({ endGame: true });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: 0, amountToCollect: 0 });
  const { hash } = reply.gameRoundInfo;
  expect(await harness.sent(hash)).toEqual(['debit+end']);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({
    record: { status: 'closed' },
    ledger: { status: 'closed', net: -STAKE },
  });
});

test("the bet's timestamp is the round's opening, however often its first task is begun anew", async () => {
  const { hash } = (await playerOf(harness).start()).gameRoundInfo;
  const { startTime } = await harness.handle(hash).describe();
  const { record } = await agreedBooks(harness, hash);
  expect(record.transactions[0]?.timestamp).toBe(startTime.toISOString());
});

test('start, win, end: the record and the ledger agree at every step', async () => {
  const player = playerOf(harness);
  const started = await player.start();
  const { hash } = started.gameRoundInfo;
  expect(started).toMatchObject({
    gameRoundInfo: { status: 'open', stake: STAKE, currency: 'EUR', game: 'demo-slot' },
    gameState: [{ type: 'debit', amountWagered: STAKE }],
    balance: { balances: [{ type: 'real', amount: 100_000 - STAKE, currency: 'EUR' }] },
  });
  await agreedBooks(harness, hash);
  expect(await player.win(hash, { winAmount: 300 })).toMatchObject({
    amountToCollect: 300,
    amountCredited: 0,
    gameRoundInfo: { status: 'open' },
    gameState: [{ type: 'debit' }, { type: 'genericwin', result: { winAmount: 300 } }],
  });
  expect(await player.end(hash)).toMatchObject({
    amountToCollect: 0,
    amountCredited: 300,
    gameRoundInfo: { status: 'closed' },
    gameState: [{ type: 'debit' }, { type: 'genericwin', collected: 300, reason: 'endGameRound' }],
    balance: { balances: [{ amount: 100_000 - STAKE + 300 }] },
  });
  await finished(harness, hash);
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  await agreedBooks(harness, hash);
  expect(await refused(player.end(hash))).toBe('400 GAMEROUNDNOTACTIVE');
});

test('winnings at the start count as open winnings; an end without any is a bare end', async () => {
  const player = playerOf(harness);
  const [won, lost] = [await player.start({ winAmount: 80 }), await playerOf(harness).start()];
  expect(won).toMatchObject({ amountToCollect: 80, amountCredited: 0, gameRoundInfo: { status: 'open' } });
  expect(await player.end(won.gameRoundInfo.hash)).toMatchObject({ amountCredited: 80 });
  expect(lost.amountToCollect).toBe(0);
});

test('addWin with collect: credit and end in one call', async () => {
  const player = playerOf(harness);
  const hash = await player.open();
  await player.win(hash, { winAmount: 100 });
  expect(await player.win(hash, { winAmount: 50, collect: true })).toMatchObject({
    amountCredited: 150,
    amountToCollect: 0,
    gameRoundInfo: { status: 'closed' },
  });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 150 - STAKE } });
});

test('collectWin: parts of the open winnings, while the round stays open', async () => {
  const player = playerOf(harness);
  const hash = await player.open();
  await player.win(hash, { winAmount: 100 });
  expect(await refused(player.collect(hash, 101))).toBe('400 UNCOLLECTEDAMOUNTTOOLOW');
  expect(await player.collect(hash, 60)).toMatchObject({
    amountCredited: 60,
    amountToCollect: 40,
    gameRoundInfo: { status: 'open' },
  });
  expect(await player.collect(hash)).toMatchObject({ amountCredited: 40, amountToCollect: 0 });
  expect(await refused(player.collect(hash))).toBe('400 UNCOLLECTEDAMOUNTTOOLOW');
  expect(await player.end(hash)).toMatchObject({ amountCredited: 0, gameRoundInfo: { status: 'closed' } });
  expect(await harness.sent(hash)).toEqual(['debit', 'credit', 'credit', 'end']);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: 100 - STAKE } });
});

test('every call says how many transactions it has, and the debit that it is the first', async () => {
  const reply = await playerOf(harness).start({ endGame: true });
  const [call] = await harness.calls(reply.gameRoundInfo.hash);
  expect(call?.body).toMatchObject({
    transactionCount: 2,
    transactions: [{ type: 'debit', isFirstDebit: true, amount: STAKE, currency: 'EUR' }, { type: 'end' }],
  });
  expect(call?.body.transactions[1]).not.toHaveProperty('amount');
});

test('a stake that was multiplied already is not multiplied again', async () => {
  const player = playerOf(harness, { currencyMultiplier: 10 });
  const reply = await player.start({ debitAmount: 250, endGame: true });
  expect(reply.gameRoundInfo).toMatchObject({ stake: 250, baseStake: 25, currencyMultiplier: 10 });
  const [call] = await harness.calls(reply.gameRoundInfo.hash);
  expect(call?.body.transactions[0]?.amount).toBe(250);
});

test('no wallet call goes out before its command is in the history', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 30 });
  await player.end(hash);
  await finished(harness, hash);
  const events = (await harness.handle(hash).fetchHistory()).events ?? [];
  const [started] = events;
  // The bet stands in the workflow's own arguments.
  const input = started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  expect(Buffer.from(input ?? []).toString()).toContain(`"debitAmount":${STAKE}`);
  const signal = events.findIndex(
    ({ workflowExecutionSignaledEventAttributes: told }) => told?.signalName === 'end',
  );
  const deliveries = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }, index) =>
    scheduled?.activityType?.name === 'deliver' ? [index] : [],
  );
  expect(deliveries).toHaveLength(2);
  expect(signal).toBeGreaterThan(deliveries[0]!);
  expect(signal).toBeLessThan(deliveries[1]!);
});

test('a task that a worker took and never brought back is missed well within a caller’s ten seconds', async () => {
  const hash = await playerOf(harness).open();
  const { raw } = await harness.handle(hash).describe();
  expect(Number(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds)).toBe(6);
});
