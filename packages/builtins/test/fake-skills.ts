import { ExtensionError } from '@fairlead/extension';
import type { PeerNoSkill, PeerSkill, PeerSkillBank, SkillsPeer } from '../src/peer/skills-peer.ts';

/** A skill with these members. */
export function fakeSkill(over: Partial<PeerSkill> & { readonly name: string }): PeerSkill {
  return {
    description: `About ${over.name}.`,
    ...{ triggers: [], tags: [], requiresTools: [], notes: [], files: [], missing: [] },
    digest: 'd'.repeat(43),
    layer: 'user',
    where: '/home/ada/.agents/skills',
    state: 'offered',
    ...over,
  };
}

/** Skills in memory; `texts` by name, or by name and file. */
export function fakeSkills(
  asked: unknown[][],
  kept: {
    readonly skills?: readonly PeerSkill[];
    readonly refused?: readonly PeerNoSkill[];
    readonly texts?: Readonly<Record<string, string>>;
    readonly installed?: Awaited<ReturnType<SkillsPeer['installed']>>;
    readonly banks?: Awaited<ReturnType<SkillsPeer['banks']>>;
    readonly revision?: string;
  } = {},
): SkillsPeer {
  const { skills = [], refused = [], texts = {}, installed = [], banks = [], revision = null } = kept;
  const known = (name: string): PeerSkill => {
    const skill = skills.find((one) => one.name === name);
    if (skill === undefined)
      throw new ExtensionError('skill_unknown', 'There is no skill of this name here.');
    return skill;
  };
  const textOf = (name: string, file?: string) => ({
    skill: known(name),
    text: texts[file === undefined ? name : `${name} ${file}`] ?? '',
  });
  const bank = (nameOrId: string): PeerSkillBank => {
    const found = banks.find(({ id, name }) => id === nameOrId || name === nameOrId);
    if (found === undefined) throw new ExtensionError('bank_unknown', 'There is no such bank here.');
    return found;
  };
  return {
    async offered(asker) {
      asked.push(['skills.offered', asker]);
      return skills.filter(({ state }) => state === 'offered');
    },
    async show(asker, name, file) {
      asked.push(['skills.show', asker, name, file]);
      return textOf(name, file);
    },
    here: async () => ({ skills, refused }),
    read: async (_asker, name, file) => textOf(name, file),
    installed: async () => installed,
    async trust(_asker, name, digest) {
      asked.push(['skills.trust', name, digest]);
      return known(name);
    },
    async untrust(_asker, name) {
      asked.push(['skills.untrust', name]);
    },
    async install(_asker, words, target) {
      asked.push(['skills.install', words, target]);
      return { name: 'pdf', digest: 'e'.repeat(43), revision, files: 2 };
    },
    async remove(_asker, name, target) {
      asked.push(['skills.remove', name, target]);
    },
    banks: async () => banks,
    findBank: async (nameOrId) => bank(nameOrId),
    async createBank(_asker, name) {
      asked.push(['skills.createBank', name]);
      return { id: 'skl_new', name };
    },
    async removeBank(_asker, name) {
      asked.push(['skills.removeBank', name]);
      return bank(name);
    },
    async grant(_asker, name, agent, right) {
      asked.push(['skills.grant', name, agent, right]);
      return bank(name);
    },
    async revoke(_asker, name, agent) {
      asked.push(['skills.revoke', name, agent]);
      return bank(name);
    },
  };
}
