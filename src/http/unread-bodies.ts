import { refuse } from '../domain/errors';

/**
 * Limits the request bodies being received from callers that are not authenticated yet. If there are too many, the party with
 * the most bodies loses its oldest one, so that slow bodies of one party do not block others.
 */
export class UnreadBodies {
  readonly #parties = new Map<string, Set<() => void>>();
  #count = 0;

  constructor(private readonly most: number) {}

  /** @throws errors of `read`; RefusedError 503 SERVICEUNAVAILABLE if this body is given up */
  async within<T>(party: string, read: () => Promise<T>): Promise<T> {
    if (this.#count >= this.most) this.#giveUpOne();
    let giveUp!: () => void;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(refuse('SERVICEUNAVAILABLE', 'too many request bodies are being received'));
    });
    const bodies = this.#parties.get(party) ?? new Set();
    this.#parties.set(party, bodies.add(giveUp));
    this.#count += 1;
    try {
      return await Promise.race([read(), givenUp]);
    } finally {
      this.#remove(party, giveUp);
    }
  }

  #giveUpOne(): void {
    let [largest, bodies] = ['', new Set<() => void>()];
    for (const [party, theirs] of this.#parties) {
      if (theirs.size > bodies.size) [largest, bodies] = [party, theirs];
    }
    const [oldest] = bodies;
    oldest!();
    this.#remove(largest, oldest!);
  }

  #remove(party: string, giveUp: () => void): void {
    const bodies = this.#parties.get(party);
    if (bodies?.delete(giveUp) !== true) return;
    this.#count -= 1;
    if (bodies.size === 0) this.#parties.delete(party);
  }
}
