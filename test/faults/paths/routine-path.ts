import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isPluginCall } from '../session-log.ts';
import type { Told } from '../told.ts';
import { type AgentApi, toldByEnd } from './agent-api.ts';
import { type CallPath, callerPatienceMs, outOfPatience, type PathCall } from './call-path.ts';

const LOOK_MS = 25;
/** What is not due by then, in an attack, may not be due by its clock: nobody waits for days. */
const DUE_MS = 2500;

/** `/schedule add` of a moment that has come: the agent is given its task, its script makes it call the plugin, and its slot is watched. */
export function routinePath(api: AgentApi): CallPath {
  return {
    call: async (call: PathCall): Promise<Told> => {
      const { session = '', schedule = '', target, agent, isAttacked, acknowledged } = call;
      const whose = `agent:${agent} ${schedule}`;
      const when = `at ${new Date().toISOString()}`;
      const fresh = target === 'fresh' ? '--fresh ' : '';
      const added = await api.command(session, `/schedule add ${fresh}${whose} "${when}" Go on.`);
      if (added.kind === 'refused')
        return added.certainty === 'not_started'
          ? notCalled(added.code)
          : { kind: 'lost', reason: added.code };
      if (added.kind !== 'output') return added;
      acknowledged?.();
      const slot = await ended(api, { session, whose, isAttacked });
      return 'kind' in slot ? slot : await toldBySlot(api, slot.slot);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Its slot, once that has ended; who cannot look any more has lost it. */
async function ended(
  api: AgentApi,
  {
    session,
    whose,
    isAttacked,
  }: { readonly session: string; readonly whose: string; readonly isAttacked: boolean },
): Promise<{ readonly slot: JsonObject } | Told> {
  const begunMs = performance.now();
  for (;;) {
    const history = await api.command(session, `/schedule history ${whose}`);
    if (history.kind === 'late') return history;
    if (history.kind !== 'output')
      return { kind: 'lost', reason: history.kind === 'refused' ? history.code : history.reason };
    const { data } = history.output;
    const slots = isJsonObject(data ?? null) ? (data as JsonObject)['slots'] : [];
    const [slot] = Array.isArray(slots) ? (slots as readonly Json[]) : [];
    const isThere = isJsonObject(slot ?? null);
    if (isThere && !['claimed', 'running'].includes(String((slot as JsonObject)['state'])))
      return { slot: slot as JsonObject };
    const waitedMs = performance.now() - begunMs;
    // Each question was answered: what an attack keeps from beginning or ending has broken no promise to who looks.
    if (isAttacked && waitedMs > (isThere ? callerPatienceMs : DUE_MS))
      return { kind: 'lost', reason: 'it did not end' };
    if (waitedMs > callerPatienceMs) return outOfPatience;
    await pause(LOOK_MS);
  }
}

/** What the session of a slot says of its call. */
async function toldBySlot(api: AgentApi, slot: JsonObject): Promise<Told> {
  const { session, state, code } = slot;
  const entries = typeof session === 'string' ? await api.entries(session) : [];
  if (entries === null) return { kind: 'lost', reason: 'its session could not be read' };
  const call = entries.find(isPluginCall)?.['call'];
  const end = entries.find((entry) => entry['type'] === 'tool_result' && entry['call'] === call);
  if (typeof call === 'string' && end !== undefined) {
    const { certainty, code: how, text } = end;
    const isAnswer = certainty === 'completed' && typeof text === 'string';
    return toldByEnd({ call, certainty, code: how }, isAnswer ? text : null);
  }
  if (typeof call === 'string' || state === 'unknown') return { kind: 'lost', reason: String(state) };
  return notCalled(typeof code === 'string' ? code : null);
}

function notCalled(code: string | null): Told {
  const told = { certainty: 'not_started', call: null, text: null, unsettled: false } as const;
  return { kind: 'answered', code, ...told };
}
