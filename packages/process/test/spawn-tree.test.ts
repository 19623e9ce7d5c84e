import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type SpawnTreeOptions, spawnTree } from '../src/index.ts';
import { firstLine, patientOwner, shellOptions, shellTree, testWatchdog, wholeText } from './test-trees.ts';

test('a program gets exactly the environment given and the mark of its tree', async (t) => {
  hygiene(t);
  const owner = testWatchdog(t);
  const options = { owner, path: '/usr/bin/env', args: ['-0'], env: { ONE: 'a\nb', TWO: '' } };
  const tree = await shellTree(t, '', options);
  const entries = (await wholeText(tree.stdout)).split('\0').filter((entry) => entry !== '');
  assert.equal(entries.length, 3);
  assert.deepEqual(entries.slice(0, 2), ['ONE=a\nb', 'TWO=']);
  assert.match(entries[2] ?? '', new RegExp(`^FAIRLEAD_PROVIDER=${owner.token}\\.[A-Za-z0-9_-]{22}$`));
});

test('stderr can be opened by its name, as scripts do, and its own name is gone', async (t) => {
  hygiene(t);
  const tree = await shellTree(
    t,
    'echo by name >/dev/stderr; echo by number >&2; [ -p /dev/stderr ] && echo a pipe >&2',
    { watchdog: patientOwner(t) },
  );
  assert.equal(await wholeText(tree.stderr), 'by name\nby number\na pipe\n');
  assert.deepEqual(readdirSync(tmpdir()), []);
});

test('the writing end of stderr blocks: a flood is slowed down, not lost', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'dd if=/dev/zero bs=1000 count=1000 >&2 2>/dev/null');
  let bytes = 0;
  for await (const chunk of tree.stderr) bytes += chunk.length;
  assert.equal(bytes, 1_000_000);
});

test('descriptor 3 is a pipe of its own where it is asked for, and is closed with the tree', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'echo aside >&3; echo said', { statusPipe: true });
  assert.ok(tree.status);
  const [aside, said] = await Promise.all([wholeText(tree.status), wholeText(tree.stdout)]);
  assert.deepEqual([aside, said], ['aside\n', 'said\n']);
  await tree.end();
  assert.equal(tree.status.closed, true);
  const other = await shellTree(t, '(echo >&3) 2>/dev/null || echo there is none');
  assert.equal(other.status, undefined);
  assert.equal(await wholeText(other.stdout), 'there is none\n');
});

test('without mkfifo stderr is an ordinary stream', async (t) => {
  hygiene(t);
  const { env } = process;
  const path = env['PATH'];
  const owner = testWatchdog(t);
  env['PATH'] = '/nonexistent';
  t.after(() => {
    env['PATH'] = path;
  });
  const tree = await shellTree(t, 'echo said >&2', { owner });
  assert.equal(await wholeText(tree.stderr), 'said\n');
});

test('the program is told the name given', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'echo $0', { arg0: 'another', args: ['-c', 'cat /proc/$$/cmdline'] });
  assert.match(await wholeText(tree.stdout), /^another\0-c\0/);
});

type Refusal = {
  readonly name: string;
  readonly over: (folder: string) => Partial<SpawnTreeOptions>;
  readonly detail: RegExp;
};

const refusals: Refusal[] = [
  {
    name: 'a missing file',
    over: () => ({ path: '/nonexistent/program' }),
    detail: /^ENOENT: \/nonexistent\/program /,
  },
  {
    name: 'a missing cwd',
    over: () => ({ cwd: '/nonexistent/folder' }),
    detail: /^ENOENT: the cwd \/nonexistent\/folder is not a folder/,
  },
  {
    name: 'a cwd that is a file',
    over: () => ({ cwd: '/etc/passwd' }),
    detail: /the cwd \/etc\/passwd is not a folder/,
  },
  {
    name: 'a file without permission to execute',
    over: (folder) => ({ path: file(folder, '#!/bin/sh\n', 0o644) }),
    detail: /^EACCES: /,
  },
  {
    name: 'a script whose interpreter is missing',
    over: (folder) => ({ path: file(folder, '#!/nonexistent/interpreter\n', 0o755) }),
    detail: /^ENOENT: .*interpreter/,
  },
  {
    name: 'a script without an interpreter, which the C library would give to a shell',
    over: (folder) => ({ path: file(folder, 'echo I am run by a shell\n', 0o755) }),
    detail: /names no interpreter/,
  },
  {
    name: 'an empty file',
    over: (folder) => ({ path: file(folder, '', 0o755) }),
    detail: /names no interpreter/,
  },
  {
    name: 'arguments that are too long for the system',
    over: () => ({ args: Array.from({ length: 64 }, () => 'x'.repeat(131_072)) }),
    detail: /^E2BIG: /,
  },
  {
    name: 'an argument that no program can get',
    over: () => ({ args: ['a\0b'] }),
    detail: /^ERR_INVALID_ARG_VALUE: /,
  },
  { name: 'a folder', over: (folder) => ({ path: folder }), detail: /^EACCES: / },
  {
    name: 'a link that leads to itself',
    over: (folder) => {
      symlinkSync('loop', join(folder, 'loop'));
      return { path: join(folder, 'loop') };
    },
    detail: /^ELOOP: /,
  },
];

for (const { name, over, detail } of refusals) {
  test(`plugin_spawn_failed: ${name}`, async (t) => {
    hygiene(t);
    const owner = testWatchdog(t);
    const answer = await spawnTree(shellOptions(owner, ':', over(temporaryFolder(t))));
    assert.equal(answer.ok, false);
    if (answer.ok) return;
    assert.equal(answer.code, 'plugin_spawn_failed');
    assert.match(answer.localDetail, detail);
  });
}

test('plugin_spawn_failed: a program that is being written', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'busy');
  copyFileSync('/bin/sleep', path);
  chmodSync(path, 0o755);
  const fd = openSync(path, 'r+');
  t.after(() => closeSync(fd));
  const answer = await spawnTree(shellOptions(testWatchdog(t), '', { path, args: ['60'] }));
  assert.deepEqual(answer, { ok: false, code: 'plugin_spawn_failed', localDetail: `ETXTBSY: ${path}` });
});

test('plugin_stdio_unavailable: no descriptor is left for the pipes', async (t) => {
  hygiene(t);
  const owner = testWatchdog(t);
  const full = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
  const spawn = (): never => {
    throw full;
  };
  const options = shellOptions(owner, ':', { spawn: spawn as SpawnTreeOptions['spawn'] & object });
  assert.deepEqual(await spawnTree(options), {
    ok: false,
    code: 'plugin_stdio_unavailable',
    localDetail: 'EMFILE: too many open files',
  });
});

test('a program that has ended at once is still a tree', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'echo short', {});
  assert.equal(await firstLine(tree.stdout), 'short');
  assert.deepEqual(await tree.exited, { code: 0, signal: null });
  assert.deepEqual(await tree.end(), { survivors: 0 });
});

function file(folder: string, content: string, mode: number): string {
  const path = join(folder, 'file');
  writeFileSync(path, content, { mode });
  return path;
}
