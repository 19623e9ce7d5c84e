import type { Json } from '@fairlead/base';
import { type EndReason, ModelFault, type ModelMetadata, type ModelPart, type ModelUsage } from '../model.ts';
import { WholeCharacters } from '../whole-characters.ts';
import { CallDrafts } from './call-draft.ts';
import { faultOfError } from './fault-of-error.ts';
import type { StreamPart } from './language-model.ts';
import type { WatchedRequest } from './watched-request.ts';

type FinishPart = Extract<StreamPart, { readonly type: 'finish' }>;

/** The parts of a reply as the host knows them, from those of the AI SDK. Throws a `ModelFault` for anything but a whole reply. */
export async function* readReply(
  stream: ReadableStream<StreamPart>,
  request: WatchedRequest,
  secret: string | undefined,
): AsyncGenerator<ModelPart, void, undefined> {
  const calls = new CallDrafts();
  const text = new WholeCharacters();
  const reasoning = new WholeCharacters();
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta': {
        const delta = text.push(part.delta);
        if (delta !== '') yield { type: 'text', delta };
        break;
      }
      case 'reasoning-delta':
      case 'reasoning-end': {
        const delta = part.type === 'reasoning-end' ? '' : reasoning.push(part.delta);
        const metadata = metadataOf(part.providerMetadata);
        if (delta !== '' || metadata !== undefined)
          yield { type: 'reasoning', delta, ...(metadata === undefined ? {} : { metadata }) };
        break;
      }
      case 'tool-input-start':
        calls.begin(part.id, part.toolName);
        break;
      case 'tool-input-delta':
        calls.add(part.id, part.delta);
        break;
      case 'tool-call':
        calls.complete(part.toolCallId, part.toolName, part.input, metadataOf(part.providerMetadata));
        break;
      case 'error':
        throw faultOfError(part.error, request, secret);
      case 'finish':
        yield* end(part, calls, text.end());
        return;
      default:
    }
  }
  throw new ModelFault('model_stream_broken', { retryable: true });
}

function* end(
  { finishReason: { unified, raw }, usage }: FinishPart,
  drafts: CallDrafts,
  left: string,
): Generator<ModelPart, void, undefined> {
  // The SDK's word for a stream that ended without an end is newer than its own types.
  if (
    unified === 'error' ||
    (unified as string) === 'interrupted' ||
    (unified === 'other' && raw === undefined)
  )
    throw new ModelFault('model_stream_broken', { retryable: true });
  if (left !== '') yield { type: 'text', delta: left };
  const calls = drafts.parts();
  yield* calls;
  yield { type: 'end', reason: reasonOf(unified, calls.length > 0), usage: usageOf(usage) };
}

/** Many servers say `stop`, or a word of their own, for a reply that has calls. */
function reasonOf(unified: FinishPart['finishReason']['unified'], hasCalls: boolean): EndReason {
  if (unified === 'length') return 'length';
  if (unified === 'content-filter') return 'filter';
  return hasCalls ? 'calls' : 'stop';
}

function usageOf({ inputTokens, outputTokens }: FinishPart['usage']): ModelUsage | null {
  const input = inputTokens.total;
  const output = outputTokens.total;
  if (!isCount(input) || !isCount(output)) return null;
  const part = (count: number | undefined, whole: number) => (isCount(count) ? Math.min(count, whole) : 0);
  const cached = part(inputTokens.cacheRead, input);
  return {
    input,
    output,
    cached,
    written: part(inputTokens.cacheWrite, input - cached),
    reasoning: part(outputTokens.reasoning, output),
  };
}

/** A number that a back end may say: more tokens than a trillion are a fault of its own. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000_000_000;
}

function metadataOf(metadata: unknown): ModelMetadata | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const plain = JSON.parse(JSON.stringify(metadata)) as { readonly [provider: string]: Json };
  return Object.values(plain).some(
    (own) => typeof own === 'object' && own !== null && Object.keys(own).length > 0,
  )
    ? plain
    : undefined;
}
