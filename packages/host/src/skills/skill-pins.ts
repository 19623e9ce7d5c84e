import type { Clock } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import { skillLimits } from '../limits.ts';
import { nowMs } from '../sessions/sessions.ts';

const ALL = `SELECT name, digest FROM skill_pins ORDER BY name, digest LIMIT ${skillLimits.pins}`;
const PIN =
  'INSERT INTO skill_pins (name, digest, at) VALUES (?, ?, ?) ON CONFLICT (name, digest) DO NOTHING';
const UNPIN = 'DELETE FROM skill_pins WHERE name = ?';

/** The digests that somebody read and trusts, by name; on this peer alone. */
export class SkillPins {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async all(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const pins = new Map<string, Set<string>>();
    for (const { name, digest } of await this.#store.read<{ name: string; digest: string }>(ALL)) {
      const digests = pins.get(name);
      if (digests === undefined) pins.set(name, new Set([digest]));
      else digests.add(digest);
    }
    return pins;
  }

  async pin(name: string, digest: string): Promise<void> {
    await this.#store.write([{ sql: PIN, parameters: [name, digest, nowMs(this.#clock)] }], 'full');
  }

  /** Takes all trust from a name. */
  async unpin(name: string): Promise<void> {
    await this.#store.write([unpinned(name)], 'full');
  }
}

/** The statement that takes all trust from a name. */
export function unpinned(name: string): Statement {
  return { sql: UNPIN, parameters: [name] };
}
