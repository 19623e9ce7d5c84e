import type { Fault } from './judge.ts';
import type { LedgerEntry } from './ledger.ts';

/** What a call of a round is a case of when it is found in the ledger after its round; null: it may have run once, nobody knew. */
export type Later = 'false not_started' | 'double execution' | null;

/** A fault of a name, and `of`: what is known of it. */
export type LateExecution<Of> = { readonly fault: Fault; readonly of: Of | null };

/** Holds what the ledger still has when a fleet has ended against what each call of its rounds may be found as. */
export function lateExecutions<Of extends { readonly kind: Later }>(
  ledger: ReadonlyMap<string, readonly LedgerEntry[]>,
  later: ReadonlyMap<string, Of>,
): readonly LateExecution<Of>[] {
  return [...ledger].flatMap(([name, { length }]): LateExecution<Of>[] => {
    const of = later.get(name) ?? null;
    if (of === null)
      return [{ fault: faultOf('double execution', `${name} ran, and no round knows of it`), of }];
    const text = length > 1 ? `${name} ran ${length} times after its round` : `${name} ran after its round`;
    const kind = length > 1 ? 'double execution' : of.kind;
    return kind === null ? [] : [{ fault: faultOf(kind, text), of }];
  });
}

function faultOf(kind: NonNullable<Later>, text: string): Fault {
  return { kind, call: null, text };
}
