import { type Clock, FairleadError, type Json, type JsonObject } from '@fairlead/base';
import type { Database, Peer, Role, Store } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import { hostError } from '../errors.ts';
import { bankLimits } from '../limits.ts';
import { type BankRight, isBankName, NO_RIGHT, rightInForce } from './bank-right.ts';

/** A bank whose database is on this peer. */
export interface KnownBank {
  readonly id: string;
  /** Its id where what its database says is no name. */
  readonly name: string;
  /** What this peer may do there; null: its role ended. */
  readonly role: Role | null;
}

/** A bank as one agent has it. */
export interface AgentBank extends KnownBank {
  /** In force now; absent where the grant or this peer's role ended. */
  readonly right?: BankRight;
}

export interface BanksOptions {
  readonly kind: 'memory_bank' | 'skill_bank';
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: Agents;
}

type Reading = {
  readonly changes: string;
  readonly name: string;
  readonly grants: JsonObject;
};

type Open = { readonly database: Database; reading: Reading | undefined };

const REMOVED = 'SELECT database FROM removed_banks LIMIT 10000';
const REMOVE = 'INSERT INTO removed_banks (database, at) VALUES (?, ?) ON CONFLICT (database) DO NOTHING';
const RESTORE = 'DELETE FROM removed_banks WHERE database = ?';

/**
 * Banks of one kind. Each bank's own document `grants` is the truth about who may do what; an agent's document (`memory_banks`, `skill_banks`)
 * points to what it was granted. Nothing is kept of either but what the change counters of the database prove to be of now.
 */
export class Banks {
  readonly #options: BanksOptions;
  readonly #pointers: string;
  readonly #open = new Map<string, Open>();

  constructor(options: BanksOptions) {
    this.#options = options;
    this.#pointers = `${options.kind}s`;
  }

  /** By name; without those that were removed here. */
  async list(): Promise<readonly KnownBank[]> {
    const { peer, kind } = this.#options;
    const [rows, removed] = await Promise.all([
      peer.list({ kind, limit: bankLimits.banks }),
      this.#removed(),
    ]);
    const banks: KnownBank[] = [];
    for (const { root } of rows) if (!removed.has(root)) banks.push(await this.#known(root));
    return banks.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  }

  /** By id, or by name whatever its case. Rejects with `bank_unknown` or `bank_ambiguous`. */
  async find(nameOrId: string): Promise<KnownBank> {
    return chosen(await this.list(), nameOrId);
  }

  /** Rejects with `bank_name_invalid` or `bank_exists`. */
  async create(name: string): Promise<KnownBank> {
    if (!isBankName(name)) throw hostError('bank_name_invalid');
    const banks = await this.list();
    if (banks.some((bank) => isCalled(bank, name))) throw hostError('bank_exists');
    if (banks.length >= bankLimits.banks) throw hostError('bank_exists', `there are ${bankLimits.banks}`);
    const database = await this.#options.peer.create(this.#options.kind, (tx) =>
      tx.set('meta', ['name'], name),
    );
    this.#open.set(database.root, { database, reading: undefined });
    return await this.#known(database.root);
  }

  /** Takes it off the lists of this peer: nobody here reads or writes it any more. Its database stays, and other peers’ copies too. */
  async remove(nameOrId: string): Promise<KnownBank> {
    const bank = await this.find(nameOrId);
    await this.#options.store.write([
      { sql: REMOVE, parameters: [bank.id, Math.floor(this.#options.clock.wallMs())] },
    ]);
    return bank;
  }

  /** Puts a removed one back, by its id. Rejects with `bank_unknown`, or `bank_exists` where another has its name by now. */
  async restore(id: string): Promise<KnownBank> {
    if (!(await this.#removed()).has(id)) throw hostError('bank_unknown');
    const bank = await this.#known(id);
    if ((await this.list()).some((other) => isCalled(other, bank.name))) throw hostError('bank_exists');
    await this.#options.store.write([{ sql: RESTORE, parameters: [id] }]);
    return bank;
  }

  /** The bank's grant and the agent's pointer in one transaction; the pointer only where the agent is at home here. Rejects with `access_denied`. */
  async grant(nameOrId: string, agent: string, right: BankRight): Promise<KnownBank> {
    return await this.#setGrant(nameOrId, agent, right);
  }

  /** The same, of nothing. */
  async revoke(nameOrId: string, agent: string): Promise<KnownBank> {
    return await this.#setGrant(nameOrId, agent, NO_RIGHT);
  }

  /** What an agent was granted, by name, what ended too: then it has no `right`. */
  async ofAgent(agent: string): Promise<readonly AgentBank[]> {
    const banks: AgentBank[] = [];
    for (const bank of await this.list()) {
      const { grants } = await this.#read(bank.id);
      if (!Object.hasOwn(grants, agent)) continue;
      const right = rightInForce(grants[agent], bank.role);
      banks.push(right === undefined ? bank : { ...bank, right });
    }
    return banks;
  }

  /** Who was granted what, by the agent's id. */
  async grantsOf(id: string): Promise<ReadonlyMap<string, BankRight>> {
    const { grants } = await this.#read(id);
    const all = Object.entries(grants).filter((entry): entry is [string, BankRight] => isRight(entry[1]));
    return new Map(all.slice(0, bankLimits.grants));
  }

  /**
   * The database of a bank, for what an agent wants to do there now. Rejects with `bank_unknown` (and what there is), `bank_revoked`,
   * `bank_read_only`, `bank_ambiguous`.
   */
  async openFor(
    agent: string,
    nameOrId: string,
    want: BankRight,
  ): Promise<{ readonly bank: AgentBank; readonly database: Database }> {
    const banks = await this.ofAgent(agent);
    const bank = chosen(banks, nameOrId);
    if (bank.right === undefined) throw hostError('bank_revoked');
    if (want === 'write' && bank.right === 'read') throw hostError('bank_read_only');
    return { bank, database: await this.database(bank.id) };
  }

  /** Its database. The handle is shared: do not release it. */
  async database(id: string): Promise<Database> {
    return (await this.#opened(id)).database;
  }

  async #setGrant(nameOrId: string, agent: string, right: BankRight | typeof NO_RIGHT): Promise<KnownBank> {
    const { peer, agents } = this.#options;
    const bank = await this.find(nameOrId);
    const database = await this.database(bank.id);
    const own = (await agents.isHome(agent)) ? await agents.open(agent) : undefined;
    await peer.transaction((tx) => {
      tx.on(database).set('grants', [agent], right);
      if (own === undefined) return;
      if (right === NO_RIGHT) tx.on(own).clear(this.#pointers, [bank.id]);
      else tx.on(own).set(this.#pointers, [bank.id], { name: bank.name });
    });
    return bank;
  }

  async #removed(): Promise<ReadonlySet<string>> {
    const rows = await this.#options.store.read<{ database: string }>(REMOVED);
    return new Set(rows.map(({ database }) => database));
  }

  async #known(id: string): Promise<KnownBank> {
    const { name } = await this.#read(id);
    return { id, name, role: (await this.database(id)).access.mine() };
  }

  async #read(id: string): Promise<Reading> {
    const open = await this.#opened(id);
    const { database } = open;
    const changes = `${database.changes('meta')} ${database.changes('grants')}`;
    if (open.reading?.changes !== changes) {
      const { name } = await database.doc('meta').get();
      const grants = (await database.doc('grants').get()) as JsonObject;
      open.reading = { changes, grants, name: isBankName(name) ? name : id };
    }
    return open.reading;
  }

  async #opened(id: string): Promise<Open> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const database = await this.#options.peer.open(id);
    if (database.kind !== this.#options.kind) {
      database.release();
      throw new FairleadError('database_not_found', 'There is no such bank here.');
    }
    const raced = this.#open.get(id);
    if (raced !== undefined) {
      database.release();
      return raced;
    }
    const open: Open = { database, reading: undefined };
    this.#open.set(id, open);
    return open;
  }
}

function isRight(value: Json | undefined): value is BankRight {
  return value === 'read' || value === 'write';
}

function isCalled({ id, name }: KnownBank, nameOrId: string): boolean {
  return id === nameOrId || name.toLowerCase() === nameOrId.toLowerCase();
}

function chosen<Bank extends KnownBank>(banks: readonly Bank[], nameOrId: string): Bank {
  const [bank, ...others] = banks.filter((one) => isCalled(one, nameOrId));
  if (bank === undefined) {
    const names = banks.map(({ name }) => name).slice(0, 20);
    throw hostError('bank_unknown', names.length === 0 ? 'there is none' : `there is ${names.join(', ')}`);
  }
  if (others.length > 0)
    throw hostError(
      'bank_ambiguous',
      [bank, ...others]
        .map(({ id }) => id)
        .slice(0, 8)
        .join(', '),
    );
  return bank;
}
