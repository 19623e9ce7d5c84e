import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@fairlead/base';
import { skillLimits } from '../limits.ts';
import { isWithin, NoSkill, type WalkedFile, walkSkill } from './folder-walk.ts';
import { isSkillName } from './front-matter.ts';
import { type FolderReading, markOf, readSkillFile, readSkillFolder } from './read-skill-folder.ts';
import type { RefusedSkill, Skill, SkillsOfPlace } from './skill.ts';

export interface RootOptions {
  /** A real folder that no skill may be linked out of; absent: a person's own links are followed. */
  readonly within?: string;
  /** A real folder; skills that are linked into it are told. */
  readonly notIn?: string;
}

/** The skills of one folder. */
export interface SkillsOfFolder extends SkillsOfPlace {
  /** Names of those that stand in `notIn`. */
  readonly inside: ReadonlySet<string>;
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

type Known = FolderReading | { readonly refused: NoSkill; readonly mark: string; readonly changedMs: number };

/**
 * Folders of skills on this machine. Each look asks the system what is there, so that a change counts at once; only what changed is read
 * again. Nothing of it throws but what breaks the machine: what is no skill is told with its reason.
 */
export class SkillFolders {
  readonly #clock: Pick<Clock, 'wallMs'>;
  /** By place, the one used longest ago first. */
  readonly #known = new Map<string, Known>();

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock;
  }

  /** The skills of one folder, by name; none where it is not there. A folder's skill takes its name before a file's. */
  async look(root: string, options: RootOptions = {}): Promise<SkillsOfFolder> {
    const skills = new Map<string, Skill>();
    const refused: RefusedSkill[] = [];
    const inside = new Set<string>();
    const { places, problem } = await placesIn(root);
    if (problem !== undefined) refused.push({ name: '', reason: problem });
    for (const { place, reading } of await this.#readAll(places, options)) {
      if ('refused' in reading) {
        const { message: reason, line } = reading.refused;
        refused.push({ name: place.name, reason, ...(line === undefined ? {} : { line }) });
      } else if (skills.has(place.name))
        refused.push({
          name: place.name,
          reason: 'a folder of this name stands beside the file and is taken',
        });
      else {
        skills.set(place.name, reading.skill);
        if (reading.isInside) inside.add(place.name);
      }
    }
    return { skills: [...skills.values()], refused, inside };
  }

  /** Some at a time: each waits for the disk, and holds a folder open. */
  async #readAll(places: readonly Place[], options: RootOptions) {
    const all: { readonly place: Place; readonly reading: Known & { readonly isInside?: boolean } }[] = [];
    for (let from = 0; from < places.length; from += skillLimits.readAtOnce) {
      const some = places.slice(from, from + skillLimits.readAtOnce);
      const read = some.map(async (place) => ({ place, reading: await this.#read(place, options) }));
      all.push(...(await Promise.all(read)));
    }
    return all;
  }

  async #read(
    place: Place,
    { within, notIn }: RootOptions,
  ): Promise<Known & { readonly isInside?: boolean }> {
    try {
      const real = await realpath(place.path);
      if (within !== undefined && !isWithin(real, within))
        throw new NoSkill('it is a link that leads out of the folder that it stands in');
      const known = await this.#readChanged(place);
      return { ...known, isInside: notIn !== undefined && isWithin(real, notIn) };
    } catch (thrown) {
      const refused = thrown instanceof NoSkill ? thrown : new NoSkill(systemReason(thrown));
      return { refused, mark: '', changedMs: 0 };
    }
  }

  async #readChanged(place: Place): Promise<Known> {
    const files = place.isFolder ? await walkSkill(place.path) : [await fileAt(place.path)];
    const mark = markOf(files);
    const known = this.#known.get(place.path);
    if (known?.mark === mark) {
      this.#keep(place.path, known);
      return known;
    }
    const changedMs = files.reduce((newest, file) => Math.max(newest, file.changedMs), 0);
    const reading = await this.#readNow(place, files).catch((thrown: unknown) => {
      if (!(thrown instanceof NoSkill)) throw thrown;
      return { refused: thrown, mark, changedMs };
    });
    // A change within the same tick as the last one would leave the mark as it is.
    if (changedMs + skillLimits.settledMs < this.#clock.wallMs()) this.#keep(place.path, reading);
    else this.#known.delete(place.path);
    return reading;
  }

  async #readNow(place: Place, files: readonly WalkedFile[]): Promise<Known> {
    if (!isSkillName(place.name))
      throw new NoSkill('its name must be lower-case letters, digits and single hyphens, 64 at most');
    const [file] = files;
    if (place.isFolder || file === undefined) return await readSkillFolder(place.path, files, place.name);
    return await readSkillFile(place.path, file, place.name);
  }

  #keep(path: string, known: Known): void {
    this.#known.delete(path);
    this.#known.set(path, known);
    if (this.#known.size <= skillLimits.kept) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** What could be a skill: folders, and files that end in `.md`; folders first. What begins with a dot is passed over. */
async function placesIn(
  root: string,
): Promise<{ readonly places: readonly Place[]; readonly problem?: string }> {
  const places: Place[] = [];
  let seen = 0;
  try {
    for await (const entry of await opendir(root)) {
      seen += 1;
      if (seen > skillLimits.rootEntries || places.length >= skillLimits.perRoot)
        return {
          places: sorted(places),
          problem: `it holds more than ${skillLimits.perRoot} skills; the rest is left out`,
        };
      const place = entry.name.startsWith('.') ? undefined : await placeOf(root, entry);
      if (place !== undefined) places.push(place);
    }
  } catch (thrown) {
    const reason = systemReason(thrown);
    return isAbsent(thrown) ? { places: [] } : { places: sorted(places), problem: reason };
  }
  return { places: sorted(places) };
}

async function placeOf(root: string, entry: Dirent): Promise<Place | undefined> {
  const { name } = entry;
  const path = join(root, name);
  const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
  if (found?.isDirectory() === true) return { name, path, isFolder: true };
  return name.endsWith('.md') ? { name: name.slice(0, -3), path, isFolder: false } : undefined;
}

function sorted(places: Place[]): readonly Place[] {
  const rank = ({ isFolder, name }: Place) => `${isFolder ? 0 : 1} ${name}`;
  return places.sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

async function fileAt(path: string): Promise<WalkedFile> {
  const { size, ino, mtimeMs, ctimeMs } = await stat(path);
  return {
    ...{ path: '', bytes: size },
    mark: `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    changedMs: Math.max(mtimeMs, ctimeMs),
  };
}

function isAbsent(thrown: unknown): boolean {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** What the system says of a path names the path; its code is enough. */
function systemReason(thrown: unknown): string {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return `the system does not let it be read (${typeof code === 'string' ? code : 'unknown'})`;
}
