import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Router from '@koa/router';
import type { CallState, Context, RouteContext } from '../route-context';
import { openApiDocument } from '../openapi/document';
import * as operations from '../operations/player-and-service';

const PACKAGE = dirname(require.resolve('swagger-ui-dist/package.json'));

/** The files of the page. All come from this server, none from another origin. */
const FILES: Readonly<Record<string, { type: string; read: () => Promise<Buffer | string> }>> = {
  'docs.js': { type: 'js', read: () => Promise.resolve(SCRIPT) },
  'swagger-ui.css': { type: 'css', read: once('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', read: once('swagger-ui-bundle.js') },
};

/** Reads a file once. All responses share one copy, so that many slow readers need no additional memory. */
function once(name: string): () => Promise<Buffer> {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readFile(join(PACKAGE, name)).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Allows what Swagger UI needs: inline styles, icons as data URLs, and the document from this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** GET /openapi.json and the page that shows it, GET /docs (docs/interface#documentation). */
export function documentationRoutes({ deps }: RouteContext, router: Router<CallState>): void {
  const document = JSON.stringify(openApiDocument(deps.baseUrl));

  router.get(operations.openapi.path, (ctx) => {
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.type = 'json';
    ctx.body = document;
  });

  router.get(operations.docs.path, (ctx) => {
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    ctx.type = 'html';
    ctx.body = PAGE;
  });

  router.get(operations.docsFile.path, async (ctx: Context) => {
    const { file = '' } = ctx.params as { file?: string };
    const found = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
    // Without a body, the error middleware replies 404.
    if (found === undefined) return;
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = found.type;
    ctx.body = await found.read();
  });
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>gameround: the interface</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <style>.swagger-ui .auth-wrapper, .swagger-ui .authorization__btn { display: none }</style>
  </head>
  <body>
    <div id="docs"><noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/docs.js"></script>
  </body>
</html>
`;

/** No "Try it out": calls are signed with secrets, which must not be in a browser. */
const SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  showExtensions: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
`;
