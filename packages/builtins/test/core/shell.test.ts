import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pidIsAlive, waitFor } from '@fairlead/testing';
import { coreFloor } from './core-floor.ts';

test('what a command prints is answered, then its errors, then its exit code when it is not 0', async (t) => {
  const { shell } = await coreFloor(t);
  assert.deepEqual(await shell('echo hello'), { certainty: 'completed', text: 'hello', isError: false });
  assert.equal((await shell('echo out; echo err >&2; exit 3')).text, 'out\n[stderr] err\n[exit code 3]');
  assert.equal((await shell('echo err >&2')).text, '[stderr] err');
});

test('an exit code that is not 0 is a result, not an error', async (t) => {
  const { shell } = await coreFloor(t);
  assert.deepEqual(await shell('false'), {
    certainty: 'completed',
    text: '[no output]\n[exit code 1]',
    isError: false,
  });
});

test('a command that prints nothing says so', async (t) => {
  const { shell } = await coreFloor(t);
  assert.equal((await shell('true')).text, '[no output]');
});

test('a command that a signal ends of its own has completed', async (t) => {
  const { shell } = await coreFloor(t);
  assert.deepEqual(await shell('echo before; kill -TERM $$'), {
    certainty: 'completed',
    text: 'before\n[ended by SIGTERM]',
    isError: false,
  });
});

test('a command runs in the workspace, or in the folder that is named', async (t) => {
  const { shell, workspace } = await coreFloor(t);
  mkdirSync(join(workspace, 'sub'));
  assert.equal((await shell('pwd')).text, workspace);
  assert.equal((await shell('pwd', { working_dir: 'sub' })).text, join(workspace, 'sub'));
  assert.equal((await shell('echo "$PWD"', { working_dir: 'sub' })).text, join(workspace, 'sub'));
});

test('a folder that is none, a program that is none and a command without words were never started', async (t) => {
  const { shell, workspace } = await coreFloor(t);
  writeFileSync(join(workspace, 'file'), '');
  writeFileSync(join(workspace, 'script'), 'echo\n', { mode: 0o755 });
  for (const [command, working_dir, code] of [
    ['true', 'nope', 'folder_not_found'],
    ['true', 'file', 'folder_not_found'],
    ['no-such-program', '.', 'command_not_found'],
    ['./file', '.', 'command_not_found'],
    ['./script', '.', 'command_not_started'],
    [' ', '.', 'command_empty'],
  ] as const) {
    const answer = await shell(command, { working_dir });
    assert.deepEqual([answer.certainty, answer.text.split(':')[0]], ['not_started', code], command);
  }
});

test('a command that the host refuses is refused before anything is started', async (t) => {
  const refuse = { code: 'grant_denied', message: 'The grants do not hold this command.' };
  const { shell, workspace } = await coreFloor(t, { refuse });
  assert.deepEqual(await shell('touch made'), {
    certainty: 'not_started',
    text: 'grant_denied: The grants do not hold this command.',
    isError: true,
  });
  assert.equal(existsSync(join(workspace, 'made')), false);
});

test('words run without a shell, as they were judged', async (t) => {
  const { shell, peer } = await coreFloor(t);
  assert.equal((await shell('printf %s-%s a b')).text, 'a-b');
  assert.deepEqual(peer.asked.slice(0, 3), [
    ['command', { session: 'session-1', agent: 'agent-1', tool: 'shell' }, 'printf %s-%s a b'],
    ['path', { session: 'session-1', agent: 'agent-1', tool: 'shell' }, 'read', '.'],
    ['grants', { session: 'session-1', agent: 'agent-1', tool: 'shell' }],
  ]);
});

test('a command sees the environment that the host gives, and no other variable', async (t) => {
  process.env['FAIRLEAD_TEST_SECRET'] = 'planted-in-the-host';
  t.after(() => {
    delete process.env['FAIRLEAD_TEST_SECRET'];
  });
  const { shell } = await coreFloor(t, { env: { GREETING: 'hello' } });
  const { text } = await shell('env');
  assert.match(text, /^GREETING=hello$/m);
  assert.doesNotMatch(text, /planted/);
});

test('a command cannot wait for input that nobody gives', async (t) => {
  const { shell } = await coreFloor(t);
  assert.equal((await shell('cat; echo end')).text, 'end');
});

test('much output is cut in its middle at 10,000 bytes, and how much is missing is said', async (t) => {
  const { shell } = await coreFloor(t);
  const { text } = await shell('seq 1 20000; echo the end');
  assert.match(text, /^1\n2\n3\n/);
  assert.match(text, /\n20000\nthe end$/);
  const [, missing] = /\n\[truncated: (\d+) bytes left out\]\n/.exec(text) ?? [];
  const marker = `\n[truncated: ${missing} bytes left out]\n`;
  assert.equal(Buffer.byteLength(text.replace(marker, '')) + Number(missing), 108_894 + 'the end'.length);
  assert.equal(Buffer.byteLength(text.replace(marker, '')), 9_999);
});

test('errors and the exit code are not crowded out by a flood on stdout', async (t) => {
  const { shell } = await coreFloor(t);
  const { text } = await shell('yes | head -c 1000000; echo what went wrong >&2; exit 7');
  assert.match(text, /\n\[stderr\] what went wrong\n\[exit code 7\]$/);
  assert.ok(Buffer.byteLength(text) < 10_200);
  const both = await shell('yes | head -c 100000; yes no | head -c 100000 >&2');
  assert.ok(Buffer.byteLength(both.text) < 10_200);
});

test('a cut never falls into a character, and what is no text stays within the bound', async (t) => {
  const { shell, workspace } = await coreFloor(t);
  writeFileSync(join(workspace, 'faces'), `x${'😀'.repeat(10_000)}`);
  const faces = await shell('cat faces');
  assert.match(faces.text, /^x(?:😀)+\n\[truncated: \d+ bytes left out\]\n(?:😀)+$/u);
  writeFileSync(join(workspace, 'bytes'), Buffer.alloc(50_000, 0xff));
  const bytes = await shell('cat bytes');
  assert.match(bytes.text, /^\ufffd+\n\[truncated: \d+ bytes left out\]\n\ufffd+$/u);
  assert.ok(Buffer.byteLength(bytes.text) < 10_100);
  writeFileSync(join(workspace, 'few'), Buffer.alloc(9000, 0xff));
  assert.ok(Buffer.byteLength((await shell('cat few')).text) < 10_100);
});

test('nothing that a command starts outlives it', async (t) => {
  const { shell, workspace } = await coreFloor(t);
  const { text } = await shell('sleep 600 & echo $! > pid; setsid sleep 601 & echo started');
  // What a busy machine is still ending is told of as well.
  assert.match(text, /^started(?:\n\[\d+ processes that it started could not be ended\])?$/);
  const pid = Number(readFileSync(join(workspace, 'pid'), 'utf8'));
  await waitFor(() => !pidIsAlive(pid), { what: 'the end of what it started' });
});

test('a command that is late is killed with its tree, its outcome is unknown, and what it had printed is shown', async (t) => {
  const { shell, workspace, running } = await coreFloor(t);
  const answer = shell('echo so far; echo and wrong >&2; sleep 600 & echo $! > pid; wait');
  const file = join(workspace, 'pid');
  await waitFor(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), { what: 'the command' });
  await running.advance(30_000);
  assert.deepEqual(await answer, {
    certainty: 'outcome_unknown',
    text: 'tool_timeout: The tool did not answer within its time.\nso far\n[stderr] and wrong',
    isError: true,
    detail: { partial: 'so far\n[stderr] and wrong' },
  });
  const pid = Number(readFileSync(file, 'utf8'));
  await waitFor(() => !pidIsAlive(pid), { what: 'the end of its tree' });
});

test('a cancelled command says the same, and one that was cancelled before it began has not started', async (t) => {
  const { shell, workspace } = await coreFloor(t);
  const cancel = new AbortController();
  const answer = shell('touch began; sleep 600', { signal: cancel.signal });
  await waitFor(() => existsSync(join(workspace, 'began')), { what: 'the command' });
  cancel.abort();
  const { certainty, text } = await answer;
  assert.equal(certainty, 'outcome_unknown');
  assert.match(text, /^call_cancelled: [^\n]*$/);
  const early = new AbortController();
  const never = shell('touch never', { signal: early.signal });
  early.abort();
  assert.equal((await never).certainty, 'not_started');
  assert.equal(existsSync(join(workspace, 'never')), false);
});

test('asking for too much memory of output does not: a flood is read and dropped', async (t) => {
  const { shell } = await coreFloor(t);
  const { text } = await shell('head -c 50000000 /dev/zero');
  assert.match(text, /\[truncated: 49990000 bytes left out\]/);
});
