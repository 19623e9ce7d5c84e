import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, manualClock, pidIsAlive, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { type SpawnTreeOptions, spawnTree } from '../src/index.ts';
import { procReader } from '../src/process-table/process-reader.ts';
import { namespaceFault } from '../src/tree/bubblewrap.ts';
import {
  firstLine,
  gone,
  patientOwner,
  shellOptions,
  shellTree,
  testWatchdog,
  wholeText,
} from './test-trees.ts';

/** The documented exception of ordinary trees: no environment, a session of its own, and every ancestor gone at once. */
const SLEEP = `/bin/sleep 61.${process.pid}`;
const ESCAPE = `env -i setsid /bin/sh -c '/bin/sh -c "exec ${SLEEP}" & exit' & echo away; read -r word`;

/** The escaped process, seen from outside by what it runs. */
async function escaped(): Promise<number | undefined> {
  const commandLine = `${SLEEP.replace(' ', '\0')}\0`;
  const { rows } = await procReader().read();
  return [...rows.keys()].find((pid) => commandLineOf(pid) === commandLine);
}

test('with isolation = "pid" nothing escapes', {
  skip: requires('bubblewrap') || requires('setsid'),
}, async (t) => {
  hygiene(t);
  const tree = await shellTree(t, ESCAPE, { isolation: 'pid' });
  await firstLine(tree.stdout);
  const pid = await waitFor(escaped, { what: 'the escaped process' });
  t.after(() => {
    if (pidIsAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  assert.deepEqual(await tree.end(), { survivors: 0 });
  await gone(pid);
});

test('without isolation that process is the documented exception', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const tree = await shellTree(t, ESCAPE);
  await firstLine(tree.stdout);
  const pid = await waitFor(escaped, { what: 'the escaped process' });
  const session = procReader().row(pid)?.session ?? 0;
  await waitFor(() => !pidIsAlive(session), { what: 'its ancestors to be gone' });
  assert.deepEqual(await tree.end(), { survivors: 0 });
  assert.equal(pidIsAlive(pid), true);
  process.kill(pid, 'SIGKILL');
  await gone(pid);
});

test('the end of an isolated program ends everybody with it', {
  skip: requires('bubblewrap') || requires('setsid'),
}, async (t) => {
  hygiene(t);
  const tree = await shellTree(t, ESCAPE, { isolation: 'pid' });
  await firstLine(tree.stdout);
  const pid = await waitFor(escaped, { what: 'the escaped process' });
  t.after(() => {
    if (pidIsAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  tree.stdin.write('go\n');
  assert.deepEqual(await tree.exited, { code: 0, signal: null });
  await gone(pid);
});

test('an isolated program sees its cwd, environment, arguments and exit as any other', {
  skip: requires('bubblewrap'),
}, async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'file'), 'content\n');
  const script = 'pwd; cat file; echo "$A $#" "$1"; echo to stderr >/dev/stderr; exit 5';
  const tree = await shellTree(t, '', {
    watchdog: patientOwner(t),
    isolation: 'pid',
    cwd,
    args: ['-c', script, 'sh', '--two words'],
    env: { PATH: process.env['PATH'] ?? '', A: 'value' },
  });
  const [out, err] = await Promise.all([wholeText(tree.stdout), wholeText(tree.stderr)]);
  assert.equal(out, `${cwd}\ncontent\nvalue 1 --two words\n`);
  assert.equal(err, 'to stderr\n');
  assert.deepEqual(await tree.exited, { code: 5, signal: null });
});

test('an isolated tree has a process numbering of its own', { skip: requires('bubblewrap') }, async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'echo $$; ls /proc | grep -c "^[0-9]"; sleep 60', { isolation: 'pid' });
  assert.equal(Number(await firstLine(tree.stdout)) < 10, true);
  assert.equal(procReader().row(tree.pid)?.session, tree.pid);
});

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const unavailable = async (t: { after(hook: () => unknown): void }, over: Partial<SpawnTreeOptions>) => {
  const answer = await spawnTree(shellOptions(testWatchdog(t), 'exit', { isolation: 'pid', ...over }));
  assert.equal(answer.ok, false);
  if (answer.ok) return '';
  assert.equal(answer.code, 'plugin_isolation_unavailable');
  return answer.localDetail;
};

test('plugin_isolation_unavailable: never silently less', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const refusing = join(folder, 'bwrap');
  writeFileSync(refusing, '#!/bin/sh\necho "no permission" >&2\nexit 1\n', { mode: 0o755 });
  const broken = join(folder, 'broken');
  writeFileSync(broken, '#!/nonexistent/interpreter\n', { mode: 0o755 });
  assert.equal(await unavailable(t, { bubblewrap: 'no-such-bwrap' }), 'bubblewrap (bwrap) is not installed');
  assert.equal(
    await unavailable(t, { bubblewrap: refusing }),
    'bubblewrap is not permitted here: no permission',
  );
  assert.match(await unavailable(t, { bubblewrap: broken }), /^bubblewrap could not be started: /);
  assert.equal(await unavailable(t, { platform: 'darwin' }), 'there are no process namespaces on darwin');
  assert.equal(await unavailable(t, { platform: 'win32' }), 'there are no process namespaces on win32');
});

test('a bubblewrap that never ends is killed after 5 s, and says so', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const stuck = ((_: string, _args: string[], options: object) =>
    spawn('sleep', ['61'], options)) as typeof spawn;
  const fault = namespaceFault('bwrap', stuck, clock);
  await clock.advance(5000);
  assert.equal(await fault, 'bubblewrap made no namespace within 5 s');
});

test('a bubblewrap that cannot be started, or is refused, is told with its reason', async (t) => {
  hygiene(t);
  assert.equal(
    await namespaceFault('/nonexistent/bwrap', spawn),
    'bubblewrap could not be started: spawn /nonexistent/bwrap ENOENT',
  );
  const refusing = ((_: string, _args: string[], options: object) =>
    spawn('/bin/sh', ['-c', 'echo no >&2; exit 1'], options)) as typeof spawn;
  assert.equal(await namespaceFault('bwrap', refusing), 'bubblewrap is not permitted here: no');
});
