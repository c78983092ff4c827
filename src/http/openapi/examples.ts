import recorded from './examples.json';
import type { JsonSchema } from './schemas';

/** An exchange with a real service, recorded by test/e2e/api-examples.test.ts. */
export interface Exchange {
  title: string;
  /** The body of a POST, the query of a GET. */
  request: Readonly<Record<string, unknown>>;
  status: number;
  reply: unknown;
}

/** By `POST /startGameRound`; for the service's own calls by `doTransactions`. */
const EXCHANGES: Readonly<Record<string, readonly Exchange[]>> = recorded;

export function exchangesOf(call: string): readonly Exchange[] {
  return EXCHANGES[call] ?? [];
}

/** Bodies of requests that were carried out, as the `examples` of a media type. */
export function requestExamples(call: string): JsonSchema {
  return named(
    exchangesOf(call).filter(({ status }) => status === 200),
    ({ request }) => request,
  );
}

export function replyExamples(call: string, isStatus: (status: number) => boolean): JsonSchema {
  return named(
    exchangesOf(call).filter(({ status }) => isStatus(status)),
    ({ reply }) => reply,
  );
}

function named(exchanges: readonly Exchange[], valueOf: (exchange: Exchange) => unknown): JsonSchema {
  return Object.fromEntries(
    exchanges.map((exchange) => [
      exchange.title.replace(/\W+/g, '-'),
      { summary: exchange.title, value: valueOf(exchange) },
    ]),
  );
}
