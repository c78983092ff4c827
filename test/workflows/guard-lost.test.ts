import { createRoundClient } from '../../src/commands/round-client';
import { gameroundHash, roundName } from '../../src/domain/hashes';
import { playerOf, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/* A round whose guard is another's by the time a worker comes to it: it sends nothing, and never was (docs/interface#open-round-guard). */

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds({ worker: 'none' });
});

afterAll(async () => {
  await harness?.stop();
});

test('who waits for such a round is told that there is none; its start opens it anew', async () => {
  const player = playerOf(harness);
  const { operatorId, playerId, gameCode } = player.session;
  const name = roundName({ externalGameProviderRoundId: 'r', rngCallId: undefined, requestId: 'q' });
  const hash = gameroundHash(operatorId, playerId, gameCode, name);
  const client = createRoundClient(harness.client, harness.taskQueue);
  const starting = player.start({ roundId: 'r' });
  await until(
    () => client.isRunning(hash),
    (running) => running,
  );
  await harness.rounds.collection.deleteMany({});
  const end = { type: 'end', key: 'e', reason: 'endGameRound' } as const;
  const waiting = [client.updateOnly(hash, end), client.signalThenUpdate(hash, { ...end, key: 'e2' })];
  await until(
    () => harness.handle(hash).fetchHistory(),
    ({ events }) => (events ?? []).some((event) => event.workflowExecutionSignaledEventAttributes),
  );

  const worker = await harness.startWorker();
  expect(await Promise.all(waiting)).toEqual(['gone', 'gone']);
  expect(await starting).toMatchObject({ gameRoundInfo: { hash, status: 'open' } });
  expect(await harness.sent(hash)).toEqual(['debit']);
  await worker.stop();
});
