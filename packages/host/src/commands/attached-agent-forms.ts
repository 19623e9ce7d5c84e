import { s } from '@fairlead/extension';
import { visibleName } from '../leaks/visible-text.ts';
import { sessionBounds } from '../limits.ts';
import { turnsSincePerson } from '../sessions/wake-rules.ts';
import { columns, counted } from './columns.ts';
import type { CommandAnswer } from './command-answer.ts';
import { form, type HostCall } from './host-command.ts';
import { setModel } from './model-commands.ts';
import { modelsInForce } from './models-in-force.ts';

const ONE_AGENT = { agent: s.string() };

/** `/agent` and `/agent list`, which are one. */
export function listForm(words: string) {
  return form(
    { words, about: 'The agents that take part here.', scope: 'session:read', args: {} },
    async (call) => await list(call),
  );
}

async function list(call: HostCall): Promise<CommandAnswer> {
  const { meta, session } = call;
  const agents = await modelsInForce(call);
  const rows = agents.map(({ id, name, model }) => [
    id === meta.host ? '*' : ' ',
    visibleName(name),
    id,
    model ?? 'no model',
  ]);
  const none = 'No agent takes part here: /agent hosted lists those that can, /agent add <agent> adds one.';
  return {
    text: rows.length === 0 ? none : columns(rows),
    data: { session, host: meta.host ?? null, agents: agents.map((row) => ({ ...row })) },
  };
}

const add = form(
  { words: 'agent add', about: 'Lets an agent take part here.', scope: 'session:write', args: ONE_AGENT },
  async ({ ports, session }, { agent }) => {
    const { id, name } = await ports.sessions.attach(session, agent);
    const { host = null } = await ports.sessions.meta(session);
    const answers = host === id ? ' and answers where nobody is mentioned' : '';
    return {
      text: `${visibleName(name)} takes part here now${answers}.`,
      data: { session, agent: id, host },
    };
  },
);

const remove = form(
  { words: 'agent remove', about: 'Ends an agent’s part here.', scope: 'session:write', args: ONE_AGENT },
  async ({ ports, session, meta }, { agent }) => {
    await ports.sessions.detach(session, agent);
    const { host = null } = await ports.sessions.meta(session);
    const nobody = meta.host !== undefined && host === null;
    const text = `${visibleName(agent)} takes no part here any more.`;
    return {
      text: nobody ? `${text} Nobody answers where nobody is mentioned: /agent host <agent>.` : text,
      data: { session, agent, host },
    };
  },
);

const host = form(
  {
    words: 'agent host',
    about: 'Says who answers where nobody is mentioned; without an agent, nobody does.',
    scope: 'session:write',
    args: { agent: s.optional(s.string()) },
  },
  async ({ ports, session }, { agent }) => {
    await ports.sessions.setHost(session, agent ?? null);
    const text =
      agent === undefined
        ? 'Nobody answers here where nobody is mentioned.'
        : `${visibleName(agent)} answers here where nobody is mentioned.`;
    const { host: id = null } = await ports.sessions.meta(session);
    return { text, data: { session, host: id } };
  },
);

const burst = form(
  {
    words: 'agent burst',
    about: 'How many turns agents take among themselves; without a number, as many as is usual.',
    scope: 'session:write',
    args: { turns: s.optional(s.integer({ minimum: 1, maximum: sessionBounds.burstMax })) },
  },
  async ({ ports, session }, { turns }) => {
    await ports.sessions.setBurst(session, turns ?? null);
    const inForce = turns ?? sessionBounds.burst;
    return {
      text: `Agents take ${counted(inForce, 'turn')} here before they wait for a person.`,
      data: { session, burst: turns ?? null, inForce },
    };
  },
);

const room = form(
  {
    words: 'agent room',
    about: 'Who takes part here, who answers, and how many turns agents have left.',
    scope: 'session:read',
    args: {},
  },
  async (call) => {
    const { database, meta, session } = call;
    const limit = meta.burst ?? sessionBounds.burst;
    const used = Math.min(limit, await turnsSincePerson(database));
    const listed = await list(call);
    const agents = 'error' in listed ? '' : listed.text;
    const data = {
      session,
      host: meta.host ?? null,
      agents: meta.agents.map((agent) => ({ ...agent })),
      burst: { limit, used, left: limit - used },
    };
    return {
      text: `${agents}\nAgents took ${used} of ${counted(limit, 'turn')} since a person spoke; @name wakes one.`,
      data,
    };
  },
);

const model = form(
  {
    words: 'agent model',
    about: 'Sets the model of an agent in this session.',
    scope: 'session:write',
    args: { agent: s.string(), model: s.string() },
    usage: '/agent model <agent> <model>|clear',
  },
  async (call, { agent, model: wanted }) => await setModel(call, wanted, agent),
);

/** What is said of agents in this session. */
export const attachedAgentForms = [listForm('agent list'), add, remove, host, burst, room, model];
