import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import { type Embedded, httpEmbedder } from '../../src/memory/embedding/embedder.ts';
import { type EmbeddingSettings, readEmbedding } from '../../src/memory/embedding/read-embedding.ts';

const SETTINGS: EmbeddingSettings = { baseUrl: 'http://127.0.0.1:9/v1', model: 'tiny' };
const none = new Set<string>();

async function asked(
  answer: () => Response | Promise<Response>,
  { settings = SETTINGS, texts = ['a', 'b'], env = {} as Record<string, string> } = {},
): Promise<{ readonly embedded: Embedded; readonly url: string; readonly init: RequestInit | undefined }> {
  let seen: { url: string; init: RequestInit | undefined } = { url: '', init: undefined };
  const embedder = httpEmbedder({
    ...{ settings, env, clock: manualClock() },
    fetch: async (url, init) => {
      seen = { url: String(url), init };
      return await answer();
    },
  });
  return { embedded: await embedder.embed(texts, 1000), ...seen };
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const reasonOf = (embedded: Embedded) =>
  embedded.ok ? 'ok' : `${embedded.fault.code}: ${embedded.fault.reason}`;

test('a request says model, texts and dimensions, with the key of its variable, and follows no redirect', async () => {
  const { embedded, url, init } = await asked(
    () =>
      json({
        data: [
          { index: 1, embedding: [3, 4] },
          { index: 0, embedding: [1, 2] },
        ],
      }),
    { settings: { ...SETTINGS, dimensions: 2, apiKeyEnv: 'KEY' }, env: { KEY: ' secret ' } },
  );
  assert.deepEqual(embedded, {
    ok: true,
    vectors: [
      [1, 2],
      [3, 4],
    ],
  });
  assert.equal(url, 'http://127.0.0.1:9/v1/embeddings');
  assert.deepEqual(JSON.parse(String(init?.body)), {
    model: 'tiny',
    input: ['a', 'b'],
    encoding_format: 'float',
    dimensions: 2,
  });
  assert.equal(new Headers(init?.headers).get('authorization'), 'Bearer secret');
  assert.equal(init?.redirect, 'manual');
});

test('the model is named with the host of its address, and with dimensions where they are asked for', () => {
  const named = (settings: EmbeddingSettings) =>
    httpEmbedder({ settings, env: {}, clock: manualClock() }).model;
  assert.equal(named(SETTINGS), '127.0.0.1:9/tiny');
  assert.equal(
    named({ baseUrl: 'https://api.example.com/v1', model: 'big', dimensions: 512 }),
    'api.example.com/big@512',
  );
});

test('what is no answer has a reason that holds nothing of it', async () => {
  const one = (embedding: unknown) => ({ data: [{ embedding }, { embedding: [1, 2] }] });
  for (const [answer, reason] of [
    [() => json({ error: 'secret' }, 401), 'embedding_unavailable: status 401'],
    [() => json({}, 503), 'embedding_unavailable: status 503'],
    [() => json({}, 400), 'embedding_refused: status 400'],
    [
      () => new Response(null, { status: 302, headers: { location: 'http://example.com' } }),
      'embedding_unavailable: status 302',
    ],
    [() => new Response('nonsense'), 'embedding_invalid: it is no JSON'],
    [() => new Response(null), 'embedding_invalid: it is no JSON'],
    [() => json([]), 'embedding_invalid: it has not one vector for each text'],
    [() => json({ data: [{ embedding: [1] }] }), 'embedding_invalid: it has not one vector for each text'],
    [() => json(one('AAAA')), 'embedding_invalid: a vector is none'],
    [() => json(one([])), 'embedding_invalid: a vector is none'],
    [() => json(one([1, 'x'])), 'embedding_invalid: a vector is none'],
    [() => json(one([1, 2, 3])), 'embedding_invalid: vectors differ in their dimensions'],
    [
      () =>
        json({
          data: [
            { index: 0, embedding: [1] },
            { index: 0, embedding: [1] },
          ],
        }),
      'embedding_invalid: vectors differ in their dimensions',
    ],
    [
      () =>
        json({
          data: [
            { index: 7, embedding: [1] },
            { index: 0, embedding: [1] },
          ],
        }),
      'embedding_invalid: a vector is of no text',
    ],
    [() => new Response('x'.repeat(16 * 1024 * 1024 + 1)), 'embedding_invalid: it is too large'],
    [
      () => Promise.reject(Object.assign(new TypeError('secret'), { cause: { code: 'ECONNREFUSED' } })),
      'embedding_unavailable: ECONNREFUSED',
    ],
    [() => Promise.reject(new TypeError('secret')), 'embedding_unavailable: it cannot be reached'],
  ] as const)
    assert.equal(reasonOf((await asked(answer)).embedded), reason);
});

test('vectors of other dimensions than those asked for are none', async () => {
  const answer = () => json({ data: [{ embedding: [1, 2] }, { embedding: [1, 2] }] });
  const { embedded } = await asked(answer, { settings: { ...SETTINGS, dimensions: 3 } });
  assert.equal(reasonOf(embedded), 'embedding_invalid: vectors differ in their dimensions');
});

test('an embedder is not waited for longer than was said, nor after the caller has gone', async () => {
  const clock = manualClock();
  const embedder = httpEmbedder({
    ...{ settings: SETTINGS, env: {}, clock },
    fetch: (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        if (init?.signal?.aborted === true) reject(new Error('aborted'));
      }),
  });
  const late = embedder.embed(['a'], 1000);
  await clock.advance(1000);
  assert.equal(reasonOf(await late), 'embedding_unavailable: it did not answer in time');
  const abort = new AbortController();
  const left = embedder.embed(['a'], 1000, abort.signal);
  abort.abort();
  assert.equal(reasonOf(await left), 'embedding_unavailable: it did not answer in time');
  assert.equal(
    reasonOf(await embedder.embed(['a'], 1000, abort.signal)),
    'embedding_unavailable: it did not answer in time',
  );
  assert.deepEqual(await embedder.embed([], 1000), { ok: true, vectors: [] });
  assert.equal(clock.pendingTimers, none.size);
});

test('the table of the file is read, and refused with its place', () => {
  const read = (embedding?: JsonObject) => readEmbedding(embedding === undefined ? {} : { embedding });
  const absent = read();
  assert.deepEqual(absent.ok && absent.value, undefined);
  const given = read({
    base_url: 'https://api.example.com/v1//',
    model: 'big',
    dimensions: 512,
    api_key_env: 'KEY',
    colour: 'red',
  });
  assert.ok(given.ok);
  assert.deepEqual(given.value, {
    baseUrl: 'https://api.example.com/v1',
    model: 'big',
    dimensions: 512,
    apiKeyEnv: 'KEY',
  });
  assert.deepEqual(
    given.notices.map(({ at }) => at),
    [['embedding', 'colour']],
  );
  for (const [table, at] of [
    [{ model: 'm' }, 'base_url'],
    [{ base_url: 'ftp://x', model: 'm' }, 'base_url'],
    [{ base_url: 'https://user:secret@x/v1', model: 'm' }, 'base_url'],
    [{ base_url: 'https://x/v1?key=secret', model: 'm' }, 'base_url'],
    [{ base_url: 'nonsense', model: 'm' }, 'base_url'],
    [{ base_url: 'https://x' }, 'model'],
    [{ base_url: 'https://x', model: 'm', dimensions: 0 }, 'dimensions'],
    [{ base_url: 'https://x', model: 'm', dimensions: 5000 }, 'dimensions'],
    [{ base_url: 'https://x', model: 'm', api_key_env: 'no key' }, 'api_key_env'],
  ] as const) {
    const reading = read(table);
    assert.deepEqual(
      [reading.ok, !reading.ok && reading.at],
      [false, ['embedding', at]],
      JSON.stringify(table),
    );
  }
});
