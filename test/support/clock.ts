/**
 * Takes over `Date.now`, until `jest.restoreAllMocks()`. To be called before what is tested is made, which may keep
 * the function. Answers how to set the machine's clock back by an hour.
 */
export function machineClock(): { setBack(): void } {
  const rightNow = Date.now;
  let behindMs = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => rightNow() - behindMs);
  return { setBack: () => void (behindMs = 3_600_000) };
}
