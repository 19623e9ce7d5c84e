import { visibleName } from '../leaks/visible-text.ts';
import { pendingWakes } from '../sessions/wakes.ts';
import { columns, timeText } from './columns.ts';
import { form, type HostCommand } from './host-command.ts';
import { modelsInForce } from './models-in-force.ts';

const info = form(
  { words: 'info', about: 'What this session is, and what goes on in it.', scope: 'session:read', args: {} },
  async (call) => {
    const { ports, session, meta, given } = call;
    const agents = await modelsInForce(call);
    const waiting = (await pendingWakes(ports.store, session)).length;
    const running = ports.host.running(session) ?? null;
    const open = await ports.approvals.openCount([session]);
    // A path of this machine is for who runs it.
    const workspace = given.by.scopes.includes('admin') ? await ports.sessions.workspace(session) : null;
    const paused = ports.state.pausedAtMs;
    const nameOf = (id: string) => meta.agents.find((agent) => agent.id === id)?.name ?? id;
    const rows: (readonly [string, string])[] = [
      ['session', session],
      ['name', meta.name === undefined ? '—' : visibleName(meta.name)],
      ['created', `${timeText(meta.created)} UTC`],
      ['mode', meta.closed ? `${meta.mode}, closed` : meta.mode],
      ...agents.map(
        ({ id, name, model }) =>
          [
            id === meta.host ? 'host agent' : 'agent',
            `${visibleName(name)}, ${model ?? 'no model'}`,
          ] as const,
      ),
      ...(meta.parent === undefined ? [] : [['spawned by', meta.parent.session] as const]),
      ...(workspace === null ? [] : [['workspace', workspace] as const]),
      [
        'turn',
        running === null
          ? 'none runs'
          : `${visibleName(nameOf(running.agent))}: ${running.tool ?? running.state}`,
      ],
      ['waiting', `${waiting}`],
      ['approvals', `${open}`],
      ...(paused === null ? [] : [['paused', `since ${timeText(paused)} UTC`] as const]),
    ];
    return {
      text: columns(rows),
      data: {
        session,
        name: meta.name ?? null,
        createdMs: meta.created,
        mode: meta.mode,
        closed: meta.closed,
        source: meta.source ?? null,
        host: meta.host ?? null,
        agents: agents.map((row) => ({ ...row })),
        parent: meta.parent === undefined ? null : { ...meta.parent },
        workspace,
        running: running === null ? null : { ...running },
        waiting,
        approvals: open,
        pausedAtMs: paused,
        peer: ports.peer.peerId,
      },
    };
  },
);

const pubkey = form(
  { words: 'pubkey', about: 'The key of this host, which is its id.', scope: 'session:read', args: {} },
  async ({ ports }) => ({ text: ports.peer.peerId, data: { peer: ports.peer.peerId } }),
);

export const infoCommands: readonly HostCommand[] = [
  { name: 'info', aliases: [], about: info.about, forms: [info] },
  { name: 'pubkey', aliases: [], about: pubkey.about, forms: [pubkey] },
];
