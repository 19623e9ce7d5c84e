import type { DatabaseState } from '../log/database-state.ts';
import type {
  Arrival,
  ChainRange,
  DatabaseRow,
  KeptCommit,
  Page,
  StoredCommit,
  StoredFork,
} from '../log/log-engine.ts';
import { type DatabaseKind, databaseKind } from '../log/names.ts';
import type { Level } from '../log/op.ts';
import type { Position } from '../log/position.ts';
import type { Origin } from '../log/unit.ts';
import { COMMIT_COLUMNS, commitOf } from './commit-rows.ts';
import type { PreparedStatements } from './prepared.ts';
import { rowsOf } from './row-ids.ts';

const LIST = `SELECT root, kind FROM databases
  WHERE dropped = 0 AND root > ? AND (? IS NULL OR kind = ?) ORDER BY root LIMIT ?`;
const HASH = 'SELECT c.hash FROM places AS l JOIN commits AS c ON c.n = l.n WHERE l.chain = ? AND l.seq = ?';
const CHAIN = `SELECT ${COMMIT_COLUMNS}, octet_length(c.ops) AS bytes FROM places AS l CROSS JOIN commits AS c ON c.n = l.n
  LEFT JOIN chains AS s ON s.id = c.settings_chain WHERE l.chain = ? AND l.seq > ? AND l.seq <= ? ORDER BY l.seq`;
const KEPT = `SELECT c.seq, c.hlc, c.level, c.state FROM places AS l CROSS JOIN commits AS c ON c.n = l.n
  WHERE l.chain = ? AND c.level < 3 AND (c.hlc >= ? OR c.seq > ?) ORDER BY l.seq`;
const FORKS = 'SELECT author, seq, at FROM quarantine WHERE db = ? ORDER BY id';
const ARRIVED = `SELECT c.n, c.origin, c.hlc, c.seq, c.ops, h.author, h.peer, d.root, d.kind
  FROM commits AS c JOIN chains AS h ON h.id = c.chain JOIN databases AS d ON d.id = h.db
  WHERE c.n > ? AND c.origin > 0 AND d.dropped = 0 ORDER BY c.n`;
const TURNED = `SELECT a.n, a.origin, c.hlc, c.seq, c.ops, h.author, h.peer, d.root, d.kind
  FROM arrivals AS a JOIN commits AS c ON c.n = a.commit_n JOIN chains AS h ON h.id = c.chain
  JOIN databases AS d ON d.id = h.db
  WHERE a.n > ? AND d.dropped = 0 ORDER BY a.n`;
const LAST_ARRIVAL = `SELECT max(
  (SELECT coalesce(max(n), 0) FROM commits),
  (SELECT coalesce(max(n), 0) FROM arrivals),
  (SELECT coalesce(max(n), 0) FROM arrival_floor)) AS n`;
const CURSOR = 'SELECT n FROM cursors WHERE name = ?';
const DROPPED = 'SELECT author FROM dropped_roots WHERE root = ?';

const ORIGINS: readonly Origin[] = ['local', 'remote', 'retracted'];

/** Reads the log itself: chains, what arrived, what is kept aside. */
export class LogReader {
  readonly #prepared: PreparedStatements;

  constructor(prepared: PreparedStatements) {
    this.#prepared = prepared;
  }

  list(page: {
    readonly kind?: DatabaseKind;
    readonly after: string;
    readonly limit: number;
  }): DatabaseRow[] {
    const kind = page.kind ?? null;
    return this.#prepared
      .get(LIST)
      .all(page.after, kind, kind, page.limit)
      .flatMap((row) => {
        const known = databaseKind(row['kind']);
        return known === null ? [] : [{ root: String(row['root']), kind: known }];
      });
  }

  hashes(state: DatabaseState, places: readonly Pick<Position, 'author' | 'seq'>[]): (string | undefined)[] {
    return places.map(({ author, seq }) => {
      const found = this.#prepared.get(HASH).get(this.#chain(state, author), seq);
      return found === undefined ? undefined : String(found['hash']);
    });
  }

  chain(state: DatabaseState, author: string, range: ChainRange): StoredCommit[] {
    const rows = this.#prepared.get(CHAIN).iterate(this.#chain(state, author), range.after, range.upTo);
    return upTo(range, rows, (row) => Number(row['bytes'])).map((row) => ({
      n: Number(row['n']),
      bytes: Number(row['bytes']),
      commit: commitOf(state, author, row),
    }));
  }

  kept(
    state: DatabaseState,
    author: string,
    range: { readonly fromHlc: number; readonly afterSeq: number },
  ): KeptCommit[] {
    return this.#prepared
      .get(KEPT)
      .all(this.#chain(state, author), range.fromHlc, range.afterSeq)
      .map((row) => ({
        author,
        seq: Number(row['seq']),
        hlc: Number(row['hlc']),
        level: Number(row['level']) as Level,
        applied: row['state'] === 1,
      }));
  }

  forks(state: DatabaseState): StoredFork[] {
    return this.#prepared
      .get(FORKS)
      .all(rowsOf(state).database)
      .map((row) => ({ author: String(row['author']), seq: Number(row['seq']), atMs: Number(row['at']) }));
  }

  arrivals(after: number, page: Page): Arrival[] {
    const size = (row: Row) => String(row['ops']).length;
    const arrived = upTo(page, this.#prepared.get(ARRIVED).iterate(after), size);
    const turned = upTo(page, this.#prepared.get(TURNED).iterate(after), size);
    const rows = [...arrived, ...turned].map(arrivalOf).sort((left, right) => left.n - right.n);
    return [...upTo(page, rows, (row) => row.ops.length)];
  }

  lastArrival(): number {
    return Number(this.#prepared.get(LAST_ARRIVAL).get()?.['n']);
  }

  cursor(name: string): number | undefined {
    const found = this.#prepared.get(CURSOR).get(name);
    return found === undefined ? undefined : Number(found['n']);
  }

  droppedAuthor(root: string): string | undefined {
    const found = this.#prepared.get(DROPPED).get(root);
    return found === undefined ? undefined : String(found['author']);
  }

  /** No chain has the number 0. */
  #chain(state: DatabaseState, author: string): number {
    return rowsOf(state).chains.get(author) ?? 0;
  }
}

type Row = Record<string, unknown>;

/** Takes rows until either bound is met, and at least one. */
function upTo<R>(page: Page, rows: Iterable<R>, bytesOfRow: (row: R) => number): R[] {
  const taken: R[] = [];
  let bytes = 0;
  for (const row of rows) {
    taken.push(row);
    bytes += bytesOfRow(row);
    if (taken.length >= page.limit || bytes >= page.bytes) break;
  }
  return taken;
}

function arrivalOf(row: Row): Arrival {
  return {
    n: Number(row['n']),
    root: String(row['root']),
    kind: databaseKind(row['kind']) ?? 'peer',
    author: String(row['author']),
    peer: String(row['peer']),
    seq: Number(row['seq']),
    hlc: Number(row['hlc']),
    origin: ORIGINS[Number(row['origin']) - 1] ?? 'remote',
    ops: String(row['ops']),
  };
}
