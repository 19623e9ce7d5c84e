import { checkJsonBounds, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { catalogBounds, definitionBounds } from '../limits.ts';
import { shownSchema } from '../schema/shown-schema.ts';
import { type Mask, maskedText, unmasked } from './mask.ts';
import { maskedDefinition } from './masked-definition.ts';

/** One tool as a server lists it: what of it is compared, or why it cannot be offered. */
export type DefinitionReading =
  | { readonly ok: true; readonly name: string; readonly definition: JsonObject }
  | { readonly ok: false; readonly name: string; readonly problem: string };

/** Why a tool is refused that has it where nothing may be altered. */
export const HOLDS_SECRET = 'its name or a value of its schema holds a secret of this host';

/** What is compared: everything that a model, a person or a client goes by. Icons and `_meta` are not. */
const COMPARED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/**
 * Reads one entry of a `tools/list` answer, without what `mask` takes out of its texts: what is kept, compared and shown is one thing. One that cannot
 * be used is left out alone.
 */
export function readDefinition(entry: Json, mask: Mask = unmasked): DefinitionReading {
  const given = isJsonObject(entry) ? entry['name'] : undefined;
  const name = typeof given === 'string' ? given : '';
  const no = (problem: string): DefinitionReading => ({ ok: false, name: maskedText(name, mask), problem });
  if (!isJsonObject(entry) || name === '') return no('it has no name');
  if (Buffer.byteLength(name) > catalogBounds.nameBytes)
    return no(`its name is longer than ${catalogBounds.nameBytes} bytes`);
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return no('its name has a control character');
  const definition = Object.fromEntries(
    COMPARED.flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]])),
  ) as JsonObject;
  const fault = checkJsonBounds(definition, definitionBounds);
  if (fault !== null) return no(`its definition passes a bound (${fault})`);
  for (const key of ['title', 'description'])
    if (definition[key] !== undefined && typeof definition[key] !== 'string')
      return no(`its ${key} is no text`);
  for (const key of ['outputSchema', 'annotations'])
    if (definition[key] !== undefined && !isJsonObject(definition[key])) return no(`its ${key} is no object`);
  const masked = maskedDefinition(definition, mask);
  if (masked === undefined) return no(HOLDS_SECRET);
  const shown = shownSchema(masked['inputSchema']);
  return shown.ok ? { ok: true, name, definition: masked } : no(shown.problem);
}
