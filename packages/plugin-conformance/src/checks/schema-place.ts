import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { compileSchema, type SchemaRole } from '@fairlead/protocol';
import { shownValue } from '../plugin/shown.ts';

/** Where in a schema the first fault stands: a JSON Pointer, and the node there without its children. */
export type SchemaPlace = { readonly pointer: string; readonly seen: string };

/** As deep as a part may be; what is deeper is refused as a whole. */
const MAX_DEPTH = 16;

/**
 * Finds the node for which a schema is refused, which a Runner does not tell. Each node is held against profile v1 by itself,
 * its children taken for good; where none is bad alone, the fault is one of the whole (its size, its depth).
 */
export function schemaPlace(schema: Json, role: SchemaRole): SchemaPlace {
  return find(schema, role, '', 0) ?? { pointer: '', seen: shownValue(schema) };
}

function find(node: Json, role: SchemaRole, pointer: string, depth: number): SchemaPlace | null {
  if (depth > MAX_DEPTH) return null;
  const alone = withoutChildren(node);
  // The root must be an object, any other node need not.
  const probe = pointer === '' ? alone : { type: 'object', properties: { node: alone } };
  if (!compileSchema(probe, role).ok) return { pointer, seen: shownValue(alone) };
  for (const [name, child] of childrenOf(node as JsonObject)) {
    const found = find(child, role, `${pointer}/${name}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const GOOD: JsonObject = { type: 'null' };

function withoutChildren(node: Json): Json {
  if (!isJsonObject(node)) return node;
  const { properties, items } = node;
  return {
    ...node,
    ...(properties !== undefined && isJsonObject(properties)
      ? { properties: Object.fromEntries(Object.keys(properties).map((name) => [name, GOOD])) }
      : {}),
    ...(items !== undefined && isJsonObject(items) ? { items: GOOD } : {}),
  };
}

function childrenOf({ properties, items }: JsonObject): [string, Json][] {
  const named = properties !== undefined && isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    ...named.map(([name, child]): [string, Json] => [
      `properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      child,
    ]),
    ...(items === undefined ? [] : [['items', items] as [string, Json]]),
  ];
}
