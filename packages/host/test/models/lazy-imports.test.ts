import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { hygiene } from '@fairlead/testing';

const run = promisify(execFile);
const HOST = new URL('../../src/index.ts', import.meta.url).href;

/** Prints every module of the AI SDK and of the tokenizer that a program loads. */
function program(then: string): string {
  return `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/(@ai-sdk\\/[a-z-]+|gpt-tokenizer)\\//.exec(url)?.[1];
        if (name !== undefined) seen.add(name);
        return next(url, context);
      },
    });
    const host = await import(${JSON.stringify(HOST)});
    ${then}
    console.log([...seen].sort().join(' '));
  `;
}

async function loaded(then: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program(then)], {
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  return stdout.trim();
}

const OPEN = (backend: string) => `
  const reading = host.readBackends({ backends: [${backend}] });
  const models = new host.Models({
    tables: reading.value, folder: '/', env: { K: 'k' },
    clock: { monotonicMs: () => 0, wallMs: () => 0, setTimer: () => ({ cancel() {} }) },
    fetch: async () => { throw new TypeError('no network'); },
    readFile: async () => Buffer.from('{"format":"fairlead-script-v1","scripts":{"default":[{"steps":[{}]}]}}'),
  });
  const { model, tokens } = models.resolve();
  const request = {
    messages: [{ role: 'user', text: 'hi' }], tools: [], maxTokens: 9, signal: new AbortController().signal,
    meta: { session: 's', agent: 'a', turn: 0, step: 0, attempt: 0 },
  };
  tokens.ofPrompt(request.messages, request.tools);
  try { for await (const part of model.stream(request)); } catch (fault) { if (fault.code !== 'model_unreachable') throw fault; }
`;

test('a script loads neither the AI SDK nor the tokenizer', async (t) => {
  hygiene(t);
  assert.equal(await loaded(OPEN(`{ name: 'demo', type: 'scripted', file: 'f' }`)), '');
});

test('a back end loads its own part of the AI SDK with its first request, and a tokenizer when it is told to', async (t) => {
  hygiene(t);
  const local = `{ name: 'l', type: 'openai_compatible', base_url: 'http://127.0.0.1:9', models: [{ name: 'm' }] }`;
  assert.equal(
    await loaded(OPEN(local)),
    '@ai-sdk/openai-compatible @ai-sdk/provider @ai-sdk/provider-utils',
  );
  const claude = `{ name: 'c', type: 'anthropic', api_key_env: 'K', models: [{ name: 'm' }] }`;
  assert.equal(
    await loaded(`${OPEN(claude)} await models.resolve().load();`),
    '@ai-sdk/anthropic @ai-sdk/provider @ai-sdk/provider-utils gpt-tokenizer',
  );
});
