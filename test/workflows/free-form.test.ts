import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { parseJson } from '../../src/http/json';
import { roundReply, historyReply, lastRoundItem, operatorRecord } from '../../src/http/replies';
import { validated } from '../../src/http/schemas/fields';
import * as endpoints from '../../src/http/endpoints/round-commands';
import { createGuards } from '../../src/read-model/guards';
import { createRoundQueries } from '../../src/queries/rounds';
import { ALL_HOSTILE, hostileStrings } from '../support/hostile';
import { finished, playerOf, until } from '../support/player';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/*
 * Free-form data comes back exactly as it was sent: through the reading of a request, the workflow, MongoDB, the replies and
 * the operator's report.
 */

/** As a provider may answer: names that no request could have. */
const TOLD = { ...ALL_HOSTILE, '': 'empty', 'a\u0000b': 'NUL' };
const RESULT = { ...TOLD, '\ufffd': 'half a character', half: '\ufffd' };
let provider: Server;
let harness: RoundsHarness;

beforeAll(async () => {
  provider = createServer((request, response) => {
    request
      .resume()
      .on('end', () =>
        response
          .writeHead(200)
          .end(JSON.stringify({ ...TOLD, '\ud83d': 'half a character', half: '\udfb0' })),
      );
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  const { port } = provider.address() as AddressInfo;
  harness = await startRounds({ gameUrl: `http://127.0.0.1:${port}` });
  Object.assign(harness.roundSettings, { gameRoundReport: true, resultCallback: true });
});
afterAll(async () => {
  await harness?.stop();
  await new Promise((done) => provider.close(done));
});

function read(body: object) {
  return parseJson(Buffer.from(JSON.stringify(body)));
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('all of it', async () => {
  const player = playerOf(harness);
  const { session } = player;
  const gameRound = await player.open();
  const samples = [ALL_HOSTILE, ...fc.sample(hostileStrings, 15)];
  for (const [index, betData] of samples.entries()) {
    const rngResult = { rngCallId: `draw-${index}`, result: 'own', winAmount: 0, betData };
    const asked = validated(endpoints.addWin.request, read({ token: 't', gameRound, rngResult }));
    await harness.commands.addWin({ ...asked, session, requestId: `w${index}` });
  }
  for (const counterType of ['$ref', '_bsontype', 'constructor', 'a.b']) {
    const rngResult = { rngCallId: counterType, result: { awarded: 2, used: 1 } };
    const body = { token: 't', gameRound, counterType, rngResult, gameStateResult: ALL_HOSTILE };
    const { rngResult: counted, ...asked } = validated(endpoints.addSpinCounterGameState.request, read(body));
    const command = { ...asked, ...counted.result, rngCallId: counterType, session, requestId: counterType };
    await harness.commands.addSpinCounterGameState(command);
  }
  const infoOf = (gameState: { own?: object | undefined; result: { info: object } }[]) =>
    gameState.slice(1).map(({ result, own }) => ({ info: result.info, own: own ?? {} }));
  const kept = (own: Record<string, string>, given: Record<string, string>) => ({
    info: { ...own, ...given },
    own: Object.fromEntries(Object.entries(own).filter(([name]) => Object.hasOwn(given, name))),
  });
  const expected = [
    ...samples.map((given, index) => kept({ rngCallId: `draw-${index}`, result: 'own' }, given)),
    ...['$ref', '_bsontype', 'constructor', 'a.b'].map((counterType) =>
      kept({ counterType, awarded: '2', used: '1' }, ALL_HOSTILE),
    ),
  ];
  const open = (await harness.commands.describeRound(gameRound))!;
  expect(infoOf(open.gameState)).toEqual(expected);
  expect(infoOf((await harness.rounds.find(gameRound))!.gameState)).toEqual(expected);

  await player.end(gameRound);
  await finished(harness, gameRound);
  const over = (await harness.rounds.find(gameRound))!;
  expect(infoOf(over.gameState)).toEqual(expected);
  expect(over.spinCounters).toEqual({
    ...{ $ref: { awarded: 2, used: 1 }, _bsontype: { awarded: 2, used: 1 } },
    ...{ constructor: { awarded: 2, used: 1 }, 'a.b': { awarded: 2, used: 1 } },
  });
  const told = throughJson(roundReply(session, 't', over).body) as { gameState: never[] };
  expect(infoOf(told.gameState)).toEqual(expected);

  expect(over.dataStored).toEqual(RESULT);
  expect(throughJson(historyReply(session, 't', over).body)).toMatchObject({ protectedInfo: RESULT });
  expect(throughJson(operatorRecord(over, 'test'))).toMatchObject({ dataStored: RESULT });
  const queries = createRoundQueries(harness.rounds, createGuards(harness.db));
  const [listed] = await queries.closedRounds(session, new Date(0), 1);
  expect(throughJson(lastRoundItem(listed!))).toMatchObject({ gameSpecificDetails: RESULT });
  const report = await until(
    async () => {
      const reply = await fetch(`${harness.walletUrl}/sandbox/reports?gameRound=${gameRound}`);
      return reply.status === 404 ? undefined : ((await reply.json()) as { gameRoundDetail: object });
    },
    (seen) => seen !== undefined,
  );
  expect(report?.gameRoundDetail).toMatchObject({ dataStored: RESULT });
});

test('names that would do harm are refused with the field’s name, and nothing is sent', () => {
  const asked = (text: string) => () =>
    validated(
      endpoints.addWin.request,
      parseJson(Buffer.from(`{"token":"t","gameRound":"g","rngResult":{"betData":{${text}}}}`)),
    );
  expect(asked('"a":"b"')).not.toThrow();
  for (const text of [
    '"__proto__":"x"',
    '"":"x"',
    '"a\\u0000":"x"',
    '"\\ud83d":"x"',
    '"a":"\\ud83d"',
    '"a":1',
  ])
    expect(asked(text)).toThrow(/INVALIDREQUEST|must/);
});
