export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Some transactions of a call get an error. The others, also those after a failed one, get their real result. */
export interface Refusing {
  /** The type of transactions that get the error. Undefined: all types. */
  type: string | undefined;
  /** Whether these transactions are processed although they get an error. */
  processed: boolean;
  errorCode: { id: number; msg: string; clientmsg: string };
  /** HTTP status of the reply. */
  status: number;
}

/** Processes the call each time it is invoked, and returns the real answer. */
export type ProcessCall = (refusing?: Refusing) => Promise<Reply>;
