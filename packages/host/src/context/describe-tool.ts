import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { LiveSet } from '@fairlead/hub';
import { propertiesOf } from './shown-tool.ts';

/**
 * All of a tool in words: heading, description, parameters. Undefined where the set has none of this name, or where `names`, those that
 * somebody may use, does not hold it: a tool that is withheld is not told from one that there is not.
 */
export function describeTool(
  set: Pick<LiveSet, 'tools'>,
  name: string,
  names: ReadonlySet<string> = new Set(set.tools.keys()),
): string | undefined {
  const tool = names.has(name) ? set.tools.get(name) : undefined;
  if (tool === undefined) return undefined;
  const { about, args } = tool.contribution;
  const lines = parameterLines(args as unknown as JsonObject, 0);
  const parameters = lines.length === 0 ? 'No parameters.' : `Parameters:\n\n${lines.join('\n')}`;
  return [`# ${name}`, about.trim(), parameters].filter((part) => part !== '').join('\n\n');
}

function parameterLines(schema: JsonObject, depth: number): readonly string[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [];
    const words = [
      typeOf(property),
      required.includes(name) ? 'required' : 'optional',
      ...boundsOf(property),
    ];
    const { description } = property;
    const about = typeof description === 'string' && description !== '' ? `: ${description}` : '';
    const inner = nestedOf(property);
    return [
      `${'  '.repeat(depth)}- \`${name}\` (${words.join(', ')})${about}`,
      ...(inner === undefined ? [] : parameterLines(inner, depth + 1)),
    ];
  });
}

function typeOf(schema: JsonObject): string {
  const { type, items } = schema;
  const word = typeof type === 'string' ? type : 'any';
  return word === 'array' && isJsonObject(items) ? `array of ${typeOf(items)}` : word;
}

const BOUNDS: readonly (readonly [string, string])[] = [
  ['enum', 'one of'],
  ['const', 'always'],
  ['default', 'default'],
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'characters at least'],
  ['maxLength', 'characters at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
];

function boundsOf(schema: JsonObject): readonly string[] {
  return BOUNDS.flatMap(([key, words]) => {
    const value: Json | undefined = schema[key];
    if (value === undefined) return [];
    const values = Array.isArray(value)
      ? value.map((one: Json) => encodeJson(one)).join(' | ')
      : encodeJson(value);
    return [`${words} ${values}`];
  });
}

/** The schema that has parameters of its own: an object, or the objects of an array. */
function nestedOf(schema: JsonObject): JsonObject | undefined {
  if (schema['type'] === 'object') return schema;
  const { items } = schema;
  return isJsonObject(items) ? nestedOf(items) : undefined;
}
