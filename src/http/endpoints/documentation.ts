import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { FOR_ANYONE, type Endpoint } from '../endpoint';
import type { Context } from '../route-context';

/* The OpenAPI document and the page that shows it (docs/interface#documentation). Only the page of a sandbox gets secrets, and sends calls. */

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

export const openapi: Endpoint = {
  ...{ ...FOR_ANYONE, path: '/openapi.json', summary: 'Returns this document' },
  replies: { 200: z.looseObject({ openapi: z.string() }) },
  register: ({ openApiDocument }, router) =>
    router.get(openapi.path, (ctx) => {
      ctx.set('Access-Control-Allow-Origin', '*');
      ctx.type = 'json';
      ctx.body = openApiDocument;
    }),
};

export const docs: Endpoint = {
  ...{ ...FOR_ANYONE, path: '/docs', summary: 'Shows this document as a page' },
  replies: { 200: { mediaType: 'text/html' } },
  register: ({ deps }, router) =>
    router.get(docs.path, (ctx) => {
      ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      ctx.type = 'html';
      ctx.body = page(deps.sandbox !== undefined);
    }),
};

export const docsFile: Endpoint = {
  ...{ ...FOR_ANYONE, path: '/docs/:file', summary: 'Returns a file of the page /docs' },
  request: z.object({ file: z.enum(['docs.js', 'docs.css', 'swagger-ui.css', 'swagger-ui-bundle.js']) }),
  replies: { 200: { mediaType: '*/*' } },
  errors: ['NOTFOUND'],
  register: ({ deps }, router) =>
    router.get(docsFile.path, async (ctx: Context) => {
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
    }),
};

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
