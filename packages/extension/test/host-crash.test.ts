// What other products did: one extension's timer, exit or endless loop ended the program that had loaded it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import type { Json } from '../src/json/json.ts';
import { WorkerCarrier } from '../src/worker/worker-carrier.ts';
import { RecordingHost } from './contract/recording-host.ts';

/** An extension with one tool, in a worker of its own. */
async function withTool(t: TestContext, run: string) {
  hygiene(t);
  const module = join(temporaryFolder(t), 'extension.mjs');
  const api = pathToFileURL(join(repositoryRoot, 'packages/extension/dist/index.js')).href;
  writeFileSync(
    module,
    `import { defineExtension } from ${JSON.stringify(api)};
export default defineExtension({ name: 'rough', version: '1.0.0', tools: { it: { about: 'Does it.', run: ${run} } } });
`,
  );
  const host = new RecordingHost();
  const died = Promise.withResolvers<string>();
  const carrier: WorkerCarrier = await WorkerCarrier.start({
    module: pathToFileURL(module),
    host: host as never,
    onDeath: () => died.resolve(carrier.dead?.code ?? 'none'),
  });
  t.after(() => carrier.end());
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  const call = () =>
    carrier.call({
      call: 1,
      instance: 'g',
      endpoint: 'tool',
      name: 'it',
      input: {},
      context: { settings: {}, caps: {} },
    }) as Promise<Json>;
  return { carrier, host, died: died.promise, call };
}

test('a timer that touches what ended with its call ends its worker and not the host', async (t) => {
  const { carrier, died, call } = await withTool(
    t,
    `(_args, ctx) => { setTimeout(() => { ctx.log.info('too late'); }, 1); return 'done'; }`,
  );
  assert.equal(((await call()) as { text: string }).text, 'done');
  assert.equal(await died, 'extension_crashed');
  assert.match(carrier.dead?.reason ?? '', /after the call/);
});

test('an extension that exits the process ends its own worker and not the host', async (t) => {
  const { carrier, died, call } = await withTool(t, `() => process.exit(7)`);
  await assert.rejects(call(), { code: 'extension_crashed', certainty: 'outcome_unknown' });
  assert.equal(await died, 'extension_crashed');
  assert.match(carrier.dead?.reason ?? '', /exit code 7/);
});
