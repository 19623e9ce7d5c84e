import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { leftBehind } from './census.ts';

/** A shell that starts so many children named `plugin-of-a-test`, with the mark in its environment and not in theirs. */
async function parentOf(count: number, folder: string): Promise<ChildProcess> {
  const script = `for each in $(seq ${count}); do env -i PATH=/usr/bin:/bin sh -c 'echo up; read wait' plugin-of-a-test & done; cat`;
  const parent = spawn('sh', ['-c', `exec 3<&0; ${script.replace('read wait', 'read wait <&3')}`], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let said = '';
  parent.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await waitFor(() => said.split('up').length > count, { what: 'every child' });
  return parent;
}

test('a second plugin under one live Runner is left behind, also without the mark', async (t) => {
  hygiene(t);
  const mark = join(temporaryFolder(t), 'mark');
  const parent = await parentOf(2, mark);
  t.after(async () => {
    parent.stdin?.end();
    if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  });
  const pid = parent.pid ?? 0;
  const look = (roots: readonly { pid: number; watchdogs: number; plugins: number }[]) =>
    leftBehind({ mark, roots, watchdog: 'watchdog-of-a-test', plugin: 'plugin-of-a-test' })
      .map(({ text }) => text)
      // `cat` is the parent itself or its child, as the shell likes.
      .filter((line) => !line.startsWith('cat '));
  assert.deepEqual(look([{ pid, watchdogs: 0, plugins: 2 }]), []);
  assert.equal(look([{ pid, watchdogs: 0, plugins: 1 }]).length, 1);
  assert.match(look([{ pid, watchdogs: 2, plugins: 0 }])[0] ?? '', /plugin-of-a-test/);
  assert.match(look([]).join('\n'), new RegExp(`\\(${pid}, child of`));
});

test('what may live and stands still is named', async (t) => {
  hygiene(t);
  const mark = join(temporaryFolder(t), 'mark');
  const stopped = spawn('sleep', ['60'], { env: { PATH: `${mark}:/usr/bin:/bin` }, stdio: 'ignore' });
  const pid = stopped.pid ?? 0;
  t.after(async () => {
    stopped.kill('SIGKILL');
    await once(stopped, 'exit');
  });
  stopped.kill('SIGSTOP');
  const look = () =>
    leftBehind({ mark, roots: [{ pid, watchdogs: 0, plugins: 0 }], watchdog: '\0', plugin: '\0' });
  await waitFor(() => look().length === 1, { what: 'the stop' });
  assert.match(look()[0]?.text ?? '', /^stopped: sleep 60/);
});
