import type Router from '@koa/router';

export interface StartLink {
  label: string;
  url: string;
}

/** Parses links from a text: `label url; label url`. */
export function startLinks(text: string): StartLink[] {
  return text.split(';').flatMap((part) => {
    const [, label, url] = /^\s*(.+?)\s+(https?:\/\/\S+)\s*$/.exec(part) ?? [];
    return label === undefined || url === undefined ? [] : [{ label, url }];
  });
}

/** GET /: links for a person who opens the server's address. */
export function addStartPage(router: Router, title: string, links: readonly StartLink[]): void {
  const items = links.map(({ label, url }) => `<li><a href="${escaped(url)}">${escaped(label)}</a></li>`);
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }</style>
  </head>
  <body>
    <h1>${title}</h1>
    <p>No real money is used. sandbox/README.md says what this server does and how to make it fail.</p>
    <ul>${items.join('')}</ul>
  </body>
</html>
`;
  router.get('/', (ctx) => {
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    ctx.type = 'html';
    ctx.body = html;
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
