export { type StoreErrorCode, storeError, storeErrors } from './errors.ts';
export { type FolderLock, lockFolder } from './folder-lock.ts';
export type { Migration } from './migrations/migration.ts';
export { openStore } from './open-store.ts';
export type { Durability, SqlValue, Statement, Store } from './store.ts';
