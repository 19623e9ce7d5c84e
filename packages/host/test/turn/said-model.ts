import type { JsonObject } from '@fairlead/base';
import type {
  EndReason,
  Model,
  ModelFault,
  ModelPart,
  ModelRequest,
  ModelUsage,
} from '../../src/models/model.ts';

const USAGE: ModelUsage = { input: 10, output: 4, cached: 0, written: 0, reasoning: 0 };

/** What a reply is made of. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly given?: JsonObject | string }[];
  readonly reason?: EndReason;
  readonly usage?: ModelUsage | null;
  /** Each attempt fails with it. */
  readonly fault?: ModelFault;
  /** Says nothing more, whatever is done to it. */
  readonly hangs?: boolean;
}

/** A model that gives one reply for each step, the last one for all that follow. `requests` has what it was asked. */
export function saidModel(...said: readonly Said[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      requests.push(request);
      yield* partsOf(said[Math.min(request.meta.step, said.length - 1)] ?? {}, request.meta.step);
    },
  };
}

async function* partsOf({ text, calls = [], reason, usage = USAGE, fault, hangs }: Said, step: number) {
  if (fault !== undefined) throw fault;
  if (text !== undefined) yield { type: 'text', delta: text } satisfies ModelPart;
  if (hangs === true) await new Promise(() => {});
  for (const [index, { name, given = {} }] of calls.entries()) {
    const call = { type: 'call', id: `c${step}_${index}`, name } as const;
    yield typeof given === 'string' ? { ...call, unparsable: given } : { ...call, arguments: given };
  }
  const why = reason ?? (calls.length > 0 ? 'calls' : 'stop');
  yield { type: 'end', reason: why, usage } satisfies ModelPart;
}
