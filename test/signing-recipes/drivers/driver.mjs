/* Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what `matches` says of it and of another. */
import { Buffer } from 'node:buffer';
import { createInterface } from 'node:readline';
import { matches, signBody, signFields } from './signing.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  const [kind, ...parts] = line.split(' ');
  const values = parts.map((part) => Buffer.from(part, 'hex'));
  const [secret, second, third] = values;
  const signature =
    kind === 'fields' ? signFields(...values.map(String)) : signBody(String(secret), third, String(second));
  const other = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  const said = [signature, other, 'é'].map((text) => matches(text, signature));
  process.stdout.write(`${[signature, ...said].join(' ')}\n`);
}
