import type { ProcessRow, ProcessTable } from '../process-table/process-reader.ts';

export type FamilyOptions = {
  /** The process that was spawned, leader of its own session. `started` 0: not known. */
  readonly root: { readonly pid: number; readonly started: number };
  /** What only members of this tree carry in their environment. */
  readonly mark: Buffer;
  /** Never members: the Runner itself and its watchdog. */
  readonly spared: readonly number[];
};

/**
 * Tells the members of one process tree in a process table: the root, whoever carries the mark, descends from a member, or
 * shares a session that a member made. It remembers members, so that one stays known after its parent died. Nothing older than
 * the root can be one, which also keeps the reading of environments short.
 */
export class Family {
  readonly #options: FamilyOptions;
  readonly #known = new Map<number, number>();
  /** Sessions of the tree, each with the start of its leader, or null where that one had gone before it was seen. */
  readonly #sessions = new Map<number, number | null>();

  constructor(options: FamilyOptions) {
    this.#options = options;
    this.#known.set(options.root.pid, options.root.started);
    this.#sessions.set(options.root.pid, options.root.started);
  }

  /** The living members. */
  members(table: ProcessTable): ProcessRow[] {
    const { root, mark, spared } = this.#options;
    const candidates: ProcessRow[] = [];
    const byParent = new Map<number, ProcessRow[]>();
    const bySession = new Map<number, ProcessRow[]>();
    for (const row of table.rows.values()) {
      if (row.ended || row.started < root.started || spared.includes(row.pid)) continue;
      candidates.push(row);
      append(byParent, row.parent, row);
      append(bySession, row.session, row);
    }
    const foreignSession = table.rows.get(process.pid)?.session;
    const members = new Set<ProcessRow>();
    const admit = (first: ProcessRow): void => {
      const pending = [first];
      for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
        if (members.has(row)) continue;
        members.add(row);
        this.#known.set(row.pid, row.started);
        pending.push(...(byParent.get(row.pid) ?? []));
        if (row.session === foreignSession || !this.#takeSession(row.session, table)) continue;
        pending.push(...(bySession.get(row.session) ?? []));
      }
    };
    for (const row of candidates)
      if (this.#known.get(row.pid) === row.started || this.#owns(row.session, table)) admit(row);
    for (const row of candidates) if (!members.has(row) && table.environmentHolds(row.pid, mark)) admit(row);
    return [...members];
  }

  /**
   * Asked once the root has been collected and its group is empty. True when nobody is in its session either: from then on its
   * number may be somebody else's, and is no longer taken for one of the tree.
   */
  rootIsGone(table: ProcessTable): boolean {
    const { pid } = this.#options.root;
    for (const row of table.rows.values()) if (row.session === pid) return false;
    this.#known.delete(pid);
    this.#sessions.delete(pid);
    return true;
  }

  /** Whether a session of the tree still has the number: not if another leader has it now. */
  #owns(session: number, table: ProcessTable): boolean {
    const recorded = this.#sessions.get(session);
    if (recorded === undefined) return false;
    const leader = table.rows.get(session);
    return leader === undefined || leader.started === recorded;
  }

  /** Takes over the session of a member. One whose leader is older than the tree was not made by it. */
  #takeSession(session: number, table: ProcessTable): boolean {
    if (session === 0) return false;
    if (this.#sessions.has(session)) return this.#owns(session, table);
    const leader = table.rows.get(session);
    if (leader !== undefined && leader.started < this.#options.root.started) return false;
    this.#sessions.set(session, leader?.started ?? null);
    return true;
  }
}

function append(index: Map<number, ProcessRow[]>, key: number, row: ProcessRow): void {
  const rows = index.get(key);
  if (rows === undefined) index.set(key, [row]);
  else rows.push(row);
}
