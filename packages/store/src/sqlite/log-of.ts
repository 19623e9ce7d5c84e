import { storeError } from '../errors.ts';
import type { LogEngine } from '../log/log-engine.ts';
import type { Store } from '../store.ts';
import { SqliteStore } from './sqlite-store.ts';

/** The log that lives in a store. Throws `store_statement_invalid` for a store of an engine that keeps none. */
export function logOf(store: Store): LogEngine {
  if (store instanceof SqliteStore) return store.log();
  throw storeError('store_statement_invalid');
}
