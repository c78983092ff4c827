import { createOperatorClient, ProviderClient } from '../../sdk';

/* A mistake in what a caller passes names the option or the field. No test here sends a request. */

const good = {
  baseUrl: 'http://127.0.0.1:1',
  providerId: 'gp1',
  operatorId: 'op1',
  secret: 's',
  maxAttempts: 1,
};
const clients = {
  ProviderClient: (more: object) => new ProviderClient({ ...good, ...more }),
  createOperatorClient: (more: object) => createOperatorClient({ ...good, ...more }),
};

describe.each(Object.entries(clients))('the options of %s', (client, make) => {
  const id = client === 'ProviderClient' ? 'providerId' : 'operatorId';

  it.each(['baseUrl', id, 'secret'])('a missing %s is named', (name) => {
    for (const value of [undefined, ''])
      expect(() => make({ [name]: value })).toThrow(`option ${name} is missing`);
  });

  it.each(['127.0.0.1:8080', 'localhost:8080', '/api', 'ftp://127.0.0.1', 'http://'])(
    '%s is no address of the service',
    (baseUrl) => {
      expect(() => make({ baseUrl })).toThrow(`the option baseUrl is no http or https address: ${baseUrl}`);
    },
  );
});

const game = new ProviderClient(good);
const operator = createOperatorClient(good);
const round = { token: 't', gameRound: 'r' };

it.each<[string, Record<string, unknown> | undefined, string, object]>([
  ['startGameRound', undefined, 'the request', game],
  ['startGameRound', {}, 'the field token', game],
  ['startGameRound', { token: 't', rngResult: {} }, 'the field debitInformation', game],
  ['startGameRound', { token: 't', debitInformation: {} }, 'the field rngResult', game],
  ['addWin', round, 'the field rngResult', game],
  ['addWin', { token: 't', rngResult: {} }, 'the field gameRound', game],
  ['endGameRound', undefined, 'the request', game],
  ['voidGameRound', { token: 't' }, 'the field gameRound', game],
  ['getBalance', undefined, 'the request', game],
  ['getGameURL', { currency: 'EUR', mode: 'real' }, 'the field gameCode', operator],
  ['getGameRoundDetails', { playerId: 'alice' }, 'the field gameRound', operator],
  ['getGameConfiguration', { gameCode: 'g', currency: null }, 'the field currency', operator],
  ['registerPlayer', {}, 'the field playerId', operator],
])('%s(%j) names %s', async (method, request, what, client) => {
  const call = (client as Record<string, (request: unknown) => Promise<unknown>>)[method]!;
  await expect(call.call(client, request)).rejects.toThrow(new TypeError(`${method}: ${what} is missing`));
});
