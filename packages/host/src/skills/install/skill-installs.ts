import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, madeOnce, randomId } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { hostError } from '../../errors.ts';
import { skillLimits } from '../../limits.ts';
import { nowMs } from '../../sessions/sessions.ts';
import { NoSkill } from '../folder-walk.ts';
import { SKILL_FILE, skillIn } from '../read-skill-folder.ts';
import type { Skill } from '../skill.ts';
import { unpinned } from '../skill-pins.ts';
import { fetchRepository } from './fetch-repository.ts';
import type { GitMachine } from './run-git.ts';
import type { SkillSource } from './skill-source.ts';

/** What was installed here, as it was then. */
export interface InstalledSkill {
  readonly name: string;
  readonly source: string;
  readonly ref: string | null;
  /** The commit that the ref meant; null for a folder. */
  readonly revision: string | null;
  readonly digest: string;
}

/** A skill where it was found, until it has been put somewhere. */
export interface SourcedSkill extends AsyncDisposable {
  readonly skill: Skill;
  readonly revision: string | null;
}

export interface InstallPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Absolute; made where it is not there, 0700. */
  readonly root: string;
  readonly git: GitMachine;
}

const COLUMNS = 'name, source, ref, revision, digest';
const ONE = `SELECT ${COLUMNS} FROM skill_installs WHERE name = ?`;
const ALL = `SELECT ${COLUMNS} FROM skill_installs ORDER BY name LIMIT ${skillLimits.pins}`;
const PUT = `INSERT INTO skill_installs (${COLUMNS}, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
  source = excluded.source, ref = excluded.ref, revision = excluded.revision, digest = excluded.digest, at = excluded.at`;
const DROP = 'DELETE FROM skill_installs WHERE name = ?';

/** Skills that were installed on this peer: each a folder of its own, and a row that says what it was when it came. */
export class SkillInstalls {
  readonly #ports: InstallPorts;
  /** Makes the folder, and clears what a host that was killed left half-made in it. */
  readonly #tidy: () => Promise<void>;

  constructor(ports: InstallPorts) {
    this.#ports = ports;
    this.#tidy = madeOnce(() => tidied(ports.root));
  }

  async list(): Promise<readonly InstalledSkill[]> {
    return await this.#ports.store.read<InstalledSkill>(ALL);
  }

  /** Reads a skill where it stands; a repository is fetched first. Rejects with `skill_source_invalid`, `skill_fetch_failed`, `skill_invalid`. */
  async find(source: SkillSource, signal: AbortSignal): Promise<SourcedSkill> {
    if (source.kind === 'folder') {
      const skill = await readable(source.path, basename(source.path));
      return { skill, revision: null, [Symbol.asyncDispose]: async () => {} };
    }
    const { root, git } = this.#ports;
    await this.#tidy();
    const folder = await mkdtemp(join(root, '.fetch-'));
    const dispose = async () => await rm(folder, { recursive: true, force: true });
    try {
      const fetched = await fetchRepository(git, source, folder, signal);
      const name = source.inner === undefined ? undefined : basename(source.inner);
      const skill = await readable(fetched.folder, name);
      return { skill, revision: fetched.revision, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  /**
   * Puts a skill among those of this peer, whole or not at all; from where it came before it takes the place of what came then. Rejects with
   * `skill_exists` where its name came from elsewhere.
   */
  async put({ skill, revision }: SourcedSkill, source: SkillSource): Promise<InstalledSkill> {
    const { store, clock, root, git } = this.#ports;
    const said = source.kind === 'git' ? source.url : source.path;
    const [known] = await store.read<InstalledSkill>(ONE, [skill.name]);
    if (known !== undefined && known.source !== said) throw hostError('skill_exists', `from ${known.source}`);
    await this.#tidy();
    const { name, digest } = skill;
    const ref = source.kind === 'git' ? (source.ref ?? null) : null;
    const put = { sql: PUT, parameters: [name, said, ref, revision, digest, nowMs(clock)] };
    const made = join(root, randomId('.new-', git.random));
    try {
      await writeSkill(skill, made);
      await putInPlace(made, join(root, name), () => store.write([put], 'full'));
    } finally {
      await rm(made, { recursive: true, force: true });
    }
    return { name, source: said, ref, revision, digest };
  }

  /** Takes it away, and what it was trusted for. False where nothing of the name was installed. */
  async remove(name: string): Promise<boolean> {
    const { store, root } = this.#ports;
    const [known] = await store.read<InstalledSkill>(ONE, [name]);
    if (known === undefined) return false;
    await rm(join(root, name), { recursive: true, force: true });
    await store.write([{ sql: DROP, parameters: [name] }, unpinned(name)], 'full');
    return true;
  }
}

async function tidied(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root))
    if (/^\.(?:fetch|new)-/.test(name)) await rm(join(root, name), { recursive: true, force: true });
}

async function readable(folder: string, name: string | undefined): Promise<Skill> {
  try {
    return await skillIn(folder, name);
  } catch (thrown) {
    if (thrown instanceof NoSkill)
      throw hostError(
        'skill_invalid',
        thrown.line === undefined ? thrown.message : `line ${thrown.line}: ${thrown.message}`,
      );
    throw hostError('skill_source_invalid');
  }
}

/** As it was read: each file is compared with the digest that it had then. */
async function writeSkill(skill: Skill, folder: string): Promise<void> {
  for (const path of [SKILL_FILE, ...skill.files.map((file) => file.path)]) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await writeFile(place, await skill.readFile(path), { mode: 0o600, flag: 'wx' });
  }
}

/** Puts a folder in a place and has that `written`; where either fails, what stood there stands there again. */
async function putInPlace(made: string, place: string, written: () => Promise<unknown>): Promise<void> {
  const old = `${made}-old`;
  const had = await rename(place, old).then(
    () => true,
    () => false,
  );
  let stands = false;
  try {
    await rename(made, place);
    stands = true;
    await written();
  } catch (error) {
    if (stands) await rename(place, made);
    if (had) await rename(old, place);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}
