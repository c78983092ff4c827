import type { Middleware } from 'koa';
import type { StartLink } from './deps';

const OWN: readonly StartLink[] = [
  { label: 'API description', url: '/docs' },
  { label: 'Health', url: '/health/ready' },
];

/** GET /: links for a person who opens the address of the API. It is no part of the interface, so it is no route. */
export function startPage(links: readonly StartLink[] = []): Middleware {
  const html = page(links.length > 0 ? links : OWN);
  return async (ctx, next) => {
    if (ctx.path !== '/' || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    ctx.type = 'html';
    ctx.body = html;
  };
}

function page(links: readonly StartLink[]): string {
  const items = links.map(({ label, url }) => `<li><a href="${escaped(url)}">${escaped(label)}</a></li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>gameround</title>
    <style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }</style>
  </head>
  <body>
    <h1>gameround: the API</h1>
    <p>Durable gamerounds between casino operators’ wallets and game providers.</p>
    <ul>${items.join('')}</ul>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
