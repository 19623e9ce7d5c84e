import { encodeJson, type JsonObject } from '@fairlead/base';
import type { FastifyInstance } from 'fastify';
import { successEnvelope } from '../http/envelope.ts';
import { sessionRouteLimits } from '../limits.ts';
import type { PlannedSchedule } from './session-port.ts';
import { readScheduleQuery } from './session-queries.ts';
import { reaches } from './session-reach.ts';
import { type SessionRouteOptions, sessionRoute } from './session-route.ts';
import { queryOf } from './session-routes.ts';

/** `/api/schedules`: what agents have planned. Nothing is computed for it. */
export function addScheduleRoutes(server: FastifyInstance, options: SessionRouteOptions): void {
  server.get(
    '/api/schedules',
    sessionRoute(options, 'session:read', async (host, { principal }, request) => {
      const { agent } = readScheduleQuery(queryOf(request));
      const wanted = agent === undefined ? undefined : await host.agents.resolve(agent);
      const schedules: JsonObject[] = [];
      let bytes = 0;
      for (const planned of await host.schedules()) {
        if (wanted !== undefined && planned.agent.id !== wanted.id) continue;
        if (!(await reaches(host, principal, [planned.agent]))) continue;
        const view = viewOf(planned);
        bytes += Buffer.byteLength(encodeJson(view));
        if (bytes > sessionRouteLimits.pageBytes) return successEnvelope({ schedules, more: true });
        schedules.push(view);
      }
      return successEnvelope({ schedules, more: false });
    }),
  );
}

function viewOf({ agent, line }: PlannedSchedule): JsonObject {
  const { id, schedule, problem, next, fires, failures, lastCode } = line;
  const { trigger, task, target, enabled, maxFires, expiresAt } = schedule ?? {};
  return {
    ...{ agent: { id: agent.id, name: agent.name }, id },
    ...{ trigger: trigger === undefined ? null : { ...trigger }, task: task ?? null },
    ...{ target: target === undefined ? null : { ...target }, enabled: enabled ?? false },
    ...{ maxFires: maxFires ?? null, expiresAtMs: expiresAt ?? null, nextAtMs: next },
    ...{ fires, failures, lastCode, problem: problem ?? null },
  };
}
