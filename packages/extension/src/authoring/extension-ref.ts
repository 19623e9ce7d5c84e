import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';

/** Where an extension came from and which one it is; its loader derives it. A kind that this version does not know is kept as it is. */
export type ExtensionRef =
  | { readonly kind: 'builtin'; readonly name: string; readonly version: string }
  | { readonly kind: 'path'; readonly name: string; readonly digest: string }
  | {
      readonly kind: 'npm';
      readonly name: string;
      readonly package: string;
      readonly version: string;
      readonly integrity: string;
    }
  | { readonly kind: 'git'; readonly name: string; readonly repo: string; readonly sha: string }
  | { readonly kind: 'ipld'; readonly name: string; readonly cid: string }
  | { readonly kind: 'database'; readonly name: string; readonly db_id: string; readonly version: string }
  | UnknownRef;

/** A ref of a kind that this version does not know. */
export interface UnknownRef {
  readonly kind: `${string}`;
  readonly name: string;
  readonly [member: string]: Json;
}

/** The members of each known kind; the last one says which version it is. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  builtin: ['version'],
  path: ['digest'],
  npm: ['package', 'integrity', 'version'],
  git: ['repo', 'sha'],
  ipld: ['cid'],
  database: ['db_id', 'version'],
});

/**
 * A ref as it stands in a log or a file, frozen; undefined for what is none: no object with `kind` and `name`, or a known kind
 * that lacks a member. Further members are kept.
 */
export function readRef(value: unknown): ExtensionRef | undefined {
  const plain = plainJson(value);
  if (!plain.ok || !isJsonObject(plain.value)) return undefined;
  const ref: JsonObject = plain.value;
  if (typeof ref['kind'] !== 'string' || typeof ref['name'] !== 'string' || ref['name'] === '')
    return undefined;
  const members = Object.hasOwn(MEMBERS, ref['kind']) ? MEMBERS[ref['kind']] : [];
  if (members?.every((member) => typeof ref[member] === 'string') !== true) return undefined;
  return ref as unknown as ExtensionRef;
}

/** Which version a ref names: its version, digest, sha or cid; of an unknown kind its `version`, or "". */
export function version(ref: ExtensionRef): string {
  const member = Object.hasOwn(MEMBERS, ref.kind) ? MEMBERS[ref.kind]?.at(-1) : 'version';
  const found: unknown = Reflect.get(ref, member ?? 'version');
  return typeof found === 'string' ? found : '';
}
