import { isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import { catalogLimits } from '../limits.ts';
import { localSchema } from './local-schema.ts';

/** Keywords whose text names another schema. */
const REFERRING = ['$ref', '$dynamicRef', '$recursiveRef'];

/** What the references of two documents name, and which of them name something else in the second. */
export class LocalReferences {
  readonly #before: Json | undefined;
  readonly #after: Json | undefined;
  readonly #names: 'none' | 'whole' | 'parts';
  readonly #moved: ReadonlySet<string>;

  constructor(before: Json | undefined, after: Json | undefined) {
    this.#before = before;
    this.#after = after;
    const names = namesIn(before);
    this.#names = names === 'parts' ? names : namesIn(after, names);
    this.#moved = before === undefined ? new Set() : this.#movedIn(before);
  }

  /**
   * What `$ref` names in the first document; undefined for another document, an anchor, and nothing. Also where a part of either has a name: there a
   * place counts from that part.
   */
  before(reference: string): Json | undefined {
    return this.#names === 'parts' ? undefined : localSchema(this.#before ?? true, reference);
  }

  /** The same in the second. */
  after(reference: string): Json | undefined {
    return this.#names === 'parts' ? undefined : localSchema(this.#after ?? true, reference);
  }

  /**
   * Whether it may name a part of the same document: by its place, or by a name that the document or a part gives itself. Which name that comes to is
   * not worked out here, so that where there is one any reference may.
   */
  mayBeLocal(reference: string): boolean {
    return this.#names !== 'none' || reference === '' || reference.startsWith('#');
  }

  /** Whether both say the same, with all that they refer to. */
  isSame(before: Json | undefined, after: Json | undefined): boolean {
    if (!jsonEqual(before ?? null, after ?? null)) return false;
    return this.#moved.size === 0 || before === undefined || !this.#mentionsMoved(before);
  }

  #mentionsMoved(value: Json): boolean {
    for (const reference of referencesIn(value)) if (this.#moved.has(reference)) return true;
    return false;
  }

  /** Those whose target is another one, and those that lead to one of these. What cannot be followed here counts as moved. */
  #movedIn(root: Json): ReadonlySet<string> {
    const all = [...new Set(referencesIn(root))].filter((reference) => this.mayBeLocal(reference));
    const moved = new Set<string>();
    const leadsTo = new Map<string, string[]>();
    // Many spellings of one place cost one comparison.
    const looked = new Map<Json, { readonly to: Json; readonly isEqual: boolean; readonly next: string[] }>();
    let links = 0;
    for (const reference of all) {
      const was = this.before(reference);
      const is = this.after(reference);
      if (was === undefined || is === undefined) {
        moved.add(reference);
        continue;
      }
      let seen = looked.get(was);
      if (seen?.to !== is) {
        const isEqual = jsonEqual(was, is);
        seen = { to: is, isEqual, next: isEqual ? [...new Set(referencesIn(was))] : [] };
        looked.set(was, seen);
      }
      if (!seen.isEqual) moved.add(reference);
      links += seen.next.length;
      if (links > catalogLimits.schemaLinks) return new Set(all);
      for (const next of seen.next) {
        const from = leadsTo.get(next) ?? [];
        from.push(reference);
        leadsTo.set(next, from);
      }
    }
    const pending = [...moved];
    for (let next = pending.pop(); next !== undefined; next = pending.pop())
      for (const from of leadsTo.get(next) ?? []) {
        if (moved.has(from)) continue;
        moved.add(from);
        pending.push(from);
      }
    return moved;
  }
}

function* referencesIn(value: Json): Generator<string> {
  for (const [key, text] of textsIn(value)) if (REFERRING.includes(key)) yield text;
}

/** Who gives itself a name, by `$id`: nobody, the document alone, or parts of it. `known`: what is known before. */
function namesIn(value: Json | undefined, known: 'none' | 'whole' = 'none'): 'none' | 'whole' | 'parts' {
  let names = 0;
  for (const [key] of textsIn(value ?? null)) if (key === '$id') names += 1;
  if (names === 0) return known;
  const isWhole = isJsonObject(value ?? null) && typeof (value as JsonObject)['$id'] === 'string';
  return names === 1 && isWhole ? 'whole' : 'parts';
}

/** Members that are texts, however deep. */
function* textsIn(value: Json): Generator<readonly [key: string, text: string]> {
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next as readonly Json[]) pending.push(item);
    if (!isJsonObject(next)) continue;
    for (const [key, member] of Object.entries(next))
      if (typeof member === 'object') pending.push(member);
      else if (typeof member === 'string') yield [key, member];
  }
}
