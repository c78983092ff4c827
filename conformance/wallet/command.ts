import { type Command, numberIn, optional, required, urlIn } from '../command';
import type { Report } from '../report/report';
import { type Result, Unusable } from '../rule';
import { checkReplies, runRules } from '../run';
import { isDone, REPLY_RULES } from './reply-rules';
import { WALLET_RULES } from './rules';
import { signed, TestedWallet } from './tested-wallet';

export const WALLET_COMMAND: Command = {
  usage: `wallet: tests an operator's wallet against the rules of the operator API

  --operator-url URL         where the wallet is: URL/doTransactions, URL/getBalance
  --operator-id ID           the X-H-AUTH-ID of the calls
  --secret SECRET            the secret of the operator; better in $GAMEROUND_SECRET
  --second-secret SECRET     another secret that is valid now
  --player ID                a test player with money, with whom nobody else plays
  --game CODE                a game code that the wallet knows
  --currency CODE            a currency of the player (EUR)
  --stake AMOUNT             the amount of a debit, in minor units (10)
  --timeout SECONDS          how long a reply may take (5)
  --timestamp-tolerance S    the agreed tolerance of X-H-TIMESTAMP in seconds; 0: not checked (300)
  --voids-whole-round        a void of any debit voids the whole round`,
  options: {
    ...{
      'operator-url': undefined,
      'operator-id': undefined,
      'second-secret': undefined,
      player: undefined,
      game: undefined,
    },
    ...{ currency: 'EUR', stake: '10', timeout: '5', 'timestamp-tolerance': '300' },
  },
  flags: ['voids-whole-round'],
  rules: [...WALLET_RULES, ...REPLY_RULES],
  test: async (values, selection, listener) => {
    const settings = {
      url: urlIn(values, 'operator-url'),
      authId: required(values, 'operator-id'),
      secret: required(values, 'secret'),
      secondSecret: optional(values, 'second-secret'),
      playerId: required(values, 'player'),
      gameCode: required(values, 'game'),
      currency: required(values, 'currency'),
      stake: numberIn(values, 'stake', 1),
      timeoutMs: numberIn(values, 'timeout', 1) * 1_000,
      timestampToleranceMs: numberIn(values, 'timestamp-tolerance', 0) * 1_000,
      voidsWholeRound: values['voids-whole-round'] === true,
    };
    const { url, authId, playerId, currency } = settings;
    const at = new Date().toISOString();
    const title = `Wallet of ${authId} at ${url}`;
    const opened = await TestedWallet.open(settings).catch(brokenFirst);
    if (!(opened instanceof TestedWallet)) {
      listener.begin(`${title}\n`);
      for (const result of opened.results) listener.result(result);
      return { title, at, ...opened };
    }
    const wallet = opened;
    listener.begin(
      `${title}\nPlayer ${playerId} has ${wallet.balanceBefore} (minor units of ${currency}).\n`,
    );
    const results = await runRules(wallet, WALLET_RULES, REPLY_RULES, selection, listener.result);
    return { title, at, results, notes: [await moneyNote(wallet)] };
  },
};

/** The first getBalance got a 200 without a usable balance, so only the reply rules can be checked, for this reply. */
function brokenFirst(error: unknown): Pick<Report, 'results' | 'notes'> {
  if (!(error instanceof Unusable) || error.exchange === undefined || !isDone(error.exchange)) throw error;
  const { exchange, message } = error;
  const all: Result[] = REPLY_RULES.map((rule) => checkReplies([exchange], rule, false));
  const results = all.filter(({ outcome }) => outcome === 'broken');
  if (results.length === 0) throw error;
  return { results, notes: [`No other rule was checked: ${message}`] };
}

/** Restores the balance of the player. Returns a text about the money that was moved. */
async function moneyNote(wallet: TestedWallet): Promise<string> {
  const missing = await wallet.restoreBalance();
  const { rounds, debited, credited, voided } = wallet.sums;
  const { currency } = wallet.settings;
  const moved = `The wallet accepted ${rounds} rounds: debits of ${debited}, credits of ${credited}, voids of ${voided} (minor units of ${currency}).`;
  if (missing === undefined)
    return `${moved} The balance was ${wallet.balanceBefore}; it cannot be read now.`;
  return missing === 0
    ? `${moved} The balance is ${wallet.balanceBefore}, as before.`
    : `${moved} The balance is off by ${signed(-missing)}: it was ${wallet.balanceBefore}.`;
}
