import { type Clock, canonicalJson, type Json, type JsonObject, sha256Base64url } from '@fairlead/base';
import type { SqlValue, Statement, Store } from '@fairlead/store';
import { catalogLimits } from '../limits.ts';

/** What became of a tool since somebody approved it. `new` was never approved, `gone` is not offered any more. */
export type CatalogState = 'approved' | 'changed' | 'new' | 'gone';

/** One definition, and the digest that stands for it. */
interface Observed {
  readonly observation: string;
  readonly definition: JsonObject;
}

/** One tool of a source. The tool `''` is what the source says of itself. */
export interface CatalogRow {
  readonly tool: string;
  readonly state: CatalogState;
  /** What was approved; undefined where nothing was. */
  readonly approved: Observed | undefined;
  /** What the source shows now, where that is something else. */
  readonly offered: Observed | undefined;
  /** Who approved it: `configuration` for whoever configured the source. */
  readonly approvedBy: string | undefined;
  /** By the wall clock: since when the state is what it is. */
  readonly atMs: number;
}

export interface CatalogOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Names the source and how it is reached: another command is another source, whose first catalog is approved anew. */
  readonly source: string;
  /** First line of what is digested: no two kinds of tools have equal observations. */
  readonly domain: string;
  /** What is done with tools that come later. */
  readonly newTools: 'ask' | 'allow';
}

interface Row {
  readonly tool: string;
  readonly observation: string | null;
  readonly definition: string | null;
  readonly offered_observation: string | null;
  readonly offered_definition: string | null;
  readonly state: CatalogState;
  readonly approved_by: string | null;
  readonly at: number;
}

/**
 * What was approved of the tools of one source, and what it offers now: the rows `catalogs`. The first catalog of a source is approved by
 * whoever configured it; what is new or other later waits for a person. One writer at a time.
 */
export class Catalog {
  readonly source: string;
  readonly #options: CatalogOptions;
  readonly #rows: Map<string, CatalogRow>;
  #isKnown: boolean;

  private constructor(options: CatalogOptions, rows: readonly CatalogRow[]) {
    this.source = options.source;
    this.#options = options;
    this.#rows = new Map(rows.filter((row) => !isMarker(row)).map((row) => [row.tool, row]));
    this.#isKnown = rows.length > 0;
  }

  /** Reads what earlier starts left. Rejects with a code of the store. */
  static async open(options: CatalogOptions): Promise<Catalog> {
    const rows = await options.store.read<Row>(
      `SELECT tool, observation, definition, offered_observation, offered_definition, state, approved_by, at
        FROM catalogs WHERE source = ? ORDER BY tool LIMIT ?`,
      [options.source, catalogLimits.maxTools + 1],
    );
    return new Catalog(options, rows.map(readRow));
  }

  /** Whether nobody has seen a catalog of this source yet. */
  get isFirst(): boolean {
    return !this.#isKnown;
  }

  /** By the names of the tools, `''` in front. */
  rows(): readonly CatalogRow[] {
    return [...this.#rows.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1));
  }

  row(tool: string): CatalogRow | undefined {
    return this.#rows.get(tool);
  }

  /** Whether a tool is offered now as it was approved. */
  holds(tool: string): boolean {
    return this.#rows.get(tool)?.state === 'approved';
  }

  /** The digest of a definition of this source. Its depth is bounded by whoever read it. */
  observationOf(definition: JsonObject): string {
    return sha256Base64url(`${this.#options.domain}\n${canonicalJson(definition)}`);
  }

  /**
   * Takes what the source offers now: all its tools, with `''` what it says of itself. Answers whether a state has changed. Rejects with a code of the
   * store; then nothing has.
   */
  async observe(offered: ReadonlyMap<string, JsonObject>): Promise<boolean> {
    const { clock, newTools } = this.#options;
    const atMs = Math.round(clock.wallMs());
    const first = this.isFirst;
    const moved: CatalogRow[] = [];
    const dropped: string[] = [];
    for (const [tool, definition] of offered) {
      const seen: Observed = { observation: this.observationOf(definition), definition };
      const before = this.#rows.get(tool);
      const by = first ? 'configuration' : newTools === 'allow' && tool !== '' ? 'new_tools' : undefined;
      const after = nextRow(tool, before, seen, by, atMs);
      if (after !== before) moved.push(after);
    }
    for (const row of this.#rows.values()) {
      if (offered.has(row.tool) || row.state === 'gone') continue;
      if (row.approved === undefined) dropped.push(row.tool);
      else moved.push({ ...row, state: 'gone', offered: undefined, atMs });
    }
    await this.#write(moved, dropped);
    return moved.length + dropped.length > 0;
  }

  /**
   * Approves what waits, of one tool or of all: exactly the observations that the caller has seen, by tool. What is offered by now as something else
   * stays as it is. What is gone is forgotten. Answers the tools that were approved or forgotten. Rejects with a code of the store.
   */
  async approve(seen: ReadonlyMap<string, string | null>, by: string): Promise<readonly string[]> {
    const atMs = Math.round(this.#options.clock.wallMs());
    const approved: CatalogRow[] = [];
    const dropped: string[] = [];
    for (const [tool, observation] of seen) {
      const row = this.#rows.get(tool);
      if (row === undefined) continue;
      if (row.state === 'gone' && observation === null) dropped.push(tool);
      if (row.offered !== undefined && row.offered.observation === observation)
        approved.push({
          tool,
          state: 'approved',
          approved: row.offered,
          offered: undefined,
          approvedBy: by,
          atMs,
        });
    }
    await this.#write(approved, dropped);
    return [...approved.map(({ tool }) => tool), ...dropped];
  }

  async #write(moved: readonly CatalogRow[], dropped: readonly string[]): Promise<void> {
    if (moved.length + dropped.length === 0) return;
    const { store, source, clock } = this.#options;
    const left = new Set([...this.#rows.keys(), ...moved.map(({ tool }) => tool)]);
    for (const tool of dropped) left.delete(tool);
    const statements = [
      ...moved.map((row) => putRow(source, row)),
      ...dropped.map((tool) => ({
        sql: 'DELETE FROM catalogs WHERE source = ? AND tool = ?',
        parameters: [source, tool],
      })),
      // Else what comes back after its going was approved would be a first catalog again, and approved by nobody.
      ...(left.size === 0 ? [putRow(source, marker(Math.round(clock.wallMs())))] : []),
    ];
    await store.write(statements);
    this.#isKnown = true;
    for (const row of moved) this.#rows.set(row.tool, Object.freeze(row));
    for (const tool of dropped) this.#rows.delete(tool);
  }
}

/** Stands alone for a source that offers nothing any more: somebody has seen a catalog of it. */
function marker(atMs: number): CatalogRow {
  return { tool: '', state: 'gone', approved: undefined, offered: undefined, approvedBy: undefined, atMs };
}

function isMarker({ tool, state, approved }: CatalogRow): boolean {
  return tool === '' && state === 'gone' && approved === undefined;
}

/** The row that follows; the same object where nothing has changed. */
function nextRow(
  tool: string,
  before: CatalogRow | undefined,
  seen: Observed,
  by: string | undefined,
  atMs: number,
): CatalogRow {
  if (before?.approved?.observation === seen.observation)
    return before.state === 'approved' ? before : { ...before, state: 'approved', offered: undefined, atMs };
  if (before?.approved === undefined && by !== undefined)
    return { tool, state: 'approved', approved: seen, offered: undefined, approvedBy: by, atMs };
  if (before?.offered?.observation === seen.observation) return before;
  const state = before?.approved === undefined ? 'new' : 'changed';
  return {
    tool,
    state,
    approved: before?.approved,
    offered: seen,
    approvedBy: before?.approvedBy,
    atMs,
  };
}

function readRow(row: Row): CatalogRow {
  return Object.freeze({
    tool: row.tool,
    state: row.state,
    approved: observed(row.observation, row.definition),
    offered: observed(row.offered_observation, row.offered_definition),
    approvedBy: row.approved_by ?? undefined,
    atMs: row.at,
  });
}

function observed(observation: string | null, definition: string | null): Observed | undefined {
  if (observation === null || definition === null) return undefined;
  return { observation, definition: JSON.parse(definition) as JsonObject };
}

function putRow(source: string, row: CatalogRow): Statement {
  const { tool, state, approved, offered, approvedBy, atMs } = row;
  const text = (definition: Json | undefined): SqlValue =>
    definition === undefined ? null : canonicalJson(definition);
  return {
    sql: `INSERT OR REPLACE INTO catalogs
      (source, tool, observation, definition, offered_observation, offered_definition, state, approved_by, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: [
      source,
      tool,
      approved?.observation ?? null,
      text(approved?.definition),
      offered?.observation ?? null,
      text(offered?.definition),
      state,
      approvedBy ?? null,
      atMs,
    ],
  };
}
