import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { LiveTool } from '@fairlead/hub';
import type { ToolProfile } from '../agents/agent-config.ts';
import { contextLimits } from '../limits.ts';
import type { ModelTool } from '../models/model.ts';

/** A profile of a tool that is shown. */
export type ShownProfile = Exclude<ToolProfile, 'hidden'>;

type Contribution = Pick<LiveTool['contribution'], 'name' | 'about' | 'args'>;

/**
 * A tool as a model is shown it. `full`: all of it; `brief`: the first sentence and the names of its parameters; `summary`: its name, and that
 * the rest can be asked for.
 */
export function shownTool({ name, about, args }: Contribution, profile: ShownProfile): ModelTool {
  const schema = objectSchema(args as unknown as JsonObject);
  switch (profile) {
    case 'full':
      return { name, description: about, schema };
    case 'brief':
      return { name, description: firstSentence(about), schema: namesOnly(schema) };
    case 'summary':
      return {
        name,
        description: 'Ask describe_tool about it first.',
        schema: { type: 'object', properties: {}, additionalProperties: true },
      };
  }
}

/** A tool without parameters says so: servers refuse a schema that leaves its properties out. */
function objectSchema(schema: JsonObject): JsonObject {
  return { ...schema, type: 'object', properties: propertiesOf(schema) };
}

function namesOnly(schema: JsonObject): JsonObject {
  const properties = Object.entries(propertiesOf(schema)).map(([name, property]): [string, JsonObject] => {
    const type = isJsonObject(property) ? property['type'] : undefined;
    return [name, type === undefined ? {} : { type }];
  });
  const { required, additionalProperties } = schema;
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required === undefined ? {} : { required }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

/** The parameters of a schema of an object. */
export function propertiesOf(schema: JsonObject): JsonObject {
  const properties: Json | undefined = schema['properties'];
  return isJsonObject(properties) ? properties : {};
}

/** Up to the first mark that ends a sentence, or the first line; whole characters. */
function firstSentence(about: string): string {
  const line = about.trim().split('\n', 1)[0] ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= contextLimits.sentence) return sentence;
  return `${sentence.slice(0, contextLimits.sentence).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
