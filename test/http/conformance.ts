import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { openApiDocument } from '../../src/http/openapi/document';

/* Compares every reply of the tests with the document of `GET /openapi.json`. */

type Json = Record<string, unknown>;

interface Content {
  schema: Json;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

export interface Described {
  operationId: string;
  description?: string;
  parameters?: {
    $ref?: string;
    name?: string;
    in?: string;
    required?: boolean;
    schema?: Json;
    example?: unknown;
  }[];
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content: Record<string, Content> }>;
}

export const DOCUMENT = openApiDocument('https://api.example') as {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, Json>>;
};

const options = { strict: false, allErrors: true, validateFormats: false };
const requests = new Ajv2020(options).addSchema({ $id: 'document', components: DOCUMENT.components });
/** The schemas allow no other fields here, so that a field of a reply that no schema has is found. */
const replies = new Ajv2020(options).addSchema({
  $id: 'document',
  components: closed(DOCUMENT.components),
});
const validators = new Map<string, ValidateFunction>();

/** The error of a reply, or '' if it agrees with the document. Also '' for a call that is not in the document. */
export function faultOf(method: string, path: string, status: number, body: unknown): string {
  const where = path.split('?')[0]!;
  const described = DOCUMENT.paths[where]?.[method.toLowerCase()];
  if (described === undefined) return '';
  const response = described.responses[status];
  if (response === undefined) return `${method} ${where} answered ${status}, which is not described`;
  const schema = response.content['application/json']?.schema;
  return schema === undefined ? '' : fault(`${method} ${where} ${status}`, replies, closed(schema), body);
}

/** The error of an accepted request, or '' if it agrees with the document. */
export function faultOfRequest(path: string, body: unknown): string {
  const schema = DOCUMENT.paths[path]?.post?.requestBody?.content['application/json']?.schema;
  return schema === undefined ? '' : fault(`POST ${path}`, requests, schema, body);
}

/** The errors of an example of a request or a reply. */
export function faultOfExample(kind: 'request' | 'reply', schema: Json, value: unknown): string {
  const held = kind === 'request' ? schema : closed(schema);
  return fault(`${kind} ${JSON.stringify(schema)}`, kind === 'request' ? requests : replies, held, value);
}

function fault(key: string, ajv: Ajv2020, schema: unknown, value: unknown): string {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = validators.get(key) ?? ajv.compile(JSON.parse(text) as Json);
  validators.set(key, validate);
  return validate(value) ? '' : `${key}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`;
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  const isOpen = entries.type === 'object' && 'properties' in entries && !('additionalProperties' in entries);
  return isOpen ? { ...entries, additionalProperties: false } : entries;
}
