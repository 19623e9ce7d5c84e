import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { holdsMasked, type Mask, maskedText, unmasked } from './mask.ts';

/** Keywords whose text is for readers alone: nothing is taken or refused by it. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
/** Keywords that hold schemas by name, in a list, or one. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
]);
const BELOW: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'additionalItems', 'additionalProperties', 'not'],
  ...['if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
]);

/**
 * A definition whose texts hold nothing that nobody may read: titles and descriptions of the tool, in its schemas and hints. Names, keys and values
 * are never altered, since they decide what is called and taken: undefined where one of them holds it.
 */
export function maskedDefinition(definition: JsonObject, mask: Mask): JsonObject | undefined {
  if (mask === unmasked) return definition;
  const masked = Object.fromEntries(
    Object.entries(definition).map(([key, value]): [string, Json] => {
      if (key === 'inputSchema' || key === 'outputSchema' || key === 'annotations')
        return [key, schemaTexts(value, mask)];
      return [key, key !== 'name' && typeof value === 'string' ? maskedText(value, mask) : value];
    }),
  );
  return holdsMasked(masked, mask) ? undefined : masked;
}

function schemaTexts(schema: Json, mask: Mask): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((one) => schemaTexts(one, mask));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Json] => {
      if (TEXTS.has(key) && typeof value === 'string') return [key, maskedText(value, mask)];
      if (BELOW.has(key)) return [key, schemaTexts(value, mask)];
      if (!BY_NAME.has(key) || !isJsonObject(value)) return [key, value];
      const members = Object.entries(value).map(([name, one]) => [name, schemaTexts(one, mask)]);
      return [key, Object.fromEntries(members) as JsonObject];
    }),
  );
}
