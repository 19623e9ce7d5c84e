import type { JsonObject } from '@fairlead/base';
import { compileSchema } from '@fairlead/protocol';
import type { BindingBook } from '../bindings/binding-book.ts';

/** Where the arguments of a call break the schema that was described, in words that hold nothing of them. */
export type ArgumentsFault = { readonly message?: string; readonly detail?: JsonObject };

/**
 * Says which argument was refused. A Runner's own words are never shown, so the schema is looked at again here, from what the binding was
 * made for. Nothing where it is not known any more, or where the arguments break a bound and not the schema. Never rejects.
 */
export async function argumentsFault(
  bindings: BindingBook,
  binding: string,
  given: JsonObject,
): Promise<ArgumentsFault> {
  try {
    const inputSchema = await bindings.inputSchema(binding);
    const compiled = inputSchema === null ? null : compileSchema(inputSchema, 'input');
    const fault = compiled?.ok === true ? compiled.schema.fault(given) : null;
    if (fault === null) return {};
    const { path, expected } = fault;
    const where = path === '' ? 'The arguments' : `The argument ${path}`;
    return { message: `${where} must be ${expected}; nothing was sent.`, detail: { path, expected } };
  } catch {
    return {};
  }
}
