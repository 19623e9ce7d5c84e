import type { DatabaseSync } from 'node:sqlite';
import type { Durability } from '../store.ts';
import type { PreparedStatements } from './prepared.ts';
import { isDiskFault, sqliteFault } from './sqlite-fault.ts';

/** One caller's work on its way to a commit, and where its answer goes. */
export type Batch = {
  readonly durability: Durability;
  /** It runs no statement of its own but leaves to the part what is to be written: nothing to undo in the database. */
  readonly collects: boolean;
  /** Runs its statements, in a savepoint of its own where it shares the transaction. */
  readonly apply: () => unknown;
  readonly settle: (answer: unknown) => void;
  readonly refuse: (fault: Error) => void;
};

/** What takes part in every transaction: it writes what several batches have in common, and remembers or forgets with them. */
export type GroupPart = {
  /** Where a batch begins, and back to there when it fails. */
  mark(): number;
  rewind(mark: number): void;
  /** Writes what the batches of this transaction have staged. */
  seal(): void;
  committed(): void;
  rolledBack(): void;
};

type Applied = { readonly answer: unknown } | { readonly fault: Error };

/**
 * Carries batches to the disk: several share one transaction and one sync, each that runs statements in a savepoint of its
 * own, so that a batch that fails is undone alone. Synchronous from begin to commit: no read ever sees a transaction half done.
 */
export class CommitGroup {
  readonly #database: DatabaseSync;
  readonly #prepared: PreparedStatements;
  #part: GroupPart | undefined;
  #synchronous: Durability | undefined;

  constructor(database: DatabaseSync, prepared: PreparedStatements) {
    this.#database = database;
    this.#prepared = prepared;
  }

  /** From now on `part` takes part in every transaction. */
  join(part: GroupPart): void {
    this.#part = part;
  }

  /** Commits the batches in order and tells each its end. Never throws. */
  commit(batches: readonly Batch[]): void {
    const [only] = batches;
    if (batches.length === 1 && only !== undefined) this.#commitAlone(only);
    else this.#commitTogether(batches);
  }

  /** A batch that shares with nobody is undone with its transaction, so it needs no savepoint. */
  #commitAlone(batch: Batch): void {
    let answer: unknown;
    try {
      this.#require(batch.durability);
      this.#run('BEGIN IMMEDIATE');
      answer = batch.apply();
      this.#part?.seal();
      this.#run('COMMIT');
    } catch (error) {
      this.#rollback();
      batch.refuse(sqliteFault(error));
      return;
    }
    this.#part?.committed();
    batch.settle(answer);
  }

  #commitTogether(batches: readonly Batch[]): void {
    const ends: Applied[] = [];
    try {
      this.#require(batches.some((batch) => batch.durability === 'full') ? 'full' : 'normal');
      this.#run('BEGIN IMMEDIATE');
      for (const batch of batches) ends.push(this.#apply(batch));
      this.#part?.seal();
      this.#run('COMMIT');
    } catch (error) {
      this.#rollback();
      // A disk that failed is not tried again: after a failed sync nobody knows what a second one would prove.
      const fault = isDiskFault(error) ? sqliteFault(error) : undefined;
      // Else somebody's batch took the whole transaction down, and nothing of it was written: each goes alone.
      for (const [index, batch] of batches.entries()) {
        const end = ends[index];
        if (fault !== undefined) batch.refuse(fault);
        else if (end !== undefined && 'fault' in end) batch.refuse(end.fault);
        else this.#commitAlone(batch);
      }
      return;
    }
    this.#part?.committed();
    for (let index = 0; index < batches.length; index += 1) {
      const [batch, end] = [batches[index] as Batch, ends[index] as Applied];
      if ('fault' in end) batch.refuse(end.fault);
      else batch.settle(end.answer);
    }
  }

  /** Runs one of several batches so that it can be undone alone. */
  #apply(batch: Batch): Applied {
    const mark = this.#part?.mark() ?? 0;
    if (!batch.collects) this.#run('SAVEPOINT batch');
    try {
      const answer = batch.apply();
      if (!batch.collects) this.#run('RELEASE batch');
      return { answer };
    } catch (error) {
      if (!batch.collects) {
        // Where the engine has undone the whole transaction there is no savepoint left to go back to.
        if (!this.#database.isTransaction) throw error;
        this.#run('ROLLBACK TO batch');
        this.#run('RELEASE batch');
      }
      this.#part?.rewind(mark);
      return { fault: sqliteFault(error) };
    }
  }

  #require(durability: Durability): void {
    if (this.#synchronous === durability) return;
    this.#database.exec(durability === 'full' ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL');
    this.#synchronous = durability;
  }

  #rollback(): void {
    try {
      if (this.#database.isTransaction) this.#run('ROLLBACK');
    } catch {
      // The transaction then stays open, so every later one is refused at its beginning.
    }
    this.#part?.rolledBack();
  }

  #run(sql: string): void {
    this.#prepared.get(sql).run();
  }
}
