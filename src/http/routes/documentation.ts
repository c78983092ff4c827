import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Router from '@koa/router';
import type { CallState, Context, RouteContext } from '../route-context';
import { openApiDocument } from '../openapi/document';
import * as operations from '../operations/player-and-service';

const PACKAGE = dirname(require.resolve('swagger-ui-dist/package.json'));
const OWN = join(__dirname, '..', 'page');

/** The files of the page. All come from this server, none from another origin. */
const FILES: Readonly<Record<string, { type: string; read: () => Promise<Buffer> }>> = {
  'docs.js': { type: 'js', read: once(OWN, 'docs.js') },
  'docs.css': { type: 'css', read: once(OWN, 'docs.css') },
  'swagger-ui.css': { type: 'css', read: once(PACKAGE, 'swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', read: once(PACKAGE, 'swagger-ui-bundle.js') },
};

/** Reads a file once. All responses share one copy, so that many slow readers need no additional memory. */
function once(folder: string, name: string): () => Promise<Buffer> {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readFile(join(folder, name)).catch((error: unknown) => {
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

/**
 * GET /openapi.json and the page that shows it, GET /docs (docs/interface#documentation). Only the page of a sandbox gets
 * secrets, and sends calls.
 */
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
    ctx.body = page(deps.sandbox !== undefined);
  });

  router.get(operations.docsFile.path, async (ctx: Context) => {
    const { file = '' } = ctx.params as { file?: string };
    if (file === 'sandbox.json' && deps.sandbox !== undefined) {
      ctx.body = deps.sandbox;
      return;
    }
    const found = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
    // Without a body, the error middleware replies 404.
    if (found === undefined) return;
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = found.type;
    ctx.body = await found.read();
  });
}

const SANDBOX = `
        <div id="sandbox">
          <p>Sandbox: “Execute” sends calls that this page signs. <code>{{token}}</code> and <code>{{gameRound}}</code> stand for the newest ones.</p>
          <button type="button">New session</button>
          <code id="session"></code>
        </div>`;

/** A sandbox with tenants of the reader's own has no secrets for the page either. */
const UNSIGNED = `
        <p id="unsigned">This page sends no calls. With the tenants of the sandbox (npm start without TENANTS_FILE) it signs and sends them.</p>`;

function page(isSandbox: boolean): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>gameround: the interface</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/docs.css">
  </head>
  <body>
    <div id="page">
      <nav id="calls"><details><summary>gameround</summary></details></nav>
      <main id="content">${isSandbox ? SANDBOX : UNSIGNED}
        <div id="docs"><noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></div>
      </main>
    </div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/docs.js"></script>
  </body>
</html>
`;
}
