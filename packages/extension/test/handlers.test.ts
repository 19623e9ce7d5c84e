import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { makeExtension } from '../src/authoring/extension.ts';
import { ThreadCarrier } from '../src/carrier/thread-carrier.ts';
import { HOOK_MEMBERS } from '../src/contracts/hook-kinds.ts';
import { harness } from '../src/testing/index.ts';
import { RecordingHost } from './contract/recording-host.ts';

async function contributed(on: object): Promise<readonly string[]> {
  const extension = makeExtension({ name: 'one', version: '1', on }, false);
  const carrier = new ThreadCarrier(extension, { host: new RecordingHost() as never });
  const { hooks } = await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  await carrier.end();
  return hooks;
}

test('an extension without handlers has no hook', async () => {
  assert.deepEqual(await contributed({}), []);
});

test('one handler is its own hook and no other', async () => {
  for (const [kind, member] of Object.entries(HOOK_MEMBERS))
    assert.deepEqual(await contributed({ [member]: () => undefined }), [kind]);
});

test('what a handler answers later counts as what it answers at once', async () => {
  const extension = defineExtension({
    name: 'late',
    version: '1.0.0',
    on: {
      async toolResult({ text }) {
        await Promise.resolve();
        return `${text}, later`;
      },
    },
  });
  await using t = await harness(extension);
  const end = { tool: 'any', args: {}, text: 'now', isError: false };
  assert.equal(await t.toolResult(end), 'now, later');
});

test('the payload of a routine is handed over as it is: nobody looks into it', async () => {
  const seen: unknown[] = [];
  const extension = makeExtension(
    {
      name: 'one',
      version: '1',
      routines: {
        tick: { about: 'x', cron: '0 * * * *', run: (payload: unknown) => void seen.push(payload) },
      },
    },
    false,
  );
  const carrier = new ThreadCarrier(extension, { host: new RecordingHost() as never });
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  const payload = { kind: 'anything', deep: [1, { none: null }], '': 'x' };
  const context = { settings: {}, caps: {} };
  await carrier.call({ call: 1, instance: 'g', endpoint: 'routine', name: 'tick', input: payload, context });
  assert.deepEqual(seen, [payload]);
  await carrier.end();
});
