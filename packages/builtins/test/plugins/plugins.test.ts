import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import type { PeerPinnedTool, PluginEnd } from '../../src/peer/plugins-peer.ts';
import { pinnedTool } from '../../src/plugins/pinned-tool.ts';
import { plugins } from '../../src/plugins/plugins.ts';
import { fakePeer } from '../fake-peer.ts';
import { fakePlugins } from './fake-plugins.ts';

async function tools(options: Parameters<typeof fakePlugins>[0] = {}) {
  const fake = fakePlugins(options);
  const peer = { ...fakePeer({ workspace: '/' }), plugins: fake };
  return { h: await harness(plugins, { peer }), fake };
}

const pin = (more: Partial<PeerPinnedTool> = {}): PeerPinnedTool => ({
  name: 'notes__add',
  description: 'Adds a note.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      where: { type: 'object', properties: { __proto__: { type: 'string' } } },
      list: { type: 'array', items: { type: 'object' } },
    },
    required: ['text'],
  },
  hints: { readOnlyHint: true },
  target: 'plugin:local/notes/add#abc',
  timeoutSecs: 30,
  ...more,
});

const provider = (output: NonNullable<PluginEnd['output']>): PluginEnd => ({
  certainty: 'completed',
  isProviderResult: true,
  output,
});

test('an action goes to the executor as it is, and its answer comes back as JSON', async () => {
  const { h, fake } = await tools({ end: { certainty: 'completed', output: { runners: [] } } });
  await using _ = h;
  assert.deepEqual(await h.tools.plugin_tool({ action: 'list' }), {
    certainty: 'completed',
    text: '{"runners":[]}',
    data: { runners: [] },
    isError: false,
  });
  await h.tools.plugin_tool({ action: 'call', binding: 'wc_pbind_x', arguments: { any: { thing: [1] } } });
  assert.deepEqual(
    fake.asked.map(([kind, , args]) => [kind, args]),
    [
      ['invoke', { action: 'list' }],
      ['invoke', { action: 'call', binding: 'wc_pbind_x', arguments: { any: { thing: [1] } } }],
    ],
  );
});

test('a result of a plugin is its texts, its structure, and whether it failed', async () => {
  for (const [output, text, data, isError] of [
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        isError: false,
      },
      'a\nb',
      undefined,
      false,
    ],
    [{ content: [], structuredContent: { n: 1 } }, '{"n":1}', { n: 1 }, false],
    [{ content: [{ type: 'text', text: 'no' }], isError: true }, 'no', undefined, true],
    [{ content: [{ type: 'video', data: 'x' }, 7] }, '[content of type video, left out]', undefined, false],
  ] as const) {
    const { h } = await tools({ end: provider(output) });
    await using _ = h;
    const end = await h.tools.plugin_tool({ action: 'list' });
    assert.deepEqual([end.certainty, end.text, end.data, end.isError], ['completed', text, data, isError]);
  }
});

test('a result of almost a mebibyte is answered, once', async () => {
  const structuredContent = { rows: 'x'.repeat(1_040_000) };
  const { h } = await tools({ end: provider({ content: [], structuredContent }) });
  await using _ = h;
  const end = await h.tools.plugin_tool({ action: 'list' });
  assert.deepEqual(
    [end.certainty, end.isError, end.data, end.text.length],
    ['completed', false, undefined, 1_040_011],
  );
});

test('the certainty of a fault is the executor’s, whatever its words are', async () => {
  for (const certainty of ['not_started', 'completed', 'outcome_unknown'] as const) {
    const { h } = await tools({
      end: {
        certainty,
        error: { code: 'plugin_eof', message: 'It never started.', recovery: 'Look.', detail: { a: 1 } },
      },
    });
    await using _ = h;
    const end = await h.tools.plugin_tool({ action: 'list' });
    assert.deepEqual([end.certainty, end.isError], [certainty, true]);
    assert.match(end.text, /It never started\. Look\./);
  }
});

test('an agent cannot check or reload', async () => {
  const { h, fake } = await tools();
  await using _ = h;
  for (const action of ['check', 'reload'])
    assert.equal((await h.callTool('plugin_tool', { action, runner: 'local' })).certainty, 'not_started');
  assert.deepEqual(fake.asked, []);
});

test('a pin is a tool of its own, whose objects are as open as the plugin says, and names what it was shown as', async () => {
  const { h, fake } = await tools({ end: provider({ content: [] }), pins: { '*': [pin()] } });
  await using _ = h;
  const args = { text: 'x', more: 1, where: { any: true }, list: [{ free: 1 }] };
  assert.equal((await h.callTool('notes__add', args)).certainty, 'completed');
  assert.equal((await h.callTool('notes__add', { more: 1 })).certainty, 'not_started');
  const [[kind, , shown, given] = []] = fake.asked;
  assert.deepEqual(
    [kind, shown, given],
    ['callPinned', { name: 'notes__add', target: 'plugin:local/notes/add#abc' }, args],
  );
});

test('a pin that became another one since it was shown is called as what was shown', async () => {
  const fake = fakePlugins({ end: provider({ content: [] }) });
  const ctx = { session: { id: 'ses_1' }, agent: { id: 'agt_1' } } as never;
  const [shown, now] = ['plugin:local/notes/add#abc', 'plugin:local/notes/add#def'];
  await pinnedTool(fake, pin({ target: now })).run({ text: 'x' }, ctx, shown);
  await pinnedTool(fake, pin({ target: now })).run({ text: 'x' }, ctx);
  assert.deepEqual(
    fake.asked.map(([, , called]) => called),
    [
      { name: 'notes__add', target: shown },
      { name: 'notes__add', target: now },
    ],
  );
});

test('a description that is longer than a tool may say is cut between two characters', async () => {
  const { h } = await tools({ pins: { '*': [pin({ description: `${'a'.repeat(1022)}😀b` })] } });
  await using _ = h;
  assert.deepEqual(await h.check(), []);
  assert.equal((await h.callTool('notes__add', { text: 'x' })).certainty, 'not_started');
});

test('pins that change are tools that change, and nobody listens once the instance has ended', async () => {
  const { h, fake } = await tools({ end: provider({ content: [] }) });
  fake.change({ '*': [pin({ name: 'later' })] });
  await h.advance(1000);
  assert.equal((await h.callTool('later', { text: 'x' })).certainty, 'completed');
  await h.close();
  assert.equal(fake.listeners(), 0);
});

test('pins that cannot be called are segments of the status line', async () => {
  const { h } = await tools({
    notices: [{ pin: 'notes__add', code: 'plugin_schema_changed', reason: 'It changed.' }],
  });
  await using _ = h;
  assert.deepEqual(await h.status(), { notes__add: 'plugin_schema_changed' });
});
