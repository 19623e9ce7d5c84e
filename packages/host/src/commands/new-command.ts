import { basename } from 'node:path';
import { nearestKey } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { splitWords } from '@fairlead/extension/runtime';
import { visibleName } from '../leaks/visible-text.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { CommandAnswer } from './command-answer.ts';
import { refusal, usageFault } from './command-fault.ts';
import { form, type HostCall, type HostCommand } from './host-command.ts';

const USAGE = '/new [group] [--name <name>] [--agents <agent>]…';

const begin = form(
  {
    words: 'new',
    about: 'A new session: with the agents of a group, of `--agents`, or of this one.',
    scope: 'session:write',
    args: {
      group: s.optional(s.string()),
      name: s.optional(s.string()),
      agents: s.optional(s.array(s.string())),
    },
    usage: USAGE,
    text: true,
  },
  async (call, { group, name, agents }, rest) => {
    const { ports } = call;
    if (plainWords(rest) > 1) return usageFault('it takes one group', USAGE);
    if (group !== undefined && agents !== undefined)
      return refusal('session_invalid', 'a group, or agents, not both');
    if (group !== undefined && !ports.groups.has(group)) return unknownGroup(call, group);
    const workspace = await ownWorkspace(call);
    const made: NewSession = {
      ...(group === undefined ? { agents: agents ?? (await sameAgents(call)) } : { group }),
      ...(name === undefined ? {} : { name }),
      ...(workspace === undefined ? {} : { workspace }),
      source: 'command',
    };
    const id = await ports.host.newSession(made);
    const meta = await ports.sessions.meta(id);
    const who = meta.agents.map((agent) => visibleName(agent.name)).join(', ');
    const with_ = who === '' ? 'without an agent: add one with /agent add' : `with ${who}`;
    const text = `A new session${name === undefined ? '' : ` “${visibleName(name)}”`} ${with_}.`;
    const data = { session: id, name: name ?? null, agents: meta.agents.map((agent) => ({ ...agent })) };
    return { text, data, open: id };
  },
);

/** Words that belong to no option: a second one would be taken for a name. */
function plainWords(rest: string): number {
  const split = splitWords(rest);
  let plain = 0;
  let isValue = false;
  for (const { text, quoted } of split.ok ? split.words : []) {
    const isOption: boolean = !isValue && !quoted && text.startsWith('--');
    if (!isOption && !isValue) plain += 1;
    isValue = isOption && !text.includes('=');
  }
  return plain;
}

function unknownGroup({ ports }: HostCall, group: string): CommandAnswer {
  const near = nearestKey(group, ports.groups.keys());
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return refusal('session_invalid', `there is no group ${visibleName(group)}${hint}`);
}

/** A new session does not begin without anybody: the agents here, who answers first; else the one that there is. */
async function sameAgents({ ports, meta }: HostCall): Promise<readonly string[]> {
  const here = meta.agents.map(({ id }) => id);
  const { host } = meta;
  if (here.length > 0) return host === undefined ? here : [host, ...here.filter((id) => id !== host)];
  const home = (await ports.agents.list()).filter(({ isHome }) => isHome);
  return home.length === 1 ? home.map(({ id }) => id) : [];
}

/**
 * The folder that this session was given; one that was made for it alone is not another's. For who may choose folders: a new session has
 * neither the mode nor the grants of this one, which may be there to keep the folder as it is.
 */
async function ownWorkspace({ ports, session, given }: HostCall): Promise<string | undefined> {
  if (!given.by.scopes.includes('admin')) return undefined;
  const workspace = await ports.sessions.workspace(session);
  return workspace === null || basename(workspace) === session ? undefined : workspace;
}

export const newCommand: HostCommand = { name: 'new', aliases: [], about: begin.about, forms: [begin] };
