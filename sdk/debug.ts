/** What happened to one request: sent by a client, or received by a wallet. */
export interface DebugEntry {
  method: string;
  url: string;
  /** The message that was signed, with `<secret>` in place of the secret; empty where it could not be made. */
  signed: string;
  /** Undefined where no (whole) reply came. */
  status: number | undefined;
  durationMs: number;
}

export interface DebugOptions {
  /** Is told of each request. The signed message has tokens and ids of players: not for logs in production. */
  debug?: ((entry: DebugEntry) => void) | undefined;
}

export const SECRET_SHOWN = '<secret>';

/** A debug function that fails changes nothing about the call. */
export function tell({ debug }: DebugOptions, begun: number, entry: Omit<DebugEntry, 'durationMs'>): void {
  try {
    debug?.({ ...entry, durationMs: Math.round(performance.now() - begun) });
  } catch {
    // The call counts.
  }
}
