import { hash } from 'node:crypto';
import type { Json } from '@fairlead/base';
import type { Level, PreparedOp } from './op.ts';

/** The part of a commit that is hashed and signed. */
export type CommitHeader = {
  readonly v: 1;
  /** The root id; empty in the first commit of a database, whose hash becomes that id. */
  readonly database: string;
  readonly author: string;
  /** 1 for an author's first commit in a database, then one more each time. */
  readonly seq: number;
  /** The hybrid clock: milliseconds since 1970 × 1,024 + counter. */
  readonly hlc: number;
  /** The hash of the author's commit before; empty for `seq` 1. */
  readonly prev: string;
  /** Author and `seq` of the newest change of the settings that the writer had applied; null in the first commit of a database. */
  readonly settings: readonly [author: string, seq: number] | null;
  /** One digest for each operation. */
  readonly ops: readonly string[];
};

/** One signed commit as it is sent and kept: plain JSON. docs/reference/store.md says how to verify one. */
export type Commit = {
  readonly header: CommitHeader;
  readonly ops: readonly Json[];
  /** Ed25519 over the 32 bytes of the header's hash, base64url. */
  readonly sig: string;
};

/** A commit inside the store: parsed or just written, its hash (base64url) computed from its header. */
export type SealedCommit = {
  readonly header: CommitHeader;
  readonly ops: readonly PreparedOp[];
  readonly hash: string;
  readonly sig: Buffer;
  /** The most that an operation of it needs. */
  readonly level: Level;
};

/** The canonical JSON of a header. Every text in it is base64url or a root id, so nothing needs an escape. */
function headerText(header: CommitHeader): string {
  const { author, database, hlc, ops, prev, seq, settings } = header;
  const named = settings === null ? 'null' : `["${settings[0]}",${settings[1]}]`;
  const digests = ops.length === 0 ? '' : `"${ops.join('","')}"`;
  return `{"author":"${author}","database":"${database}","hlc":${hlc},"ops":[${digests}],"prev":"${prev}","seq":${seq},"settings":${named},"v":1}`;
}

/** SHA-256 of `fairlead commit v1`, LF and the canonical header. */
export function commitHash(header: CommitHeader): string {
  return hash('sha256', `fairlead commit v1\n${headerText(header)}`, 'base64url');
}

/** What is signed: the 32 bytes of the hash. */
export function signedBytes(hash: string): Buffer {
  return Buffer.from(hash, 'base64url');
}

export function levelOf(ops: readonly PreparedOp[]): Level {
  let level: Level = 0;
  for (const op of ops) if (op.level > level) level = op.level;
  return level;
}

/** The bytes of the canonical text of all operations: brackets, commas and each. */
export function opsBytes(ops: readonly PreparedOp[]): number {
  let bytes = 1;
  for (const op of ops) bytes += op.bytes + 1;
  return bytes;
}

/** A commit in its outer form. */
export function commitJson(commit: SealedCommit): Commit {
  return {
    header: commit.header,
    ops: commit.ops.map((op) => JSON.parse(op.text) as Json),
    sig: commit.sig.toString('base64url'),
  };
}
