import type { TestContext } from 'node:test';
import { FairleadError } from '@fairlead/base';
import type { Durability, Peer, Store, Tx } from '@fairlead/store';

/** The statement that stands with each `tool_result`: what is large. */
export const isResult = (sql: string) => sql.includes('SET result_owed = 0');

/** A disk that has no room for a transaction with a statement that `refuses` knows, until its mock is restored. */
export function noRoomFor({ mock }: TestContext, peer: Peer, refuses: (sql: string) => boolean) {
  const original = peer.transaction.bind(peer);
  return mock.method(peer, 'transaction', <R>(work: (tx: Tx) => R, durability?: Durability) =>
    original((tx) => {
      const write = tx.write.bind(tx);
      tx.write = (sql, ...rest) => {
        if (refuses(sql)) throw new FairleadError('store_disk_full', 'No room.');
        write(sql, ...rest);
      };
      return work(tx);
    }, durability),
  );
}

/** The same of rows that are written beside any database, or another fault of the store than having no room. */
export function noRoomForRows(
  { mock }: TestContext,
  store: Store,
  refuses: (sql: string) => boolean,
  code = 'store_disk_full',
) {
  const write = store.write.bind(store);
  return mock.method(store, 'write', (...given: Parameters<typeof write>) =>
    given[0].some(({ sql }) => refuses(sql))
      ? Promise.reject(new FairleadError(code, 'No room.'))
      : write(...given),
  );
}
