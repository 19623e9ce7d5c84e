import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Certainty, canonicalJson, type JsonObject } from '@fairlead/base';
import { argumentsDigest, digestKey, pluginTarget } from '@fairlead/dispatch';
import type { SlotView } from './session-log.ts';

/** One call's row in the journal. */
export type CallRow = {
  readonly id: string;
  readonly action: string;
  readonly seq: number;
  readonly runner_instance: string | null;
  readonly arguments_digest: string | null;
  readonly certainty: Certainty | null;
  readonly code: string | null;
  readonly settled_certainty: Certainty | null;
  readonly settled_code: string | null;
};

type BindingRow = {
  readonly runner: string;
  readonly runner_instance: string;
  readonly plugin: string;
  readonly provider_instance: string;
  readonly tool: string;
  readonly observation: string;
};

const COLUMNS =
  'id, action, seq, runner_instance, arguments_digest, certainty, code, settled_certainty, settled_code';
const CALLS = `SELECT ${COLUMNS} FROM journal WHERE action = 'call' AND seq > ? ORDER BY seq`;
const SESSION_CALLS = `SELECT ${COLUMNS} FROM journal WHERE session = ? ORDER BY seq`;
const SLOTS = 'SELECT state, outcome, code, session FROM slots WHERE routine = ? ORDER BY seq';
const GOING_ON = `SELECT (SELECT count(*) FROM turns WHERE session = :session AND state = 'running')
  + (SELECT count(*) FROM wakes WHERE session = :session AND state IN ('pending', 'taken')) AS going`;
const TARGETS =
  'SELECT runner, runner_instance, plugin, provider_instance, tool, observation FROM bindings ORDER BY seq DESC LIMIT 16';

/** More than one round can describe. */
const TARGETS_KEPT = 64;

/** Looks into the journal of a state directory beside the gateway that writes it. Close it before the database is touched. */
export class JournalView implements Disposable {
  readonly #stateDirectory: string;
  #targets: readonly string[] = [];
  #database: DatabaseSync | null = null;
  #isShut = false;

  constructor(stateDirectory: string) {
    this.#stateDirectory = stateDirectory;
  }

  get databasePath(): string {
    return join(this.#stateDirectory, 'fairlead.db');
  }

  /** The number of the newest row. */
  newest(): number {
    return Number(this.#open().prepare('SELECT max(seq) AS seq FROM journal').get()?.['seq'] ?? 0);
  }

  /** Every call behind a row. */
  calls(afterSeq: number): readonly CallRow[] {
    return this.#open().prepare(CALLS).all(afterSeq) as unknown as CallRow[];
  }

  /** Everything that was called in a session. */
  sessionCalls(session: string): readonly CallRow[] {
    return this.#open().prepare(SESSION_CALLS).all(session) as unknown as CallRow[];
  }

  /** Nothing runs there, and nothing waits to be answered. */
  isSessionIdle(session: string): boolean {
    return this.#open().prepare(GOING_ON).get({ session })?.['going'] === 0;
  }

  /** The slots of an agent's schedule. */
  slotsOf(schedule: string): readonly SlotView[] {
    return this.#open().prepare(SLOTS).all(`schedule:${schedule}`) as unknown as SlotView[];
  }

  /** Intents of calls behind a row. */
  intents(afterSeq: number): number {
    const count = "SELECT count(*) AS calls FROM journal WHERE action = 'call' AND seq > ?";
    return Number(this.#open().prepare(count).get(afterSeq)?.['calls']);
  }

  /** Pinned tools of the plugin that agents are shown. */
  pinsShown(): number {
    const count = "SELECT count(*) AS pins FROM catalogs WHERE source LIKE 'plugin:%' AND state = 'approved'";
    return Number(this.#open().prepare(count).get()?.['pins']);
  }

  /** The Runner process that the newest description came from. */
  newestRunners(): readonly string[] {
    const [row] = this.#open().prepare(TARGETS).all() as unknown as BindingRow[];
    return row === undefined ? [] : [row.runner_instance];
  }

  /** What the last descriptions named; to be noted before they may be gone. */
  noteTargets(): void {
    const described = this.#open().prepare(TARGETS).all() as unknown as BindingRow[];
    const targets = described.map(({ runner, plugin, tool, observation, ...row }) => {
      const instances = { runnerInstance: row.runner_instance, providerInstance: row.provider_instance };
      return pluginTarget({ runner, plugin, tool, observation, ...instances });
    });
    this.#targets = [...new Set([...targets, ...this.#targets])].slice(0, TARGETS_KEPT);
  }

  /** What the journal may call these arguments: one digest for each target that is known. */
  digestsOf(given: JsonObject): ReadonlySet<string> {
    const secret = readFileSync(join(this.#stateDirectory, 'secret.key'));
    const key = digestKey(Buffer.from(hkdfSync('sha256', secret, '', 'fairlead argument digests v1', 32)));
    const text = canonicalJson(given);
    return new Set(this.#targets.map((target) => argumentsDigest(key, target, text)));
  }

  /** Closes it, and keeps it closed until `reopen`: nobody may look while the files are changed. */
  shut(): void {
    this[Symbol.dispose]();
    this.#isShut = true;
  }

  reopen(): void {
    this.#isShut = false;
  }

  [Symbol.dispose](): void {
    this.#database?.close();
    this.#database = null;
  }

  #open(): DatabaseSync {
    if (this.#isShut) throw new Error('the journal is shut');
    this.#database ??= new DatabaseSync(this.databasePath, { readOnly: true, timeout: 2000 });
    return this.#database;
  }
}
