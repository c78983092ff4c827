import type { ReplyRule } from './rule';

/** Rules for the replies of wallets and providers. */
export const ANY_REPLY_RULES: readonly ReplyRule[] = [
  {
    name: 'no-reply',
    anchor: 'errors-and-limits.md#reply-size',
    text: 'Each call is answered in time.',
    fault: ({ failure }) => failure || undefined,
  },
  {
    name: 'not-json',
    anchor: 'README.md#json-bodies',
    text: 'The body of a 200 is a JSON object.',
    fault: ({ reply }) =>
      reply?.status === 200 && reply.json === undefined ? 'a 200 has no JSON object' : undefined,
  },
  {
    name: 'wrong-status',
    anchor: 'gameround.md#unknown',
    text: 'The status is 200, 4xx or 5xx: no other 2xx and no redirect.',
    fault: ({ reply }) =>
      reply !== undefined && reply.status !== 200 && reply.status < 400
        ? `the status is ${reply.status}`
        : undefined,
  },
];
