import type { JsonObject } from '@fairlead/base';
import { s } from '@fairlead/extension';
import { visibleName } from '../leaks/visible-text.ts';
import { commandBounds } from '../limits.ts';
import type { SessionLine } from '../sessions/sessions.ts';
import { columns, timeText } from './columns.ts';
import { form, type HostCommand } from './host-command.ts';

const sessions = form(
  {
    words: 'sessions',
    about: 'The sessions here, the one used last first.',
    scope: 'session:read',
    args: { closed: s.boolean({ default: false }), all: s.boolean({ default: false }) },
  },
  async (call, { closed, all }) => {
    const { ports, session } = call;
    const lines = await ports.sessions.list({ closed, limit: commandBounds.looked });
    // One that was spawned for a call belongs to the session above it.
    const listed = lines.filter(({ meta }) => all || meta.parent === undefined);
    const page = listed.slice(0, commandBounds.listed);
    const rows = page.map((line) => [
      line.id === session ? '*' : ' ',
      line.meta.name === undefined ? '—' : visibleName(line.meta.name),
      line.id,
      line.meta.closed ? 'closed' : line.meta.mode,
      line.meta.agents.map(({ name }) => visibleName(name)).join(', ') || 'no agent',
      timeText(line.lastAtMs),
    ]);
    const more = listed.length - page.length;
    const least = lines.length === commandBounds.looked ? 'at least ' : '';
    const end = more > 0 ? `\nand ${least}${more} more that were used longer ago` : '';
    const text = page.length === 0 ? 'There is no open session.' : `${columns(rows)}${end}`;
    return { text, data: { session, sessions: page.map(sessionData), more } };
  },
);

function sessionData({ id, lastAtMs, meta }: SessionLine): JsonObject {
  const { name = null, mode, closed, host = null, parent, source = null, created } = meta;
  const agents = meta.agents.map((agent) => ({ id: agent.id, name: agent.name }));
  const above = parent === undefined ? null : { ...parent };
  return { id, name, mode, closed, agents, host, parent: above, source, createdMs: created, lastAtMs };
}

const groups = form(
  { words: 'groups', about: 'The groups of agents that /new takes.', scope: 'session:read', args: {} },
  async ({ ports }) => {
    const rows = [...ports.groups].map(([name, members]) => [name, members.join(', ')]);
    const text =
      rows.length === 0 ? 'There is no group: `[agent_groups]` of fairlead.toml names them.' : columns(rows);
    return { text, data: { groups: Object.fromEntries(ports.groups) as JsonObject } };
  },
);

const join = form(
  {
    words: 'join',
    about: 'Goes on in another session, by its id, or by a name that it alone has.',
    scope: 'session:read',
    args: { session: s.string() },
    text: true,
    usage: '/join <session>',
  },
  async ({ ports }, { session }) => {
    const id = await ports.sessions.resolve(session);
    const { name } = await ports.sessions.meta(id);
    const called = name === undefined ? '' : ` “${visibleName(name)}”`;
    return { text: `Session${called} ${id}.`, data: { session: id, name: name ?? null }, open: id };
  },
);

const name = form(
  {
    words: 'name',
    about: 'Names this session; without a name, takes its name away.',
    scope: 'session:write',
    args: { name: s.optional(s.string()) },
    text: true,
  },
  async ({ ports, session }, { name: wanted }) => {
    const next = wanted ?? null;
    await ports.sessions.rename(session, next);
    const text =
      next === null ? 'The session has no name now.' : `The session is “${visibleName(next)}” now.`;
    return { text, data: { session, name: next } };
  },
);

const mode = form(
  {
    words: 'mode',
    about: 'Shows or changes what may run here: everything, what only reads, nothing.',
    scope: 'session:read',
    args: { mode: s.optional(s.enum(['normal', 'read_only', 'inspect'])) },
    usage: '/mode [normal|read_only|inspect]',
  },
  async ({ ports, session, meta, given }, { mode: wanted }) => {
    if (wanted !== undefined) await ports.sessions.setMode(session, wanted, given.by);
    const now = wanted ?? meta.mode;
    const text = `${wanted === undefined ? 'The mode of this session is' : 'From now on this session is'} ${now}.`;
    return { text, data: { session, mode: now } };
  },
);

const close = form(
  {
    words: 'close',
    about: 'Ends this session: what runs is cancelled, nothing wakes there any more.',
    scope: 'session:write',
    args: {},
  },
  async ({ ports, session, meta }) => {
    const text = 'The session is closed. It can still be read and exported.';
    const data = { session, closed: true };
    if (!meta.closed) await ports.host.closeSession(session);
    return { text, data };
  },
);

const quit = form(
  { words: 'quit', about: 'Leaves; the session stays.', scope: 'session:read', args: {} },
  async () => ({ text: '', data: {}, quit: true }),
);

export const sessionCommands: readonly HostCommand[] = [
  { name: 'sessions', aliases: ['s'], about: sessions.about, forms: [sessions] },
  { name: 'groups', aliases: ['group'], about: groups.about, forms: [groups] },
  { name: 'join', aliases: ['open', 'switch', 'use'], about: join.about, forms: [join] },
  { name: 'name', aliases: ['rename'], about: name.about, forms: [name] },
  { name: 'mode', aliases: [], about: mode.about, forms: [mode] },
  { name: 'close', aliases: [], about: close.about, forms: [close] },
  { name: 'quit', aliases: ['exit', 'q'], about: quit.about, forms: [quit] },
];
