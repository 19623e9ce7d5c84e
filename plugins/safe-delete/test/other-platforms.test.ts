import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backendsOf, diskOf, pathStyleOf } from '../src/machine.ts';
import { rememberRoot } from '../src/root.ts';
import type { Program, ProgramEnd } from '../src/run-program.ts';
import { safeDelete } from '../src/safe-delete.ts';
import { diskWith, scene } from './scene.ts';
import { windowsDisk } from './windows-disk.ts';

const now = (): Date => new Date();
const POWERSHELL = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
const TARGET = "C:\\work\\it's $(a) file.txt";

test('each platform has its back ends in their order', () => {
  const options = { env: {}, run: () => assert.fail('ran'), now };
  for (const [platform, style, names] of [
    ['linux', 'posix', ['freedesktop', 'gio', 'trash-put']],
    ['freebsd', 'posix', ['freedesktop', 'gio', 'trash-put']],
    ['darwin', 'posix', ['foundation']],
    ['win32', 'windows', ['powershell']],
  ] as const) {
    assert.equal(pathStyleOf(platform), style);
    assert.deepEqual(
      backendsOf(diskWith(), { ...options, platform }).map((backend) => backend.name),
      names,
    );
  }
});

test('on macOS Foundation gets the path as an argument and not as a part of the script', async (t) => {
  const here = scene(t);
  const name = 'a"; do shell script "x \' $(b).txt';
  const path = here.file(name);
  const programs: Program[] = [];
  const disk = diskWith({ isProgram: (program) => Promise.resolve(program === '/usr/bin/osascript') });
  const backends = backendsOf(disk, {
    platform: 'darwin',
    env: { HOME: '/Users/a', SECRET: 's', FAIRLEAD_PROVIDER: 'p' },
    now,
    run: (program) => {
      programs.push(program);
      rmSync(path);
      return Promise.resolve({ started: true, code: 0 });
    },
  });
  assert.deepEqual(await here.remove(name, { disk, backends }), {
    outcome: 'trashed',
    backend: 'foundation',
  });
  assert.deepEqual(programs, [
    {
      command: '/usr/bin/osascript',
      args: [
        '-l',
        'JavaScript',
        '-e',
        `ObjC.import('Foundation');
function run(argv) {
  const url = $.NSURL.fileURLWithPath(argv[0]);
  if (!$.NSFileManager.defaultManager.trashItemAtURLResultingItemURLError(url, null, null)) throw new Error('refused');
}`,
        `${here.rootPath}/${name}`,
      ],
      cwd: '/',
      env: { HOME: '/Users/a', FAIRLEAD_PROVIDER: 'p' },
    },
  ]);
});

test('on macOS a refusal of Foundation is a failure, and without osascript there is no trash', async (t) => {
  const here = scene(t);
  const path = here.file('a.txt');
  for (const [isThere, expected] of [
    [true, { outcome: 'error', code: 'trash_operation_failed', backend: 'foundation' }],
    [false, { outcome: 'error', code: 'trash_backend_unavailable', backend: null }],
  ] as const) {
    const disk = diskWith({ isProgram: () => Promise.resolve(isThere) });
    const run = (): Promise<ProgramEnd> => Promise.resolve({ started: true, code: 1 });
    const backends = backendsOf(disk, { platform: 'darwin', env: {}, now, run });
    assert.deepEqual(await here.remove('a.txt', { disk, backends }), expected);
  }
  assert.equal(existsSync(path), true);
});

/** Removes `path` on a Windows machine whose programs end with `end`. */
async function onWindows({
  files = [POWERSHELL, TARGET],
  path = "it's $(a) file.txt",
  end = { started: true, code: 0 },
  vanishes = true,
  env = { SYSTEMROOT: 'C:\\Windows' },
}: {
  files?: readonly string[];
  path?: string;
  end?: ProgramEnd;
  vanishes?: boolean;
  env?: Record<string, string>;
} = {}) {
  const disk = windowsDisk(files);
  const programs: Program[] = [];
  const backends = backendsOf(disk, {
    platform: 'win32',
    env,
    now,
    run: (program) => {
      programs.push(program);
      if (vanishes) disk.entries.delete(program.env['FAIRLEAD_TRASH_PATH'] ?? '');
      return Promise.resolve(end);
    },
  });
  const root = await rememberRoot(disk, 'C:\\work');
  return { deletion: await safeDelete(path, { root, style: 'windows', disk, backends }), programs };
}

test('on Windows PowerShell gets the path in a variable and not as a part of the script', async () => {
  const { deletion, programs } = await onWindows({
    env: {
      SYSTEMROOT: 'C:\\Windows',
      TEMP: 'C:\\t',
      PATH: 'C:\\p',
      PSModulePath: 'C:\\m',
      SECRET: 's',
      FAIRLEAD_PROVIDER: 'p',
    },
  });
  assert.deepEqual(deletion, { outcome: 'trashed', backend: 'powershell' });
  assert.equal(programs.length, 1);
  const [program] = programs;
  assert.equal(program?.command, POWERSHELL);
  assert.equal(program?.cwd, 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0');
  assert.deepEqual(program?.env, {
    FAIRLEAD_PROVIDER: 'p',
    PATH: 'C:\\p',
    SYSTEMROOT: 'C:\\Windows',
    TEMP: 'C:\\t',
    FAIRLEAD_TRASH_PATH: "C:\\work\\it's $(a) file.txt",
  });
  assert.deepEqual(program?.args.slice(0, 5), [
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-Sta',
    '-Command',
  ]);
  const script = program?.args[5] ?? '';
  assert.equal(program?.args.length, 6);
  assert.equal(script.includes('file.txt'), false);
  assert.match(script, /\nexit \[FairleadTrash\.Bin\]::Recycle\(\$env:FAIRLEAD_TRASH_PATH\)\n$/);
  assert.ok(script.length < 16_000, 'a command line of Windows has 32,767 characters');
});

test('the script never asks for a deletion that is no recycling', async () => {
  const { programs } = await onWindows();
  const script = programs[0]?.args[5] ?? '';
  assert.match(
    script,
    /if \(\(flags & 0x80\) != 0\) return 0;\n\s+Declined = true;\n\s+return unchecked\(\(int\)0x80004004\);/,
  );
  assert.match(
    script,
    /SetOperationFlags\(0x4 \| 0x10 \| 0x400 \| 0x2000 \| 0x4000 \| 0x80000 \| 0x100000 \| 0x20000000\)/,
  );
  assert.doesNotMatch(script, /Remove-Item|SendToRecycleBin|SHFileOperation/);
});

test('what PowerShell ends with decides together with what is there', async () => {
  const error = (code: string) => ({ outcome: 'error', code, backend: 'powershell' });
  for (const [end, vanishes, expected] of [
    [{ started: true, code: 0 }, false, error('trash_postcondition_unknown')],
    [{ started: true, code: 1 }, false, error('trash_operation_failed')],
    [{ started: true, code: 1 }, true, error('trash_operation_unknown')],
    [{ started: true, code: 3 }, false, error('trash_backend_unavailable')],
    [{ started: true, code: 3 }, true, error('trash_operation_unknown')],
    [{ started: true, code: 4 }, true, error('trash_operation_unknown')],
    [{ started: false }, false, error('trash_operation_failed')],
  ] as const) {
    assert.deepEqual(
      (await onWindows({ end, vanishes })).deletion,
      expected,
      JSON.stringify({ end, vanishes }),
    );
  }
});

test('pwsh is taken only where there is no powershell, and neither from a folder that is not absolute', async () => {
  for (const [programs, env, command] of [
    [[POWERSHELL, 'C:\\p\\pwsh.exe'], { SystemRoot: 'C:\\Windows', Path: 'C:\\p' }, POWERSHELL],
    [['C:\\q\\powershell.exe', 'C:\\p\\pwsh.exe'], { PATH: 'C:\\p;C:\\q' }, 'C:\\q\\powershell.exe'],
    [['C:\\p\\pwsh.exe'], { SYSTEMROOT: 'C:\\Windows', PATH: 'x;C:\\p' }, 'C:\\p\\pwsh.exe'],
    [['C:\\work\\pwsh.exe'], { SYSTEMROOT: 'C:\\Windows', PATH: '.;;x' }, undefined],
  ] as const) {
    const run = await onWindows({ files: [...programs, TARGET], env });
    assert.equal(run.programs[0]?.command, command);
    if (command === undefined) {
      assert.deepEqual(run.deletion, { outcome: 'error', code: 'trash_backend_unavailable', backend: null });
    }
  }
});

test('on Windows a path is walked with its own separator, from a drive as root as well', async () => {
  const files = [POWERSHELL, 'C:\\work\\a\\b.txt'];
  const { programs } = await onWindows({ files, path: 'a/b.txt' });
  assert.equal(programs[0]?.env['FAIRLEAD_TRASH_PATH'], 'C:\\work\\a\\b.txt');
  const disk = windowsDisk(files);
  disk.entries.set('C:\\', { kind: 'folder', device: 7n, inode: 99n });
  const root = await rememberRoot(disk, 'C:\\');
  assert.deepEqual(await safeDelete('work\\a\\c', { root, style: 'windows', disk, backends: [] }), {
    outcome: 'already_absent',
  });
});

test('folders are pinned on Linux and held by name elsewhere', async (t) => {
  const { rootPath } = scene(t);
  for (const [platform, pattern] of [
    ['linux', /^\/proc\/self\/fd\/\d+\/a$/],
    ['darwin', new RegExp(`^${rootPath}/a$`)],
    ['win32', new RegExp(`^${rootPath}\\\\a$`)],
  ] as const) {
    const disk = await diskOf(platform);
    const folder = await disk.openFolder(rootPath);
    assert.match(folder.at('a'), pattern);
    assert.equal(await folder.currentPath(), rootPath);
    await folder.close();
    await assert.rejects(disk.openFolder(join(rootPath, 'absent')));
  }
});
