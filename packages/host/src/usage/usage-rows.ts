import type { Statement, Store } from '@fairlead/store';
import type { ModelUsage } from '../models/model.ts';
import type { Amount } from './ceilings.ts';

/** Whose an attempt is. */
export interface UsageSubject {
  readonly turn: string;
  /** The turn that began it all: of a child session the one that made it, else the same. */
  readonly root: string;
  /** The session that pays. A child session's is the one that its root turn runs in: who spawns has the cost. */
  readonly session: string;
  /** The agent's id. */
  readonly agent: string;
}

/** A row of `usage`. */
export interface UsageRow extends UsageSubject, ModelUsage {
  readonly seq: number;
  readonly at: number;
  readonly day: string;
  /** `backend/model`. */
  readonly model: string;
  readonly nanousd: number | null;
  readonly estimated: boolean;
}

/** What a session spent on one model. */
export interface SessionCost extends ModelUsage {
  readonly model: string;
  readonly attempts: number;
  /** Of the attempts that had a price. */
  readonly nanousd: number;
  /** Attempts without one. */
  readonly unpriced: number;
  /** Attempts whose figures are estimates. */
  readonly estimated: number;
}

/** What is summed, and over which rows. */
export type SumKey =
  | { readonly scope: 'turn'; readonly root: string }
  | { readonly scope: 'session'; readonly session: string }
  | { readonly scope: 'agent_day'; readonly agent: string; readonly day: string }
  | { readonly scope: 'day'; readonly day: string };

const INSERT = `INSERT INTO usage
  (seq, at, day, turn, root, session, agent, model, input, output, cached, written, reasoning, nanousd, estimated)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CORRECT = `UPDATE usage
  SET input = ?, output = ?, cached = ?, written = ?, reasoning = ?, nanousd = ?, estimated = ? WHERE seq = ?`;
const LAST = 'SELECT seq FROM usage ORDER BY seq DESC LIMIT 1';
const SUM =
  'SELECT COALESCE(SUM(input + output), 0) AS tokens, COALESCE(SUM(nanousd), 0) AS nanousd FROM usage';
const SUMS = {
  turn: `${SUM} WHERE root = ? LIMIT 1`,
  session: `${SUM} WHERE session = ? LIMIT 1`,
  agent_day: `${SUM} WHERE day = ? AND agent = ? LIMIT 1`,
  day: `${SUM} WHERE day = ? LIMIT 1`,
} as const;
const BY_MODEL = `SELECT model, COUNT(*) AS attempts, SUM(input) AS input, SUM(output) AS output, SUM(cached) AS cached,
  SUM(written) AS written, SUM(reasoning) AS reasoning, COALESCE(SUM(nanousd), 0) AS nanousd,
  SUM(nanousd IS NULL) AS unpriced, SUM(estimated) AS estimated
  FROM usage WHERE session = ? GROUP BY model ORDER BY MIN(seq) LIMIT 1000`;

/** The rows of `usage`. They are written so that the end of the process takes none; a loss of power may take the newest. */
export class UsageRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The number of the newest row, 0 where there is none. */
  async last(): Promise<number> {
    const [row] = await this.#store.read<{ seq: number }>(LAST);
    return row?.seq ?? 0;
  }

  async insert(row: UsageRow): Promise<void> {
    const { seq, at, day, turn, root, session, agent, model } = row;
    const { input, output, cached, written, reasoning, nanousd, estimated } = row;
    await this.#write({
      sql: INSERT,
      parameters: [
        seq,
        at,
        day,
        turn,
        root,
        session,
        agent,
        model,
        input,
        output,
        cached,
        written,
        reasoning,
        nanousd,
        estimated ? 1 : 0,
      ],
    });
  }

  async correct(seq: number, usage: ModelUsage, nanousd: number | null, estimated: boolean): Promise<void> {
    const { input, output, cached, written, reasoning } = usage;
    await this.#write({
      sql: CORRECT,
      parameters: [input, output, cached, written, reasoning, nanousd, estimated ? 1 : 0, seq],
    });
  }

  /** What the rows of a key sum up to. */
  async sum(key: SumKey): Promise<Amount> {
    const [row] = await this.#store.read<Amount>(SUMS[key.scope], parametersOf(key));
    return row ?? { tokens: 0, nanousd: 0 };
  }

  /** What a session spent, by model, in the order of their first use. */
  costs(session: string): Promise<readonly SessionCost[]> {
    return this.#store.read<SessionCost>(BY_MODEL, [session]);
  }

  async #write(statement: Statement): Promise<void> {
    await this.#store.write([statement], 'normal');
  }
}

function parametersOf(key: SumKey): readonly string[] {
  switch (key.scope) {
    case 'turn':
      return [key.root];
    case 'session':
      return [key.session];
    case 'agent_day':
      return [key.day, key.agent];
    case 'day':
      return [key.day];
  }
}
