/* Names and types of docs/interface#game-settings, copied by hand, to be independent of the product's list. */

export const BOOLEANS = [
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
];

export const NUMBERS = [
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
];

export const STRINGS = [
  'historyURL',
  'homeURL',
  'loadMsg',
  'topupURL',
  'redirectTarget',
  'lossLimitURL',
  'jurisdiction',
  'launcherType',
  'currencyToDisplay',
];

export const NUMBER_ARRAYS = ['customStakes'];
export const STRING_ARRAYS = ['doNotStoreSettings', 'displayWinOdds'];

/** A value for every setting, different from its default. Settings with a URL get a URL. */
export function everySetting(): Record<string, unknown> {
  const of = (names: readonly string[], value: (name: string, index: number) => unknown) =>
    Object.fromEntries(names.map((name, index) => [name, value(name, index)]));
  return {
    ...of(BOOLEANS, () => true),
    ...of(NUMBERS, (_name, index) => index + 1),
    ...of(STRINGS, (name) => (name.endsWith('URL') ? `https://casino.example/${name}` : `a ${name}`)),
    ...of(NUMBER_ARRAYS, () => [5, 10]),
    ...of(STRING_ARRAYS, (name) => [name]),
  };
}
