import type { Clock } from '@fairlead/base';
import { type Model, ModelFault, type ModelPart, type ModelRequest } from '../model.ts';
import { faultOfError } from './fault-of-error.ts';
import type { LanguageModel } from './language-model.ts';
import { plainHistory } from './plain-history.ts';
import { promptOf, toolsOf } from './prompt.ts';
import { readReply } from './read-reply.ts';
import { type Fetch, WatchedRequest } from './watched-request.ts';

export interface AiSdkModelOptions {
  readonly type: 'openai_compatible' | 'anthropic';
  /** The name of the model as the back end knows it. */
  readonly model: string;
  readonly baseUrl: string;
  /** Name of the variable that holds the key; read at each request, and nowhere kept. */
  readonly apiKeyEnv?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
}

/**
 * A model behind a provider of the AI SDK, which is imported at the first request. One request is one HTTP request: nothing is sent
 * again and no tool is run here.
 */
export function aiSdkModel(options: AiSdkModelOptions): Model {
  return { stream: (request) => ask(options, request) };
}

async function* ask(
  options: AiSdkModelOptions,
  { messages, tools, maxTokens, signal }: ModelRequest,
): AsyncGenerator<ModelPart, void, undefined> {
  const { fetch, clock, requestTimeoutMs } = options;
  const key = keyOf(options);
  using request = new WatchedRequest({
    fetch,
    clock,
    requestTimeoutMs,
    signal,
    ...(key === undefined ? {} : { secret: key }),
  });
  try {
    const model = await languageModel(options, key, request.fetch);
    if (request.fault !== undefined) throw request.fault;
    const { stream } = await model.doStream({
      prompt: promptOf(tools.length === 0 ? plainHistory(messages) : messages),
      maxOutputTokens: maxTokens,
      abortSignal: request.signal,
      // A call counts when it is whole; in pieces it would come unchecked by the back end.
      providerOptions: { anthropic: { toolStreaming: false } },
      ...(tools.length === 0 ? {} : { tools: toolsOf(tools), toolChoice: { type: 'auto' } }),
    });
    yield* readReply(stream, request, key);
  } catch (thrown) {
    throw request.fault ?? faultOfError(thrown, request, key);
  }
}

function keyOf({ apiKeyEnv, env }: AiSdkModelOptions): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const key = env[apiKeyEnv]?.trim() ?? '';
  if (key === '')
    throw new ModelFault('model_key_missing', {
      retryable: false,
      free: true,
      what: apiKeyEnv,
      detail: { variable: apiKeyEnv },
    });
  return key;
}

/** Address and key are always given: without them the SDK would look into the environment by itself. */
async function languageModel(
  { type, model, baseUrl: baseURL }: AiSdkModelOptions,
  apiKey: string | undefined,
  fetch: Fetch,
): Promise<LanguageModel> {
  if (type === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL, apiKey: apiKey ?? '', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name: 'fairlead',
    baseURL,
    fetch,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(new URL(baseURL).hostname === 'api.openai.com' ? { transformRequestBody: renameMaxTokens } : {}),
  })(model);
}

/** The one server that refuses the name that all others know. */
function renameMaxTokens({ max_tokens: most, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: most };
}
