import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { mcpFloor } from './mcp-floor.ts';

const SDK_SERVER = join(import.meta.dirname, 'fixtures/sdk-stdio-server.mjs');

/** The program of a package that is only there for its `bin`. */
function program(name: string): string {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  return join(folder, 'dist/index.js');
}

for (const [kind, revision] of [
  ['v1', '2025-11-25'],
  ['v2', '2025-11-25'],
  ['v2-modern', '2026-07-28'],
] as const)
  test(`a server of the official packages over stdio is started once and called (${kind})`, async (t) => {
    const { scripted } = await mcpFloor(t);
    const s = await scripted({}, { args: [SDK_SERVER, kind] });
    await s.server.settled;
    const { state } = s.server;
    assert.equal(state.kind === 'running' ? state.connection.client.revision : s.server.notice, revision);
    assert.deepEqual(await s.call('add', { a: 2, b: 3 }), { text: '5', isError: false, data: { sum: 5 } });
  });

test('a program that knows only the newer revision is started once for both handshakes', async (t) => {
  const { scripted } = await mcpFloor(t);
  const s = await scripted({
    start: { modern: true },
    tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
  });
  await s.server.settled;
  assert.equal((await s.call('echo', { a: 1 }))['text'], '{"a":1}');
  assert.equal(s.starts().length, 1);
});

test('the reference server that has everything: tools, progress, images, links, resources, prompts', async (t) => {
  const { scripted } = await mcpFloor(t);
  const s = await scripted({}, { args: [program('@modelcontextprotocol/server-everything'), 'stdio'] });
  await s.server.settled;
  assert.equal(s.server.notice, undefined);
  assert.deepEqual(await s.call('echo', { message: 'hi' }), { text: 'Echo: hi', isError: false });
  const weather = await s.call('get-structured-content', { location: 'New York' });
  assert.deepEqual(weather['data'], { temperature: 33, conditions: 'Cloudy', humidity: 82 });
  const lines: string[] = [];
  const slow = { duration: 0.2, steps: 2 };
  await s.call('trigger-long-running-operation', slow, { progress: (line) => void lines.push(line) });
  assert.ok(lines.includes('1 of 2'));
  assert.match(String((await s.call('get-tiny-image'))['text']), /\[image image\/png, \d+ bytes, left out\]/);
  assert.match(String((await s.call('get-resource-links', { count: 1 }))['text']), /\[resource demo:\/\//);
  const { data } = await s.call('list_resources');
  const [first] = (data as { readonly resources: readonly { readonly uri: string }[] }).resources;
  assert.notEqual((await s.call('read_resource', { uri: first?.uri ?? '' }))['text'], '');
  assert.match(String((await s.call('get_prompt', { name: 'simple-prompt' }))['text']), /^.*user: /s);
});

test('the reference server for files: reads and writes within its folder, and refuses beyond it', async (t) => {
  const { scripted, folder } = await mcpFloor(t);
  const place = join(realpathSync(folder), 'files');
  mkdirSync(place);
  writeFileSync(join(place, 'a.txt'), 'one');
  const s = await scripted({}, { args: [program('@modelcontextprotocol/server-filesystem'), place] });
  await s.server.settled;
  assert.match(String((await s.call('read_text_file', { path: join(place, 'a.txt') }))['text']), /^one/);
  const written = await s.call('write_file', { path: join(place, 'b.txt'), content: 'two' });
  assert.equal(written['isError'], false);
  assert.match(String((await s.call('list_directory', { path: place }))['text']), /b\.txt/);
  assert.equal((await s.call('read_text_file', { path: '/etc/hostname' }))['isError'], true);
});
