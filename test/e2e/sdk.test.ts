import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOperatorClient, ProviderClient } from '../../sdk';
import { readmeWallet } from '../sdk/readme';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';
import { operatorParty, PROVIDER } from '../support/e2e-tenants';

jest.setTimeout(120_000);

/* Both sides of a round with the SDK alone: its clients, and the wallet of its README as the operator. */

let wallet: Server;
let stack: E2eStack;
beforeAll(async () => {
  wallet = await readmeWallet();
  const operatorUrl = `http://127.0.0.1:${(wallet.address() as AddressInfo).port}`;
  stack = await startE2eStack({ operators: [{ operatorId: 'op1', operatorUrl, strictReplies: true }] });
});
afterAll(async () => {
  await stack?.close();
  wallet.closeAllConnections();
  await new Promise((resolve) => wallet.close(resolve));
});

it('a round is won and reconciled, another one voided, a bet declined', async () => {
  const { id: operatorId, secret } = operatorParty('op1');
  const operator = createOperatorClient({ baseUrl: stack.api, operatorId, secret });
  const game = new ProviderClient({ baseUrl: stack.api, providerId: PROVIDER.id, secret: PROVIDER.secret });
  const { url } = await operator.getGameURL({
    ...{ playerId: 'alice', currency: 'EUR', gameCode: stack.gameCode, language: 'en', mode: 'real' },
  });
  const token = new URL(url).searchParams.get('token') ?? '';
  const bet = (debitAmount: number) =>
    game.startGameRound({ token, rngResult: {}, debitInformation: { debitAmount, currency: 'EUR' } });

  const started = await bet(250);
  expect(started.balance?.totalBalance).toBe(99_750);
  const gameRound = started.gameRoundInfo.hash;
  await game.addWin({ token, gameRound, rngResult: { winAmount: 700 } });
  const ended = await game.endGameRound({ token, gameRound });
  expect(ended).toMatchObject({ gameRoundInfo: { status: 'closed' }, balance: { totalBalance: 100_450 } });
  const reconciled = await operator.reconcileTransactions({ gameRound });
  expect(reconciled.hashesProcessed).toHaveLength(3);
  expect(reconciled.hashesProcessed.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);

  const second = await bet(100);
  const voided = await game.voidGameRound({ token, gameRound: second.gameRoundInfo.hash });
  expect(voided.gameRoundInfo.status).toBe('cancel');
  await expect(bet(1_000_000)).rejects.toMatchObject({ status: 400, errorCode: { id: 5001 } });
  expect((await game.getBalance({ token })).totalBalance).toBe(100_450);
});
