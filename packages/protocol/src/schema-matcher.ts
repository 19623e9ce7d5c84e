import { type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import { lengthInRange, type SchemaNode } from './schema-node.ts';

/** A check of one value. Allocates nothing. */
export type Matcher = (value: Json) => boolean;

/** Turns a node into closures, so that a call walks no schema. */
export function matcherOf(node: SchemaNode): Matcher {
  const typed = typeMatcher(node);
  const chosen = choiceMatcher(node);
  return chosen === undefined ? typed : (value) => typed(value) && chosen(value);
}

function typeMatcher(node: SchemaNode): Matcher {
  switch (node.type) {
    case 'object':
      return objectMatcher(node);
    case 'array':
      return arrayMatcher(node);
    case 'string': {
      const { length } = node;
      if (length.min === 0 && length.max === Number.POSITIVE_INFINITY) return isString;
      return (value) => typeof value === 'string' && lengthInRange(value, length);
    }
    case 'number':
      return (value) => typeof value === 'number';
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
  }
}

type ObjectNode = Extract<SchemaNode, { type: 'object' }>;
type ArrayNode = Extract<SchemaNode, { type: 'array' }>;

function objectMatcher(node: ObjectNode): Matcher {
  const { open } = node;
  const required = new Set(node.required);
  const members = new Map<string, { readonly matches: Matcher; readonly required: boolean }>();
  for (const [name, member] of node.properties) {
    members.set(name, { matches: matcherOf(member), required: required.has(name) });
  }
  // Only an open object may require a member that it does not describe.
  for (const name of required) {
    if (!members.has(name)) members.set(name, { matches: anything, required: true });
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const object = value as JsonObject;
    let missing = required.size;
    // for-in copies no list of keys; own members only, should anyone have put something on Object.prototype.
    for (const name in object) {
      if (!Object.hasOwn(object, name)) continue;
      const member = members.get(name);
      if (member === undefined) {
        if (!open) return false;
        continue;
      }
      if (!member.matches(object[name] as Json)) return false;
      if (member.required) missing -= 1;
    }
    return missing === 0;
  };
}

function arrayMatcher(node: ArrayNode): Matcher {
  const { min, max } = node.length;
  const items = node.items === undefined ? undefined : matcherOf(node.items);
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return false;
    if (items === undefined) return true;
    for (let index = 0; index < value.length; index += 1) if (!items(value[index] as Json)) return false;
    return true;
  };
}

function choiceMatcher(node: SchemaNode): Matcher | undefined {
  const { allowed, constant } = node.choice;
  if (allowed === undefined && constant === undefined) return undefined;
  const listed = allowed === undefined ? anything : memberOf(allowed);
  if (constant === undefined) return listed;
  return (value) => jsonEqual(value, constant.value) && listed(value);
}

function memberOf(allowed: readonly Json[]): Matcher {
  const scalars = new Set<Json>();
  const composites: Json[] = [];
  for (const value of allowed) {
    if (typeof value === 'object' && value !== null) composites.push(value);
    else scalars.add(value);
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return scalars.has(value);
    for (const composite of composites) if (jsonEqual(composite, value)) return true;
    return false;
  };
}

function isString(value: Json): boolean {
  return typeof value === 'string';
}

function anything(): boolean {
  return true;
}
