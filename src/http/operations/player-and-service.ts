import * as requests from '../schemas/operator';
import * as replies from '../schemas/operator-replies';
import { z } from 'zod';
import { token } from '../schemas/fields';
import { operation } from './operation';

/* Calls of players' pages (docs/interface/sessions.md), health checks and documentation. */

const byToken = z.object({
  token: token.meta({ description: 'A launch token (connect) or a session’s token.' }),
});

export const connect = operation({
  ...({ method: 'get', path: '/connect', caller: 'player' } as const),
  summary: 'Starts a session and uses up the launch token',
  description:
    'A launch URL carries this address as `login`. Of several connects at the same time one succeeds. If the operator or ' +
    'the game does not respond, the same token can be used again. HEAD is refused.',
  request: byToken,
  replies: { 200: replies.connectReply },
  errors: ['LAUNCHURLSPENT', 'WALLETUNAVAILABLE', 'GAMEPROVIDERUNAVAILABLE'],
});

export const refresh = operation({
  ...({ method: 'get', path: '/refresh', caller: 'player' } as const),
  summary: 'Extends a session by one hour; the token stays the same',
  request: byToken,
  replies: { 200: replies.refreshReply },
  errors: ['TOKENEXPIRED', 'LAUNCHURLSPENT'],
});

export const logout = operation({
  ...({ method: 'get', path: '/logout', caller: 'player' } as const),
  summary: 'Logs out; open rounds can still be finished',
  request: byToken,
  replies: { 200: replies.emptyReply },
  errors: ['LAUNCHURLSPENT'],
});

const nothing = { method: 'get', caller: 'anyone', request: requests.noFields, errors: [] } as const;

export const healthLive = operation({
  ...{ ...nothing, path: '/health/live', summary: 'Returns 200 if the process runs' },
  replies: { 200: replies.liveReply },
});

export const healthReady = operation({
  ...{
    ...nothing,
    path: '/health/ready',
    summary: 'Returns whether this process can take calls, and what is missing',
  },
  replies: { 200: replies.readyReply, 503: replies.readyReply },
});

export const openapi = operation({
  ...{ ...nothing, path: '/openapi.json', summary: 'Returns this document' },
  replies: { 200: z.looseObject({ openapi: z.string() }) },
});

export const docs = operation({
  ...{ ...nothing, path: '/docs', summary: 'Shows this document as a page' },
  replies: { 200: { mediaType: 'text/html' } },
});

export const docsFile = operation({
  ...{ ...nothing, path: '/docs/:file', summary: 'Returns a file of the page /docs' },
  request: z.object({ file: z.enum(['docs.js', 'docs.css', 'swagger-ui.css', 'swagger-ui-bundle.js']) }),
  replies: { 200: { mediaType: '*/*' } },
  errors: ['NOTFOUND'],
});
