import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agents } from '../agents/agents.ts';
import type { Banks, KnownBank } from '../banks/banks.ts';
import { isWithin } from './folder-walk.ts';
import { readableBanks } from './readable-banks.ts';
import type { RefusedSkill, Skill, SkillLayer, SkillsOfPlace } from './skill.ts';
import type { SkillFolders } from './skill-folders.ts';
import type { SkillPins } from './skill-pins.ts';
import type { SkillRecords } from './skill-records.ts';

/** Where it is asked: skills differ by session and agent. */
export interface SkillPlace {
  readonly session: string;
  /** Its id; absent where nobody speaks. */
  readonly agent?: string;
  /** Ids of the banks that are attached to the session. */
  readonly attached: readonly string[];
}

export interface ShelfPorts {
  readonly agents: Agents;
  readonly pins: SkillPins;
  readonly folders: SkillFolders;
  readonly records: SkillRecords;
  /** Folders of the person who runs the host, absolute, in order. */
  readonly userRoots: readonly string[];
  /** Where installed skills stand, absolute. */
  readonly installedRoot: string;
  readonly workspace: (session: string) => Promise<string>;
  readonly banks: Banks;
}

/** A skill as it stands somewhere. */
export interface ShelvedSkill {
  readonly skill: Skill;
  readonly layer: SkillLayer;
  /** In words for a person, such as `bank team`. */
  readonly where: string;
  /** By where it stands, or by a digest that somebody pinned. */
  readonly isTrusted: boolean;
  /** Another digest of this name was pinned: it changed since. */
  readonly wasTrusted: boolean;
  /** An earlier place has a trusted skill of the name. */
  readonly isShadowed: boolean;
}

export interface ShelvedRefusal extends RefusedSkill {
  readonly layer: SkillLayer;
  readonly where: string;
}

/** All skills of a session and agent: the first trusted one of a name is the skill of that name. */
export interface Shelf {
  readonly skills: readonly ShelvedSkill[];
  readonly refused: readonly ShelvedRefusal[];
}

interface Source {
  readonly layer: SkillLayer;
  readonly where: string;
  readonly isTrusted: boolean;
  /** Those of its skills that are not trusted although the place is. */
  readonly but?: ReadonlySet<string>;
  readonly found: SkillsOfPlace;
}

/** Looks at every place that a session and its agent have skills from. What is not trusted takes no name from what is. */
export async function lookAtShelf(ports: ShelfPorts, place: SkillPlace): Promise<Shelf> {
  const pins = await ports.pins.all();
  const skills: ShelvedSkill[] = [];
  const refused: ShelvedRefusal[] = [];
  const taken = new Set<string>();
  for (const { layer, where, isTrusted: byPlace, but, found } of await sourcesOf(ports, place)) {
    for (const skill of found.skills) {
      const pinned = pins.get(skill.name);
      const isPinned = pinned?.has(skill.digest) === true;
      const isTrusted = isPinned || (byPlace && but?.has(skill.name) !== true);
      const isShadowed = taken.has(skill.name);
      const wasTrusted = !isTrusted && pinned !== undefined;
      skills.push({ ...{ skill, layer, where, isTrusted, wasTrusted, isShadowed } });
      if (isTrusted) taken.add(skill.name);
    }
    refused.push(...found.refused.map((one) => ({ ...one, layer, where })));
  }
  return { skills, refused };
}

async function sourcesOf(ports: ShelfPorts, place: SkillPlace): Promise<readonly Source[]> {
  const folders = await foldersOf(ports, await ports.workspace(place.session));
  const { granted, attached } = await readableBanks(ports, place);
  const fromBank = async (layer: SkillLayer, { id, name }: KnownBank): Promise<Source> => {
    const { found } = await ports.records.of(await ports.banks.database(id));
    return { layer, where: `bank ${name}`, isTrusted: false, found };
  };
  return [
    ...folders,
    ...(place.agent === undefined ? [] : await fromAgent(ports, place.agent)),
    ...(await Promise.all(granted.map((bank) => fromBank('bank', bank)))),
    ...(await Promise.all(attached.map((bank) => fromBank('session_bank', bank)))),
  ];
}

/** What this peer wrote into its agent is its own; what another peer wrote there is not. */
async function fromAgent({ agents, records }: ShelfPorts, agent: string): Promise<readonly Source[]> {
  const known = await agents.find(agent);
  if (known === undefined) return [];
  const { found, foreign } = await records.of(await agents.open(agent));
  return [{ layer: 'agent', where: `agent ${known.name}`, isTrusted: true, but: foreign, found }];
}

async function foldersOf(
  { folders, userRoots, installedRoot }: ShelfPorts,
  workspace: string,
): Promise<readonly Source[]> {
  const within = await realOf(workspace);
  const roots = [
    ...[join(workspace, '.fairlead', 'skills'), join(workspace, '.agents', 'skills')].map((path) => ({
      ...{ path, layer: 'project' as const },
    })),
    ...userRoots.map((path) => ({ path, layer: 'user' as const })),
    { path: installedRoot, layer: 'installed' as const },
  ];
  const seen = new Set<string>();
  const sources: Source[] = [];
  for (const { path, layer } of roots) {
    const real = await realOf(path);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    const isOfProject = within !== undefined && isWithin(real, within);
    if (layer === 'project' && !isOfProject) {
      const reason = 'it is a link that leads out of the workspace, so nothing in it is read';
      sources.push({
        ...{ layer, where: path, isTrusted: false },
        found: { skills: [], refused: [{ name: '', reason }] },
      });
      continue;
    }
    if (layer === 'user') {
      // Where the agents of the session may write, a place alone is worth no trust: a link into it no more than the folder itself.
      const found = await folders.look(real, within === undefined ? {} : { notIn: within });
      sources.push({ layer, where: path, isTrusted: !isOfProject, but: found.inside, found });
    } else {
      const found = await folders.look(real, { within: isOfProject ? (within ?? real) : real });
      sources.push({ layer, where: path, isTrusted: false, found });
    }
  }
  return sources;
}

async function realOf(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined);
}
