import type { AnthropicProvider } from '@ai-sdk/anthropic';

/** What the host uses of a provider of the AI SDK: one streamed request. Its helpers above that retry, run tools and take steps of their own. */
export type LanguageModel = Pick<ReturnType<AnthropicProvider>, 'doStream'>;

/** One request of it. */
export type CallOptions = Parameters<LanguageModel['doStream']>[0];

export type Prompt = CallOptions['prompt'];

/** A piece of its answer. */
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
