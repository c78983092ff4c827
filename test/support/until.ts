/** Looks again and again until it finds what is expected. Rejects with what it saw last. */
export async function until<T>(
  look: () => Promise<T>,
  found: (seen: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (found(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms, last: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
