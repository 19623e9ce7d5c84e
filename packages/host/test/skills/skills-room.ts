import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemRandom } from '@fairlead/base';
import { startWatchdog } from '@fairlead/process';
import { Agents } from '../../src/agents/agents.ts';
import { Banks } from '../../src/banks/banks.ts';
import type { SkillPlace } from '../../src/skills/skill-shelf.ts';
import type { SkillView } from '../../src/skills/skill-view.ts';
import { Skills, type SkillsPorts } from '../../src/skills/skills.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';

type Test = { after(hook: () => unknown): void };

/** Skills of one installation, its folders all below one. */
export interface SkillsRoom {
  readonly floor: HostFloor;
  readonly skills: Skills;
  readonly git: SkillsPorts['git'];
  readonly agents: Agents;
  readonly banks: Banks;
  /** The agent `ann`. */
  readonly ann: string;
  readonly place: SkillPlace;
  readonly workspace: string;
  readonly home: string;
  readonly stateDirectory: string;
  readonly warnings: readonly string[];
  /** Writes a file below the room's folder. */
  write(path: string, content: string | Uint8Array): string;
  /** Reads the skill, then trusts what was read. */
  trust(name: string, place?: SkillPlace): Promise<SkillView>;
  /** `name state where-kind` of each, in order. */
  states(place?: SkillPlace, tools?: readonly string[]): Promise<readonly string[]>;
  /** `name[:line]: reason` of what is no skill. */
  refused(place?: SkillPlace): Promise<readonly string[]>;
}

/** A SKILL.md of a name, with further lines of its head. */
export function skillText(name: string, head = `description: About ${name}.`, body = `Do ${name}.`): string {
  return `---\nname: ${name}\n${head}\n---\n\n${body}\n`;
}

export async function skillsRoom(
  t: Test,
  over: Partial<SkillsPorts> & { readonly workspaceIn?: string } = {},
): Promise<SkillsRoom> {
  const floor = await hostFloor(t);
  const { peer, store, clock, folder, random } = floor;
  const agents = new Agents({ peer, clock, isModel: () => true });
  const { id: ann } = await agents.create('ann');
  const banks = new Banks({ kind: 'skill_bank', peer, store, clock, agents });
  const home = join(folder, 'home');
  const workspace = over.workspaceIn ?? join(folder, 'work');
  const stateDirectory = join(folder, 'state');
  for (const made of [home, workspace, stateDirectory]) mkdirSync(made, { recursive: true });
  let watchdog: ReturnType<typeof startWatchdog> | undefined;
  t.after(async () => await watchdog?.close());
  const warnings: string[] = [];
  const git: SkillsPorts['git'] = {
    get watchdog() {
      // By its token it ends processes, so no two tests that run at once may have the same.
      watchdog ??= startWatchdog({ random: systemRandom() });
      return watchdog;
    },
    ...{ platform: process.platform, random },
    env: { PATH: process.env['PATH'] ?? '' },
  };
  const skills = new Skills({
    ...{ store, clock, agents, banks, stateDirectory, folder, peerId: peer.peerId },
    dirs: ['shared'],
    env: { HOME: home },
    workspace: async () => workspace,
    git,
    warn: (message) => warnings.push(message),
    ...over,
  });
  const here = { session: 'ses_1', agent: ann, attached: [] };
  return {
    ...{ floor, skills, git, agents, banks, ann, home, workspace, stateDirectory, warnings, place: here },
    write(path, content) {
      const at = join(folder, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content);
      return at;
    },
    async trust(name, place = here) {
      const { skill } = await skills.read(place, new Set(), name);
      return await skills.trust(place, name, skill.digest);
    },
    async states(place = here, tools = []) {
      const found = await skills.here(place, new Set(tools));
      return found.skills.map(({ name, state, layer }) => `${name} ${state} ${layer}`);
    },
    async refused(place = here) {
      const found = await skills.here(place, new Set());
      return found.refused.map(
        ({ name, line, reason }) => `${name}${line === undefined ? '' : `:${line}`}: ${reason}`,
      );
    },
  };
}
