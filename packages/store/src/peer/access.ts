import type { JsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { isDigest, SETTINGS_DOC } from '../log/names.ts';
import { setOp } from '../log/op.ts';
import type { Role } from '../rights/role.ts';
import type { OpenDatabase } from './open-database.ts';

/** A peer and what it may do. */
export type Grant = { readonly peer: string; readonly role: Role };

/** Who may do what in one database. Changes need the role `admin`, else they reject with `access_denied`. */
export class Access {
  readonly #database: OpenDatabase;

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  /** What this peer may do; null for nothing: its copy can still be read here. */
  mine(): Role | null {
    return this.of(this.#database.core.identity.peer.id);
  }

  /** What a peer may do, by what has arrived here. */
  of(peer: string): Role | null {
    const standing = this.#database.state.rights.standingOf(peer);
    return standing === 'none' ? null : standing;
  }

  list(): readonly Grant[] {
    return this.#database.state.rights.grants();
  }

  /**
   * Gives a peer a role. Where that is less than it had, what its authors wrote up to now stays, and the rest is judged by
   * the new role.
   */
  grant(peer: string, role: Role): Promise<void> {
    return this.#set(peer, { role, cuts: this.#cuts(peer) });
  }

  /**
   * Takes every right from a peer. What its authors wrote up to now stays, unless `cuts` names an earlier commit of an author:
   * then everything after it is undone on every peer.
   */
  revoke(peer: string, options: { readonly cuts?: Readonly<Record<string, number>> } = {}): Promise<void> {
    return this.#set(peer, { role: 'none', cuts: { ...this.#cuts(peer), ...options.cuts } });
  }

  /** Up to where each author of the peer is known here. */
  #cuts(peer: string): JsonObject {
    const chains = [...this.#database.state.chains.values()].filter((chain) => chain.peer === peer);
    return Object.fromEntries(chains.map(({ author, seq }) => [author, seq]));
  }

  async #set(peer: string, entry: JsonObject): Promise<void> {
    if (!isDigest(peer)) throw storeError('commit_malformed', undefined, { part: 'peer' });
    await this.#database.change((draft) => draft.add(setOp(SETTINGS_DOC, ['peers', peer], entry)));
  }
}
