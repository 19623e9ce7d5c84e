import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';

/** What is wrong with params, in words that repeat no value and no unknown name. */
export type ParamsProblem = { readonly member?: string; readonly problem: string };

/** The params as an object with these members and no other, or the first problem. */
export function readParams(
  params: Json,
  members: { readonly required: readonly string[]; readonly optional?: readonly string[] },
):
  | { readonly ok: true; readonly params: JsonObject }
  | { readonly ok: false; readonly detail: ParamsProblem } {
  const { required, optional = [] } = members;
  if (!isJsonObject(params)) return { ok: false, detail: { problem: 'not_an_object' } };
  for (const member of Object.keys(params))
    if (!required.includes(member) && !optional.includes(member))
      return { ok: false, detail: { problem: 'unknown_member' } };
  for (const member of required)
    if (params[member] === undefined) return { ok: false, detail: { member, problem: 'missing' } };
  return { ok: true, params };
}
