import type { Statement, Store } from '@fairlead/store';
import { tokenLimits } from '../limits.ts';
import type { TokenKind } from './token-secret.ts';

/** A row of the peer-local table `tokens`. Times are milliseconds since 1970. */
export type TokenRow = {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  /** SHA-256 of the whole token, base64url. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** A personal token's Runners; null = every Runner. */
  readonly runners: readonly string[] | null;
  /** A Runner token's runner id. */
  readonly runner: string | null;
  readonly createdAtMs: number;
  /** Null = as long as it is not revoked. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

type StoredRow = {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string;
  readonly runners: string | null;
  readonly runner: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
};

/** Every row, oldest first; there are never twice as many as are kept. */
export async function readTokens(store: Store): Promise<TokenRow[]> {
  const rows = await store.read<StoredRow>(
    'SELECT id, kind, name, hash, scopes, runners, runner, created_at, expires_at, revoked_at FROM tokens ORDER BY created_at, id LIMIT ?',
    [tokenLimits.rows * 2],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    hash: row.hash,
    scopes: JSON.parse(row.scopes) as string[],
    runners: row.runners === null ? null : (JSON.parse(row.runners) as string[]),
    runner: row.runner,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    revokedAtMs: row.revoked_at,
  }));
}

export function insertToken(row: TokenRow): Statement {
  return {
    sql: `INSERT INTO tokens (id, kind, name, hash, scopes, runners, runner, created_at, expires_at, revoked_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: [
      row.id,
      row.kind,
      row.name,
      row.hash,
      JSON.stringify(row.scopes),
      row.runners === null ? null : JSON.stringify(row.runners),
      row.runner,
      row.createdAtMs,
      row.expiresAtMs,
      row.revokedAtMs,
    ],
  };
}

/** The first revocation stands. */
export function revokeToken(id: string, atMs: number): Statement {
  return {
    sql: 'UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
    parameters: [atMs, id],
  };
}

export function deleteToken(id: string): Statement {
  return { sql: 'DELETE FROM tokens WHERE id = ?', parameters: [id] };
}
