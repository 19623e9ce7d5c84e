import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { fairlead, startHost, withoutProgress, writeRunnerConfig } from './fairlead-process.ts';

/** Answers with what it was given and one number more, written with an exponent, as Python writes it. */
const script = `
  let text = '';
  const answer = (id, result) => process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}\\n');
  process.stdin.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
      const { id, method, params } = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (method === 'initialize') answer(id, '{"protocolVersion":"webcodex-plugin-v1"}');
      else if (method === 'tools/list') answer(id, '{"tools":[{"name":"number","inputSchema":{"type":"object"}}]}');
      else answer(id, '{"content":[],"structuredContent":{"given":' + (params.arguments.n === 1e18) + ',"n":1e+18}}');
    }
  });`;

test('a large number without fraction passes every border in both directions', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    { id: 'numbers', command: process.execPath, args: ['-e', script] },
  ]);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const target = ['--runner', 'local', '--plugin', 'numbers', '--tool', 'number'];
  const args = ['plugin', 'call', '--state-dir', stateDirectory, ...target, '--arguments', '{"n":1e18}'];
  const call = await fairlead(t, [...args, '--json']);
  assert.equal(call.exit, 0, call.stderr);
  assert.deepEqual(JSON.parse(call.stdout), {
    content: [],
    structuredContent: { given: true, n: 1e18 },
  });
  assert.equal(withoutProgress(host.stderr), '');
});
