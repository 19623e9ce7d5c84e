import { DatabaseSync } from 'node:sqlite';
import type { KeptRows } from './kept-rows.ts';
import { loadedExtensions } from './loaded-extensions.ts';

/** What is made of commits beside records: at most a row of each operation. */
export const MADE_OF_COMMITS: ReadonlySet<string> = new Set([
  'commits',
  'places',
  'latest',
  'registers',
  'searched',
]);
/** How many are kept at most: the oldest are removed, from then on nothing is missing. */
const CAPS: Readonly<Record<string, number>> = { journal: 100_000, tokens: 4_096 };
/** Have limits of their own: handles, what extensions say of themselves in sessions that are in memory, and manifests of folders. */
const UNCOUNTED: ReadonlySet<string> = new Set(['bindings', 'extension_outputs', 'folder_manifests']);
/**
 * Operations of new commits. Extensions that come and go are left out: whoever makes a session finds them on or does not, as it happens.
 */
const NEW_OPERATIONS = `
  SELECT max(n) AS newest, count(*) AS everything, count(*) FILTER (WHERE op NOT IN ('author', 'genesis')) AS records,
    count(*) FILTER (WHERE NOT activates) AS operations,
    count(*) FILTER (WHERE activates AND key NOT IN (SELECT value FROM json_each(?))) AS activations
  FROM (
    SELECT n, value ->> 'op' AS op, value ->> 'key' AS key,
      value ->> 'op' = 'put' AND value ->> 'table' = 'extensions' AS activates
    FROM commits, json_each(commits.ops) WHERE n > ?
  )`;

/** Rows that are made once, the first time that an agent plans or remembers, and what is still to come of approvals that nobody gave. */
const ROWS_BEYOND_MAX = 16;

/** What a database holds. */
type RowCount = {
  /** By table. Indices for words keep tables of their own, which are no rows of ours. */
  readonly tables: Readonly<Record<string, number>>;
  /** Operations in all commits: those that are counted by action, and everything, and what of that is a record. */
  readonly operations: number;
  readonly activations: number;
  readonly everything: number;
  readonly records: number;
};

/** How far a database is from what should be in it. */
type RowDifference = {
  /** Rows that nothing accounts for, and rows that should be there; of each table by itself, so that neither hides the other. */
  readonly unexplained: number;
  readonly missing: number;
  /** By table, where it is not 0. */
  readonly tables: Readonly<Record<string, number>>;
};

/** Counts the rows of a database that somebody else writes. */
export class RowCensus {
  readonly #path: string;
  readonly #start: RowCount;
  #newest = 0;
  #committed = { operations: 0, activations: 0, everything: 0, records: 0 };

  constructor(path: string) {
    this.#path = path;
    this.#start = this.count();
  }

  count(): RowCount {
    const database = new DatabaseSync(this.#path, { readOnly: true });
    try {
      // One moment for all of them.
      database.exec('BEGIN');
      const tables = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .all()
        .map(({ name }) => String(name))
        .filter((name) => !name.startsWith('sqlite_') && !/_(data|idx|content|docsize|config)$/.test(name))
        .map((name): [string, number] => {
          const row = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get();
          return [name, Number(row?.['count'])];
        });
      this.#countCommitted(database);
      return { tables: Object.fromEntries(tables), ...this.#committed };
    } finally {
      database.close();
    }
  }

  /** Compares a count with the first one and what was to be kept since. */
  compare(count: RowCount, kept: KeptRows): RowDifference {
    const added: Readonly<Record<string, number | undefined>> = kept;
    const start = this.#start;
    const found: Record<string, number> = {};
    const note = (table: string, difference: number) => {
      if (difference !== 0) found[table] = difference;
    };
    for (const name of ['operations', 'activations'] as const)
      note(name, count[name] - start[name] - (kept[name] ?? 0));
    const everything = count.everything - start.everything;
    for (const [table, rows] of Object.entries(count.tables)) {
      const more = rows - (start.tables[table] ?? 0);
      if (UNCOUNTED.has(table)) continue;
      if (table === 'records') note(table, more - (count.records - start.records));
      else if (MADE_OF_COMMITS.has(table)) note(table, Math.max(0, more - everything));
      else note(table, beyond(table, { rows, expected: rows - more + (added[table] ?? 0) }));
    }
    const differences = Object.values(found);
    return {
      unexplained: differences.reduce((sum, difference) => sum + Math.max(0, difference), 0),
      missing: differences.reduce((sum, difference) => sum + Math.max(0, -difference), 0),
      tables: found,
    };
  }

  #countCommitted(database: DatabaseSync): void {
    const names = JSON.stringify(Object.keys(loadedExtensions));
    const added = database.prepare(NEW_OPERATIONS).get(names, this.#newest) ?? {};
    const { operations, activations, everything, records } = this.#committed;
    this.#committed = {
      operations: operations + Number(added['operations']),
      activations: activations + Number(added['activations']),
      everything: everything + Number(added['everything']),
      records: records + Number(added['records']),
    };
    this.#newest = Number(added['newest'] ?? this.#newest);
  }
}

function beyond(
  table: string,
  { rows, expected }: { readonly rows: number; readonly expected: number },
): number {
  const cap = CAPS[table] ?? Number.POSITIVE_INFINITY;
  return expected > cap ? Math.max(0, rows - cap) : rows - expected;
}

/** What is wrong once nothing is under way: then every row that there is, is one that some action was to leave. */
export function rowFaults({ unexplained, missing, tables }: RowDifference): readonly string[] {
  const said = JSON.stringify(tables);
  return [
    ...(unexplained > ROWS_BEYOND_MAX ? [`${unexplained} rows are of no action: ${said}`] : []),
    ...(missing > ROWS_BEYOND_MAX ? [`${missing} rows are missing: ${said}`] : []),
  ];
}
