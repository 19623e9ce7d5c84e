import type { JsonObject } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { splitWords } from '@fairlead/extension/runtime';
import type { KnownAgent } from '../agents/agents.ts';
import { hostError } from '../errors.ts';
import { visibleName, visibleText } from '../leaks/visible-text.ts';
import { commandBounds } from '../limits.ts';
import type { SessionLine } from '../sessions/sessions.ts';
import { fieldsGiven, fieldValue, settableFields } from './agent-fields-given.ts';
import { columns, counted } from './columns.ts';
import { usageFault } from './command-fault.ts';
import { form, type HostCall, type HostForm } from './host-command.ts';

const SET_USAGE = '/agent set <agent> <field> <value…>';

const hosted = form(
  { words: 'agent hosted', about: 'The agents of this host.', scope: 'session:read', args: {} },
  async (call) =>
    await showHosted(
      call,
      (await call.ports.agents.list()).filter(({ isHome }) => isHome),
    ),
);

const homeStatus = form(
  {
    words: 'agent home-status',
    about: 'Which peer answers for each agent.',
    scope: 'session:read',
    args: { agent: s.optional(s.string()) },
  },
  async (call, { agent }) => {
    const { agents } = call.ports;
    return await showHosted(call, agent === undefined ? await agents.list() : [await agents.resolve(agent)]);
  },
);

async function showHosted({ ports }: HostCall, agents: readonly KnownAgent[]) {
  const lines = await ports.sessions.list({ limit: commandBounds.looked });
  const page = agents.slice(0, commandBounds.listed);
  const rows = page.map(({ id, name, home, isHome }) => [
    visibleName(name),
    id,
    isHome ? 'at home here' : `at home on ${visibleName(home)}`,
    counted(inSessions(lines, id).length, 'session'),
  ]);
  const none = 'There is no agent here: /agent new <name> makes one.';
  return {
    text: rows.length === 0 ? none : columns(rows),
    data: {
      agents: page.map((agent) => ({ ...agent, sessions: inSessions(lines, agent.id).length })),
      more: agents.length - page.length,
    },
  };
}

function inSessions(lines: readonly SessionLine[], agent: string): readonly SessionLine[] {
  return lines.filter(({ meta }) => meta.agents.some(({ id }) => id === agent));
}

const create = form(
  {
    words: 'agent new',
    about: `Makes an agent. Fields: ${settableFields.join(', ')}.`,
    scope: 'admin',
    args: { name: s.string(), fields: s.optional(s.array(s.string())) },
    usage: '/agent new <name> [field=value]…',
  },
  async ({ ports }, { name, fields = [] }) => {
    const config = fieldsGiven(fields, isModel(ports));
    const { id } = await ports.agents.create(name, config);
    return {
      text: `${name} is an agent of this host now. /agent add ${name} lets it take part here.`,
      data: { agent: id, name, fields: config },
    };
  },
);

const show = form(
  {
    words: 'agent show',
    about: 'The fields of an agent.',
    scope: 'session:read',
    args: { agent: s.string() },
  },
  async ({ ports }, { agent }) => {
    const known = await ports.agents.resolve(agent);
    const document = (await (await ports.agents.open(known.id)).doc('config').get()) as JsonObject;
    const { problems } = await ports.agents.config(known.id);
    const fields = Object.entries(document).filter(([field]) => field !== 'system_prompt_files');
    const lines = [
      ...fields.map(([field, value]) => [field, visibleText(JSON.stringify(value))]),
      ...problems.map(({ field, problem }) => [field, `⚠ ${problem}`]),
    ];
    return {
      text: lines.length === 0 ? 'Every field is as it is by default.' : columns(lines),
      data: {
        agent: known.id,
        name: known.name,
        fields: Object.fromEntries(fields),
        problems: problems.map((one) => ({ ...one })),
      },
    };
  },
);

/** By hand: the value is taken as it was typed, because JSON has quotes of its own. */
const set: HostForm = {
  sub: 'set',
  about: 'Changes a field of an agent, for every session, from its next turn on.',
  scope: 'admin',
  usage: () => SET_USAGE,
  takesWords: () => true,
  async run(call, rest) {
    const [, agent, field, raw] = /^\s*(\S+)\s+(\S+)\s+([\s\S]*\S)\s*$/.exec(rest) ?? [];
    if (agent === undefined || field === undefined || raw === undefined)
      return usageFault('name an agent, a field and a value', SET_USAGE);
    const value = fieldValue(field, unquoted(raw), isModel(call.ports));
    const { id, name } = await agentAtHome(call, agent);
    await (await call.ports.agents.open(id)).commit((tx) => tx.set('config', [field], value));
    return {
      text: `${field} of ${visibleName(name)} is changed from its next turn on.`,
      data: { agent: id, field, value },
    };
  },
};

/** What one pair of quotes holds; anything else as it is. */
function unquoted(raw: string): string {
  const split = splitWords(raw);
  const [word, ...more] = split.ok ? split.words : [];
  return word?.quoted === true && more.length === 0 ? word.text : raw;
}

const unset = form(
  {
    words: 'agent unset',
    about: 'Takes a field of an agent back to its default.',
    scope: 'admin',
    args: { agent: s.string(), field: s.string() },
  },
  async (call, { agent, field }) => {
    const known = await agentAtHome(call, agent);
    if (!settableFields.includes(field)) throw hostError('agent_field_invalid', `there is no field ${field}`);
    await (await call.ports.agents.open(known.id)).commit((tx) => tx.clear('config', [field]));
    return {
      text: `${field} of ${visibleName(known.name)} is as it is by default from its next turn on.`,
      data: { agent: known.id, field },
    };
  },
);

async function agentAtHome({ ports }: HostCall, nameOrId: string): Promise<KnownAgent> {
  const agent = await ports.agents.resolve(nameOrId);
  if (!agent.isHome) throw hostError('agent_elsewhere', visibleName(agent.home));
  return agent;
}

const reload = form(
  {
    words: 'agent reload',
    about: 'Reads `[[agents]]` of fairlead.toml again; what changed there is written.',
    scope: 'admin',
    args: { agent: s.optional(s.string()) },
  },
  async ({ ports }, { agent }) => {
    const seeded = await ports.host.reloadAgents(agent);
    const lines = seeded.map(({ name, created, written, unread }) =>
      [
        `${visibleName(name)}: ${created ? 'made' : written.length === 0 ? 'as it was' : `${written.join(', ')} written`}`,
        ...unread.map((path) => `${path} could not be read`),
      ].join('; '),
    );
    return {
      text: lines.length === 0 ? 'fairlead.toml names no agent.' : lines.join('\n'),
      data: { agents: seeded.map((one) => ({ ...one })) },
    };
  },
);

const remove = form(
  {
    words: 'agent delete',
    about: 'Deletes an agent of this host that takes part in no open session, with all that it holds.',
    scope: 'admin',
    args: { agent: s.string() },
  },
  async (call, { agent }) => {
    const { ports } = call;
    const { id, name } = await ports.agents.resolve(agent);
    const attached = inSessions(await ports.sessions.list(), id).map((line) => line.id);
    if (attached.length > 0)
      throw hostError('agent_attached', counted(attached.length, 'session'), {
        sessions: attached.slice(0, commandBounds.listed),
      });
    await ports.hub.unloadAgent(id);
    await ports.peer.drop(id);
    ports.agents.forget(id);
    return { text: `${visibleName(name)} is deleted.`, data: { agent: id, name } };
  },
);

function isModel({ models }: HostCall['ports']): (ref: string) => boolean {
  return (ref) => models.refs.includes(ref);
}

/** What is said of the agents of the host. */
export const hostedAgentForms: readonly HostForm[] = [
  hosted,
  show,
  create,
  set,
  unset,
  reload,
  remove,
  homeStatus,
];
