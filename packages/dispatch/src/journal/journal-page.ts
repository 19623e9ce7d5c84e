import type { Certainty } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { JOURNAL_ROWS_PER_LOOK } from '../limits.ts';
import { type JournalEnd, journalName } from './journal-row.ts';

/** Which invocations of the journal to show. */
export type JournalQuery = {
  /** Rows at most; 1 to `JOURNAL_PAGE_MAX`. */
  readonly limit: number;
  /** Only those begun before this one. */
  readonly before?: string | undefined;
  /** Only those of which this is what is known now: what they were settled to, else how they ended. */
  readonly certainty?: Certainty | undefined;
  /** Only those addressed to one of these Runners or to none; absent: all. */
  readonly runners?: readonly string[] | undefined;
};

/** One invocation as it is shown. There is nothing else in the journal: no argument, no binding, no result. */
export type JournalShown = {
  readonly call: string;
  readonly atMs: number;
  readonly principal: string;
  readonly action: string;
  readonly runner: string | null;
  readonly plugin: string | null;
  readonly tool: string | null;
  readonly bindingPresent: boolean;
  readonly argumentsDigest: string | null;
  /** Null while it runs. */
  readonly certainty: Certainty | null;
  readonly code: string | null;
  readonly finishedAtMs: number | null;
  /** What was learnt later of one that ended `outcome_unknown`. */
  readonly settlement: {
    readonly certainty: Certainty;
    readonly code: string | null;
    readonly atMs: number;
  } | null;
};

/** Newest first. `next`: the `before` of the page behind it; null: there is none. A page may be short, or empty, and have one. */
export type JournalPage = { readonly entries: readonly JournalShown[]; readonly next: string | null };

type Row = {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly principal: string;
  readonly action: string;
  readonly runner: string | null;
  readonly plugin: string | null;
  readonly tool: string | null;
  readonly binding_present: number;
  readonly arguments_digest: string | null;
  readonly certainty: Certainty | null;
  readonly code: string | null;
  readonly finished: number | null;
  readonly settled_certainty: Certainty | null;
  readonly settled_code: string | null;
  readonly settled_at: number | null;
};

const COLUMNS =
  'seq, id, at, principal, action, runner, plugin, tool, binding_present, arguments_digest, certainty, code, finished, settled_certainty, settled_code, settled_at';

/** The rows that one page looks at, newest first, without an end those that may have one that is owed. */
const SELECT_PAGE = `SELECT ${COLUMNS} FROM (SELECT * FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT ?)
  WHERE ? IS NULL OR certainty IS NULL OR coalesce(settled_certainty, certainty) = ?
  ORDER BY seq DESC LIMIT ?`;

const SELECT_LOOKED_AT = `SELECT min(seq) AS last, count(*) AS rows
  FROM (SELECT seq FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT ?)`;

/** `owed` gives the end of an invocation whose row does not say so yet. Null: there is no invocation `before`. */
export async function readJournalPage(
  store: Store,
  owed: (id: string) => JournalEnd | undefined,
  { limit, before, certainty, runners }: JournalQuery,
): Promise<JournalPage | null> {
  const beforeSeq = before === undefined ? Number.MAX_SAFE_INTEGER : await seqOf(store, before);
  if (beforeSeq === undefined) return null;
  const wanted = certainty ?? null;
  const rows = await store.read<Row>(SELECT_PAGE, [beforeSeq, JOURNAL_ROWS_PER_LOOK, wanted, wanted, limit]);
  const reach = runners?.map(journalName);
  const entries = rows
    .filter(({ runner }) => reach === undefined || runner === null || reach.includes(runner))
    .map((row) => shown(row, owed(row.id)))
    .filter((entry) => certainty === undefined || knownNow(entry) === certainty);
  return { entries, next: await nextOf(store, rows, beforeSeq, limit) };
}

async function seqOf(store: Store, id: string): Promise<number | undefined> {
  const [row] = await store.read<{ seq: number }>('SELECT seq FROM journal WHERE id = ?', [id]);
  return row?.seq;
}

/** A full page goes on after its last row; another one where its look ended, if that was before the oldest row. */
async function nextOf(
  store: Store,
  rows: readonly Row[],
  beforeSeq: number,
  limit: number,
): Promise<string | null> {
  const [looked] = await store.read<{ last: number | null; rows: number }>(SELECT_LOOKED_AT, [
    beforeSeq,
    JOURNAL_ROWS_PER_LOOK,
  ]);
  const last = rows.length === limit ? (rows.at(-1)?.seq ?? null) : (looked?.last ?? null);
  if (last === null) return null;
  const [row] = await store.read<{ id: string; older: number }>(
    'SELECT id, EXISTS (SELECT 1 FROM journal WHERE seq < ?) AS older FROM journal WHERE seq = ?',
    [last, last],
  );
  return row?.older === 1 ? row.id : null;
}

function shown(row: Row, owed: JournalEnd | undefined): JournalShown {
  const { certainty, code } = row.certainty === null && owed !== undefined ? owed : row;
  return {
    call: row.id,
    atMs: row.at,
    principal: row.principal,
    action: row.action,
    runner: row.runner,
    plugin: row.plugin,
    tool: row.tool,
    bindingPresent: row.binding_present === 1,
    argumentsDigest: row.arguments_digest,
    certainty,
    code,
    finishedAtMs: row.finished,
    settlement:
      row.settled_certainty === null || row.settled_at === null
        ? null
        : { certainty: row.settled_certainty, code: row.settled_code, atMs: row.settled_at },
  };
}

function knownNow({ certainty, settlement }: JournalShown): Certainty | null {
  return settlement?.certainty ?? certainty;
}
