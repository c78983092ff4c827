/** Data of one request that a client sent or a wallet received. */
export interface DebugEntry {
  method: string;
  url: string;
  /** The signed message, with `<secret>` in place of the secret. Empty if it could not be made. */
  signed: string;
  /** The HTTP status; undefined without a complete reply. */
  status: number | undefined;
  /** The JSON body of the reply; undefined if there is none. */
  reply: unknown;
  durationMs: number;
}

export interface DebugOptions {
  /** Called after each request. The signed message contains tokens and player ids: do not log it in production. */
  debug?: ((entry: DebugEntry) => void) | undefined;
}

export const SECRET_SHOWN = '<secret>';

/** Calls the debug function. Its errors are ignored, so that they don't affect the request. */
export function tell({ debug }: DebugOptions, begun: number, entry: Omit<DebugEntry, 'durationMs'>): void {
  try {
    debug?.({ ...entry, durationMs: Math.round(performance.now() - begun) });
  } catch {
    // Ignored, see above.
  }
}
