import { timesMultiplier } from './money';

/**
 * Settings of the game in the player's browser (docs/interface#game-settings). The game knows what they mean. This file decides
 * where each value comes from, and multiplies the amounts exactly once.
 */
export const BOOLEAN_SETTINGS = [
  'autoplayEnabled',
  'autoplayLossLimitRequired',
  'displayCoins',
  'displayJackpotOdds',
  'displayRTP',
  'displayXRTP',
  'gambleEnabled',
  'multipleInstancesAllowed',
  'rcDisplayWinLoss',
  'rcEnabled',
  'stopEnabled',
  'turboEnabled',
  'homeEnabled',
  'dynamicMinSpinTime',
  'packageBuyEnabled',
  'operatorHandlesErrors',
  'displayClock',
  'isSocial',
  'displayCurrency',
  'partialCollectEnabled',
  'hideCompanyLogo',
  'abbreviateAmounts',
  'showExactRTP',
  'forceDefaultStake',
  'disableFullScreenMobile',
  'displayPaytableOnEnterGame',
  'displayNetPosition',
  'hideDemoBalance',
  'preventRedirect',
  'refreshDisabled',
  'displaySessionTimer',
  'skipWinsEqualToOrLessThanStake',
  'reportAnimationEnd',
  'autoplayShowTotalStake',
  'translateErrors',
] as const;

/** Base values in minor units. The game gets them times the currency multiplier (docs/interface#multiplier-once). */
export const MONEY_SETTINGS = ['maxStake', 'maxPackageStake', 'minStake'] as const;

export const NUMBER_SETTINGS = [
  'forceOrientation',
  'maxExposure',
  'maxStake',
  'maxPackageStake',
  'minStake',
  'minLoadTime',
  'minSpinTime',
  'rcInterval',
  'defaultStakeIndex',
  'sessionTimeoutInSeconds',
] as const;

/** Links that the player's browser opens: http and https only. */
export const LINK_SETTINGS = ['historyURL', 'homeURL', 'topupURL', 'lossLimitURL'] as const;

export const STRING_SETTINGS = [
  ...LINK_SETTINGS,
  'loadMsg',
  'redirectTarget',
  'jurisdiction',
  'launcherType',
  'currencyToDisplay',
] as const;

export const NUMBER_LIST_SETTINGS = ['customStakes'] as const;
export const STRING_LIST_SETTINGS = ['doNotStoreSettings', 'displayWinOdds'] as const;

type Named<Names extends readonly string[], Value> = Record<Names[number], Value>;

export type GameSettings = Named<typeof BOOLEAN_SETTINGS, boolean> &
  Named<typeof NUMBER_SETTINGS, number> &
  Named<typeof STRING_SETTINGS, string> &
  Named<typeof NUMBER_LIST_SETTINGS, number[]> &
  Named<typeof STRING_LIST_SETTINGS, string[]>;

/** The settings that one layer sets. */
export type SomeGameSettings = Partial<GameSettings>;

/**
 * Returns all settings. A later layer overrides an earlier one: operator, profiles, options of the launch. A setting that
 * no layer sets is false, 0, '' or [], so that nothing is switched on or limited by default.
 */
export function gameSettingsOf(
  layers: readonly SomeGameSettings[],
  currencyMultiplier: number,
): GameSettings {
  const settings = Object.assign(defaults(), ...layers) as GameSettings;
  for (const name of MONEY_SETTINGS) {
    settings[name] = timesMultiplier(settings[name], currencyMultiplier, name === 'minStake' ? 'up' : 'down');
  }
  return settings;
}

function defaults(): GameSettings {
  const all = <Names extends readonly string[], Value>(names: Names, value: () => Value): [string, Value][] =>
    names.map((name) => [name, value()]);
  return Object.fromEntries<unknown>([
    ...all(BOOLEAN_SETTINGS, () => false),
    ...all(NUMBER_SETTINGS, () => 0),
    ...all(STRING_SETTINGS, () => ''),
    ...all(NUMBER_LIST_SETTINGS, () => []),
    ...all(STRING_LIST_SETTINGS, () => []),
  ]) as GameSettings;
}
