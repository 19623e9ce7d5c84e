import { isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { frameBounds, MAX_COMMITS_IN_APPLY } from '../limits.ts';
import type { Version } from '../log/chain.ts';
import { isDigest, isRootId } from '../log/names.ts';
import { isSignature } from '../log/op.ts';

/** Why a database is not replicated: it is not here or not for the other's eyes, or its right to it has ended. */
export type DenyReason = 'not_found' | 'revoked';

/** One message of a session, JSON text. Members that are not named here are ignored. */
export type Frame =
  /** First from each side. `wall_ms` is for a warning only. */
  | {
      readonly type: 'hello';
      readonly v: 1;
      readonly peer: string;
      readonly nonce: string;
      readonly wall_ms: number;
    }
  /** Second from each side: the signature that `proofText` is for. */
  | { readonly type: 'prove'; readonly sig: string }
  /** Asks for a database. */
  | { readonly type: 'open'; readonly root: string }
  /** What the sender holds of a database, and the hash at the end of each chain. */
  | {
      readonly type: 'have';
      readonly root: string;
      readonly version: Version;
      readonly heads: { readonly [author: string]: string };
    }
  /** Commits that the other lacks, each after those that it needs. */
  | { readonly type: 'commits'; readonly root: string; readonly commits: readonly Json[] }
  /** Answers each `commits`: what the sender holds now. */
  | { readonly type: 'ack'; readonly root: string; readonly version: Version }
  /** The sender has nothing more that the other lacks. */
  | { readonly type: 'even'; readonly root: string }
  | { readonly type: 'deny'; readonly root: string; readonly why: DenyReason }
  | { readonly type: 'goodbye' };

export function encodeFrame(frame: Frame): string {
  return JSON.stringify(frame);
}

/** Reads a message; null where it is none. Commits inside are not looked at. */
export function parseFrame(bytes: Uint8Array): Frame | null {
  const parsed = parseJson(bytes, frameBounds);
  return parsed.ok && isJsonObject(parsed.value) ? readFrame(parsed.value) : null;
}

function readFrame(value: JsonObject): Frame | null {
  const { type, root } = value;
  if (type === 'hello') return readHello(value);
  if (type === 'prove') return isSignature(value['sig']) ? { type, sig: value['sig'] } : null;
  if (type === 'goodbye') return { type };
  if (!isRootId(root)) return null;
  switch (type) {
    case 'open':
    case 'even':
      return { type, root };
    case 'have': {
      const version = readVersion(value['version']);
      const heads = readHeads(value['heads']);
      return version === null || heads === null ? null : { type, root, version, heads };
    }
    case 'ack': {
      const version = readVersion(value['version']);
      return version === null ? null : { type, root, version };
    }
    case 'commits': {
      const commits = value['commits'];
      return Array.isArray(commits) && commits.length <= MAX_COMMITS_IN_APPLY
        ? { type, root, commits: commits as readonly Json[] }
        : null;
    }
    case 'deny':
      return { type, root, why: value['why'] === 'revoked' ? 'revoked' : 'not_found' };
    default:
      return null;
  }
}

function readHello(value: JsonObject): Frame | null {
  const { v, peer, nonce, wall_ms } = value;
  if (v !== 1 || !isDigest(peer) || !isDigest(nonce)) return null;
  return { type: 'hello', v, peer, nonce, wall_ms: typeof wall_ms === 'number' ? wall_ms : 0 };
}

function readVersion(value: Json | undefined): Version | null {
  if (!isJsonObject(value)) return null;
  const isVersion = Object.entries(value).every(
    ([author, seq]) => isDigest(author) && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0,
  );
  return isVersion ? (value as Version) : null;
}

function readHeads(value: Json | undefined): { readonly [author: string]: string } | null {
  if (!isJsonObject(value)) return null;
  const isHeads = Object.entries(value).every(([author, hash]) => isDigest(author) && isDigest(hash));
  return isHeads ? (value as { readonly [author: string]: string }) : null;
}
