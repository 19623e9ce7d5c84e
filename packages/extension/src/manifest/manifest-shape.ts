import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { below } from '../schema/schema-fault.ts';
import { Broken } from './manifest-fault.ts';

const REQUEST = { kind: 'string', provider: 'string?', agents: 'list?' } as const;
const ENDPOINT = { name: 'string', about: 'string', args: 'object', scope: 'string' } as const;

/** Every member of a manifest with its type; `?` may be absent, and a record stands for a list of such objects. */
const MEMBERS: Readonly<Record<string, string | Readonly<Record<string, string>>>> = Object.freeze({
  api: 'number',
  name: 'string',
  version: 'string',
  scopes: 'list',
  hooks: 'list',
  gates: 'list?',
  requires: REQUEST,
  requests: REQUEST,
  provides: 'list',
  settings: 'object',
  tools: ENDPOINT,
  commands: ENDPOINT,
  routines: { id: 'string', cron: 'string?', every_ms: 'number?', scope: 'string' },
});

/** Whether every member is there and of its type, and no other. */
export function checkShape(value: Json): void {
  if (!isJsonObject(value)) throw new Broken('shape', '', 'must be an object');
  checkMembers(value, MEMBERS, '');
}

function checkMembers(
  value: JsonObject,
  members: Readonly<Record<string, string | Readonly<Record<string, string>>>>,
  path: string,
): void {
  for (const [name, type] of Object.entries(members)) checkMember(value[name], type, below(path, name));
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(members, name))
      throw new Broken('shape', below(path, name), 'is not a member of a manifest');
  }
}

function checkMember(
  value: Json | undefined,
  type: string | Readonly<Record<string, string>>,
  path: string,
): void {
  if (typeof type === 'object') {
    for (const [index, item] of listOf(value, path).entries()) {
      const place = below(path, index);
      if (!isJsonObject(item)) throw new Broken('shape', place, 'must be an object');
      checkMembers(item, type, place);
    }
    return;
  }
  const wanted = type.replace('?', '');
  if (value === undefined) {
    if (wanted === type) throw new Broken('shape', path, 'must be present');
  } else if (wanted === 'list') {
    for (const [index, item] of listOf(value, path).entries())
      if (typeof item !== 'string') throw new Broken('shape', below(path, index), 'must be a string');
  } else if (wanted === 'object' ? !isJsonObject(value) : typeName(value) !== wanted) {
    throw new Broken('shape', path, wanted === 'object' ? 'must be an object' : `must be a ${wanted}`);
  }
}

function listOf(value: Json | undefined, path: string): readonly Json[] {
  if (!Array.isArray(value)) throw new Broken('shape', path, 'must be a list');
  return value;
}

function typeName(value: Json): string {
  return typeof value;
}
