import { type Clock, isJsonObject, type Json } from '@fairlead/base';
import { memoryLimits } from '../../limits.ts';
import type { Fetch } from '../../models/ai-sdk/watched-request.ts';
import type { EmbeddingSettings } from './read-embedding.ts';

/** Why there are no vectors. No word of the other side stands in it. */
export type EmbeddingFault = {
  readonly code: 'embedding_unavailable' | 'embedding_refused' | 'embedding_invalid';
  /** A status, a system’s code, or what is wrong with the answer. */
  readonly reason: string;
};

export type Embedded =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[] }
  | { readonly ok: false; readonly fault: EmbeddingFault };

/** Turns texts into vectors. */
export interface Embedder {
  /** Names the model among rows: `backend/model`, the host of its address for the back end. */
  readonly model: string;
  /** One vector for each text. Never rejects; within `timeoutMs`. */
  embed(texts: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<Embedded>;
}

export interface EmbedderOptions {
  readonly settings: EmbeddingSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly fetch?: Fetch;
}

/** An embedder over `POST <base_url>/embeddings`, as OpenAI and everything compatible answers it. */
export function httpEmbedder({ settings, env, clock, fetch = globalThis.fetch }: EmbedderOptions): Embedder {
  const { baseUrl, model, dimensions, apiKeyEnv } = settings;
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]?.trim();
  const size = dimensions === undefined ? {} : { dimensions };
  return {
    model: `${new URL(baseUrl).host}/${model}${dimensions === undefined ? '' : `@${dimensions}`}`,
    async embed(texts, timeoutMs, signal) {
      if (texts.length === 0) return { ok: true, vectors: [] };
      const abort = new AbortController();
      const stop = () => abort.abort();
      const timer = clock.setTimer(timeoutMs, stop, { unref: true });
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted === true) stop();
      try {
        const response = await fetch(`${baseUrl}/embeddings`, {
          method: 'POST',
          redirect: 'manual',
          signal: abort.signal,
          headers: {
            'content-type': 'application/json',
            ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify({ model, input: texts, encoding_format: 'float', ...size }),
        });
        if (response.status !== 200) {
          await response.body?.cancel().catch(() => {});
          return refusal(response.status);
        }
        const body = await bodyOf(response);
        return body === undefined ? invalid('it is too large') : vectorsIn(body, texts.length, dimensions);
      } catch (thrown) {
        return fault(
          'embedding_unavailable',
          abort.signal.aborted ? 'it did not answer in time' : systemCode(thrown),
        );
      } finally {
        timer.cancel();
        signal?.removeEventListener('abort', stop);
      }
    },
  };
}

/** What the text itself is refused for: another time would end alike. */
const OF_THE_TEXT: ReadonlySet<number> = new Set([400, 413, 422]);

function refusal(status: number): Embedded {
  return fault(OF_THE_TEXT.has(status) ? 'embedding_refused' : 'embedding_unavailable', `status ${status}`);
}

function fault(code: EmbeddingFault['code'], reason: string): Embedded {
  return { ok: false, fault: { code, reason } };
}

function invalid(reason: string): Embedded {
  return fault('embedding_invalid', reason);
}

/** Undefined where it is longer than it may be. */
async function bodyOf({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > memoryLimits.embeddingAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function vectorsIn(body: string, count: number, dimensions: number | undefined): Embedded {
  let parsed: Json;
  try {
    parsed = JSON.parse(body) as Json;
  } catch {
    return invalid('it is no JSON');
  }
  const data = isJsonObject(parsed) ? parsed['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count) return invalid('it has not one vector for each text');
  const vectors: (readonly number[])[] = new Array(count);
  for (const [place, item] of (data as readonly Json[]).entries()) {
    const { embedding, index = place } = isJsonObject(item) ? item : {};
    if (!isVector(embedding)) return invalid('a vector is none');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      return invalid('a vector is of no text');
    vectors[index] = embedding;
  }
  const length = dimensions ?? vectors[0]?.length;
  for (let index = 0; index < count; index += 1)
    if (vectors[index]?.length !== length) return invalid('vectors differ in their dimensions');
  return { ok: true, vectors };
}

function isVector(value: Json | undefined): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= memoryLimits.dimensionsMax &&
    (value as readonly Json[]).every((one) => typeof one === 'number')
  );
}

/** The system's word for it, which is safe to show. */
function systemCode(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : undefined;
  const code = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : 'it cannot be reached';
}
