import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Timer } from '@fairlead/base';
import { storeError } from '../errors.ts';
import {
  CHECKPOINT_IDLE_MS,
  MAX_BATCHES_IN_COMMIT,
  MAX_LONE_COMMITS_IN_TURN,
  MAX_STATEMENTS_IN_BATCH,
  MAX_WAITING_BATCHES,
} from '../limits.ts';
import type { Durability, SqlValue, Statement, Store } from '../store.ts';
import { type Batch, CommitGroup } from './commit-group.ts';
import { PreparedStatements } from './prepared.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { SqliteLog } from './sqlite-log.ts';

const NO_PARAMETERS: readonly SqlValue[] = [];

/** Begins a microtask for less than `queueMicrotask`, which makes an asynchronous resource of each. */
const SETTLED = Promise.resolve();

/** The embedded engine: one connection, used from one thread. Owns the database it is given. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #prepared: PreparedStatements;
  readonly #group: CommitGroup;
  readonly #clock: Clock;
  #waiting: Batch[] = [];
  #turnEnds = false;
  #together = false;
  /** How many were committed alone in this turn, each asked for because the one before had resolved. */
  #lone = 0;
  /** Only promises have run since the first of them. */
  #sameBreath = false;
  readonly #commitSoon = () => this.#commitNext();
  readonly #endBreath = () => {
    this.#sameBreath = false;
  };
  #closed = false;
  #quiet = true;
  #checkpoint: Timer | undefined;
  #log: SqliteLog | undefined;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#prepared = new PreparedStatements(database);
    this.#group = new CommitGroup(database, this.#prepared);
  }

  async read<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#look(() => this.#prepared.get(sql).all(...parameters) as Row[]);
  }

  async #look<R>(read: () => R): Promise<R> {
    if (this.#closed) throw storeError('store_closed');
    try {
      return read();
    } catch (error) {
      throw sqliteFault(error);
    }
  }

  write(
    statements: readonly Statement[],
    durability: Durability = 'full',
  ): Promise<{ readonly changes: readonly number[] }> {
    return this.#enqueue(statements.length, durability, () => ({
      changes: statements.map(({ sql, parameters = NO_PARAMETERS }) =>
        Number(this.#prepared.get(sql).run(...parameters).changes),
      ),
    }));
  }

  /** Runs `apply` in its place in the order of all writes; resolves with what it answered once that is durable. */
  #enqueue<R>(statements: number, durability: Durability, apply: () => R, collects = false): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(storeError('store_closed'));
      if (this.#waiting.length >= MAX_WAITING_BATCHES) return reject(storeError('store_busy'));
      if (statements > MAX_STATEMENTS_IN_BATCH) return reject(storeError('store_statement_invalid'));
      const settle = resolve as (answer: unknown) => void;
      this.#waiting.push({ durability, collects, apply, settle, refuse: reject });
      this.#schedule();
    });
  }

  /** The log that lives in this database: made at its first use, then the same. */
  log(): SqliteLog {
    this.#log ??= new SqliteLog({
      database: this.#database,
      prepared: this.#prepared,
      clock: this.#clock,
      join: (part) => this.#group.join(part),
      enqueue: (statements, durability, apply, collects) =>
        this.#enqueue(statements, durability, apply, collects),
      read: (read) => this.#look(read),
    });
    return this.#log;
  }

  /**
   * A lone writer is committed as soon as it has stopped speaking, and again when it goes on in the same breath. Once a
   * second one comes in the same turn of the event loop, everything asked for within a turn is committed at its end,
   * together, until a turn brings one alone again.
   */
  #schedule(): void {
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      this.#lone = 0;
      setImmediate(() => this.#endTurn());
      if (this.#together) return;
      this.#sameBreath = true;
      // Runs after all promises, and before whatever else the turn has to call.
      process.nextTick(this.#endBreath);
    } else if (this.#waiting.length > 1 || !this.#sameBreath || this.#lone === MAX_LONE_COMMITS_IN_TURN) {
      // Somebody else wrote in this turn already: the end of the turn takes this one too.
      this.#together = true;
    }
    if (this.#together) return;
    this.#lone += 1;
    void SETTLED.then(this.#commitSoon);
  }

  #endTurn(): void {
    this.#turnEnds = false;
    if (this.#waiting.length === 1) this.#together = false;
    this.#commitNext();
    if (this.#waiting.length > 0) this.#schedule();
  }

  #commitNext(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    if (waiting.length <= MAX_BATCHES_IN_COMMIT) {
      this.#waiting = [];
      this.#group.commit(waiting);
    } else {
      this.#group.commit(waiting.splice(0, MAX_BATCHES_IN_COMMIT));
    }
    if (this.#checkpoint === undefined) this.#awaitQuiet();
    this.#quiet = false;
  }

  /** One timer while there is something to copy; a timer per commit would cost each of them. */
  #awaitQuiet(): void {
    const look = () => {
      this.#checkpoint = undefined;
      if (this.#quiet) return this.#copyLog('PASSIVE');
      this.#awaitQuiet();
    };
    this.#quiet = true;
    this.#checkpoint = this.#clock.setTimer(CHECKPOINT_IDLE_MS, look, { unref: true });
  }

  #copyLog(mode: 'PASSIVE' | 'TRUNCATE'): void {
    try {
      this.#prepared.get(`PRAGMA wal_checkpoint(${mode})`).all();
    } catch {
      // The log keeps everything: it is copied the next time there is room.
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#checkpoint?.cancel();
    while (this.#waiting.length > 0) this.#commitNext();
    this.#checkpoint?.cancel();
    this.#copyLog('TRUNCATE');
    this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
