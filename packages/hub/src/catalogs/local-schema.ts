import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';

/** The schema that a reference of the same document names; undefined for any other. */
export function localSchema(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = (at as readonly Json[])[Number(key)];
    else if (isJsonObject(at ?? null) && Object.hasOwn(at as JsonObject, key)) at = (at as JsonObject)[key];
    else return undefined;
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
