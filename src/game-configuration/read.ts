import { z } from 'zod';
import { isAmount } from '../domain/money';

/**
 * docs/interface#game-configuration. Stakes and limits are in minor units of the player's currency. The game has already
 * applied the multiplier; nobody applies it again.
 */
export interface OperatorConfiguration {
  stakes: number[];
  currency: string;
  currencyMultiplier: number;
  expectedRtp: number;
  maxPayoutOdds: number;
  oneHundredXOdds?: number;
  maxWinOdds?: number;
  maxPayout?: number;
  maxExposure?: number;
  calculatedMaxExposure?: number;
  maxStake?: number;
  minStake?: number;
  maxPackageStake?: number;
  operator?: string;
  /** Free-form strings. */
  [additional: string]: unknown;
}

/** The provider's version, with `winlineCount`, which operators do not get. */
export interface GameConfiguration extends OperatorConfiguration {
  winlineCount?: number;
}

/** The query to the provider. The reply must be for the same values. */
export interface ConfigurationQuery {
  currency: string;
  currencyMultiplier: number;
  gameCode: string;
}

const MAX_STAKES = 1_000;
const MAX_ENTRIES = 200;
const MAX_NAME_CHARS = 128;
const MAX_TEXT_CHARS = 4_096;

const number = z
  .number({ error: 'must be a number' })
  .min(0, 'must not be negative')
  .refine(Number.isFinite, 'must be a number');
const AMOUNT = 'must be an integer from 0 in minor units';
const amount = z.number({ error: AMOUNT }).refine(isAmount, AMOUNT);
const STAKE = 'must be an integer from 1 in minor units';
const stake = z.number({ error: STAKE }).refine((value) => isAmount(value) && value > 0, STAKE);
const text = z
  .string({ error: 'must be a string' })
  .max(MAX_TEXT_CHARS, `must have at most ${MAX_TEXT_CHARS} characters`);

/** The fields of a configuration that operators get, too. */
export function configurationFields<
  Stakes extends z.ZodType,
  Text extends z.ZodType,
  Factor extends z.ZodType,
  Amount extends z.ZodType,
>({ stakes, text, number, amount }: { stakes: Stakes; text: Text; number: Factor; amount: Amount }) {
  return {
    stakes,
    currency: text,
    currencyMultiplier: number,
    expectedRtp: number,
    maxPayoutOdds: number,
    oneHundredXOdds: number.exactOptional(),
    maxWinOdds: number.exactOptional(),
    maxPayout: number.exactOptional(),
    maxExposure: number.exactOptional(),
    calculatedMaxExposure: number.exactOptional(),
    maxStake: amount.exactOptional(),
    minStake: amount.exactOptional(),
    maxPackageStake: amount.exactOptional(),
    operator: text.exactOptional(),
  };
}

const config = z
  .object(
    {
      ...configurationFields({
        stakes: z
          .array(stake, { error: 'must be an array of numbers' })
          .min(1, 'must not be empty')
          .max(MAX_STAKES, `must have at most ${MAX_STAKES} entries`),
        text,
        number,
        amount,
      }),
      winlineCount: number.exactOptional(),
    },
    { error: 'must be an object' },
  )
  .catchall(text)
  .refine(
    (entries) =>
      Object.keys(entries).length <= MAX_ENTRIES &&
      Object.keys(entries).every((name) => name.length <= MAX_NAME_CHARS),
    `must have at most ${MAX_ENTRIES} entries with names of at most ${MAX_NAME_CHARS} characters`,
  );

const reply = z.object({ config, gameCode: text }, { error: 'must be an object' });

/**
 * Reads the configuration in a provider's reply (docs/interface#get-game-configuration), or returns the fault: it names the
 * first wrong field, but not the value.
 */
export function readConfiguration(
  body: unknown,
  asked: ConfigurationQuery,
): { config: GameConfiguration } | { fault: string } {
  if (body === undefined) return { fault: 'the reply is no JSON' };
  const read = reply.safeParse(body);
  if (!read.success) return { fault: faultOf(body, read.error.issues[0]) };
  const { config, gameCode } = read.data;
  if (gameCode !== asked.gameCode) return { fault: 'gameCode is not the one that was asked for' };
  if (config.currency !== asked.currency)
    return { fault: 'config.currency is not the one that was asked for' };
  if (config.currencyMultiplier !== asked.currencyMultiplier) {
    return { fault: 'config.currencyMultiplier is not the one that was asked for' };
  }
  return { config };
}

function faultOf(body: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'the reply is malformed';
  const field = issue.path.map((part) => String(part).slice(0, MAX_NAME_CHARS)).join('.') || 'the reply';
  return `${printable(field)} ${isAbsent(body, issue.path) ? 'is missing' : issue.message}`;
}

/** Makes a name printable: the provider chose it, and it goes into an error message. */
function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?');
}

function isAbsent(body: unknown, path: readonly PropertyKey[]): boolean {
  let at: unknown = body;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return true;
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return false;
}
