import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import { verify as check, type Verified } from '../../proof/dossier/verify';
import { historyFromText, historyToText } from '../../src/archive/history-text';
import { createPayloadCodec } from '../../src/payloads/codec';
import type { PayloadKeys } from '../../src/payloads/keys';
import { projectRoot } from '../../stack/paths';
import { version } from '../../package.json';

/** A recorded history (test/replay/record.ts) as JSON text, all of it done by `identity`: by default the service. */
export async function recorded(name: string, identity = 'gameround:1@test'): Promise<string> {
  const file = join(projectRoot(), 'test', 'replay', 'histories', version, `${name}.json.gz`);
  const text = gunzipSync(await readFile(file)).toString();
  return text.replace(/"identity":"[^"]*"/g, JSON.stringify({ identity }).slice(1, -1));
}

/** Changes a text inside the first payload of a history that contains it. */
export function inFirstPayload(history: string, find: string, replace: string): string {
  const payloads = [...history.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, data = '']) => data);
  const found = payloads.find((data) => textOf(data).includes(find));
  if (found === undefined) throw new Error(`no payload contains ${find}`);
  return history.replace(found, Buffer.from(textOf(found).replace(find, replace)).toString('base64'));
}

/** Encrypts all payloads of a history. */
export async function encrypted(history: string, keys: PayloadKeys): Promise<string> {
  const codec = createPayloadCodec(keys);
  const parsed = historyFromText(history);
  const encode = async (value: unknown): Promise<void> => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'payloads') Object.assign(value, { payloads: await codec.encode(inner as Payload[]) });
      else await encode(inner);
    }
  };
  await encode(parsed.events);
  return historyToText(parsed);
}

function textOf(data: string): string {
  return Buffer.from(data, 'base64').toString();
}

/** Checks a dossier in a file of the right name, with the version `test`. */
export function verify(bytes: Uint8Array, expectedHead?: string): Verified {
  return check(bytes, { name: bytes[0] === 0x7b ? 'd.json' : 'd.html', madeBy: 'test', expectedHead });
}
