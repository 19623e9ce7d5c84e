import {
  type Clock,
  FairleadError,
  hasControlCharacter,
  type Json,
  type Random,
  randomId,
} from '@fairlead/base';
import { isScope, type Principal, type Scope } from '@fairlead/dispatch';
import { isLinkName } from '@fairlead/protocol';
import type { Store } from '@fairlead/store';
import { gatewayErrors } from '../errors.ts';
import { tokenLimits } from '../limits.ts';
import { hashSecret, kindOfSecret, newSecret, type TokenKind } from './token-secret.ts';
import { deleteToken, insertToken, readTokens, revokeToken, type TokenRow } from './token-table.ts';

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
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/** A fresh token: the only moment at which its secret exists outside the head of who asked. */
export type MintedToken = { readonly secret: string; readonly token: TokenListing };

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

/** Tokens of one state directory. The process that holds the directory is the only one that changes them. */
export type Tokens = {
  /**
   * Makes a personal token. `runners` limits it; `lifetimeMs` is 1 minute to 366 days, 90 days when absent.
   * Throws `token_request_invalid` (detail.member), `token_limit_reached`.
   */
  mint(request: {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly runners?: readonly string[] | undefined;
    readonly lifetimeMs?: number | undefined;
  }): Promise<MintedToken>;
  /**
   * Makes a token for one runner id. `embedded`: for the Runner that shares this process; it does not expire, and the one of the
   * start before is revoked in the same write. Throws as `mint`.
   */
  mintRunner(request: {
    readonly runner: string;
    readonly name?: string | undefined;
    readonly lifetimeMs?: number | undefined;
    readonly embedded?: boolean;
  }): Promise<MintedToken>;
  /** Looks up a personal token. */
  authenticate(secret: string | null): PersonalAuthentication;
  /** Looks up a Runner token. */
  authenticateRunner(secret: string | null): RunnerAuthentication;
  /** Every row, ended ones included, oldest first. */
  list(): TokenListing[];
  /** Ends a token at once, before the write that makes it last. False when there is none with this id. */
  revoke(id: string): Promise<boolean>;
  /** Tells of every token that is revoked from here on, in the same turn. Returns the way to stop. */
  onRevoked(listener: (tokenId: string) => void): () => void;
};

/** The name of the token that `fairlead up` makes for its own Runner; nobody else may take a name that begins so. */
const RESERVED_NAME = 'fairlead ';
const EMBEDDED_NAME = 'fairlead up';

/** Reads the table and removes rows that ended over 90 days ago. */
export async function createTokens(options: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<Tokens> {
  const { store, clock } = options;
  const rows = await readTokens(store);
  const oldest = clock.wallMs() - tokenLimits.keepEndedMs;
  const forgotten = rows.filter(
    (row) => (row.revokedAtMs ?? row.expiresAtMs ?? Number.POSITIVE_INFINITY) < oldest,
  );
  if (forgotten.length > 0)
    await writeAll(
      store,
      forgotten.map((row) => deleteToken(row.id)),
    );
  return new TokenBook(
    options,
    rows.filter((row) => !forgotten.includes(row)),
  );
}

type Entry = { row: TokenRow; readonly personal: PersonalClaim };

class TokenBook implements Tokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #byHash = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();
  readonly #listeners = new Set<(tokenId: string) => void>();
  #minting = 0;

  constructor(
    options: { readonly store: Store; readonly clock: Clock; readonly random: Random },
    rows: readonly TokenRow[],
  ) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#random = options.random;
    for (const row of rows) this.#add(row);
  }

  async mint(request: {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly runners?: readonly string[] | undefined;
    readonly lifetimeMs?: number | undefined;
  }): Promise<MintedToken> {
    checkName(request.name);
    const scopes = checkScopes(request.scopes);
    const runners = request.runners === undefined ? null : checkRunners(request.runners);
    const expiresAtMs = this.#expiry(request.lifetimeMs);
    return this.#make(
      { kind: 'personal', name: request.name, scopes, runners, runner: null, expiresAtMs },
      [],
    );
  }

  async mintRunner(request: {
    readonly runner: string;
    readonly name?: string | undefined;
    readonly lifetimeMs?: number | undefined;
    readonly embedded?: boolean;
  }): Promise<MintedToken> {
    const { runner, embedded = false } = request;
    if (!isLinkName(runner)) throw invalid('runner', 'must be one line of 1 to 128 bytes');
    const name = embedded ? EMBEDDED_NAME : (request.name ?? 'Runner token');
    if (!embedded) checkName(name);
    const expiresAtMs = embedded ? null : this.#expiry(request.lifetimeMs);
    const earlier = embedded ? [...this.#byId.values()].map(({ row }) => row).filter(isEmbedded) : [];
    return this.#make({ kind: 'runner', name, scopes: [], runners: null, runner, expiresAtMs }, earlier);
  }

  authenticate(secret: string | null): PersonalAuthentication {
    const found = this.#find(secret, 'personal');
    if (typeof found === 'string') return { ok: false, reason: found };
    return { ok: true, claim: found.personal };
  }

  authenticateRunner(secret: string | null): RunnerAuthentication {
    const found = this.#find(secret, 'runner');
    if (typeof found === 'string') return { ok: false, reason: found };
    const { id, runner } = found.row;
    return { ok: true, claim: { tokenId: id, runner: runner ?? '', isLive: found.personal.isLive } };
  }

  list(): TokenListing[] {
    return [...this.#byId.values()].map(({ row }) => listing(row));
  }

  async revoke(id: string): Promise<boolean> {
    const entry = this.#byId.get(id);
    if (entry === undefined) return false;
    const atMs = this.#clock.wallMs();
    // In memory first: from this line on nothing accepts the token, whatever becomes of the write.
    this.#end(entry, atMs);
    await writeAll(this.#store, [revokeToken(id, atMs)]);
    return true;
  }

  onRevoked(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #find(secret: string | null, kind: TokenKind): Entry | RefusalReason {
    if (secret === null) return 'token_missing';
    const claimed = kindOfSecret(secret);
    if (claimed === null) return 'token_malformed';
    if (claimed !== kind) return 'token_kind_wrong';
    const entry = this.#byHash.get(hashSecret(secret));
    if (entry === undefined || entry.row.kind !== kind) return 'token_unknown';
    return this.#ended(entry.row) ?? entry;
  }

  #ended(row: TokenRow): 'token_revoked' | 'token_expired' | null {
    if (row.revokedAtMs !== null) return 'token_revoked';
    return row.expiresAtMs !== null && this.#clock.wallMs() >= row.expiresAtMs ? 'token_expired' : null;
  }

  #expiry(lifetimeMs: number = tokenLimits.defaultLifetimeMs): number {
    const { minLifetimeMs, maxLifetimeMs } = tokenLimits;
    if (!Number.isInteger(lifetimeMs) || lifetimeMs < minLifetimeMs || lifetimeMs > maxLifetimeMs) {
      throw invalid('lifetimeMs', 'must be 1 minute to 366 days');
    }
    return this.#clock.wallMs() + lifetimeMs;
  }

  async #make(
    wanted: Pick<TokenRow, 'kind' | 'name' | 'scopes' | 'runners' | 'runner' | 'expiresAtMs'>,
    replaced: readonly TokenRow[],
  ): Promise<MintedToken> {
    const live = [...this.#byId.values()].filter(({ row }) => this.#ended(row) === null).length;
    if (live + this.#minting >= tokenLimits.live) {
      throw new FairleadError('token_limit_reached', gatewayErrors.token_limit_reached.message);
    }
    this.#minting += 1;
    try {
      const secret = newSecret(wanted.kind, this.#random);
      const nowMs = this.#clock.wallMs();
      const row: TokenRow = {
        ...wanted,
        id: randomId('tok_', this.#random),
        hash: hashSecret(secret),
        createdAtMs: nowMs,
        revokedAtMs: null,
      };
      // Of the embedded Runner's tokens one ended row is kept; a start each day must not fill the table.
      const stale = replaced.filter((old) => old.revokedAtMs !== null);
      const current = replaced.filter((old) => old.revokedAtMs === null);
      await writeAll(this.#store, [
        ...stale.map((old) => deleteToken(old.id)),
        ...current.map((old) => revokeToken(old.id, nowMs)),
        insertToken(row),
      ]);
      for (const old of stale) this.#remove(old.id);
      for (const old of current) {
        const entry = this.#byId.get(old.id);
        if (entry !== undefined) this.#end(entry, nowMs);
      }
      this.#add(row);
      return { secret, token: listing(row) };
    } finally {
      this.#minting -= 1;
    }
  }

  #add(row: TokenRow): void {
    const principal: Principal = Object.freeze({
      id: `token:${row.id}`,
      // A scope of another version stays listed and opens nothing here.
      scopes: Object.freeze(row.scopes.filter(isScope)),
      ...(row.runners === null ? {} : { runners: Object.freeze([...row.runners]) }),
    });
    const { id: tokenId, expiresAtMs } = row;
    const isLive = () => this.#byId.get(tokenId) === entry && this.#ended(entry.row) === null;
    const entry: Entry = { row, personal: Object.freeze({ tokenId, principal, expiresAtMs, isLive }) };
    this.#byHash.set(row.hash, entry);
    this.#byId.set(row.id, entry);
  }

  #end(entry: Entry, atMs: number): void {
    if (entry.row.revokedAtMs !== null) return;
    entry.row = { ...entry.row, revokedAtMs: atMs };
    for (const listener of this.#listeners) listener(entry.row.id);
  }

  #remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.#byHash.delete(entry.row.hash);
  }
}

function isEmbedded(row: TokenRow): boolean {
  return row.kind === 'runner' && row.name === EMBEDDED_NAME;
}

function listing(row: TokenRow): TokenListing {
  const { id, name, kind, scopes, createdAtMs, expiresAtMs, revokedAtMs } = row;
  const reach = row.runner === null ? { runners: row.runners } : { runner: row.runner };
  return { id, name, kind, scopes, ...reach, createdAtMs, expiresAtMs, revokedAtMs };
}

function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (
    name.trim() === '' ||
    bytes > tokenLimits.nameBytes ||
    hasControlCharacter(name) ||
    /[\t\r\n]/.test(name)
  ) {
    throw invalid('name', `must be one line of 1 to ${tokenLimits.nameBytes} bytes`);
  }
  if (name.startsWith(RESERVED_NAME)) throw invalid('name', `must not begin with "${RESERVED_NAME}"`);
}

function checkScopes(scopes: readonly string[]): readonly Scope[] {
  if (scopes.length === 0) throw invalid('scopes', 'must name at least one scope');
  const known = scopes.filter(isScope);
  if (known.length !== scopes.length) throw invalid('scopes', 'names a scope that does not exist');
  if (new Set(known).size !== known.length) throw invalid('scopes', 'names a scope twice');
  return known;
}

function checkRunners(runners: readonly string[]): readonly string[] {
  if (runners.length === 0 || runners.length > tokenLimits.runners) {
    throw invalid('runners', `must name 1 to ${tokenLimits.runners} Runners`);
  }
  if (!runners.every(isLinkName)) throw invalid('runners', 'holds something that is not a runner id');
  return [...new Set(runners)];
}

function invalid(member: string, problem: string): FairleadError {
  const detail: Json = { member, problem };
  return new FairleadError('token_request_invalid', `${member} ${problem}`, { detail });
}

const STATEMENTS = 500;

async function writeAll(store: Store, statements: Parameters<Store['write']>[0]): Promise<void> {
  // One batch where it fits, which is always but for a first clean-up after years.
  for (let start = 0; start < statements.length; start += STATEMENTS) {
    await store.write(statements.slice(start, start + STATEMENTS), 'full');
  }
}
