import { randomUUID } from 'node:crypto';
import { HEADERS, providerFields, signBody } from '../../sdk/signing';
import { Unusable } from '../rule';
import { type Exchange, isObject, type Json, type Party, send, type Wrong } from '../exchange';

export interface ProviderSettings extends Party {
  gameCode: string;
  currency: string;
  /** The multiplier to compare with multiplier 1. */
  multiplier: number;
  playerId: string;
  /** A closed round of the game. */
  closedRound: string | undefined;
  /** An open round of the game. */
  openRound: string | undefined;
  /** The service that the game calls; it says whether a round is closed. */
  serviceUrl: string | undefined;
  /** 0: the provider does not check timestamps. */
  timestampToleranceMs: number;
}

/** doAutoClose may take longer than other calls: the game calls the service meanwhile. */
const AUTO_CLOSE_FACTOR = 3;

/** A game provider's callbacks, as the service calls them. */
export class TestedProvider {
  readonly exchanges: Exchange[] = [];

  constructor(readonly settings: ProviderSettings) {}

  begin = (): Promise<void> => Promise.resolve();
  tidy = (): Promise<void> => Promise.resolve();

  getGameConfiguration(currencyMultiplier: number, wrong?: Wrong): Promise<Exchange> {
    const { currency, gameCode } = this.settings;
    return this.call({
      method: 'GET',
      path: '/getGameConfiguration',
      query: { currency, currencyMultiplier: String(currencyMultiplier), gameCode },
      fields: providerFields.getGameConfiguration({ currency }),
      wrong,
    });
  }

  getGameResult(gameRound: string, wrong?: Wrong): Promise<Exchange> {
    return this.post('/getGameResult', { gameRound }, wrong);
  }

  doGetGameHistory(gameRound: string, wrong?: Wrong): Promise<Exchange> {
    const { playerId } = this.settings;
    return this.post('/doGetGameHistory', { gameRound, playerId, language: 'en' }, wrong);
  }

  /** doAutoClose is not signed. */
  async doAutoClose(gameRound: string, wrong?: Wrong): Promise<Exchange> {
    const body = { gameRound, gameSettings: { autoplayEnabled: false } };
    const party = { ...this.settings, timeoutMs: this.settings.timeoutMs * AUTO_CLOSE_FACTOR };
    const call = { method: 'POST', path: '/doAutoClose', body, fields: undefined } as const;
    return this.noted(await send(party, wrong === undefined ? call : { ...call, wrong }));
  }

  /** Reads the status of a round from the service. Undefined if the service does not know the round. */
  async statusOf(gameRound: string): Promise<string | undefined> {
    const issued = await this.askService('/getTokenForGameRound', { gameRound });
    const tokenData = issued?.['tokenData'];
    const token = isObject(tokenData) ? tokenData['currentToken'] : undefined;
    const told = await this.askService('/getGameRoundInfo', { token, gameRound });
    const info = told?.['gameRoundInfo'];
    return isObject(info) ? String(info['status']) : undefined;
  }

  private post(path: string, body: Json & { gameRound: string }, wrong?: Wrong): Promise<Exchange> {
    const fields = providerFields.getGameResult(body);
    return this.call({ method: 'POST', path, body, fields, wrong });
  }

  private async call(call: Parameters<typeof send>[1]): Promise<Exchange> {
    return this.noted(await send(this.settings, call));
  }

  private noted(exchange: Exchange): Exchange {
    this.exchanges.push(exchange);
    return exchange;
  }

  private async askService(path: string, body: Json): Promise<Json | undefined> {
    const { serviceUrl = '', authId, secret, timeoutMs } = this.settings;
    const timestamp = new Date().toISOString();
    const text = JSON.stringify(body);
    const headers = {
      'Content-Type': 'application/json',
      [HEADERS.authId]: authId,
      [HEADERS.timestamp]: timestamp,
      [HEADERS.signature]: signBody(secret, text, timestamp),
      [HEADERS.requestId]: randomUUID(),
    };
    const init = { method: 'POST', headers, body: text, signal: AbortSignal.timeout(timeoutMs) };
    const reply: unknown = await fetch(`${serviceUrl.replace(/\/$/, '')}${path}`, init)
      .then((response) => response.json())
      .catch((error: Error) => {
        throw new Unusable(`The service at ${serviceUrl} does not answer ${path}: ${error.message}`);
      });
    return isObject(reply) ? reply : undefined;
  }
}
