import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished, playerOf, STAKE, until, type Player } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** What follows a close (docs/interface#get-game-result, #do-game-round-report): told to the operator, never in its way. */

let provider: Server;
let harness: RoundsHarness;
let player: Player;
/** Rounds the provider was asked about, and what it answers. */
const asked: string[] = [];
let answer: { status: number; body: object };

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { gameRound } = JSON.parse(Buffer.concat(chunks).toString()) as { gameRound: string };
      asked.push(`${request.url} ${gameRound}`);
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  const { port } = provider.address() as AddressInfo;
  harness = await startRounds({ gameUrl: `http://127.0.0.1:${port}` });
});
beforeEach(() => {
  Object.assign(harness.roundSettings, { gameRoundReport: true, resultCallback: true });
  answer = { status: 200, body: { reels: 'A B C' } };
  player = playerOf(harness);
});
afterAll(async () => {
  await harness?.stop();
  await new Promise((done) => provider.close(done));
});

interface Report {
  times: number;
  gameRoundDetail: Record<string, unknown>;
}

async function reportOf(hash: string): Promise<Report | undefined> {
  const reply = await fetch(`${harness.walletUrl}/sandbox/reports?gameRound=${hash}`);
  return reply.status === 404 ? undefined : ((await reply.json()) as Report);
}

async function closed(options: Parameters<Player['start']>[0] = {}): Promise<string> {
  const { gameRoundInfo } = await player.start({ endGame: true, ...options });
  await finished(harness, gameRoundInfo.hash);
  return gameRoundInfo.hash;
}

test('the provider is asked for the result, which is kept as dataStored and told in the report', async () => {
  const hash = await closed({ winAmount: 20 });
  expect(asked.filter((call) => call.endsWith(hash))).toEqual([`/getGameResult ${hash}`]);
  expect(await harness.rounds.find(hash)).toMatchObject({ dataStored: { reels: 'A B C' } });
  expect(await reportOf(hash)).toMatchObject({
    times: 1,
    gameRoundDetail: {
      ...{ hash, status: 'closed', dataStored: { reels: 'A B C' }, totalPayedAmount: STAKE },
      ...{ totalBetAmount: STAKE, totalWinAmount: 20, balanceAfter: 100_000 - STAKE + 20 },
      transactions: [
        { type: 'debit', payed: STAKE, balanceAfter: 100_000 - STAKE },
        { type: 'credit', payed: 20, balanceAfter: 100_000 - STAKE + 20 },
        { type: 'end' },
      ],
    },
  });
});

test('games without resultCallback and operators that asked for no report are left alone', async () => {
  Object.assign(harness.roundSettings, { gameRoundReport: false, resultCallback: false });
  const hash = await closed();
  expect(asked.filter((call) => call.endsWith(hash))).toEqual([]);
  expect(await reportOf(hash)).toBeUndefined();
  expect((await harness.rounds.find(hash))?.dataStored).toBeUndefined();
});

test('a cancelled round is not reported', async () => {
  const hash = await player.open();
  await player.void(hash);
  await finished(harness, hash);
  expect(asked.filter((call) => call.endsWith(hash))).toEqual([]);
  expect(await reportOf(hash)).toBeUndefined();
});

test('a report that fails is sent again, and the answer to the player did not wait for it', async () => {
  Object.assign(harness.roundSettings, { resultCallback: false });
  await harness.fault({ fault: 'status', status: 500, match: { path: '/doGameRoundReport' }, times: 1 });
  const reply = await player.start({ endGame: true });
  const { hash } = reply.gameRoundInfo;
  expect(reply.gameRoundInfo.status).toBe('closed');
  expect(await harness.rounds.find(hash)).toMatchObject({ status: 'closed' });
  expect(await reportOf(hash)).toBeUndefined();
  expect(
    await until(
      () => reportOf(hash),
      (report) => report !== undefined,
    ),
  ).toMatchObject({ times: 1 });
  await finished(harness, hash);
});

test('an errorCode on a 200 is ignored unless X-H-ERROR-ID comes with it', async () => {
  Object.assign(harness.roundSettings, { resultCallback: false });
  const match = { path: '/doGameRoundReport' };
  const failing = { fault: 'errorOn200', errorCode: { id: 9 }, match, when: 'after' };
  await harness.fault({ ...failing, errorIdHeader: false });
  expect(await reportOf(await closed())).toMatchObject({ times: 1 });
  await harness.fault({ ...failing, errorIdHeader: true });
  expect(await reportOf(await closed())).toMatchObject({ times: 2 });
});
