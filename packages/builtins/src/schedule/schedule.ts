import { type AgentView, s } from '@fairlead/extension';
import { defineBuiltin } from '../define-builtin.ts';
import { allowed, toolFault } from '../errors.ts';
import { scheduleLimits } from '../limits.ts';
import { runScheduleLine, SCHEDULE_ACTIONS, scheduleLineOf } from './schedule-command.ts';
import { momentText, scheduleText } from './schedule-text.ts';
import { wishOf } from './wish.ts';

const ID = s.string('Its name: letters, digits, - and _');
const AGENT = s.optional(s.string('Another agent, by name or id; absent: yourself'));
const TIME = {
  cron: s.optional(s.string('A cron pattern of 5, 6 or 7 fields; Sunday is 0 or 7')),
  zone: s.optional(s.string('The time zone of the pattern, such as Europe/Paris')),
  every_secs: s.optional(
    s.integer({ minimum: 1, description: 'Instead: seconds from the end of one to the next' }),
  ),
  at: s.optional(s.string('Instead: one moment, such as 2026-05-01T09:00:00Z')),
};
const TARGET = s.enum(['pinned', 'fresh'], 'pinned: in this session. fresh: in a new one each time');
const BOUNDS = {
  max_fires: s.optional(s.integer({ minimum: 0, description: 'So many times at most; 0: no bound' })),
  expires_at: s.optional(s.string('Not at or after this moment; none: no bound')),
};

/** Agents plan what they do later. What was planned fires also where this extension is turned off. */
export const schedule = defineBuiltin({
  name: 'schedule',
  version: '1.0.0',
  access: ['agent_state_admin'],
  open: ({ peer }) => ({ peer }),
  tools: {
    schedule_add: {
      about: 'Plans a task that comes back: you are given it as a message each time.',
      args: {
        id: ID,
        ...TIME,
        task: s.string('What you are to be told'),
        target: s.optional(TARGET),
        ...BOUNDS,
        agent: AGENT,
      },
      async run({ id, agent, ...given }, ctx) {
        const { id: owner } = await agentOf(ctx, agent);
        const wish = wishOf({ target: 'pinned', ...given }, ctx.session.id);
        const line = await allowed(ctx.state.peer.schedules.add(owner, id, wish));
        return { text: `Planned. ${scheduleText(line)}`, data: { id, next: line.next } };
      },
    },
    schedule_modify: {
      about: 'Changes a planned task: only what you name.',
      args: {
        id: ID,
        ...TIME,
        task: s.optional(s.string()),
        target: s.optional(TARGET),
        enabled: s.optional(s.boolean()),
        ...BOUNDS,
        agent: AGENT,
      },
      async run({ id, agent, ...given }, ctx) {
        const { id: owner } = await agentOf(ctx, agent);
        const line = await allowed(ctx.state.peer.schedules.modify(owner, id, wishOf(given, ctx.session.id)));
        return { text: `Changed. ${scheduleText(line)}`, data: { id, next: line.next } };
      },
    },
    schedule_remove: {
      about: 'Takes a planned task away.',
      args: { id: ID, agent: AGENT },
      async run({ id, agent }, ctx) {
        const { id: owner } = await agentOf(ctx, agent);
        await allowed(ctx.state.peer.schedules.remove(owner, id));
        return `Taken away: ${id}`;
      },
    },
    schedule_list: {
      about: 'The tasks that are planned, with when each is due next.',
      args: { agent: AGENT },
      effect: 'read',
      async run({ agent }, ctx) {
        const { id: owner, name } = await agentOf(ctx, agent);
        const lines = await allowed(ctx.state.peer.schedules.list(owner));
        if (lines.length === 0) return `${name} has nothing planned.`;
        return lines.map(scheduleText).join('\n');
      },
    },
    schedule_once: {
      about: 'Wakes you in this session once, after a while, with a task.',
      args: {
        after_seconds: s.integer({
          minimum: scheduleLimits.onceMinSecs,
          maximum: scheduleLimits.onceMaxSecs,
        }),
        task: s.string('What you are to be told'),
      },
      async run({ after_seconds: seconds, task }, ctx) {
        const { id: owner } = await agentOf(ctx, undefined);
        const at = ctx.now() + seconds * 1000;
        const id = `wakeup-${at}`;
        const trigger = { kind: 'at', at };
        const target = { kind: 'pinned', session: ctx.session.id };
        await allowed(ctx.state.peer.schedules.add(owner, id, { trigger, task, target }));
        return { text: `You will be woken at ${momentText(at)} (${id}).`, data: { id, next: at } };
      },
    },
  },
  commands: {
    schedule: {
      about:
        'Plans of an agent: list · add ID "CRON" TASK · remove ID · on ID · off ID · history ID; agent:NAME before the other words says whose, zone:ZONE where the pattern is meant',
      args: {
        action: s.enum(SCHEDULE_ACTIONS, { default: 'list' }),
        fresh: s.boolean({ default: false }),
        words: s.array(s.string(), {
          default: [],
          description:
            'The id; to add: "0 9 * * 1-5", "every 3600" or "at 2026-05-01T09:00:00Z", then the task',
        }),
      },
      async run({ action, fresh, words }, ctx) {
        const { agent: named, ...line } = scheduleLineOf(action, words, fresh);
        const agent = await agentOf(ctx, named);
        const { schedules } = ctx.state.peer;
        return await allowed(runScheduleLine(schedules, { agent, session: ctx.session.id }, line));
      },
    },
  },
});

interface Asking {
  readonly agent?: AgentView;
  readonly agents: { resolve(agent: string): Promise<AgentView | null> };
}

/** Whose schedules are meant. One that is out of the operator's reach, be it the agent itself, is answered like one that there is not. */
async function agentOf({ agent, agents }: Asking, named: string | undefined): Promise<AgentView> {
  const asked = named ?? agent?.id;
  const found = asked === undefined ? null : await agents.resolve(asked);
  if (found === null) throw toolFault('not_started', 'schedule_agent_unknown', named?.slice(0, 64));
  return found;
}
