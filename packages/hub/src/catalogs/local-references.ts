import { isJsonObject, type Json, jsonEqual } from '@fairlead/base';
import { catalogLimits } from '../limits.ts';
import { localSchema } from './local-schema.ts';

/** Keywords whose text names another schema. */
const REFERRING = ['$ref', '$dynamicRef', '$recursiveRef'];

/** What the references of two documents name, and which of them name something else in the second. */
export class LocalReferences {
  readonly #before: Json | undefined;
  readonly #after: Json | undefined;
  readonly #moved: ReadonlySet<string>;

  constructor(before: Json | undefined, after: Json | undefined) {
    this.#before = before;
    this.#after = after;
    this.#moved = before === undefined ? new Set() : this.#movedIn(before);
  }

  /** What `$ref` names in the first document; undefined for another document, an anchor, and nothing. */
  before(reference: string): Json | undefined {
    return localSchema(this.#before ?? true, reference);
  }

  /** The same in the second. */
  after(reference: string): Json | undefined {
    return localSchema(this.#after ?? true, reference);
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
    const all = [...new Set(referencesIn(root))].filter((reference) => reference.startsWith('#'));
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
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next as readonly Json[]) pending.push(item);
    if (!isJsonObject(next)) continue;
    for (const [key, member] of Object.entries(next))
      if (typeof member === 'object') pending.push(member);
      else if (typeof member === 'string' && REFERRING.includes(key)) yield member;
  }
}
