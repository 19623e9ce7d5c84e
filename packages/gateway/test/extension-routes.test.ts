import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, failed } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import type { ExtensionAdministration } from '../src/index.ts';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';

function administration() {
  const asked: string[] = [];
  const extensions: ExtensionAdministration = {
    list: () => ({ extensions: [{ name: 'dice' }], failures: [] }),
    output: (name) =>
      name === 'dice'
        ? completed({ name, output: 'hello\n' })
        : failed('not_started', 'extension_unknown', 'No extension of this name is installed here.'),
    catalogs: {
      diff: (name, tool) => completed({ name, tools: tool === undefined ? [] : [{ tool }] }),
      async approve(name, seen, by) {
        asked.push(`approve ${name} ${JSON.stringify([...seen])} ${by.slice(0, 6)}`);
        return completed({ name, approved: [...seen.keys()] });
      },
    },
    async load(folder) {
      asked.push(`load ${folder}`);
      return completed({ name: 'dice' });
    },
    async reload(name) {
      asked.push(`reload ${name}`);
      return failed('not_started', 'extension_load_failed', 'The code could not be loaded.', {
        at: 'line 3',
      });
    },
    async unload(name) {
      asked.push(`unload ${name}`);
      return failed('outcome_unknown', 'instance_close_late', 'It did not end within its time.');
    },
  };
  return { asked, extensions };
}

test('a folder is loaded, listed and read by this machine’s own commands', async (t) => {
  hygiene(t);
  const { asked, extensions } = administration();
  const { port, token, lines } = await startGateway(t, { extensions });
  const loaded = await ask(port, { path: '/api/admin/extensions', token, body: { path: '/srv/dice' } });
  assert.deepEqual([loaded.status, loaded.envelope.output], [200, { name: 'dice' }]);
  assert.deepEqual(asked, ['load /srv/dice']);
  assert.ok(lines.some((line) => line.includes('"extension.loaded"') && line.includes('"dice"')));
  const list = await ask(port, { path: '/api/admin/extensions', token });
  assert.deepEqual(list.envelope.output, { extensions: [{ name: 'dice' }], failures: [] });
  const output = await ask(port, { path: '/api/admin/extensions/dice/output', token });
  assert.deepEqual(output.envelope.output, { name: 'dice', output: 'hello\n' });
  const none = await ask(port, { path: '/api/admin/extensions/none/output', token });
  assert.deepEqual([none.status, none.envelope.error?.code], [400, 'extension_unknown']);
});

test('a reload or unload that failed says how far it came', async (t) => {
  hygiene(t);
  const { asked, extensions } = administration();
  const { port, token, lines } = await startGateway(t, { extensions });
  const reload = await ask(port, { path: '/api/admin/extensions/dice/reload', token, method: 'POST' });
  assert.deepEqual(reload.envelope.error, {
    code: 'extension_load_failed',
    message: 'The code could not be loaded.',
    detail: { at: 'line 3' },
  });
  assert.equal(reload.envelope.dispatch_certainty, 'not_started');
  const unload = await ask(port, { path: '/api/admin/extensions/dice', token, method: 'DELETE' });
  assert.equal(unload.envelope.dispatch_certainty, 'outcome_unknown');
  assert.deepEqual(asked, ['reload dice', 'unload dice']);
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const told = logged.filter(({ event }) => String(event).startsWith('extension.'));
  assert.deepEqual(
    told.map(({ event, extension, code, reason }) => [event, extension, code, reason]),
    [
      ['extension.reload_failed', 'dice', 'extension_load_failed', 'The code could not be loaded.'],
      ['extension.unload_failed', 'dice', 'instance_close_late', 'It did not end within its time.'],
    ],
  );
});

test('a load without a folder is refused, and a token without the scope admin loads nothing', async (t) => {
  hygiene(t);
  const { asked, extensions } = administration();
  const { port, token, mint } = await startGateway(t, { extensions });
  for (const body of [{}, { path: 7 }, { path: '' }, []]) {
    const answer = await ask(port, { path: '/api/admin/extensions', token, body });
    assert.equal(answer.envelope.error?.code, 'invalid_body', JSON.stringify(body));
  }
  const narrow = await mint(['plugin:manage', 'runner:manage']);
  const refused = await ask(port, {
    path: '/api/admin/extensions',
    token: narrow,
    body: { path: '/srv/dice' },
  });
  assert.deepEqual([refused.status, refused.envelope.error?.code], [403, 'insufficient_scope']);
  assert.deepEqual(asked, []);
});

test('what a server offers is shown and approved by this machine’s own commands, exactly as it was seen', async (t) => {
  hygiene(t);
  const { asked, extensions } = administration();
  const { port, token } = await startGateway(t, { extensions });
  const path = '/api/admin/extensions/mcp-files';
  const diff = await ask(port, { path: `${path}/diff?tool=a%20b`, token });
  assert.deepEqual(diff.envelope.output, { name: 'mcp-files', tools: [{ tool: 'a b' }] });
  const all = await ask(port, { path: `${path}/diff`, token });
  assert.deepEqual(all.envelope.output, { name: 'mcp-files', tools: [] });
  const tools = [
    { tool: 'read', observation: 'x' },
    { tool: 'old', observation: null },
  ];
  const approved = await ask(port, { path: `${path}/approve`, token, body: { tools } });
  assert.deepEqual(approved.envelope.output, { name: 'mcp-files', approved: ['read', 'old'] });
  assert.deepEqual(asked, ['approve mcp-files [["read","x"],["old",null]] token:']);
  for (const body of [{}, { tools: [1] }, { tools: [{ tool: 'read' }] }]) {
    const refused = await ask(port, { path: `${path}/approve`, token, body });
    assert.deepEqual([refused.status, refused.envelope.error?.code], [400, 'invalid_body']);
  }
});

test('where nothing has a catalog there is none to show or approve', async (t) => {
  hygiene(t);
  const { catalogs: _, ...extensions } = administration().extensions;
  const { port, token } = await startGateway(t, { extensions });
  const path = '/api/admin/extensions/mcp-files';
  const diff = await ask(port, { path: `${path}/diff`, token });
  const approve = await ask(port, { path: `${path}/approve`, token, body: { tools: [] } });
  assert.deepEqual(
    [diff, approve].map(({ envelope }) => envelope.error?.code),
    ['extension_unknown', 'extension_unknown'],
  );
});
