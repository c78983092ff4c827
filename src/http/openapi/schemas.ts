import { z } from 'zod';
import * as callbacks from '../schemas/callbacks';
import { anyJson, storableJson } from '../schemas/fields';
import * as gameEngine from '../schemas/game-engine';
import * as operator from '../schemas/operator';
import * as operatorReplies from '../schemas/operator-replies';
import * as replies from '../schemas/replies';

export type JsonSchema = Record<string, unknown>;

/** The schemas of the interface as components of an OpenAPI 3.1 document. */
export interface Components {
  schemas: Record<string, JsonSchema>;
  /** A reference where the schema has a name, else the schema. */
  of(schema: z.ZodType): JsonSchema;
}

const REFERENCE = (name: string): string => `#/components/schemas/${name}`;

/**
 * Made by zod itself from the very schemas that validate requests. Requests are described as they may be sent
 * (defaults may be left out); rules that JSON Schema cannot say (a refinement) are said by their metadata.
 */
export function components(): Components {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  for (const [name, schema] of namedSchemas()) {
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

function namedSchemas(): [string, z.ZodType][] {
  const named = (module: Record<string, unknown>, suffix = ''): [string, z.ZodType][] =>
    Object.entries(module).flatMap(([name, schema]) =>
      isObjectSchema(schema) ? [[`${name.charAt(0).toUpperCase()}${name.slice(1)}${suffix}`, schema]] : [],
    );
  return [
    // These contain themselves, so they need names to be referred to.
    ['AnyJson', anyJson],
    ['StorableJson', storableJson],
    ...named(gameEngine, 'Request'),
    ...named(operator, 'Request'),
    ...named(replies),
    ...named(operatorReplies),
    ...named(callbacks),
  ];
}

/** Only what has fields, or free-form ones, is worth a name. */
function isObjectSchema(schema: unknown): schema is z.ZodType {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord;
}

function plain({ $schema: _schema, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
