import type { Principal } from '@fairlead/dispatch';
import type { TokenKind } from './token-secret.ts';

/** A token as it is listed; there is no way back to the secret. Times are milliseconds since 1970. */
export type TokenListing = {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly scopes: readonly string[];
  /** A Runner token's runner id. */
  readonly runner?: string;
  /** A personal token's Runners; null = every Runner. */
  readonly runners?: readonly string[] | null;
  readonly createdAtMs: number;
  /** Null = as long as it is not revoked. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/** A fresh token: the only moment at which its secret exists outside the hands of who asked. */
export type MintedToken = { readonly secret: string; readonly token: TokenListing };

/** A personal token to be made. `lifetimeMs` is 1 minute to 366 days, 90 days when absent. */
export type PersonalTokenRequest = {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Absent = every Runner; else 1 to 64 of them. */
  readonly runners?: readonly string[] | undefined;
  readonly lifetimeMs?: number | undefined;
};

/**
 * A Runner token to be made, bound to one runner id. `embedded`: for the Runner that shares this process. Such a token
 * does not expire, and that of the start before is revoked in the same write.
 */
export type RunnerTokenRequest = {
  readonly runner: string;
  readonly name?: string | undefined;
  readonly lifetimeMs?: number | undefined;
  readonly embedded?: boolean;
};

/** Why a secret opens nothing. */
export type RefusalReason =
  | 'token_missing'
  | 'token_malformed'
  | 'token_kind_wrong'
  | 'token_unknown'
  | 'token_expired'
  | 'token_revoked';

/** Who a personal token speaks for. `isLive` is asked again whenever it matters: the token may have ended since. */
export type PersonalClaim = {
  readonly tokenId: string;
  /** What its owner called it. */
  readonly name: string;
  readonly principal: Principal;
  readonly expiresAtMs: number | null;
  isLive(): boolean;
};

export type PersonalAuthentication =
  | { readonly ok: true; readonly claim: PersonalClaim }
  | { readonly ok: false; readonly reason: RefusalReason };

/** What a Runner token is good for. `isLive` is asked again whenever it matters: the token may end while its link lives. */
export type RunnerClaim = { readonly tokenId: string; readonly runner: string; isLive(): boolean };

export type RunnerAuthentication =
  | { readonly ok: true; readonly claim: RunnerClaim }
  | { readonly ok: false; readonly reason: RefusalReason };

/** The tokens of one state directory. The process that holds the directory is the only one that changes them. */
export type Tokens = {
  /** Throws `token_request_invalid` (detail.member), `token_limit_reached`, or a code of the store; then there is no token. */
  mint(request: PersonalTokenRequest): Promise<MintedToken>;
  /** Throws as `mint`. */
  mintRunner(request: RunnerTokenRequest): Promise<MintedToken>;
  /** Looks up a personal token. */
  authenticate(secret: string | null): PersonalAuthentication;
  /** Looks up a Runner token. */
  authenticateRunner(secret: string | null): RunnerAuthentication;
  /** Every row, ended ones included, oldest first. */
  list(): TokenListing[];
  /**
   * Ends a token at once, before the write that makes it last. False when there is none with this id. Throws a code of the
   * store: then the token is dead as long as this process lives, and must be revoked again.
   */
  revoke(id: string): Promise<boolean>;
  /** Tells of every token that is revoked from here on, in the same turn. Returns the way to stop. */
  onRevoked(listener: (tokenId: string) => void): () => void;
};
