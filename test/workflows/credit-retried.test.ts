import { randomUUID } from 'node:crypto';
import { agreedBooks, finished, refused, repeated, STAKE, until } from '../support/player';
import { sideBySide, type Scene } from '../support/side-by-side';
import { REPEATABLE_ERROR_ID, startRounds, type RoundsHarness } from '../support/rounds-harness';

/** A credit is owed: it is sent again until the wallet takes it, always the same one (docs/interface#credit-retried). */

const WIN = 700;

let harness: RoundsHarness;

const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

/** How often it fails; the first retry comes after 1 s, the next ones after 2, 4, … */
const WAYS: [name: string, times: number, fault: object][] = [
  ['500 before it was processed', 1, { fault: 'status', status: 500 }],
  ['500 after it was processed', 2, { fault: 'status', status: 500, when: 'after' }],
  ['500 with an errorCode', 1, { fault: 'status', status: 500, errorCode: OWN }],
  ['429', 2, { fault: 'status', status: 429, retryAfter: '60' }],
  ['429 with an errorCode', 1, { fault: 'status', status: 429, errorCode: OWN }],
  ['425', 1, { fault: 'status', status: 425 }],
  ['408', 1, { fault: 'status', status: 408, errorCode: OWN }],
  ['400 without an errorCode', 2, { fault: 'status', status: 400 }],
  ['403 with a body of its own', 1, { fault: 'status', status: 403, body: { blocked: true } }],
  ['a repeatable error id', 2, { fault: 'status', status: 400, errorCode: { id: REPEATABLE_ERROR_ID } }],
  ['a hanging call', 1, { fault: 'hang' }],
  ['a hanging call that was processed', 1, { fault: 'hang', when: 'after' }],
  ['two dropped replies', 2, { fault: 'dropReply' }],
  ['a cut reply', 1, { fault: 'cutReply' }],
  ['a reset connection', 1, { fault: 'reset' }],
  ['200 with garbage', 1, { fault: 'garbage' }],
  ['200 with an array', 1, { fault: 'array' }],
  ['200 with an errorCode', 1, { fault: 'errorOn200', errorCode: OWN }],
  [
    '200 with an errorCode for the hash',
    1,
    { fault: 'errorOn200', errorCode: OWN, where: 'hash', when: 'after' },
  ],
  ['a redirect', 1, { fault: 'redirect' }],
  ['a huge reply', 1, { fault: 'huge', bytes: 3 * 1024 * 1024 }],
];

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

async function creditsOf(hash: string): Promise<{ hash: string; amount: number | undefined }[]> {
  const calls = await harness.calls(hash);
  const credits = calls.flatMap(({ body }) => body.transactions.filter(({ type }) => type === 'credit'));
  return credits.map((credit) => ({ hash: credit.hash, amount: credit.amount }));
}

async function isRetried({ player, on }: Scene, times: number, fault: object): Promise<void> {
  const hash = await player.open({ winAmount: WIN });
  await on('credit', { ...fault, times });
  const reply = await player.end(hash);
  expect(reply).toMatchObject({
    gameRoundInfo: { status: 'closed' },
    amountCredited: WIN,
    amountToCollect: 0,
  });
  expect(reply.refusal).toBeUndefined();
  const retries = Array.from({ length: times }, () => 'credit+end');
  expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', ...retries]);
  const [first, ...more] = await creditsOf(hash);
  expect(first?.amount).toBe(WIN);
  expect(more).toEqual(more.map(() => first));
  await finished(harness, hash);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record).toMatchObject({ status: 'closed', attention: [] });
  expect(ledger).toMatchObject({ status: 'closed', net: WIN - STAKE });
}

async function outlastsItsCall({ player, on }: Scene): Promise<void> {
  const [hash, transactionId] = [await player.open({ winAmount: WIN }), randomUUID()];
  await on('credit', { fault: 'status', status: 500, times: 4 });
  const first = refused(player.end(hash, transactionId));
  await until(
    () => harness.attention(hash),
    (marks) => marks.includes('credit-pending'),
  );
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.attention.includes('credit-pending') === true,
  );
  const record = await harness.rounds.find(hash);
  expect(record).toMatchObject({ status: 'open', amountToCollect: WIN });
  expect(record?.transactions.find(({ type }) => type === 'credit')?.outcome).toBe('pending');

  const busy = '503 OPERATIONBEINGPROCESSED';
  expect(await refused(player.win(hash, { winAmount: 1_000 }))).toBe(busy);
  expect(await refused(player.end(hash))).toBe(busy);
  expect(await refused(player.collect(hash, 1))).toBe(busy);
  expect(await refused(player.void(hash))).toBe(busy);
  expect(await refused(player.win(hash, { winAmount: 5, collect: true }))).toBe(busy);

  expect(await first).toBe(busy);
  // On a busy machine the credit may outlast this call, too.
  const joined = await repeated(() => player.end(hash, transactionId));
  expect(joined).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: WIN });
  await finished(harness, hash);
  // Nothing of what was refused meanwhile was kept for later.
  const books = await agreedBooks(harness, hash);
  expect(books).toMatchObject({ record: { attention: [], gameState: [{}] }, ledger: { net: WIN - STAKE } });
  expect(await harness.attention(hash)).toEqual([]);
  expect(new Set((await creditsOf(hash)).map((credit) => credit.hash)).size).toBe(1);
}

async function closesByItself({ player, on }: Scene): Promise<void> {
  await on('credit', { fault: 'status', status: 500, when: 'after', times: 2 });
  const reply = await player.start({ endGame: true, winAmount: WIN });
  expect(reply).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: WIN });
  await finished(harness, reply.gameRoundInfo.hash);
  await agreedBooks(harness, reply.gameRoundInfo.hash);
}

async function collectIsRetried({ player, on }: Scene): Promise<void> {
  const hash = await player.open({ winAmount: WIN });
  await on('credit', { fault: 'dropReply' });
  expect(await player.collect(hash, 200)).toMatchObject({
    amountCredited: 200,
    amountToCollect: WIN - 200,
    gameRoundInfo: { status: 'open' },
  });
  expect(await harness.attention(hash)).toEqual([]);
  expect(await player.win(hash, { winAmount: 1 })).toMatchObject({ amountToCollect: WIN - 199 });
  await player.end(hash);
  await finished(harness, hash);
  expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { net: WIN + 1 - STAKE } });
}

async function repeatsMeanwhile({ player, roundId, on }: Scene): Promise<void> {
  const hash = await player.open({ roundId, winAmount: WIN });
  await player.win(hash, { winAmount: 3, rngCallId: 'w' });
  await on('credit', { fault: 'status', status: 500, times: 2 });
  const ending = player.end(hash);
  await until(
    () => harness.attention(hash),
    (marks) => marks.includes('credit-pending'),
  );
  expect(await player.win(hash, { winAmount: 3, rngCallId: 'w' })).toMatchObject({
    amountToCollect: WIN + 3,
  });
  expect(await player.start({ roundId, winAmount: WIN })).toMatchObject({ amountToCollect: WIN });
  expect((await ending).gameRoundInfo.status).toBe('closed');
}

sideBySide(
  () => harness,
  (scenario) => {
    scenario(
      'a credit that outlasts the call: 503, others wait outside, the same call joins it',
      outlastsItsCall,
    );
    for (const [name, times, fault] of WAYS) {
      const title = `${name}, ${times} times: the same credit again, and the caller gets the answer`;
      scenario(title, (scene) => isRetried(scene, times, fault));
    }
    scenario('a win that came with the start is retried, and the caller gets the answer', closesByItself);
    scenario('a collect that is retried leaves the round open and usable afterwards', collectIsRetried);
    scenario('meanwhile a repeat of an earlier command still gets its first reply', repeatsMeanwhile);
  },
);
