import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { safeDeleteErrors } from '../src/errors.ts';
import { call, resultLine, runPlugin } from './plugin-process.ts';
import { scene } from './scene.ts';

test('safe-delete speaks the protocol, defines one destructive tool and ends with its input', (t) => {
  const { rootPath } = scene(t);
  assert.deepEqual(
    runPlugin(rootPath, [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
    ]),
    {
      status: 0,
      stdout:
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"safe_delete","title":"Move to trash",' +
        '"description":"Moves one file or folder inside the folder that this plugin runs in to the trash of this machine, from where a person can take it back. Never deletes for good, never follows a symbolic link. A path that names nothing is a success.",' +
        '"inputSchema":{"type":"object","properties":{' +
        '"path":{"type":"string","description":"Relative to the folder that this plugin runs in, without \\"..\\".","minLength":1,"maxLength":4096}},' +
        '"required":["path"],"additionalProperties":false},' +
        '"outputSchema":{"type":"object","properties":{' +
        '"outcome":{"type":"string","description":"unknown: it may be in the trash or not; look before trying again.","enum":["trashed","already_absent","rejected","failed","unknown"]},' +
        '"path":{"type":"string","description":"As it was given.","maxLength":4096},' +
        '"backend":{"type":"string","description":"What moved it, or tried to; none when nothing was tried.","enum":["none","freedesktop","gio","trash-put","foundation","powershell"]},' +
        '"errorCode":{"type":"string","description":"Empty when trashed or already_absent.","maxLength":128}},' +
        '"required":["outcome","path","backend","errorCode"],"additionalProperties":false},' +
        '"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}]}}\n',
      stderr: '',
    },
  );
});

test('a file is moved to the trash of the user, and the second time nothing is there', (t) => {
  const { rootPath, data, file, trashed } = scene(t);
  file('a b/ü.txt', 'precious');
  assert.deepEqual(runPlugin(rootPath, [call('a b/ü.txt'), call('a b/ü.txt')], { XDG_DATA_HOME: data }), {
    status: 0,
    stdout:
      resultLine('Moved to the trash.', { outcome: 'trashed', path: 'a b/ü.txt', backend: 'freedesktop' }) +
      resultLine('Nothing has that name; nothing was done.', {
        outcome: 'already_absent',
        path: 'a b/ü.txt',
      }),
    stderr: '',
  });
  assert.equal(existsSync(join(rootPath, 'a b/ü.txt')), false);
  assert.equal(readFileSync(join(data, 'Trash/files/ü.txt'), 'utf8'), 'precious');
  const info = readFileSync(join(data, 'Trash/info/ü.txt.trashinfo'), 'utf8');
  assert.match(info, /\nPath=\/.*\/root\/a%20b\/%C3%BC\.txt\nDeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n$/);
  assert.deepEqual(trashed('files'), ['ü.txt']);
});

test('without a data folder of its own, the trash is below the home', (t) => {
  const { rootPath, data, file } = scene(t);
  file('a.txt');
  mkdirSync(data);
  runPlugin(rootPath, [call('a.txt')], { HOME: data, XDG_DATA_HOME: '' });
  assert.deepEqual(readdirSync(join(data, '.local/share/Trash/files')), ['a.txt']);
});

test('a refusal, a failure and a doubt are errors with their code, and no word of a back end is passed on', (t) => {
  const { rootPath, data, bin, file, program } = scene(t);
  file('a.txt');
  file('data-is-a-file');
  program('gio', 'echo secret; echo secret >&2; exit 1');
  const env = { XDG_DATA_HOME: join(rootPath, 'data-is-a-file'), PATH: bin };
  assert.deepEqual(runPlugin(rootPath, [call('../a.txt'), call('a.txt')], env), {
    status: 0,
    stdout:
      resultLine(
        'The path has a ".." in it. Give it without, relative to the folder that this plugin runs in.',
        {
          outcome: 'rejected',
          path: '../a.txt',
          errorCode: 'parent_traversal_forbidden',
        },
      ) +
      resultLine(
        'The move to the trash failed; what the path names is where it was. Check the permissions of its folder and the space on its disk.',
        { outcome: 'failed', path: 'a.txt', backend: 'gio', errorCode: 'trash_operation_failed' },
      ),
    stderr: '',
  });
  program('gio', '/bin/mv "$3" "$3.moved"; exit 1');
  assert.equal(
    runPlugin(rootPath, [call('a.txt')], env).stdout,
    resultLine(
      'The move to the trash failed, and yet what the path named is not where it was. Look at the path, and in the trash, before trying again.',
      { outcome: 'unknown', path: 'a.txt', backend: 'gio', errorCode: 'trash_operation_unknown' },
    ),
  );
  assert.equal(existsSync(data), false);
});

test('arguments that no Runner would let through are refused and not echoed', (t) => {
  const { rootPath } = scene(t);
  const invalid = resultLine(
    'This is no path that a file here could have. Give a relative path of 1 to 4,096 characters.',
    { outcome: 'rejected', path: '', errorCode: 'invalid_path' },
  );
  const odd = call('').replace('"path":""', '"path":7');
  const none = call('').replace('"path":""', '');
  const lone = call('').replace('"path":""', '"path":"\\ud800"');
  const { status, stdout } = runPlugin(rootPath, [odd, none, lone, call('a'.repeat(4_097))]);
  assert.deepEqual({ status, stdout }, { status: 0, stdout: invalid.repeat(4) });
});

test('an unknown tool is refused by the protocol', (t) => {
  const { rootPath } = scene(t);
  const { status, stdout } = runPlugin(rootPath, [call('a').replace('safe_delete', 'delete')]);
  assert.equal(status, 0);
  assert.match(stdout, /^\{"jsonrpc":"2\.0","id":1,"error":\{"code":-32602,/);
});

test('each code belongs to one outcome', () => {
  const codes = Object.entries(safeDeleteErrors).map(([code, { outcome }]) => [code, outcome]);
  assert.deepEqual(Object.fromEntries(codes), {
    invalid_path: 'rejected',
    absolute_path_forbidden: 'rejected',
    parent_traversal_forbidden: 'rejected',
    root_unavailable: 'rejected',
    root_delete_forbidden: 'rejected',
    path_outside_root: 'rejected',
    path_inspection_failed: 'rejected',
    symlink_unsupported: 'rejected',
    unsupported_file_type: 'rejected',
    trash_backend_unavailable: 'failed',
    trash_operation_failed: 'failed',
    trash_operation_timeout: 'unknown',
    trash_operation_unknown: 'unknown',
    trash_postcondition_unknown: 'unknown',
  });
});
