import { type DebugOptions, tell } from './debug';
import type { RoundInfoReply } from './types';

/** One HTTP exchange, bounded in time and size. It follows no redirect: a signed call has one addressee. */
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
  /** Undefined where the reply was no JSON. */
  body: unknown;
  headers: Headers;
}

const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** Failures before the request could have left: what was asked for has certainly not happened. */
const NEVER_SENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** What is known of a command whose outcome is not. */
export interface KnownOfCommand {
  /** The ids under which it was sent, those that the client made included. */
  ids: Record<string, string>;
  /** What getGameRoundInfo said last. */
  round: RoundInfoReply | undefined;
  /** What the game should do. */
  advice: string;
}

/** No definite answer came. Unless `neverSent`, the call may have been carried out all the same. */
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
    return { status, body: parse(text), headers: response.headers };
  } catch (error) {
    throw new LostResponse(new URL(url).pathname, isNeverSent(error), error);
  } finally {
    tell(asked, begun, { method, url, signed, status });
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
