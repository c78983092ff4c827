import { type Command, numberIn, optional, required, urlIn } from '../command';
import { complaint } from '../exchange';
import { Unusable } from '../rule';
import { runRules } from '../run';
import { PROVIDER_REPLY_RULES, PROVIDER_RULES } from './rules';
import { TestedProvider } from './tested-provider';

export const PROVIDER_COMMAND: Command = {
  usage: `provider: tests the callbacks of a game provider

  --game-url URL             where the callbacks are: URL/getGameConfiguration, URL/doAutoClose
  --provider-id ID           the X-H-AUTH-ID of the calls
  --secret SECRET            the secret of the provider; better in $GAMEROUND_SECRET
  --game CODE                a game code of the provider
  --currency CODE            the currency to ask for (EUR)
  --multiplier NUMBER        a currency multiplier to compare with 1 (100)
  --player ID                the player of the closed round
  --closed-round HASH        a closed round, for getGameResult and doGetGameHistory
  --open-round HASH          an open round, for doAutoClose; it is closed
  --service-url URL          the service that the game calls; it says whether the round is closed
  --timeout SECONDS          how long a reply may take, and doAutoClose three times as long (10)
  --timestamp-tolerance S    the agreed tolerance of X-H-TIMESTAMP in seconds; 0: not checked (300)`,
  options: {
    ...{ 'game-url': undefined, 'provider-id': undefined, game: undefined, player: 'conformance' },
    ...{ currency: 'EUR', multiplier: '100', timeout: '10', 'timestamp-tolerance': '300' },
    ...{ 'closed-round': undefined, 'open-round': undefined, 'service-url': undefined },
  },
  flags: [],
  rules: [...PROVIDER_RULES, ...PROVIDER_REPLY_RULES],
  test: async (values, selection, listener) => {
    const settings = {
      url: urlIn(values, 'game-url'),
      authId: required(values, 'provider-id'),
      secret: required(values, 'secret'),
      gameCode: required(values, 'game'),
      currency: required(values, 'currency'),
      multiplier: numberIn(values, 'multiplier', 2),
      playerId: required(values, 'player'),
      closedRound: optional(values, 'closed-round'),
      openRound: optional(values, 'open-round'),
      serviceUrl: optional(values, 'service-url') && urlIn(values, 'service-url'),
      timeoutMs: numberIn(values, 'timeout', 1) * 1_000,
      timestampToleranceMs: numberIn(values, 'timestamp-tolerance', 0) * 1_000,
    };
    const at = new Date().toISOString();
    const first = await new TestedProvider(settings).getGameConfiguration(1);
    if (first.reply === undefined || first.reply.status === 401)
      throw new Unusable(`getGameConfiguration: ${complaint(first)}\nCheck URL, provider id and secret.`);
    const provider = new TestedProvider(settings);
    const title = `Callbacks of ${settings.authId} at ${settings.url}`;
    listener.begin(`${title}\n`);
    const results = await runRules(
      provider,
      PROVIDER_RULES,
      PROVIDER_REPLY_RULES,
      selection,
      listener.result,
    );
    return { title, at, results, notes: [] };
  },
};
