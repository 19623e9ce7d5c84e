import { s } from '@fairlead/extension';
import { defineBuiltin } from '../define-builtin.ts';
import { allowed } from '../errors.ts';
import { skillsLimits } from '../limits.ts';
import type { PeerSkill, SkillAsker } from '../peer/skills-peer.ts';
import { catalogText, isFoundBy, shownSkill, skillLines } from './skill-text.ts';
import { runSkillsLine, SKILLS_ACTIONS } from './skills-command.ts';

const NAME = s.string({ minLength: 1, maxLength: 64, description: 'The name of a skill' });
const TOOLS = ['skill_list', 'skill_search', 'skill_show'] as const;

/**
 * Skills: written instructions that an agent reads when a task asks for them. A model is told their names and descriptions, and reads one when it
 * needs it. No skill gives it anything that it may not do without.
 */
export const skills = defineBuiltin({
  name: 'skills',
  version: '1.0.0',
  settings: {
    banks: s.array(s.string({ maxLength: 64 }), {
      default: [],
      maxItems: skillsLimits.attached,
      description: 'Ids of skill banks that are attached to the session',
    }),
  },
  open: ({ peer }) => ({ peer: peer.skills }),
  tools: {
    skill_list: {
      about: 'The skills that there are: written instructions for some tasks, each with what it is for.',
      effect: 'read',
      async run(_args, ctx) {
        const found = await allowed(ctx.state.peer.offered(askerOf(ctx, 'skill_list')));
        if (found.length === 0) return { text: 'There are no skills.', data: { skills: [] } };
        return listed(found);
      },
    },
    skill_search: {
      about: 'Skills that have all words of a query in their name, description, triggers or tags.',
      args: { query: s.string({ minLength: 1, maxLength: 500 }) },
      effect: 'read',
      async run({ query }, ctx) {
        const all = await allowed(ctx.state.peer.offered(askerOf(ctx, 'skill_search')));
        const found = all.filter(isFoundBy(query)).slice(0, skillsLimits.found);
        if (found.length === 0)
          return { text: `No skill has all of these words: ${query}`, data: { skills: [] } };
        return listed(found);
      },
    },
    skill_show: {
      about: 'Reads a skill, or with `file` one of the files that it names.',
      args: {
        name: NAME,
        file: s.optional(s.string({ minLength: 1, maxLength: 512, description: 'Its path in the skill' })),
        offset: s.integer({
          default: 0,
          minimum: 0,
          maximum: 8_388_608,
          description: 'Characters to pass over',
        }),
      },
      effect: 'read',
      async run({ name, file, offset }, ctx) {
        const found = await allowed(ctx.state.peer.show(askerOf(ctx, 'skill_show'), name, file));
        const { description } = found.skill;
        return {
          text: shownSkill(found, file, offset),
          data: { name, description, ...(file === undefined ? {} : { file }) },
        };
      },
    },
  },
  commands: {
    skills: {
      about:
        'Skills: list · show NAME [FILE] · search WORDS · trust NAME --digest D · untrust NAME · install SOURCE · remove NAME · banks · new BANK · delete BANK · grant BANK AGENT · revoke BANK AGENT · attach BANK · detach BANK',
      args: {
        action: s.enum(SKILLS_ACTIONS, { default: 'list' }),
        name: s.optional(s.string('A skill, a bank, a source')),
        with: s.optional(s.string('A file of the skill; an agent')),
        right: s.enum(['read', 'write'], { default: 'read' }),
        digest: s.optional(s.string('The beginning of the digest that was read')),
        ref: s.optional(s.string('A branch, tag or commit of a repository')),
        folder: s.optional(s.string('The skill’s folder in a repository')),
        bank: s.optional(s.string('Put into this bank, or take out of it')),
        agent: s.optional(s.string('Put into this agent, or take out of it')),
      },
      run: (line, ctx) =>
        allowed(
          runSkillsLine(ctx.state.peer, askerOf(ctx), line, {
            signal: ctx.signal,
            attach: (banks) => ctx.save({ banks }),
          }),
        ),
    },
  },
  async prompt({ tools }, ctx) {
    // Without a way to read them, names are noise.
    if (!tools.includes('skill_show')) return undefined;
    return catalogText(await ctx.state.peer.offered(askerOf(ctx)));
  },
});

interface Asking {
  readonly session: { readonly id: string };
  readonly agent?: { readonly id: string };
  readonly settings: { readonly banks: readonly string[] };
}

function askerOf({ session, agent, settings }: Asking, tool?: (typeof TOOLS)[number]): SkillAsker {
  return {
    session: session.id,
    attached: settings.banks,
    ...(agent === undefined ? {} : { agent: agent.id }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function listed(found: readonly PeerSkill[]) {
  return {
    text: skillLines(found, skillsLimits.shown),
    data: {
      skills: found.slice(0, skillsLimits.listed).map(({ name, description }) => ({ name, description })),
    },
  };
}
