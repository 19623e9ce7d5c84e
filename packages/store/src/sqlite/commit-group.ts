import type { DatabaseSync } from 'node:sqlite';
import type { FairleadError } from '@fairlead/base';
import type { Durability, SqlValue, Statement } from '../store.ts';
import type { PreparedStatements } from './prepared.ts';
import { isDiskFault, sqliteFault } from './sqlite-fault.ts';

/** One caller's statements on their way to a commit, and where its answer goes. */
export type Batch = {
  readonly statements: readonly Statement[];
  readonly durability: Durability;
  readonly settle: (changes: readonly number[]) => void;
  readonly refuse: (fault: FairleadError) => void;
};

type Applied = { readonly changes: readonly number[] } | { readonly fault: FairleadError };

const NO_PARAMETERS: readonly SqlValue[] = [];

/**
 * Carries batches to the disk: several share one transaction and one sync, each in a savepoint of its own, so that a
 * batch that fails is undone alone. Synchronous from begin to commit: no read ever sees a transaction half done.
 */
export class CommitGroup {
  readonly #database: DatabaseSync;
  readonly #prepared: PreparedStatements;
  #synchronous: Durability | undefined;

  constructor(database: DatabaseSync, prepared: PreparedStatements) {
    this.#database = database;
    this.#prepared = prepared;
  }

  /** Commits the batches in order and tells each its end. Never throws. */
  commit(batches: readonly Batch[]): void {
    const answers = this.#transaction(batches);
    for (const [index, batch] of batches.entries()) {
      const answer = answers[index];
      if (answer === undefined) continue;
      if ('fault' in answer) batch.refuse(answer.fault);
      else batch.settle(answer.changes);
    }
  }

  /** One answer per batch. */
  #transaction(batches: readonly Batch[]): readonly Applied[] {
    const answers: Applied[] = [];
    const shared = batches.length > 1;
    try {
      this.#require(batches.some((batch) => batch.durability === 'full') ? 'full' : 'normal');
      this.#run('BEGIN IMMEDIATE');
      for (const batch of batches) answers.push(shared ? this.#savepoint(batch) : this.#apply(batch));
      this.#run('COMMIT');
      return answers;
    } catch (error) {
      this.#rollback();
      const fault = sqliteFault(error);
      // A disk that failed is not tried again: after a failed sync nobody knows what a second one would prove.
      if (!shared || isDiskFault(error)) return batches.map(() => ({ fault }));
      // Somebody's batch took the whole transaction down, and nothing of it was written: each goes alone.
      return batches.flatMap((batch, index) => {
        const answer = answers[index];
        return answer !== undefined && 'fault' in answer ? [answer] : this.#transaction([batch]);
      });
    }
  }

  #savepoint(batch: Batch): Applied {
    this.#run('SAVEPOINT batch');
    try {
      const answer = this.#apply(batch);
      this.#run('RELEASE batch');
      return answer;
    } catch (error) {
      // Where the engine has undone the whole transaction there is no savepoint left to go back to.
      if (!this.#database.isTransaction) throw error;
      this.#run('ROLLBACK TO batch');
      this.#run('RELEASE batch');
      return { fault: sqliteFault(error) };
    }
  }

  #apply(batch: Batch): Applied {
    return {
      changes: batch.statements.map(({ sql, parameters = NO_PARAMETERS }) =>
        Number(this.#prepared.get(sql).run(...parameters).changes),
      ),
    };
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
  }

  #run(sql: string): void {
    this.#prepared.get(sql).run();
  }
}
