import { type DebugOptions, tell } from './debug';
import type { RoundInfoReply } from './types';

/** One HTTP request with limits in time and size. It follows no redirects, since a signed call is for one receiver only. */
export interface Exchange extends DebugOptions {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
  /** The signed message, for `debug`. */
  signed?: string;
}

export interface WireReply {
  status: number;
  /** The JSON body; undefined if the reply is no JSON. */
  body: unknown;
  headers: Headers;
}

const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** Errors before the request could be sent: the call certainly had no effect. */
const NEVER_SENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Data about a command whose outcome is unknown. */
export interface KnownOfCommand {
  /** The idempotency keys of the command, including those that the client made. */
  ids: Record<string, string>;
  /** The last reply of getGameRoundInfo. */
  round: RoundInfoReply | undefined;
  /** What the game should do. */
  advice: string;
}

/** There is no definite answer. Unless `neverSent` is true, the call may have been carried out. */
export class LostResponse extends Error {
  override readonly name = 'LostResponse';
  readonly ids: Record<string, string>;
  readonly round: RoundInfoReply | undefined;

  constructor(
    readonly operation: string,
    readonly neverSent: boolean,
    override readonly cause: unknown,
    known?: KnownOfCommand,
  ) {
    const what = neverSent ? 'not sent' : 'no reply';
    super(`${operation}: ${known === undefined ? what : `the outcome is not known. ${known.advice}`}`);
    this.ids = known?.ids ?? {};
    this.round = known?.round;
  }
}

/** @throws LostResponse */
export async function exchange(asked: Exchange): Promise<WireReply> {
  const { method, url, headers, body, timeoutMs, signed = '' } = asked;
  const begun = performance.now();
  let status: number | undefined;
  let reply: unknown;
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    });
    const text = await readText(response);
    status = response.status;
    reply = parse(text);
    return { status, body: reply, headers: response.headers };
  } catch (error) {
    throw new LostResponse(new URL(url).pathname, isNeverSent(error), error);
  } finally {
    tell(asked, begun, { method, url, signed, status, reply });
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    const part = chunk as Uint8Array;
    bytes += part.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error('reply too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isNeverSent(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: unknown };
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === 'string' && NEVER_SENT.includes(code);
}
