import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { MAX_COMMIT_BYTES, MAX_OPS_IN_COMMIT } from '../limits.ts';
import { type CommitHeader, commitHash, levelOf, opsBytes, type SealedCommit } from './commit.ts';
import { isDigest, isRootId } from './names.ts';
import { isSignature, type PreparedOp, readOp } from './op.ts';

/**
 * What a foreign value turned out to be. `intact`: its operations are those that its header names. `at` names the commit
 * as far as it could be read.
 */
export type ParsedCommit =
  | { readonly ok: true; readonly commit: SealedCommit; readonly intact: boolean }
  | {
      readonly ok: false;
      readonly code: ShapeCode;
      readonly at: { readonly author: string; readonly seq: number };
    };

type ShapeCode = 'commit_malformed' | 'commit_too_large';

/** Reads a commit from outside: its form and its sizes. */
export function parseCommit(value: Json): ParsedCommit {
  const at = nameOf(value);
  const refused = (code: ShapeCode): ParsedCommit => ({ ok: false, code, at });
  if (!isJsonObject(value) || !hasMembers(value, ['header', 'ops', 'sig']))
    return refused('commit_malformed');
  const { header: rawHeader, ops: rawOps, sig } = value;
  if (Array.isArray(rawOps) && rawOps.length > MAX_OPS_IN_COMMIT) return refused('commit_too_large');
  const header = readHeader(rawHeader);
  if (header === null || !Array.isArray(rawOps) || !isSignature(sig)) return refused('commit_malformed');
  if (rawOps.length === 0 || rawOps.length !== header.ops.length) return refused('commit_malformed');
  const ops: PreparedOp[] = [];
  for (const raw of rawOps as readonly Json[]) {
    const op = readOp(raw);
    if (op === null) return refused('commit_malformed');
    ops.push(op);
  }
  if (opsBytes(ops) > MAX_COMMIT_BYTES) return refused('commit_too_large');
  if (!placesAreRight(header, ops)) return refused('commit_malformed');
  const intact = ops.every((op, index) => op.digest === header.ops[index]);
  const hash = commitHash(header);
  const commit = { header, ops, hash, sig: Buffer.from(sig, 'base64url'), level: levelOf(ops) };
  return { ok: true, commit, intact };
}

function readHeader(value: Json | undefined): CommitHeader | null {
  const members = ['v', 'database', 'author', 'seq', 'hlc', 'prev', 'settings', 'ops'];
  if (!isJsonObject(value) || !hasMembers(value, members) || value['v'] !== 1) return null;
  const { database, author, seq, hlc, prev, settings, ops } = value;
  if (!isDigest(author) || !(database === '' || isRootId(database))) return null;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return null;
  if (typeof hlc !== 'number' || !Number.isSafeInteger(hlc)) return null;
  if (seq === 1 ? prev !== '' : !isDigest(prev)) return null;
  if (!Array.isArray(ops) || !ops.every(isDigest)) return null;
  const named = readSettings(settings);
  if (named === undefined || (database === '') !== (named === null)) return null;
  return { v: 1, database, author, seq, hlc, prev: prev as string, settings: named, ops };
}

function readSettings(value: Json | undefined): CommitHeader['settings'] | undefined {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [author, seq] = value as readonly Json[];
  if (!isDigest(author) || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  return [author, seq];
}

/** An author begins with its certificate, a database with its genesis, and neither stands anywhere else. */
function placesAreRight(header: CommitHeader, ops: readonly PreparedOp[]): boolean {
  const begins = header.database === '';
  if (begins && header.seq !== 1) return false;
  const peer = ops[0]?.author?.peer;
  return (
    ops.every((op, index) => {
      if (index === 0 && header.seq === 1) return op.verb === 'author';
      if (index === 1 && begins) return op.genesis !== null && op.genesis.peer === peer;
      return op.verb !== 'author' && op.verb !== 'genesis';
    }) &&
    (!begins || ops.length >= 2)
  );
}

function hasMembers(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

function nameOf(value: Json): { author: string; seq: number } {
  const header = isJsonObject(value) ? value['header'] : undefined;
  const author = isJsonObject(header) && isDigest(header['author']) ? header['author'] : '';
  const seq = isJsonObject(header) && typeof header['seq'] === 'number' ? header['seq'] : 0;
  return { author, seq };
}
