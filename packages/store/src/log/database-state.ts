import { Rights, type SettingsCommit } from '../rights/rights.ts';
import type { Standing } from '../rights/role.ts';
import type { Chain } from './chain.ts';
import type { SealedCommit } from './commit.ts';
import { Gate } from './gate.ts';
import { clockAt, reachOf } from './hybrid-clock.ts';
import type { DatabaseKind } from './names.ts';

/** What an engine knows of a database when it is opened. */
export type StoredDatabase = {
  readonly kind: DatabaseKind;
  readonly newer: boolean;
  readonly chains: readonly Chain[];
  readonly settings: readonly SettingsCommit[];
  /** The highest clock among commits that are not more than a day ahead. */
  readonly observed: number;
  readonly denied: number;
  /** The engine's own notes; nobody else reads them. */
  readonly rows: unknown;
};

/** One open database in memory: the ends of its chains, its rights, its clock. Small, so that a thousand may be open. */
export class DatabaseState {
  readonly root: string;
  readonly kind: DatabaseKind;
  readonly gate = new Gate();
  readonly rows: unknown;
  readonly #chains = new Map<string, Chain>();
  readonly #changes = new Map<string, number>();
  readonly #openedAt: number;
  #settings: readonly SettingsCommit[];
  #rights: Rights;
  #highest = 0;
  #observed: number;
  /** An operation of a newer version was applied: this one must not write over what it cannot read. */
  newer: boolean;
  /** Commits kept aside without standing. */
  denied: number;
  /** Removed from this peer while somebody still held it. */
  dropped = false;
  /** How many open handles share it. */
  handles = 0;

  /** `openedAt` begins the change counters: above every number that an earlier opening gave. */
  constructor(root: string, stored: StoredDatabase, openedAt: number) {
    this.root = root;
    this.kind = stored.kind;
    this.rows = stored.rows;
    this.newer = stored.newer;
    this.denied = stored.denied;
    this.#observed = stored.observed;
    this.#settings = stored.settings;
    this.#rights = Rights.fold(stored.settings);
    this.#openedAt = openedAt;
    for (const chain of stored.chains) this.setChain(chain);
  }

  get rights(): Rights {
    return this.#rights;
  }

  get settings(): readonly SettingsCommit[] {
    return this.#settings;
  }

  get chains(): ReadonlyMap<string, Chain> {
    return this.#chains;
  }

  /** The highest clock of all commits. */
  get highest(): number {
    return this.#highest;
  }

  setChain(chain: Chain): void {
    this.#chains.set(chain.author, chain);
    this.#highest = Math.max(this.#highest, chain.hlc);
  }

  /** Takes new settings commits into the account, or the same ones judged anew. */
  setRights(settings: readonly SettingsCommit[], rights: Rights): void {
    this.#settings = settings;
    this.#rights = rights;
  }

  /** Follows a commit's clock unless it is more than a day ahead of the wall. */
  observe(hlc: number, wallMs: number): void {
    if (hlc > this.#observed && hlc <= reachOf(clockAt(wallMs))) this.#observed = hlc;
  }

  /** The highest clock that a writer whose own stands at `own` follows. */
  observedBy(own: number): number {
    return this.#highest <= reachOf(own) ? this.#highest : this.#observed;
  }

  /** What `peer` has for the commit that its author would write next. */
  standingOfNext(peer: string, author: string, seq: number): Standing {
    return this.#rights.standingAt(peer, { author, seq, hlc: Number.POSITIVE_INFINITY });
  }

  /** Records a commit that this peer wrote and that changes no rights. */
  advance(commit: SealedCommit, peer: string, wallMs: number): void {
    const { author, seq, hlc } = commit.header;
    this.setChain({ author, peer, seq, hlc, hash: commit.hash, offered: seq });
    this.observe(hlc, wallMs);
  }

  /** Moves the change counters of tables and documents to `tick`. */
  touch(stores: Iterable<string>, tick: number): void {
    for (const store of stores) this.#changes.set(store, tick);
  }

  /** Moves whenever something is applied to, or taken from, the table or document of that name. */
  changesOf(store: string): number {
    return this.#changes.get(store) ?? this.#openedAt;
  }
}
