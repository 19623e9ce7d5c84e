import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hygiene } from '@fairlead/testing';
import { callLine } from './served.ts';

const PLUGIN = fileURLToPath(new URL('fixtures/run/chatty-plugin.ts', import.meta.url));

// Only catches hanging.
const HANGING_MS = 30_000;

function run(input: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [PLUGIN], { input, encoding: 'utf8', timeout: HANGING_MS });
}

const DONE = '"result":{"content":[{"type":"text","text":"done"}],"structuredContent":{},"isError":false}}\n';

test('the end of standard input ends the plugin with exit code 0', (t) => {
  hygiene(t);
  assert.deepEqual(withoutPid(run('')), { status: 0, stdout: '', stderr: '' });
});

test('what a plugin prints while it runs goes to standard error, never between the answers', (t) => {
  hygiene(t);
  const { status, stdout, stderr } = run(callLine(1, 'chat', {}) + callLine(2, 'chat', {}));
  assert.equal(stdout, `{"jsonrpc":"2.0","id":1,${DONE}{"jsonrpc":"2.0","id":2,${DONE}`);
  assert.match(stderr, /^log\ninfo\n┌─+[\s\S]*┘\ndirect\nerror\nlog\n/);
  assert.equal(status, 0);
});

test('a tool that throws ends the plugin with exit code 1, though a timer is left running', (t) => {
  hygiene(t);
  assert.deepEqual(withoutPid(run(callLine(1, 'fail', {}) + callLine(2, 'chat', {}))), {
    status: 1,
    stdout: '',
    stderr: 'fairlead plugin stopped: a tool threw instead of answering\n',
  });
});

test('a reader of standard output that goes away ends the plugin quietly', async (t) => {
  hygiene(t);
  const child = spawn(process.execPath, [PLUGIN], { timeout: HANGING_MS });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.write(callLine(1, 'large', {}));
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  child.stdin.write(callLine(2, 'large', {}) + callLine(3, 'large', {}));
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(stderr, '');
});

test('a reader of standard error that goes away changes nothing', async (t) => {
  hygiene(t);
  const child = spawn(process.execPath, [PLUGIN], { timeout: HANGING_MS });
  child.stderr.destroy();
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stdin.end(callLine(1, 'chat', {}) + callLine(2, 'chat', {}));
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(stdout, `{"jsonrpc":"2.0","id":1,${DONE}{"jsonrpc":"2.0","id":2,${DONE}`);
});

function withoutPid({ status, stdout, stderr }: ReturnType<typeof run>): ReturnType<typeof run> {
  return { status, stdout, stderr };
}
