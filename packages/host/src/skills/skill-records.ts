import type { Database } from '@fairlead/store';
import { skillLimits } from '../limits.ts';
import type { RefusedSkill, Skill, SkillsOfPlace } from './skill.ts';
import { readSkillRecord, SKILLS_TABLE } from './skill-record.ts';

/** The skills of one agent or bank. */
export interface RecordedSkills {
  readonly found: SkillsOfPlace;
  /** Names whose newest record another peer wrote. */
  readonly foreign: ReadonlySet<string>;
}

/** Skills in databases, read again when their table has changed, by whomever. */
export class SkillRecords {
  readonly #peerId: string;
  /** By root id, the one used longest ago first. */
  readonly #known = new Map<string, { readonly changes: number; readonly recorded: RecordedSkills }>();

  constructor(peerId: string) {
    this.#peerId = peerId;
  }

  async of(database: Database): Promise<RecordedSkills> {
    const { root } = database;
    const changes = database.changes(SKILLS_TABLE);
    const known = this.#known.get(root);
    const recorded = known?.changes === changes ? known.recorded : await this.#read(database);
    this.#known.delete(root);
    this.#known.set(root, { changes, recorded });
    if (this.#known.size > skillLimits.kept) this.forget(this.#known.keys().next().value ?? '');
    return recorded;
  }

  forget(root: string): void {
    this.#known.delete(root);
  }

  async #read(database: Database): Promise<RecordedSkills> {
    const skills: Skill[] = [];
    const refused: RefusedSkill[] = [];
    const foreign = new Set<string>();
    const rows = await database.latest(SKILLS_TABLE).all();
    for (const { key, value, peer } of rows) {
      if (value === null) continue;
      if (skills.length >= skillLimits.perBank) {
        refused.push({
          name: '',
          reason: `it holds more than ${skillLimits.perBank} skills; the rest is left out`,
        });
        break;
      }
      const read = readSkillRecord(key, value);
      if ('reason' in read) refused.push(read);
      else skills.push(read);
      if (peer !== this.#peerId) foreign.add(key);
    }
    return { found: { skills, refused }, foreign };
  }
}
