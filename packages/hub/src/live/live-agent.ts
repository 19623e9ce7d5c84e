import type { Database } from '@fairlead/store';
import type { ScopeOf } from '../instances/live-instance.ts';

/** An agent whose turns read live sets. */
export class LiveAgent {
  /** What calls are told; frozen. */
  readonly view: { readonly id: string; readonly name: string };
  readonly database: Database;
  /** How instances of this agent are kept. */
  readonly scope: ScopeOf;

  constructor(database: Database, name: string) {
    this.view = Object.freeze({ id: database.root, name });
    this.database = database;
    this.scope = Object.freeze({ kind: 'agent', key: database.root, name });
  }
}
