import type { ClauseId } from './clauses.ts';

/** One thing that is not as a clause asks. */
export type ClauseFault = { readonly clause: ClauseId; readonly expected: string; readonly seen: string };
