import { CALL } from '../kept-rows.ts';
import type { Action } from './action.ts';
import { ask, demand } from './admin-route.ts';
import { anySession, closeSession, makeSession, spoke, tell } from './conversation.ts';

/** What programs and people do to a session beside talking. */
export const sessionClients: readonly Action[] = [
  {
    name: 'tool of a session called by a client',
    weight: 0.3,
    async run(world, { random }) {
      const session = await anySession(world, 'soak', random);
      const params = { tool: 'calculate', arguments: { expression: '6 * 7' } };
      const body = { tool: 'call_runtime_tool', params, recording_session_id: session };
      const called = await ask(world, { method: 'POST', path: '/api/tools/call', body });
      demand('calling a tool of a session', called, 200);
      spoke(world, session);
      world.tally.keeps(CALL);
    },
  },
  {
    name: 'session renamed, restricted and exported',
    weight: 0.1,
    async run(world) {
      const session = await makeSession(world, 'soak');
      await tell(world, session, 'soak');
      const path = `/api/sessions/${session}`;
      for (const body of [{ name: 'soak' }, { name: null }, { mode: 'read_only' }, { mode: 'normal' }])
        demand('changing it', await ask(world, { method: 'PATCH', path, body }), 200);
      world.tally.keeps({ operations: 4 });
      const exported = await fetch(`${world.host.ready.url}${path}/export`, {
        headers: { authorization: `Bearer ${world.host.token}`, connection: 'close' },
      });
      const lines = (await exported.text()).trimEnd().split('\n');
      // The message, `ack`, what was answered and the end, at the least.
      if (lines.length < 4) throw new Error(`an export has ${lines.length} lines`);
      await closeSession(world, session);
    },
  },
];
