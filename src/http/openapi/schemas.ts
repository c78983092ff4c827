import { z } from 'zod';
import * as callbacks from '../schemas/callbacks';
import { anyJson, storableJson } from '../schemas/fields';
import * as operatorReplies from '../schemas/operator-replies';
import * as replies from '../schemas/replies';
import * as requests from '../schemas/shared-requests';

export type JsonSchema = Record<string, unknown>;

/** The schemas of the interface as components of an OpenAPI 3.1 document. */
export interface Components {
  schemas: Record<string, JsonSchema>;
  /** A `$ref` if the schema has a name, otherwise the schema itself. */
  of(schema: z.ZodType): JsonSchema;
}

const REFERENCE = (name: string): string => `#/components/schemas/${name}`;

/**
 * zod makes the components from the same schemas that validate requests. They describe the input: fields with a default
 * are optional. JSON Schema cannot express a refinement, so its `meta` has to describe the rule.
 */
export function components(asked: [operationId: string, request: z.ZodType][]): Components {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  for (const [name, schema] of namedSchemas(asked)) {
    registry.add(schema, { id: name });
    names.set(schema, name);
  }
  const made = z.toJSONSchema(registry, { io: 'input', uri: REFERENCE });
  const entries = Object.entries(made.schemas).map(([name, schema]) => [name, plain(schema)] as const);
  return {
    schemas: Object.fromEntries(entries.sort(([left], [right]) => left.localeCompare(right))),
    of: (schema) => {
      const name = names.get(schema);
      return name === undefined ? plain(z.toJSONSchema(schema, { io: 'input' })) : { $ref: REFERENCE(name) };
    },
  };
}

function namedSchemas(asked: [string, z.ZodType][]): [string, z.ZodType][] {
  const named = (module: Record<string, unknown>, suffix = ''): [string, z.ZodType][] =>
    Object.entries(module).flatMap(([name, schema]) =>
      isObjectSchema(schema) ? [[`${name.charAt(0).toUpperCase()}${name.slice(1)}${suffix}`, schema]] : [],
    );
  return [
    // These two are recursive, so they need a name for their own `$ref`.
    ['AnyJson', anyJson],
    ['StorableJson', storableJson],
    ...named(requests, 'Request'),
    ...named(Object.fromEntries(asked.filter(([, request]) => !isShared(request))), 'Request'),
    ...named(replies),
    ...named(operatorReplies),
    ...named(callbacks),
  ];
}

const isShared = (request: z.ZodType): boolean =>
  Object.values<z.ZodType>(requests).some((shared) => shared === request);

/** Only objects get a name. Strings and numbers are written in place. */
function isObjectSchema(schema: unknown): schema is z.ZodType {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord;
}

function plain({ $schema: _schema, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
