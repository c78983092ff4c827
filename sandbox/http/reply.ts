export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Single transactions of a call are answered with an error, the rest of it honestly: what stands after a failed one, too. */
export interface Refusing {
  /** Undefined: all of them. */
  type: string | undefined;
  /** Whether they are processed all the same. */
  processed: boolean;
  errorCode: { id: number; msg: string; clientmsg: string };
  /** Of the whole reply. */
  status: number;
}

/** Processes the call, once per invocation, and says what the honest answer is. */
export type ProcessCall = (refusing?: Refusing) => Promise<Reply>;
