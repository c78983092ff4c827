/** The sign-in page, without scripts and styles. */
export function signInPage({ isIn, problem = '' }: { isIn: boolean; problem?: string }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>gameround: codec server</title>
  </head>
  <body>
    <h1>Codec server: decrypts payloads for Temporal Web</h1>
    ${isIn ? IN : OUT}
    <p><strong>${problem}</strong></p>
  </body>
</html>
`;
}

const IN = `<p>Signed in. Temporal Web shows rounds in the clear now: in its data encoder settings (the glasses at the top)
    this server's address has to be the endpoint, and "include cross-origin credentials" has to be on.</p>`;

const OUT = `<form method="post" action="/sign-in">
      <label>Back office token: <input type="password" name="token" autocomplete="current-password" required autofocus></label>
      <button>Sign in</button>
    </form>`;
