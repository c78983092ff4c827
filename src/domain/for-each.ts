/** Items that are in progress at the same time, since each waits for a server. */
const AT_A_TIME = 8;

/** Runs for each item, for some of them at the same time. */
export async function forEach<T>(items: AsyncIterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      await run(next.value);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
