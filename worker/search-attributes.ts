import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../src/contracts/search-attributes';

/** IndexedValueType of the server's API. */
const TYPES = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;

/** Registers what operations people search for; does nothing where it is there already. */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, TYPES[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
