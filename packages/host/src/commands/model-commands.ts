import type { JsonObject } from '@fairlead/base';
import { nearestKey } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { hostError } from '../errors.ts';
import { visibleName } from '../leaks/visible-text.ts';
import type { BackendLine } from '../models/models.ts';
import { attachedOf } from '../sessions/sessions.ts';
import { columns } from './columns.ts';
import type { CommandAnswer } from './command-answer.ts';
import { usageFault } from './command-fault.ts';
import { form, type HostCall, type HostCommand, requireScope } from './host-command.ts';
import { modelsInForce } from './models-in-force.ts';

const USAGE = '/model [<model>|clear]\n/model <agent> <model>|clear';

const model = form(
  {
    words: 'model',
    about: 'Shows or sets the model of this session, or of one agent in it.',
    scope: 'session:read',
    args: { first: s.optional(s.string()), second: s.optional(s.string()) },
    usage: USAGE,
  },
  async (call, { first, second }) => {
    if (first === undefined) return await showModels(call);
    if (second !== undefined) return await setModel(call, second, first);
    const isAgent = call.meta.agents.some(({ id, name }) => id === first || name === first);
    return isAgent
      ? usageFault(`say which model ${visibleName(first)} is to have`, USAGE)
      : await setModel(call, first);
  },
);

async function showModels(call: HostCall): Promise<CommandAnswer> {
  const { ports, session, meta } = call;
  const agents = await modelsInForce(call);
  const rows = agents.map((row) => [visibleName(row.name), row.model ?? 'no model', `by the ${row.from}`]);
  const own = meta.model ?? null;
  const fallback = ports.models.default ?? null;
  const ofSession = own === null ? 'This session has no model of its own' : `This session has ${own}`;
  const ofHost = fallback === null ? 'this host has none: fairlead model add' : `this host’s is ${fallback}`;
  return {
    text: [`${ofSession}; ${ofHost}.`, ...(rows.length === 0 ? [] : [columns(rows)])].join('\n'),
    data: {
      session,
      model: own,
      default: fallback,
      agents: agents.map((row) => ({ ...row })),
      models: ports.models.refs,
    },
  };
}

/** Sets the model of the session, or of one agent in it; `clear` takes it away. */
export async function setModel(call: HostCall, model: string, agent?: string): Promise<CommandAnswer> {
  requireScope(call, 'session:write');
  const { ports, session, meta } = call;
  const id = agent === undefined ? undefined : attachedOf(meta, agent);
  const next = model === 'clear' ? null : model;
  if (next !== null && !ports.models.refs.includes(next)) {
    const near = nearestKey(next, ports.models.refs);
    throw hostError('model_unknown', near === undefined ? '' : `did you mean ${near}?`);
  }
  await ports.sessions.setModel(session, next, id);
  const whose = agent === undefined ? 'This session' : visibleName(agent);
  const text =
    next === null
      ? `${whose} has no model of its own any more.`
      : `${whose} has ${next} from the next turn on.`;
  return { text, data: { session, agent: id ?? null, model: next } };
}

const backends = form(
  { words: 'backends', about: 'The back ends and models of this host.', scope: 'session:read', args: {} },
  async ({ ports }) => {
    const lines = ports.models.list();
    const rows = lines.flatMap((line) => [
      [line.name, line.type, line.baseUrl ?? 'a script', keyText(line)],
      ...line.models.map((one) => [
        '',
        `${line.name}/${one.name}`,
        `${one.contextWindow.toLocaleString('en')} tokens${one.tools ? '' : ', no tools'}`,
        line.unpriced.includes(one.name) ? 'no price' : '',
      ]),
    ]);
    const text = lines.length === 0 ? 'There is no back end: `fairlead model add` adds one.' : columns(rows);
    return { text, data: { default: ports.models.default ?? null, backends: lines.map(lineData) } };
  },
);

/** The file of a script is a path of this machine. */
function lineData({ file: _, ...line }: BackendLine): JsonObject {
  return { ...line, models: line.models.map((one) => ({ ...one })), unpriced: line.unpriced };
}

function keyText({ key }: BackendLine): string {
  return key === 'none' ? '' : key === 'present' ? 'key: there' : 'key: missing';
}

export const modelCommands: readonly HostCommand[] = [
  { name: 'model', aliases: [], about: model.about, forms: [model] },
  { name: 'backends', aliases: ['models'], about: backends.about, forms: [backends] },
];
