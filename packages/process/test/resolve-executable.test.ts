import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, spawnAsNobody, temporaryFolder } from '@fairlead/testing';
import { type FileView, resolveExecutable } from '../src/index.ts';

/** A file system of these files; a Unix one may be executed unless it is listed in `plain`. */
function view(
  files: readonly string[],
  plain: readonly string[] = [],
  images: readonly string[] = [],
): FileView {
  return {
    isFile: async (path) => files.includes(path) || plain.includes(path),
    mayExecute: async (path) => files.includes(path),
    head: async (path) => Buffer.from(images.includes(path) ? 'MZ\u0090\u0000' : '#!/bin/sh\n'),
  };
}

const unavailable = { ok: false, code: 'plugin_executable_unavailable' };
const unsupported = { ok: false, code: 'plugin_executable_unsupported' };
const found = (path: string) => ({ ok: true, path });

for (const platform of ['linux', 'darwin'] as const) {
  const table: readonly (readonly [string, string, unknown, Record<string, string>?])[] = [
    ['a bare name is the first one in PATH that may be executed', 'tool', found('/opt/tool')],
    ['an absolute path is itself', '/opt/tool', found('/opt/tool')],
    ['a relative path is joined to the cwd', 'bin/tool', found('/home/p/bin/tool')],
    ['a path with a dot is joined to the cwd', './tool', found('/home/p/tool')],
    ['a path upwards is joined to the cwd', '../tool', found('/home/tool')],
    ['a file that may not be executed is none', '/first/tool', unavailable],
    ['a name that nobody has is none', 'other', unavailable],
    ['a bare name is not looked up in the cwd', 'local', unavailable],
    ['a folder’s name is none', '..', unavailable],
    ['no PATH, no bare name', 'tool', unavailable, {}],
    ['an empty PATH entry is the cwd', 'local', found('/home/p/local'), { PATH: '/first::/opt' }],
    ['a relative PATH entry is below the cwd', 'tool', found('/home/p/bin/tool'), { PATH: 'bin' }],
    ['PATH has one spelling', 'tool', unavailable, { Path: '/opt' }],
  ];
  const fs = view(
    [
      '/opt/tool',
      '/late/tool',
      '/home/p/bin/tool',
      '/home/p/tool',
      '/home/tool',
      '/home/p/local',
      '/home',
      '/',
    ],
    ['/first/tool'],
  );
  for (const [name, command, answer, env = { PATH: '/first:/opt:/late' }] of table) {
    test(`${platform}: ${name}`, async () => {
      assert.deepEqual(await resolveExecutable({ command, cwd: '/home/p', env, platform, fs }), answer);
    });
  }
}

const windowsFiles = [
  'C:\\npm\\node',
  'C:\\npm\\node.cmd',
  'C:\\bin\\node.exe',
  'C:\\bin\\git.com',
  'C:\\bin\\git.exe',
  'C:\\bin\\tool.BAT',
  'C:\\bin\\plain',
  'C:\\bin\\image',
  'C:\\bin\\script.js',
  'C:\\p\\local.exe',
  'C:\\p\\sub\\local.exe',
  'C:\\bin\\tool.v2.exe',
  'D:\\quoted dir\\quoted.exe',
];
const windowsTable: readonly (readonly [string, string, unknown, Record<string, string>?])[] = [
  ['a bare name follows PATHEXT', 'node', found('C:\\bin\\node.exe')],
  [
    'the endings are tried in the order of PATHEXT',
    'git',
    found('C:\\bin\\git.exe'),
    { PATH: 'C:\\bin', PATHEXT: '.EXE;.COM' },
  ],
  ['without PATHEXT .com comes first', 'git', found('C:\\bin\\git.com'), { PATH: 'C:\\bin' }],
  ['other endings of PATHEXT do not count', 'script', unavailable, { PATH: 'C:\\bin', PATHEXT: '.JS;.EXE' }],
  [
    'the first folder with a hit decides, and a batch file is refused',
    'node',
    unsupported,
    { PATH: 'C:\\npm;C:\\bin' },
  ],
  ['an ending given is matched exactly', 'node.exe', found('C:\\bin\\node.exe'), { PATH: 'C:\\npm;C:\\bin' }],
  ['a batch file asked for by its ending is refused', 'node.cmd', unsupported, { PATH: 'C:\\npm' }],
  ['an ending has no case', 'tool.BAT', unsupported],
  ['another ending is part of the name', 'tool.v2', found('C:\\bin\\tool.v2.exe')],
  ['a file without ending counts when it is an image', 'image', found('C:\\bin\\image')],
  ['a file without ending that is no image does not', 'plain', unavailable],
  ['a relative path is joined to the cwd', 'sub\\local', found('C:\\p\\sub\\local.exe')],
  ['both slashes make a path', './local', found('C:\\p\\local.exe')],
  ['an absolute path is itself', 'C:\\bin\\node', found('C:\\bin\\node.exe')],
  ['a bare name is not looked up in the cwd', 'local', unavailable],
  ['the variables have no case', 'node', found('C:\\bin\\node.exe'), { Path: 'C:\\bin', PathExt: '.exe' }],
  [
    'a quoted folder of PATH counts',
    'quoted',
    found('D:\\quoted dir\\quoted.exe'),
    { PATH: '"D:\\quoted dir"; ;C:\\bin' },
  ],
  ['no PATH, no bare name', 'node', unavailable, {}],
  ['an empty command is none', '', unavailable],
];
for (const [
  name,
  command,
  answer,
  env = { PATH: 'C:\\bin', PATHEXT: '.COM;.EXE;.BAT;.CMD' },
] of windowsTable) {
  test(`win32: ${name}`, async () => {
    const fs = view(windowsFiles, [], ['C:\\bin\\image']);
    assert.deepEqual(await resolveExecutable({ command, cwd: 'C:\\p', env, platform: 'win32', fs }), answer);
  });
}

test('on Windows a batch file is refused wherever it is found, and none of its text is read', async () => {
  const read: string[] = [];
  const files = view(windowsFiles);
  const fs: FileView = {
    ...files,
    head: (path) => {
      read.push(path);
      return files.head(path);
    },
  };
  for (const [command, PATH] of [
    ['node', 'C:\\npm;C:\\bin'],
    ['node.cmd', 'C:\\npm'],
    ['C:\\npm\\node.cmd', ''],
    ['C:\\bin\\tool.BAT', ''],
  ] as const) {
    const env = { PATH, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
    const answer = await resolveExecutable({ command, cwd: 'C:\\p', env, platform: 'win32', fs });
    assert.deepEqual(answer, unsupported, command);
  }
  assert.deepEqual(
    read.filter((path) => /\.(cmd|bat)$/i.test(path)),
    [],
  );
});

test('on the machine itself: links are followed, folders and files without permission are passed over', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(folder, name));
  mkdirSync(join(folder, 'a', 'tool'));
  writeFileSync(join(folder, 'b', 'tool'), '#!/bin/sh\n', { mode: 0o644 });
  writeFileSync(join(folder, 'real'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('../real', join(folder, 'c', 'tool'));
  symlinkSync('nowhere', join(folder, 'd', 'tool'));
  const env = { PATH: ['d', 'a', 'b', 'c'].map((name) => join(folder, name)).join(':') };
  const { platform } = process;
  const request = { command: 'tool', cwd: folder, env, platform };
  assert.deepEqual(await resolveExecutable(request), found(join(folder, 'c', 'tool')));
  assert.deepEqual(await resolveExecutable({ ...request, command: 'a/tool' }), unavailable);
});

test('the head of a file tells a Windows image on this machine too', async (t) => {
  hygiene(t);
  const { machineFiles } = await import('../src/executable/file-view.ts');
  const path = join(temporaryFolder(t), 'image');
  writeFileSync(path, `MZ${'\0'.repeat(1000)}`);
  assert.equal((await machineFiles().head(path))?.length, 128);
  assert.equal(await machineFiles().head(join(path, 'below')), null);
});

test('permission to execute is that of the user who asks', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t, { mode: 0o755 });
  writeFileSync(join(folder, 'mine'), '#!/bin/sh\n');
  chmodSync(join(folder, 'mine'), 0o700);
  const source = `
    import { resolveExecutable } from ${JSON.stringify(join(import.meta.dirname, '../src/executable/resolve-executable.ts'))};
    const answer = await resolveExecutable({ command: './mine', cwd: ${JSON.stringify(folder)}, env: {}, platform: process.platform });
    process.stdout.write(JSON.stringify(answer));`;
  const child = spawnAsNobody(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout ?? []) printed += chunk;
  if (process.getuid?.() === 0) assert.deepEqual(JSON.parse(printed), unavailable);
});
