import { type Clock, FairleadError, type Random, randomId } from '@fairlead/base';
import { isScope, type Principal } from '@fairlead/dispatch';
import type { Store } from '@fairlead/store';
import { gatewayErrors } from '../errors.ts';
import { tokenLimits } from '../limits.ts';
import {
  checkLifetime,
  checkName,
  checkRunner,
  checkRunners,
  checkScopes,
  EMBEDDED_NAME,
} from './token-request.ts';
import { hashSecret, kindOfSecret, newSecret, type TokenKind } from './token-secret.ts';
import { deleteToken, insertToken, readTokens, revokeToken, type TokenRow } from './token-table.ts';
import type {
  MintedToken,
  PersonalAuthentication,
  PersonalClaim,
  PersonalTokenRequest,
  RefusalReason,
  RunnerAuthentication,
  RunnerTokenRequest,
  TokenListing,
  Tokens,
} from './tokens.ts';

type TokenOptions = { readonly store: Store; readonly clock: Clock; readonly random: Random };

/** Rows removed by one write at a start. */
const FORGET_AT_ONCE = 500;

/** Reads the table and removes rows that ended over 90 days ago. Throws a code of the store. */
export async function createTokens(options: TokenOptions): Promise<Tokens> {
  const { store, clock } = options;
  const oldest = clock.wallMs() - tokenLimits.keepEndedMs;
  const book = new TokenBook(options);
  const forgotten: TokenRow[] = [];
  for (const row of await readTokens(store)) {
    const endedAtMs = row.revokedAtMs ?? row.expiresAtMs;
    if (endedAtMs !== null && endedAtMs < oldest) forgotten.push(row);
    else book.add(row);
  }
  for (let start = 0; start < forgotten.length; start += FORGET_AT_ONCE) {
    await store.write(forgotten.slice(start, start + FORGET_AT_ONCE).map((row) => deleteToken(row.id)));
  }
  return book;
}

type Entry = { row: TokenRow; readonly personal: PersonalClaim };

/** All tokens in memory, with the table behind them: a look-up reads no database, a change is in both. */
class TokenBook implements Tokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #byHash = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();
  readonly #listeners = new Set<(tokenId: string) => void>();
  #minting = 0;

  constructor(options: TokenOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  add(row: TokenRow): void {
    const principal: Principal = Object.freeze({
      id: `token:${row.id}`,
      // A scope of another version stays listed and opens nothing here.
      scopes: Object.freeze(row.scopes.filter(isScope)),
      ...(row.runners === null ? {} : { runners: Object.freeze([...row.runners]) }),
    });
    const { id: tokenId, name, expiresAtMs } = row;
    const isLive = () => this.#byId.get(tokenId) === entry && this.#ended(entry.row) === null;
    const entry: Entry = { row, personal: Object.freeze({ tokenId, name, principal, expiresAtMs, isLive }) };
    this.#byHash.set(row.hash, entry);
    this.#byId.set(row.id, entry);
  }

  async mint(request: PersonalTokenRequest): Promise<MintedToken> {
    const { name } = request;
    checkName(name);
    const scopes = checkScopes(request.scopes);
    const runners = request.runners === undefined ? null : checkRunners(request.runners);
    const lifetimeMs = checkLifetime(request.lifetimeMs);
    return this.#make({ kind: 'personal', name, scopes, runners, runner: null }, lifetimeMs);
  }

  async mintRunner(request: RunnerTokenRequest): Promise<MintedToken> {
    const { runner, embedded = false } = request;
    checkRunner(runner);
    const wanted = { kind: 'runner', scopes: [], runners: null, runner } as const;
    if (embedded) {
      const earlier = [...this.#byId.values()].map(({ row }) => row).filter(isEmbedded);
      return this.#make({ ...wanted, name: EMBEDDED_NAME }, null, earlier);
    }
    const { name = 'Runner token' } = request;
    checkName(name);
    return this.#make({ ...wanted, name }, checkLifetime(request.lifetimeMs));
  }

  authenticate(secret: string | null): PersonalAuthentication {
    const found = this.#find(secret, 'personal');
    return typeof found === 'string' ? { ok: false, reason: found } : { ok: true, claim: found.personal };
  }

  authenticateRunner(secret: string | null): RunnerAuthentication {
    const found = this.#find(secret, 'runner');
    if (typeof found === 'string') return { ok: false, reason: found };
    const { tokenId, isLive } = found.personal;
    return { ok: true, claim: { tokenId, runner: found.row.runner ?? '', isLive } };
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
    await this.#store.write([revokeToken(id, atMs)]);
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
    if (entry === undefined) return 'token_unknown';
    return this.#ended(entry.row) ?? entry;
  }

  #ended(row: TokenRow): 'token_revoked' | 'token_expired' | null {
    if (row.revokedAtMs !== null) return 'token_revoked';
    return row.expiresAtMs !== null && this.#clock.wallMs() >= row.expiresAtMs ? 'token_expired' : null;
  }

  async #make(
    wanted: Pick<TokenRow, 'kind' | 'name' | 'scopes' | 'runners' | 'runner'>,
    lifetimeMs: number | null,
    replaced: readonly TokenRow[] = [],
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
        expiresAtMs: lifetimeMs === null ? null : nowMs + lifetimeMs,
        revokedAtMs: null,
      };
      // Of the embedded Runner's tokens one ended row is kept; a start each day must not fill the table.
      const stale = [...replaced.filter((old) => old.revokedAtMs !== null), ...this.#overflow()];
      const current = replaced.filter((old) => old.revokedAtMs === null);
      await this.#store.write([
        ...stale.map((old) => deleteToken(old.id)),
        ...current.map((old) => revokeToken(old.id, nowMs)),
        insertToken(row),
      ]);
      for (const old of stale) this.#remove(old);
      for (const old of current) this.#end(this.#byId.get(old.id), nowMs);
      this.add(row);
      return { secret, token: listing(row) };
    } finally {
      this.#minting -= 1;
    }
  }

  /** The oldest row that has ended, once the table is full: many short tokens must not make it grow without end. */
  #overflow(): TokenRow[] {
    if (this.#byId.size < tokenLimits.rows) return [];
    const oldest = [...this.#byId.values()].find(({ row }) => this.#ended(row) !== null);
    return oldest === undefined ? [] : [oldest.row];
  }

  #end(entry: Entry | undefined, atMs: number): void {
    if (entry === undefined || entry.row.revokedAtMs !== null) return;
    entry.row = { ...entry.row, revokedAtMs: atMs };
    for (const listener of this.#listeners) listener(entry.row.id);
  }

  #remove(row: TokenRow): void {
    this.#byId.delete(row.id);
    this.#byHash.delete(row.hash);
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
