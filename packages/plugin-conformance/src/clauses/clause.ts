/** What a plugin owes: `must` fails a run, `should` is advice, `may` is a freedom that no Runner takes away. */
export type ClauseLevel = 'must' | 'should' | 'may';

/** One rule of the plugin wire. */
export type Clause = {
  /** Stable: scripts may name it. */
  readonly id: string;
  readonly level: ClauseLevel;
  /** Where it is written, from the root of the repository. */
  readonly page: string;
  /** The heading on that page. */
  readonly heading: string;
  /** What a plugin must, should or may do, from the verb on. */
  readonly says: string;
};

/** The page that holds the wire. */
const PROTOCOL_PAGE = 'docs/reference/native-plugin-protocol.md';

type Row<Id extends string> = readonly [id: Id, level: ClauseLevel, says: string];

/** The clauses of one heading. */
export function clausesOf<const Id extends string>(
  heading: string,
  rows: readonly Row<Id>[],
): readonly (Clause & { readonly id: Id })[] {
  return rows.map(([id, level, says]) => Object.freeze({ id, level, page: PROTOCOL_PAGE, heading, says }));
}
