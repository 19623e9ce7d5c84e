import { type AgentView, type MemoryScope, memory as memoryCap, s } from '@fairlead/extension';
import { defineBuiltin } from '../define-builtin.ts';
import { allowed, toolFault } from '../errors.ts';
import { memoryTextLimits } from '../limits.ts';
import type { MemoryPlace } from '../peer/memory-peer.ts';
import { MEMORY_ACTIONS, memoryLineOf, runMemoryLine } from './memory-command.ts';
import { MEMORY_SETTINGS } from './memory-settings.ts';
import { bankText, recalledText, tailText } from './memory-text.ts';

const BANK = s.optional(s.string('A bank, by name; absent: your own memory'));
const TAGS = (about: string) => s.array(s.string(), { default: [], maxItems: 32, description: about });

/** What agents remember, in memories of their own and in banks that they share. */
export const memory = defineBuiltin({
  name: 'memory',
  version: '1.0.0',
  settings: MEMORY_SETTINGS,
  access: ['agent_state_admin'],
  open: ({ peer }) => ({ peer }),
  tools: {
    remember: {
      about:
        'Keeps something for later, in this and in other sessions. What was kept under the same key is replaced.',
      args: {
        key: s.string('A short name for it, one line'),
        value: s.string('What to remember'),
        tags: TAGS('Words to find it by'),
        bank: BANK,
      },
      effect: 'records',
      async run({ key, value, tags, bank }, ctx) {
        const place = { ...placeOf(ctx.agent.id, bank), session: ctx.session.id };
        await allowed(ctx.state.peer.memory.remember(place, { key, value, tags }));
        return bank === undefined ? `Remembered: ${key}` : `Remembered in ${bank}: ${key}`;
      },
    },
    recall: {
      about: 'Finds what was remembered. An empty query gives the newest.',
      args: {
        query: s.string('Words of what you look for'),
        tags: TAGS('Only what has all of these tags'),
        limit: s.integer({ default: 10, minimum: 1, maximum: memoryTextLimits.foundMax }),
        bank: BANK,
      },
      effect: 'read',
      async run({ query, tags, limit, bank }, ctx) {
        const recalled = await allowed(
          ctx.state.peer.memory.recall(placeOf(ctx.agent.id, bank), { query, tags, limit }),
        );
        return recalledText(recalled);
      },
    },
    list_memory_banks: {
      about: 'The banks that you may recall from or remember in, beside your own memory.',
      args: {},
      effect: 'read',
      async run(_args, ctx) {
        const banks = await allowed(ctx.state.peer.memory.banks(ctx.agent.id));
        const lines = banks.map((bank) => bankText(bank, ctx.settings.banks.includes(bank.id)));
        return ['- your own memory: read and write', ...lines].join('\n');
      },
    },
  },
  commands: {
    memory: {
      about:
        'Memories and banks: list · new NAME · delete NAME · undelete ID · grant NAME AGENT read|write · revoke NAME AGENT · attach NAME · detach NAME · config show|set KEY VALUE|reset · recall WORDS · forget KEY · export FILE · import FILE; agent:NAME and bank:NAME before the other words say whose',
      args: {
        action: s.enum(MEMORY_ACTIONS, { default: 'list' }),
        words: s.array(s.string(), {
          default: [],
          description: 'What the action takes; agent:NAME and bank:NAME in front say whose memory is meant',
        }),
      },
      async run({ action, words }, ctx) {
        const line = memoryLineOf(action, words);
        const desk = {
          peer: ctx.state.peer.memory,
          person: { session: ctx.session.id, ...(ctx.agent === undefined ? {} : { agent: ctx.agent.id }) },
          agent: () => agentOf(ctx, line.agent),
          find: (nameOrId: string) => agentOf(ctx, nameOrId),
          attached: ctx.settings.banks,
          attach: async (banks: readonly string[]) => await ctx.save({ banks: [...banks] }),
        };
        return await runMemoryLine(desk, line);
      },
    },
  },
  provides: {
    memory: {
      cap: memoryCap,
      impl: {
        async search({ query, scope, limit }, ctx) {
          const place = placeOfScope(ctx.agent, scope);
          const wanted = { query, ...(limit === undefined ? {} : { limit }) };
          const { memories } = await allowed(ctx.state.peer.memory.recall(place, wanted));
          return memories.map(({ key, value, score, bank }) => ({
            ...{ key, value, score },
            ...(bank === undefined ? {} : { bank }),
          }));
        },
        async remember({ key, value, scope }, ctx) {
          const session = ctx.session === undefined ? {} : { session: ctx.session.id };
          const place = { ...placeOfScope(ctx.agent, scope), ...session };
          await allowed(ctx.state.peer.memory.remember(place, { key, value }));
          return null;
        },
      },
    },
  },
  session: {
    open: ({ peer }) => ({ peer }),
    async tail({ recent }, ctx) {
      const { auto_recall_enabled, max_entries, auto_recall_banks, auto_recall_min_score, banks } =
        ctx.settings;
      if (!auto_recall_enabled || ctx.agent === undefined) return undefined;
      const memories = await ctx.state.peer.memory.onTopic(ctx.agent.id, {
        recent: recent.slice(-memoryTextLimits.topicTexts),
        limit: max_entries,
        attached: banks,
        leastNear: auto_recall_min_score,
        ...(auto_recall_banks === undefined ? {} : { banks: auto_recall_banks }),
      });
      return tailText(memories);
    },
  },
});

function placeOf(agent: string, bank: string | undefined): MemoryPlace {
  return bank === undefined ? { agent } : { agent, bank };
}

/** The memory of whoever the call is for: a cap gives no more than that agent was granted. */
function placeOfScope(agent: AgentView | undefined, scope: MemoryScope): MemoryPlace {
  if (agent === undefined) throw toolFault('not_started', 'memory_agent_unknown');
  return placeOf(agent.id, scope.scope === 'bank' ? scope.name : undefined);
}

interface Asking {
  readonly agent?: AgentView;
  readonly agents: { resolve(agent: string): Promise<AgentView | null> };
}

/** Whose memory is meant. One that is out of reach is answered like one that there is not. */
async function agentOf(ctx: Asking, named: string | undefined): Promise<AgentView> {
  if (named === undefined && ctx.agent !== undefined) return ctx.agent;
  const found = named === undefined ? null : await ctx.agents.resolve(named);
  if (found === null) throw toolFault('not_started', 'memory_agent_unknown', named?.slice(0, 64));
  return found;
}
