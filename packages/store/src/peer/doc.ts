import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { StoredRegister } from '../log/log-engine.ts';
import { type DocPath, decodePath } from '../log/names.ts';
import type { DatabaseDraft } from './database-draft.ts';
import type { OpenDatabase } from './open-database.ts';
import { type AsOf, clockOf } from './row.ts';

/** A small JSON document in which the last writer of a path wins. */
export class Doc<T extends JsonObject = JsonObject> {
  readonly #database: OpenDatabase;
  readonly #name: string;

  constructor(database: OpenDatabase, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** The document, `{}` where nothing was ever set; or as of a point in history. */
  async get(asOf?: AsOf): Promise<Partial<T>> {
    const { engine, state } = this.#database;
    const upTo = asOf === undefined ? undefined : clockOf(asOf);
    return buildDocument(await engine.registers(state, this.#name, upTo)) as Partial<T>;
  }

  /** Sets a path, in place of everything at and below it. The empty path takes an object. Rejects with `doc_path_invalid`. */
  set(path: DocPath, value: Json): Promise<void> {
    return this.#write((draft) => draft.set(this.#name, path, value));
  }

  /** Sets each leaf of `part` and leaves the rest as it is. Lists are replaced whole. */
  patch(part: JsonObject): Promise<void> {
    return this.#write((draft) => draft.patch(this.#name, part));
  }

  /** Removes what stands at a path and below. */
  clear(path: DocPath): Promise<void> {
    return this.#write((draft) => draft.clear(this.#name, path));
  }

  async #write(collect: (draft: DatabaseDraft) => void): Promise<void> {
    await this.#database.change(collect);
  }
}

type Members = { [name: string]: Json };

/** Applies registers in their order. A path below something that is no object turns it into one. */
export function buildDocument(registers: readonly StoredRegister[]): JsonObject {
  let document: Members = {};
  for (const { path, value } of registers) {
    const [...names] = decodePath(path);
    const last = names.pop();
    if (last === undefined) {
      const whole: Json = value === null ? {} : (JSON.parse(value) as Json);
      document = isJsonObject(whole) ? (whole as Members) : {};
      continue;
    }
    let parent = document;
    for (const name of names) parent = memberOf(parent, name);
    if (value === null) delete parent[last];
    else setMember(parent, last, JSON.parse(value) as Json);
  }
  return document;
}

function memberOf(parent: Members, name: string): Members {
  const member = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (isJsonObject(member)) return member as Members;
  const made: Members = {};
  setMember(parent, name, made);
  return made;
}

/** Also where the name is `__proto__`: a member, not the prototype. */
function setMember(parent: Members, name: string, value: Json): void {
  Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
}
