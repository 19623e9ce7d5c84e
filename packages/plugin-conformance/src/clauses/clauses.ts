import type { Clause } from './clause.ts';
import {
  boundsClauses,
  callClauses,
  initializeClauses,
  listClauses,
  schemaClauses,
} from './method-clauses.ts';
import {
  framingClauses,
  idleClauses,
  mannersClauses,
  reloadClauses,
  responseClauses,
  stderrClauses,
} from './wire-clauses.ts';

const table = [
  ...framingClauses,
  ...responseClauses,
  ...initializeClauses,
  ...listClauses,
  ...schemaClauses,
  ...callClauses,
  ...boundsClauses,
  ...idleClauses,
  ...reloadClauses,
  ...stderrClauses,
  ...mannersClauses,
];

/** The id of a clause. */
export type ClauseId = (typeof table)[number]['id'];

/** Every clause, in the order in which a run reports them; docs/reference/plugin-conformance.md is the same list. */
export const clauses: readonly (Clause & { readonly id: ClauseId })[] = Object.freeze(table);
