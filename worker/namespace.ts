import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../src/contracts/search-attributes';
import type { Logger } from '../src/logging';
import { PersonNeededError } from '../src/lifecycle';

type SearchAttribute = (typeof SEARCH_ATTRIBUTES)[number];

/** The IndexedValueType of the server's API, and the CLI's name for it. */
const TYPES = { KEYWORD: 2, DOUBLE: 4, DATETIME: 6, KEYWORD_LIST: 7 } as const;
const WORDS = {
  KEYWORD: 'Keyword',
  DOUBLE: 'Double',
  DATETIME: 'Datetime',
  KEYWORD_LIST: 'KeywordList',
} as const;

/** Status codes of gRPC: invalid argument; permission denied, unimplemented, unauthenticated. */
const INVALID: readonly number[] = [3];
const REFUSED: readonly number[] = [7, 12, 16];

/**
 * Adds the missing search attributes to the namespace. If the server refuses to list or add them (Temporal Cloud), a search
 * per attribute finds out what is missing.
 * @throws PersonNeededError if attributes are missing and the server refuses to add them
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const missing = await unlessRefused(() => notListed(connection, namespace));
  if (missing?.length === 0) return;
  if (missing !== undefined && (await unlessRefused(() => add(connection, namespace, missing))) === true)
    return;
  const unknown = await notSearchable(connection, namespace);
  if (unknown.length > 0) throw new PersonNeededError(howToAdd(unknown, namespace));
}

async function notListed(connection: Connection, namespace: string): Promise<SearchAttribute[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
}

async function add(
  connection: Connection,
  namespace: string,
  missing: readonly SearchAttribute[],
): Promise<true> {
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, TYPES[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  return true;
}

/** The server refuses a search for an unknown attribute as invalid. */
async function notSearchable(connection: Connection, namespace: string): Promise<SearchAttribute[]> {
  const asked = SEARCH_ATTRIBUTES.map(async (attribute) => {
    try {
      const query = `${attribute.name} IS NULL`;
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return [];
    } catch (error) {
      if (isGrpcServiceError(error) && INVALID.includes(error.code)) return [attribute];
      throw error;
    }
  });
  return (await Promise.all(asked)).flat();
}

async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isGrpcServiceError(error) && REFUSED.includes(error.code)) return undefined;
    throw error;
  }
}

function howToAdd(missing: readonly SearchAttribute[], namespace: string): string {
  const names = new Intl.ListFormat('en').format(missing.map(({ name }) => name));
  const commands = (['KEYWORD', 'KEYWORD_LIST', 'DOUBLE', 'DATETIME'] as const).flatMap((type) => {
    const flags = missing.filter((one) => one.type === type).map(({ name }) => ` --name ${name}`);
    const command = `temporal operator search-attribute create --namespace ${namespace} --type ${WORDS[type]}`;
    return flags.length === 0 ? [] : [command + flags.join('')];
  });
  return (
    `The namespace ${namespace} lacks the search attributes ${names}, and the server does not let this process add them. ` +
    `Add them in Temporal Cloud's console, or: ${commands.join('; ')}`
  );
}

const DAY_S = 24 * 3_600;
const KEPT_DAYS = 30;

/** Warns if the namespace's retention is too short. After retention only the record of a round is left. */
export async function checkRetention(
  connection: Connection,
  namespace: string,
  logger: Logger,
): Promise<void> {
  const described = await unlessRefused(() => connection.workflowService.describeNamespace({ namespace }));
  const seconds = Number(described?.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  if (seconds === 0 || seconds >= KEPT_DAYS * DAY_S) return;
  logger.warn(
    `The namespace ${namespace} keeps closed rounds for ${Math.floor(seconds / DAY_S)} days. It should keep them for ${KEPT_DAYS}: ` +
      `temporal operator namespace update --namespace ${namespace} --retention ${KEPT_DAYS * 24}h, or Temporal Cloud's console`,
  );
}
