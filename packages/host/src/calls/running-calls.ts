import type { JsonObject } from '@fairlead/base';
import type { CallPlace } from './call-place.ts';

/** A call whose tool runs now. */
export interface RunningCall {
  readonly call: string;
  readonly tool: string;
  readonly place: CallPlace;
  /** As the tool is handed them. */
  readonly args: JsonObject;
  /** Its row in the journal says which Runner it is for. */
  readonly isAddressed?: boolean;
}

/**
 * The calls whose tools run now: how a built-in finds the place that it was called in. Calls of one tool in one session for one agent share
 * their workspace and grants, so any of them answers for these; for whatever else differs between them, `own`.
 */
export class RunningCalls {
  readonly #calls = new Map<string, RunningCall[]>();

  /** The one that began last. Undefined where none runs. With the very arguments that a tool was handed it is that tool's own call. */
  of(session: string, agent: string, tool: string, args?: JsonObject): RunningCall | undefined {
    const calls = this.#calls.get(keyOf(session, agent, tool));
    return args === undefined ? calls?.at(-1) : calls?.find((call) => call.args === args);
  }

  /** The one that is meant and no other: without the arguments undefined where several run. */
  own(session: string, agent: string, tool: string, args?: JsonObject): RunningCall | undefined {
    const calls = this.#calls.get(keyOf(session, agent, tool));
    return args === undefined && calls?.length !== 1 ? undefined : this.of(session, agent, tool, args);
  }

  /** Until what it returns is called. */
  add(running: RunningCall): () => void {
    const { place, tool } = running;
    const key = keyOf(place.session, place.agent.id, tool);
    const calls = this.#calls.get(key) ?? [];
    this.#calls.set(key, calls);
    calls.push(running);
    return () => {
      const at = calls.indexOf(running);
      if (at >= 0) calls.splice(at, 1);
      if (calls.length === 0 && this.#calls.get(key) === calls) this.#calls.delete(key);
    };
  }
}

function keyOf(session: string, agent: string, tool: string): string {
  return `${session} ${agent} ${tool}`;
}
