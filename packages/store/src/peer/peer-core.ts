import type { Clock, Random } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { DatabaseState } from '../log/database-state.ts';
import type { Identity } from '../log/identity.ts';
import type { PublicKeys } from '../log/keys.ts';
import type { LogEngine } from '../log/log-engine.ts';
import type { Report } from './report.ts';

/** What the parts of one open peer share. */
export class PeerCore {
  readonly engine: LogEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: PublicKeys;
  readonly report: Report;
  readonly #states = new Map<string, DatabaseState>();
  readonly #births = new Map<string, DatabaseState>();
  #identity: Identity;

  constructor(options: {
    readonly engine: LogEngine;
    readonly clock: Clock;
    readonly random: Random;
    readonly keys: PublicKeys;
    readonly report: Report;
    readonly identity: Identity;
  }) {
    this.engine = options.engine;
    this.clock = options.clock;
    this.random = options.random;
    this.keys = options.keys;
    this.report = options.report;
    this.#identity = options.identity;
    this.engine.setIdentity(options.identity);
  }

  get identity(): Identity {
    return this.#identity;
  }

  set identity(identity: Identity) {
    this.#identity = identity;
    this.engine.setIdentity(identity);
  }

  /** The one state of a database in memory, read at its first use. Rejects with `database_not_found`. */
  async state(root: string): Promise<DatabaseState> {
    const found = await this.stateIfHere(root);
    if (found === undefined) throw storeError('database_not_found');
    return found;
  }

  async stateIfHere(root: string): Promise<DatabaseState | undefined> {
    return this.#states.get(root) ?? (await this.#load(root));
  }

  /** The state if it is in memory already. */
  openState(root: string): DatabaseState | undefined {
    return this.#states.get(root);
  }

  /** The same, for who enters its gate or keeps it: it is that of the database at this moment. */
  async currentState(root: string): Promise<DatabaseState> {
    for (;;) {
      const state = await this.state(root);
      if (this.isCurrent(state)) return state;
    }
  }

  /** The state of a database that is about to arrive: one for all who bring it. */
  birth(root: string, make: () => DatabaseState): DatabaseState {
    let state = this.#births.get(root);
    if (state === undefined) {
      state = make();
      this.#births.set(root, state);
    }
    return state;
  }

  /** Ends a birth; with it begins the life of a database of which something has arrived. */
  born(state: DatabaseState): void {
    if (this.#births.get(state.root) === state) this.#births.delete(state.root);
    if (state.chains.size > 0) this.addState(state);
  }

  addState(state: DatabaseState): void {
    this.#states.set(state.root, state);
  }

  /**
   * Whether this is the state of its database. Who waited between finding a state and entering its gate asks again: in between it
   * may have been given back, and two states of one database would give one number twice.
   */
  isCurrent(state: DatabaseState): boolean {
    return this.#states.get(state.root) === state;
  }

  /** One handle less. With the last one goes the memory, as soon as nobody writes. */
  letGo(state: DatabaseState): void {
    state.handles -= 1;
    this.#forgetUnused(state);
  }

  #forgetUnused(state: DatabaseState): void {
    const { gate } = state;
    if (state.handles > 0 || gate.isHeld) return;
    if (gate.isIdle) this.forget(state);
    else void gate.alone(async () => {}).then(() => this.#forgetUnused(state));
  }

  /** Takes a database out of memory; the next use reads it again. */
  forget(state: DatabaseState): void {
    if (this.#states.get(state.root) === state) this.#states.delete(state.root);
  }

  async #load(root: string): Promise<DatabaseState | undefined> {
    const stored = await this.engine.load(root);
    if (stored === undefined) return undefined;
    // Another caller may have read it meanwhile; there is one state of a database, or its clock would run twice.
    const known = this.#states.get(root);
    if (known !== undefined) return known;
    const state = new DatabaseState(root, stored, this.engine.lastArrival());
    this.#states.set(root, state);
    return state;
  }
}
