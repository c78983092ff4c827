import { randomUUID } from 'node:crypto';
import { HEADERS } from '../../sdk/signing';
import { asArray, type Exchange, isObject, type Json, type Wrong } from '../exchange';
import { ALTERED_SIGNATURES, isMissing, mustAccept, mustHaveStatus, mustReply, skip } from '../expect';
import { ANY_REPLY_RULES } from '../reply-rules';
import { Broken, type ReplyRule, type Rule } from '../rule';
import type { TestedProvider } from './tested-provider';

type ProviderRule = Rule<TestedProvider>;

const CONFIGURATION: ProviderRule[] = [
  {
    name: 'configuration',
    anchor: 'objects.md#game-configuration',
    text: 'getGameConfiguration returns gameCode and config: stakes (integers from 1), currency, currencyMultiplier, expectedRtp and maxPayoutOdds.',
    check: async (provider) => {
      const { gameCode, currency, multiplier } = provider.settings;
      const exchange = mustAccept(await configuration(provider, multiplier), 'getGameConfiguration');
      const config = configIn(exchange);
      const fault =
        sameOrFault('gameCode', exchange.reply.json?.['gameCode'], gameCode) ??
        sameOrFault('config.currency', config['currency'], currency) ??
        sameOrFault('config.currencyMultiplier', config['currencyMultiplier'], multiplier) ??
        faultOfConfig(config);
      if (fault !== undefined) throw new Broken(fault, exchange);
    },
  },
  {
    name: 'multiplier',
    anchor: 'provider-callbacks.md#get-game-configuration',
    text: 'The game multiplies its base stakes, and maxStake, minStake and maxPackageStake, by currencyMultiplier once.',
    check: async (provider) => {
      const { multiplier } = provider.settings;
      const once = configIn(mustAccept(await configuration(provider, 1), 'getGameConfiguration'));
      const exchange = mustAccept(await configuration(provider, multiplier), 'getGameConfiguration');
      const many = configIn(exchange);
      for (const name of ['stakes', ...LIMITS]) {
        const expected = asArray([once[name]].flat()).map((one) => Number(one) * multiplier);
        const came = asArray([many[name]].flat()).map(Number);
        if (once[name] !== undefined && String(expected) !== String(came))
          throw new Broken(
            `with multiplier ${multiplier} config.${name} is ${came.join(', ')} instead of ${expected.join(', ')}`,
            exchange,
          );
      }
    },
  },
];

type Send = (provider: TestedProvider, wrong?: Wrong) => Promise<Exchange>;

const SIGNED_CALLS: Readonly<Record<string, Send>> = {
  getGameConfiguration: (provider, wrong) => provider.getGameConfiguration(1, wrong),
  getGameResult: (provider, wrong) => provider.getGameResult(roundOf(provider), wrong),
  doGetGameHistory: (provider, wrong) => provider.doGetGameHistory(roundOf(provider), wrong),
};

const AUTHENTICATION: ProviderRule[] = [
  {
    name: 'signature',
    anchor: 'README.md#signature-refused',
    text: 'A signed callback with a wrong or missing signature gets 401.',
    check: (provider) =>
      eachIsRefused(provider, {
        'with another secret': { secret: 'not-the-secret' },
        'over other fields': { fields: [randomUUID()] },
        'without a signature': { headers: { [HEADERS.signature]: undefined } },
        ...ALTERED_SIGNATURES,
      }),
  },
  {
    name: 'provider-id',
    anchor: 'README.md#signature-refused',
    text: 'A signed callback whose X-H-AUTH-ID is not the provider gets 401.',
    check: (provider) =>
      eachIsRefused(provider, { 'with another id': { authId: `unknown-${randomUUID()}` } }),
  },
  {
    name: 'timestamp',
    anchor: 'README.md#timestamps',
    text: 'A signed callback whose X-H-TIMESTAMP differs from the clock by more than the tolerance gets 401.',
    check: async (provider) => {
      const { timestampToleranceMs } = provider.settings;
      if (timestampToleranceMs === 0) skip('the provider does not check it (--timestamp-tolerance 0)');
      const off = timestampToleranceMs + 60_000;
      const at = (ms: number): Wrong => ({ timestamp: new Date(Date.now() + ms).toISOString() });
      await eachIsRefused(provider, { 'too late': at(-off), 'too early': at(off) });
    },
  },
];

const ROUNDS: ProviderRule[] = [
  {
    name: 'result',
    anchor: 'provider-callbacks.md#get-game-result',
    text: 'getGameResult of a closed round returns a JSON object.',
    check: async (provider) => {
      const { closedRound } = provider.settings;
      if (closedRound === undefined) return skip('--closed-round is not given');
      const exchange = offered(await provider.getGameResult(closedRound), 'getGameResult');
      mustAccept(exchange, 'getGameResult');
      if (exchange.reply?.json === undefined) throw new Broken('the result is no JSON object', exchange);
    },
  },
  {
    name: 'history',
    anchor: 'provider-callbacks.md#do-get-game-history',
    text: 'doGetGameHistory of a closed round returns a JSON object of strings.',
    check: async (provider) => {
      const { closedRound } = provider.settings;
      if (closedRound === undefined) return skip('--closed-round is not given');
      const exchange = offered(await provider.doGetGameHistory(closedRound), 'doGetGameHistory');
      mustAccept(exchange, 'doGetGameHistory');
      const entries = Object.entries(exchange.reply?.json ?? {});
      const isStrings =
        exchange.reply?.json !== undefined && entries.every(([, value]) => typeof value === 'string');
      if (!isStrings) throw new Broken('the history is no object of strings', exchange);
    },
  },
];

const AUTO_CLOSE: ProviderRule[] = [
  {
    name: 'auto-close-unknown-round',
    anchor: 'provider-callbacks.md#do-auto-close',
    text: 'doAutoClose is answered with 200 only if the round was closed, so not for a round that does not exist.',
    check: async (provider) => {
      const exchange = await provider.doAutoClose(randomUUID());
      const { reply } = mustReply(exchange, 'doAutoClose of an unknown round');
      if (reply.status === 200)
        throw new Broken('doAutoClose of an unknown round was answered with 200', exchange);
    },
  },
  {
    name: 'auto-close-provider-id',
    anchor: 'provider-callbacks.md#do-auto-close',
    text: 'doAutoClose is not signed. The provider recognises the service by X-H-AUTH-ID: with another id it refuses the call.',
    check: async (provider) => {
      const round = provider.settings.openRound ?? randomUUID();
      const exchange = await provider.doAutoClose(round, { authId: `unknown-${randomUUID()}` });
      const { reply } = mustReply(exchange, 'doAutoClose with another X-H-AUTH-ID');
      const isRefused = reply.status >= 400 && reply.status < 500;
      if (!isRefused)
        throw new Broken(`doAutoClose with another X-H-AUTH-ID was answered with ${reply.status}`, exchange);
    },
  },
  {
    name: 'auto-close',
    anchor: 'gameround.md#auto-close',
    text: 'doAutoClose of an open round: the game ends the round at the service and answers 200.',
    check: async (provider) => {
      const { openRound, serviceUrl } = provider.settings;
      if (openRound === undefined || serviceUrl === undefined)
        return skip('--open-round and --service-url are not given');
      const before = await provider.statusOf(openRound);
      if (before !== 'open') skip(`the service says that the round ${openRound} is ${before ?? 'unknown'}`);
      const exchange = await provider.doAutoClose(openRound);
      mustHaveStatus(exchange, 'doAutoClose of an open round', 200);
      const after = await provider.statusOf(openRound);
      if (after !== 'closed')
        throw new Broken(
          `doAutoClose was answered with 200, but the round is ${after ?? 'unknown'}`,
          exchange,
        );
    },
  },
];

export const PROVIDER_RULES: readonly ProviderRule[] = [
  ...AUTHENTICATION,
  ...CONFIGURATION,
  ...ROUNDS,
  ...AUTO_CLOSE,
];

/** The body of a reply to doAutoClose is free. */
export const PROVIDER_REPLY_RULES: readonly ReplyRule[] = ANY_REPLY_RULES.map((rule) =>
  rule.name === 'not-json'
    ? {
        ...rule,
        fault: (exchange) => (exchange.url.endsWith('/doAutoClose') ? undefined : rule.fault(exchange)),
      }
    : rule,
);

/** A round for a call with a wrong signature. It need not exist. */
const roundOf = ({ settings }: TestedProvider): string => settings.closedRound ?? randomUUID();

async function eachIsRefused(provider: TestedProvider, cases: Record<string, Wrong>): Promise<void> {
  const exchanges: Exchange[] = [];
  for (const [name, send] of Object.entries(SIGNED_CALLS)) {
    for (const [how, wrong] of Object.entries(cases)) {
      const exchange = await send(provider, wrong);
      if (isMissing(exchange)) continue;
      mustHaveStatus(exchange, `${name} ${how}`, 401);
      exchanges.push(exchange);
    }
  }
  if (exchanges.length === 0) skip('the provider has no signed callback');
}

function offered(exchange: Exchange, name: string): Exchange {
  if (isMissing(exchange)) skip(`the provider has no ${name}: it answers with ${exchange.reply?.status}`);
  return exchange;
}

async function configuration(provider: TestedProvider, multiplier: number): Promise<Exchange> {
  return offered(await provider.getGameConfiguration(multiplier), 'getGameConfiguration');
}

function configIn(exchange: Exchange): Json {
  const config = exchange.reply?.json?.['config'];
  if (!isObject(config)) throw new Broken('the reply has no config', exchange);
  return config;
}

const LIMITS = ['maxStake', 'minStake', 'maxPackageStake'];
const MANDATORY = ['expectedRtp', 'maxPayoutOdds'];
const OPTIONAL = [
  ...['oneHundredXOdds', 'maxWinOdds', 'maxPayout', 'maxExposure', 'calculatedMaxExposure', 'winlineCount'],
  ...LIMITS,
];
const KNOWN = ['stakes', 'currency', 'currencyMultiplier', ...MANDATORY, ...OPTIONAL];

function sameOrFault(name: string, came: unknown, expected: unknown): string | undefined {
  return came === expected
    ? undefined
    : `${name} is ${JSON.stringify(came)} instead of ${JSON.stringify(expected)}`;
}

function faultOfConfig(config: Json): string | undefined {
  const stakes = asArray(config['stakes']);
  const isLadder = stakes.length > 0 && stakes.every((one) => Number.isSafeInteger(one) && Number(one) > 0);
  if (!isLadder) return 'config.stakes is no list of integers from 1';
  const isNumber = (name: string): boolean => Number.isFinite(config[name]) && Number(config[name]) >= 0;
  const wrong =
    MANDATORY.find((name) => !isNumber(name)) ??
    OPTIONAL.find((name) => config[name] !== undefined && !isNumber(name));
  if (wrong !== undefined) return `config.${wrong} is no number from 0`;
  const other = Object.keys(config).find((name) => !KNOWN.includes(name) && typeof config[name] !== 'string');
  return other === undefined ? undefined : `config.${other} is no string`;
}
