import { isUtf8 } from 'node:buffer';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import type { Banks } from '../banks/banks.ts';
import { hostError } from '../errors.ts';
import { visibleText } from '../leaks/visible-text.ts';
import { skillLimits } from '../limits.ts';
import { nowMs } from '../sessions/sessions.ts';
import { NoSkill } from './folder-walk.ts';
import type { GitMachine } from './install/run-git.ts';
import { type InstalledSkill, SkillInstalls } from './install/skill-installs.ts';
import { type SourceWords, skillSource } from './install/skill-source.ts';
import { SkillFolders } from './skill-folders.ts';
import { SkillPins } from './skill-pins.ts';
import { SKILLS_TABLE, skillRecord } from './skill-record.ts';
import { SkillRecords } from './skill-records.ts';
import {
  lookAtShelf,
  type Shelf,
  type ShelfPorts,
  type ShelvedRefusal,
  type ShelvedSkill,
  type SkillPlace,
} from './skill-shelf.ts';
import { type SkillView, skillView } from './skill-view.ts';

export interface SkillsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly peerId: string;
  readonly agents: Agents;
  readonly banks: Banks;
  /** Absolute; installed skills stand in its `skills`. */
  readonly stateDirectory: string;
  /** `[skills] dirs`, as they stand in the file. */
  readonly dirs: readonly string[];
  /** The folder that relative ones are meant from. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspace: (session: string) => Promise<string>;
  readonly git: GitMachine;
  /** A skill is hidden because tools are missing: told once for each skill and set of tools. */
  readonly warn: (message: string) => void;
}

/** What is known of skills in one place. */
export interface SkillsHere {
  readonly skills: readonly SkillView[];
  readonly refused: readonly ShelvedRefusal[];
}

/** A text of a skill: its own, or one of its files. */
export interface SkillText {
  readonly skill: SkillView;
  readonly text: string;
}

/** Where a skill is put: among those of this peer, in a bank, in an agent. */
export type SkillTarget = { readonly bank?: string; readonly agent?: string };

/** What became of an installation. */
export interface Installation {
  readonly name: string;
  readonly digest: string;
  readonly revision: string | null;
  readonly files: number;
}

/** Skills of every layer: looked at, trusted, installed. Nothing of it is kept but what the places themselves prove to be of now. */
export class Skills {
  readonly #ports: SkillsPorts;
  readonly #shelf: ShelfPorts;
  readonly #installs: SkillInstalls;
  readonly #pins: SkillPins;
  readonly #warned = new Set<string>();

  constructor(ports: SkillsPorts) {
    this.#ports = ports;
    const { store, clock, peerId, agents, banks, stateDirectory, workspace, git } = ports;
    const installedRoot = join(stateDirectory, 'skills');
    this.#pins = new SkillPins(store, clock);
    this.#installs = new SkillInstalls({ store, clock, root: installedRoot, git });
    this.#shelf = {
      ...{ agents, banks, workspace, installedRoot, pins: this.#pins, userRoots: userRoots(ports) },
      folders: new SkillFolders(clock),
      records: new SkillRecords(peerId),
    };
  }

  /** Everything that stands anywhere, in the order in which names are taken, for who is offered these tools. */
  async here(place: SkillPlace, tools: ReadonlySet<string>): Promise<SkillsHere> {
    const { skills, refused } = await this.#look(place);
    return { skills: skills.map((skill) => skillView(skill, tools)), refused };
  }

  /** What a model is told of, by place; a skill whose tools are missing is hidden, and the log is told once. */
  async offered(place: SkillPlace, tools: ReadonlySet<string>): Promise<readonly SkillView[]> {
    const { skills } = await this.here(place, tools);
    for (const { state, name, missing } of skills) if (state === 'hidden') this.#warn(name, missing);
    return skills.filter(({ state }) => state === 'offered');
  }

  /**
   * The text of a skill that is offered, or of a file in it. Rejects with `skill_unknown`, `skill_untrusted`, `skill_tools_missing` (naming them), `skill_file_unknown`,
   * `skill_file_not_text`, `skill_changed`.
   */
  async show(place: SkillPlace, tools: ReadonlySet<string>, name: string, file?: string): Promise<SkillText> {
    const named = (await this.#look(place)).skills.filter(({ skill }) => skill.name === name);
    const [shelved = named[0]] = named.filter(({ isTrusted }) => isTrusted);
    if (shelved === undefined) throw hostError('skill_unknown', name.slice(0, skillLimits.name));
    const view = skillView(shelved, tools);
    if (!shelved.isTrusted) throw hostError('skill_untrusted', name);
    if (view.missing.length > 0) {
      this.#warn(name, view.missing);
      throw hostError('skill_tools_missing', view.missing.join(', '));
    }
    return { skill: view, text: await textOf(shelved, file) };
  }

  /**
   * The same for a person, whatever its state: what is to be trusted is read first. The untrusted one of a name comes before the others. What
   * cannot be seen is shown as its escape.
   */
  async read(place: SkillPlace, tools: ReadonlySet<string>, name: string, file?: string): Promise<SkillText> {
    const shelved = chosen(await this.#look(place), name);
    const text = await textOf(shelved, file);
    // Whoever trusts it has to see what a model would.
    return { skill: skillView(shelved, tools), text: visibleText(text.replaceAll('\r\n', '\n')) };
  }

  /**
   * Pins the digest of the first skill of a name that is not trusted. `digest`, a beginning of it of {@link skillLimits.digestUnits} characters at least, says which
   * one was read: what stands there now may be another. Rejects with `skill_unknown`, `skill_digest_required`, `skill_changed`.
   */
  async trust(place: SkillPlace, name: string, digest: string | undefined): Promise<SkillView> {
    const shelf = await this.#look(place);
    const named = chosen(shelf, name);
    if (digest === undefined || digest.length < skillLimits.digestUnits)
      throw hostError('skill_digest_required', named.skill.name);
    const shelved = chosen(shelf, name, digest);
    await this.#pins.pin(name, shelved.skill.digest);
    return skillView(
      { ...shelved, isTrusted: true, wasTrusted: false },
      new Set(shelved.skill.requiresTools),
    );
  }

  /** Takes all trust from a name. */
  async untrust(name: string): Promise<void> {
    await this.#pins.unpin(name);
  }

  async installed(): Promise<readonly InstalledSkill[]> {
    return await this.#installs.list();
  }

  /**
   * Brings a skill here from a folder or a repository: into a bank, into an agent, or among those of this peer. It is not trusted by that. Rejects with
   * `skill_source_invalid`, `skill_fetch_failed`, `skill_invalid`, `skill_exists`, `bank_unknown`, `agent_unknown`, or a code of the store.
   */
  async install(words: SourceWords, target: SkillTarget, signal: AbortSignal): Promise<Installation> {
    const source = skillSource(words, this.#ports.env['HOME']);
    await using found = await this.#installs.find(source, signal);
    const { skill, revision } = found;
    if (target.bank !== undefined || target.agent !== undefined) {
      const database = await this.#databaseOf(target);
      const at = nowMs(this.#ports.clock);
      const record = await skillRecord(skill, { at }).catch((thrown: unknown) => {
        throw thrown instanceof NoSkill ? hostError('skill_invalid', thrown.message) : thrown;
      });
      await database.latest(SKILLS_TABLE).put(skill.name, record);
    } else await this.#installs.put(found, source);
    return { name: skill.name, digest: skill.digest, revision, files: skill.files.length };
  }

  /** Takes a skill away from where it was put. Rejects with `skill_unknown`, `bank_unknown`, `agent_unknown`, or a code of the store. */
  async remove(name: string, target: SkillTarget): Promise<void> {
    if (target.bank === undefined && target.agent === undefined) {
      if (!(await this.#installs.remove(name)))
        throw hostError('skill_unknown', 'nothing of this name was installed');
      return;
    }
    const table = (await this.#databaseOf(target)).latest(SKILLS_TABLE);
    const row = await table.get(name);
    if (row === undefined || row.value === null)
      throw hostError('skill_unknown', name.slice(0, skillLimits.name));
    await table.put(name, null);
  }

  async #databaseOf({ bank, agent }: SkillTarget) {
    const { banks, agents } = this.#ports;
    if (bank !== undefined) return await banks.database((await banks.find(bank)).id);
    const known = await agents.resolve(agent ?? '');
    if (!known.isHome) throw hostError('agent_unknown', 'it is at home on another peer');
    return await agents.open(known.id);
  }

  async #look(place: SkillPlace): Promise<Shelf> {
    return await lookAtShelf(this.#shelf, place);
  }

  #warn(name: string, missing: readonly string[]): void {
    const key = `${name} ${[...missing].sort().join(' ')}`;
    if (this.#warned.has(key) || this.#warned.size >= skillLimits.warned) return;
    this.#warned.add(key);
    this.#ports.warn(`The skill ${name} is hidden: ${missing.join(', ')} is not offered.`);
  }
}

/** The skill that a person means: one that waits for trust before one that has it, in the order of places. */
function chosen({ skills }: Shelf, name: string, digest?: string): ShelvedSkill {
  const named = skills.filter(({ skill }) => skill.name === name);
  if (named.length === 0) throw hostError('skill_unknown', name.slice(0, skillLimits.name));
  const meant = digest === undefined ? named : named.filter(({ skill }) => skill.digest.startsWith(digest));
  const [shelved] = [...meant.filter(({ isTrusted }) => !isTrusted), ...meant];
  if (shelved === undefined) throw hostError('skill_changed', 'no skill of the name has this digest');
  return shelved;
}

async function textOf({ skill }: ShelvedSkill, file: string | undefined): Promise<string> {
  if (file === undefined) return skill.body;
  const content = await skill.readFile(file);
  if (!isUtf8(content)) throw hostError('skill_file_not_text');
  return Buffer.from(content).toString('utf8');
}

/** `[skills] dirs`, then those that every agent of this person shares. */
function userRoots({ dirs, folder, env }: SkillsPorts): readonly string[] {
  const home = env['HOME'];
  const absolute = (path: string) => {
    if (home !== undefined && path.startsWith('~/')) return join(home, path.slice(2));
    return isAbsolute(path) ? path : join(folder, path);
  };
  const config = env['XDG_CONFIG_HOME'] ?? (home === undefined ? undefined : join(home, '.config'));
  return [
    ...dirs.map(absolute),
    ...(config === undefined ? [] : [join(config, 'fairlead', 'skills')]),
    ...(home === undefined ? [] : [join(home, '.agents', 'skills')]),
  ];
}
