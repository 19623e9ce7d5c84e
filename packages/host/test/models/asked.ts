import type { Clock } from '@fairlead/base';
import { systemClock } from '@fairlead/base';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import type {
  Message,
  Model,
  ModelFault,
  ModelPart,
  ModelRequest,
  ModelTool,
} from '../../src/models/model.ts';

export const KEY = 'sk-test-0123456789abcdefMARKER';

export interface Asked {
  readonly parts: readonly ModelPart[];
  readonly fault?: ModelFault;
}

/** A request with what the test does not care about filled in. */
export function requestWith(
  given: Partial<Omit<ModelRequest, 'meta'>> & { readonly meta?: Partial<ModelRequest['meta']> } = {},
): ModelRequest {
  const { meta, ...rest } = given;
  return {
    messages: [{ role: 'user', text: 'hello' }] satisfies Message[],
    tools: [] satisfies ModelTool[],
    maxTokens: 100,
    signal: new AbortController().signal,
    ...rest,
    meta: { session: 'ses_1', agent: 'fairlead', turn: 0, step: 0, attempt: 0, ...meta },
  };
}

/** Reads a reply to its end, or to its fault. */
export async function ask(model: Model, request: ModelRequest = requestWith()): Promise<Asked> {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream(request)) parts.push(part);
  } catch (thrown) {
    return { parts, fault: thrown as ModelFault };
  }
  return { parts };
}

/** The pieces of one kind, joined. */
export function textOf(parts: readonly ModelPart[], type: 'text' | 'reasoning' = 'text'): string {
  return parts.map((part) => (part.type === type ? part.delta : '')).join('');
}

export function httpModel(
  type: 'openai_compatible' | 'anthropic',
  baseUrl: string,
  options: {
    readonly clock?: Clock;
    readonly env?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
  } = {},
): Model {
  return aiSdkModel({
    type,
    model: 'tiny',
    baseUrl,
    apiKeyEnv: 'MODEL_KEY',
    env: options.env ?? { MODEL_KEY: KEY },
    fetch: globalThis.fetch,
    clock: options.clock ?? systemClock(),
    requestTimeoutMs: options.timeoutMs ?? 120_000,
  });
}
