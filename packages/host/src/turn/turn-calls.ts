import { randomId } from '@fairlead/base';
import type { CallEnd, CallRequest } from '../calls/call-end.ts';
import type { CallPlace } from '../calls/call-place.ts';
import { effectOf } from '../calls/policy-of-tool.ts';
import { runCall } from '../calls/run-call.ts';
import { callName, toolMessage } from '../context/tool-message.ts';
import { turnLimits } from '../limits.ts';
import type { CallPart, Message, MessageCall } from '../models/model.ts';
import type { Reply } from '../models/step/reply.ts';
import { callBatches, runBatch } from './call-batches.ts';
import type { TurnFloor } from './turn-floor.ts';

type Asked = { readonly part: CallPart; readonly request: CallRequest };

/**
 * Runs the calls of a reply: neighbours that only read together, any other after all before it and before all behind it. `ended` is told
 * the ends of each batch, in the order of the reply. An abort lets what runs end and begins nothing more. Gives the reply and its answers as the
 * model reads them in the next step. Rejects where a call did, when all that ran have ended.
 */
export async function runCalls(
  floor: TurnFloor,
  place: CallPlace,
  reply: Reply,
  ended: (ends: readonly CallEnd[]) => void,
): Promise<readonly Message[]> {
  const asked = reply.calls.map((part, index): Asked => ({ part, request: requestOf(part, index, floor) }));
  const answers: Message[] = [];
  for (const batch of callBatches(asked, ({ part }) => effectOf(floor, place, part.name))) {
    if (place.signal.aborted) break;
    const ends = await runBatch(batch, turnLimits.readsAtOnce, ({ request }) =>
      runCall(floor, place, request),
    );
    ended(ends);
    answers.push(...ends.map(toolMessage));
  }
  const { text, reasoning } = reply;
  const calls = asked.map(({ part, request }) => messageCall(part, request.call));
  return [{ role: 'assistant', text, calls, reasoning }, ...answers];
}

function requestOf(part: CallPart, index: number, { random }: TurnFloor): CallRequest {
  const request = { call: randomId('call_', random), index, tool: part.name };
  return 'arguments' in part
    ? { ...request, arguments: part.arguments }
    : { ...request, unparsable: part.unparsable };
}

/** Under the id of the call here: those of a model are unique in one reply at best. */
function messageCall(part: CallPart, id: string): MessageCall {
  const name = callName(part.name);
  if (!('arguments' in part)) return { id, name, arguments: {} };
  const { arguments: given, metadata } = part;
  return { id, name, arguments: given, ...(metadata === undefined ? {} : { metadata }) };
}
