import { isJsonObject, type Json } from '@fairlead/base';
import { modelOf } from '../agent-configuration.ts';
import type { CallPlan } from '../plan.ts';
import type { Told } from '../told.ts';
import { type AgentApi, type Answer, toldByEnd } from './agent-api.ts';
import type { CallPath, PathCall } from './call-path.ts';

/** `POST /api/sessions/:id/run`: an agent is told to go on, its script makes it call the plugin, and its turn is waited for. */
export function turnPath(api: AgentApi): CallPath {
  return {
    call: async ({ session = '', tool, way = 'binding', agent }: PathCall): Promise<Told> => {
      const model = modelOf(way, tool);
      const body = { text: `Go on, @${agent}.`, model };
      return toldByRun(await api.post(`/api/sessions/${session}/run`, body), way);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** What the report of a turn says of its call of the plugin. */
export function toldByRun(answer: Answer, way: NonNullable<CallPlan['way']>): Told {
  if (answer.kind !== 'output' && answer.kind !== 'refused') return answer;
  if (answer.kind === 'refused') {
    const { code, certainty } = answer;
    // Its message may wait in the session all the same, and be answered at the next start.
    if (certainty !== 'not_started') return { kind: 'lost', reason: code };
    return neverCalled(code);
  }
  const { calls, code } = answer.output;
  const called = Array.isArray(calls) ? (calls as readonly Json[]) : [];
  const end = called[way === 'binding' ? 1 : 0];
  if (!isJsonObject(end ?? null)) return neverCalled(typeof code === 'string' ? code : null);
  const { call, certainty, code: how } = end as Readonly<Record<string, Json>>;
  return toldByEnd({ call: String(call), certainty, code: how }, null);
}

function neverCalled(code: string | null): Told {
  const told = { certainty: 'not_started', call: null, text: null, unsettled: false } as const;
  return { kind: 'answered', code, ...told };
}
