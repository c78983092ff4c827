import * as requests from '../schemas/operator';
import * as replies from '../schemas/operator-replies';
import { z } from 'zod';
import { token } from '../schemas/fields';
import { operation } from './operation';

/* Calls of players' pages (docs/interface/sessions.md), and of those who run or read about the service. */

const byToken = z.object({
  token: token.meta({ description: 'A launch token (connect) or a session’s token.' }),
});

export const connect = operation({
  ...({ method: 'get', path: '/connect', caller: 'player' } as const),
  summary: 'Spends a launch token for a session',
  description:
    'The `login` link of a launch URL. Of many at once one succeeds; when the operator or the game has no answer the ' +
    'token may be tried again. HEAD is refused.',
  request: byToken,
  replies: { 200: replies.connectReply },
  errors: ['LAUNCHURLSPENT', 'WALLETUNAVAILABLE', 'GAMEPROVIDERUNAVAILABLE'],
});

export const refresh = operation({
  ...({ method: 'get', path: '/refresh', caller: 'player' } as const),
  summary: 'Renews a session’s hour; the token stays',
  request: byToken,
  replies: { 200: replies.refreshReply },
  errors: ['TOKENEXPIRED', 'LAUNCHURLSPENT'],
});

export const logout = operation({
  ...({ method: 'get', path: '/logout', caller: 'player' } as const),
  summary: 'Ends a session for everything new',
  request: byToken,
  replies: { 200: replies.emptyReply },
  errors: ['LAUNCHURLSPENT'],
});

const nothing = { method: 'get', caller: 'anyone', request: requests.noFields, errors: [] } as const;

export const healthLive = operation({
  ...{ ...nothing, path: '/health/live', summary: 'Whether the process runs' },
  replies: { 200: replies.liveReply },
});

export const healthReady = operation({
  ...{ ...nothing, path: '/health/ready', summary: 'Whether calls should be sent here, and what is missing' },
  replies: { 200: replies.readyReply, 503: replies.readyReply },
});

export const openapi = operation({
  ...{ ...nothing, path: '/openapi.json', summary: 'This document' },
  replies: { 200: z.looseObject({ openapi: z.string() }) },
});

export const docs = operation({
  ...{ ...nothing, path: '/docs', summary: 'This document, to be read' },
  replies: { 200: { mediaType: 'text/html' } },
});

export const docsFile = operation({
  ...{ ...nothing, path: '/docs/:file', summary: 'What the page of /docs is made of' },
  request: z.object({ file: z.enum(['docs.js', 'swagger-ui.css', 'swagger-ui-bundle.js']) }),
  replies: { 200: { mediaType: '*/*' } },
  errors: ['NOTFOUND'],
});
