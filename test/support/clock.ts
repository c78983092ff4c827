/**
 * Replaces `Date.now` until `jest.restoreAllMocks()`. Call it before you create the tested object, which may store the
 * function. `setBack` sets the machine's clock back by an hour.
 */
export function machineClock(): { setBack(): void } {
  const rightNow = Date.now;
  let behindMs = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => rightNow() - behindMs);
  return { setBack: () => void (behindMs = 3_600_000) };
}
