import type { SessionPort } from '@fairlead/gateway';
import { entryPage, exportSession } from '@fairlead/host';
import type { HostTables } from './agent-tables.ts';
import { agentNames } from './default-agent.ts';
import type { HostFloor } from './host-floor.ts';

/** The host as the gateway's routes about sessions need it. */
export function sessionPortOf(
  floor: Pick<HostFloor, 'agents' | 'prepared'>,
  tables: HostTables,
): SessionPort {
  const { agents: host, prepared } = floor;
  const { sessions, agents, models, approvals, events } = host;
  return {
    ...{ sessions, agents, models, approvals, events },
    newSession: (made) => host.newSession(made),
    closeSession: (session) => host.closeSession(session),
    post: (message) => host.post(message),
    entries: async (session, page) => {
      using held = await sessions.hold(session);
      return await entryPage(held.database, page);
    },
    async *exportSession(session) {
      // Whoever reads it may be slow.
      using held = await sessions.hold(session);
      yield* exportSession(held.database);
    },
    schedules: () => host.schedules(),
    running: (session) => host.running(session),
    cancel: (session) => host.cancel(session),
    continueTurn: (session) => host.continueTurn(session),
    command: (given) => host.command(given),
    runOnce: (wanted) => host.runOnce(wanted),
    addModels: () => host.addModels(),
    pause: () => host.pause(),
    resume: () => host.resume(),
    status: async () => {
      const [status, names] = await Promise.all([host.status(), agentNames(prepared, tables)]);
      return { ...status, agents: names, model: models.default ?? null };
    },
  };
}
