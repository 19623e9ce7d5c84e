import type { Json } from '@fairlead/base';
import { type CommitHeader, levelOf, type SealedCommit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import { type PreparedOp, readOp } from '../log/op.ts';

/** The columns that a commit is made from again. */
export const COMMIT_COLUMNS = `c.n, c.seq, c.hlc, c.hash, c.sig, c.settings_seq, c.ops, s.author AS settings_author,
  (SELECT p.hash FROM places AS f JOIN commits AS p ON p.n = f.n WHERE f.chain = c.chain AND f.seq = c.seq - 1) AS prev`;

/** The operations as they are stored: their canonical texts as one JSON array. */
export function opsText(ops: readonly PreparedOp[]): string {
  const [only] = ops;
  return ops.length === 1 && only !== undefined
    ? `[${only.text}]`
    : `[${ops.map((op) => op.text).join(',')}]`;
}

export function opsOf(text: unknown): readonly PreparedOp[] {
  const values = JSON.parse(String(text)) as readonly Json[];
  return values.map((value) => {
    const op = readOp(value);
    if (op === null) throw new Error('a stored operation has lost its form');
    return op;
  });
}

function bytesOf(blob: unknown): Buffer {
  if (!(blob instanceof Uint8Array)) throw new Error('a blob was expected');
  return Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
}

/** A commit from its row, as it was sealed. */
export function commitOf(state: DatabaseState, author: string, row: Record<string, unknown>): SealedCommit {
  const ops = opsOf(row['ops']);
  const settings = row['settings_author'];
  const prev = row['prev'];
  const header: CommitHeader = {
    v: 1,
    database: settings === null ? '' : state.root,
    author,
    seq: Number(row['seq']),
    hlc: Number(row['hlc']),
    prev: prev === null ? '' : String(prev),
    settings: settings === null ? null : [String(settings), Number(row['settings_seq'])],
    ops: ops.map((op) => op.digest),
  };
  return { header, ops, hash: String(row['hash']), sig: bytesOf(row['sig']), level: levelOf(ops) };
}
