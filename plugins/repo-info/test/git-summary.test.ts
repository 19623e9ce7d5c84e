import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, requires, temporaryFolder } from '@fairlead/testing';
import { CALL, FIRST_COMMIT, fakeGit, git, repository, resultLine, runPlugin } from './repository.ts';

const skip = requires('git');
const SHORT = FIRST_COMMIT.slice(0, 12);

test('repo-info speaks the protocol, defines one tool and ends with its input', (t) => {
  hygiene(t);
  assert.deepEqual(
    runPlugin(temporaryFolder(t), [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
    ]),
    {
      status: 0,
      stdout:
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"git_summary","title":"Git summary",' +
        '"description":"Branch, head commit and changed paths of the Git repository that this plugin runs in. Only looks: writes nothing, fetches nothing, takes no path.",' +
        '"inputSchema":{"type":"object","properties":{},"required":[],"additionalProperties":false},' +
        '"outputSchema":{"type":"object","properties":{' +
        '"branch":{"type":"string","description":"Empty when the head is detached.","maxLength":512},' +
        '"head":{"type":"string","description":"The commit; empty before the first one.","maxLength":64},' +
        '"detached":{"type":"boolean"},' +
        '"dirty":{"type":"boolean","description":"Whether anything differs from the head, untracked files included."},' +
        '"status":{"type":"string","description":"A line per path, as git status --short.","maxLength":32768},' +
        '"errorCode":{"type":"string","description":"Empty when all is known; else nothing is.","enum":["","not_git_repository","git_not_found","git_timeout","git_output_too_large","git_failed"]}},' +
        '"required":["branch","head","detached","dirty","status","errorCode"],"additionalProperties":false},' +
        '"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}]}}\n',
      stderr: '',
    },
  );
});

test('a clean repository', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  assert.deepEqual(runPlugin(folder, [CALL]), {
    status: 0,
    stdout: resultLine(`Branch main at ${SHORT}: clean.`, { branch: 'main', head: FIRST_COMMIT }),
    stderr: '',
  });
});

test('a dirty repository is told without touching its index', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  writeFileSync(join(folder, 'b.txt'), 'staged\n');
  git(folder, 'add', 'b.txt');
  writeFileSync(join(folder, 'ü c.txt'), 'untracked\n');
  // The same content under another time: Git would note that in its index if it were allowed to.
  utimesSync(join(folder, 'a.txt'), 1_000_000_000, 1_000_000_000);
  const index = join(folder, '.git/index');
  const before = { bytes: readFileSync(index), modified: statSync(index, { bigint: true }).mtimeNs };

  const { stdout } = runPlugin(folder, [CALL]);
  assert.equal(
    stdout,
    resultLine(`Branch main at ${SHORT}: 2 changed or untracked paths.`, {
      branch: 'main',
      head: FIRST_COMMIT,
      dirty: true,
      status: 'A  b.txt\n?? ü c.txt',
    }),
  );
  assert.deepEqual(readFileSync(index), before.bytes);
  assert.equal(statSync(index, { bigint: true }).mtimeNs, before.modified);

  git(folder, 'status');
  assert.notDeepEqual(readFileSync(index), before.bytes, 'an ordinary status would have touched it');
});

test('a renamed file, seen from a folder below', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  renameSync(join(folder, 'a.txt'), join(folder, 'z.txt'));
  git(folder, 'add', '--all');
  mkdirSync(join(folder, 'below'));
  assert.equal(
    runPlugin(join(folder, 'below'), [CALL]).stdout,
    resultLine(`Branch main at ${SHORT}: 1 changed or untracked path.`, {
      branch: 'main',
      head: FIRST_COMMIT,
      dirty: true,
      status: 'R  a.txt -> z.txt',
    }),
  );
});

test('a detached head', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  git(folder, 'checkout', '--quiet', '--detach');
  assert.equal(
    runPlugin(folder, [CALL]).stdout,
    resultLine(`Detached head at ${SHORT}: clean.`, { head: FIRST_COMMIT, detached: true }),
  );
});

test('a repository before its first commit', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  git(folder, 'init', '--quiet', '--initial-branch=trunk');
  assert.equal(
    runPlugin(folder, [CALL]).stdout,
    resultLine('Branch trunk before its first commit: clean.', { branch: 'trunk' }),
  );
});

test('a folder that is in no repository', { skip }, (t) => {
  hygiene(t);
  assert.deepEqual(runPlugin(temporaryFolder(t), [CALL]), {
    status: 0,
    stdout: resultLine('The folder this plugin runs in is not in a Git repository.', {
      errorCode: 'not_git_repository',
    }),
    stderr: '',
  });
});

test('a variable that names another repository is not passed on', { skip }, (t) => {
  hygiene(t);
  const elsewhere = temporaryFolder(t);
  repository(elsewhere);
  assert.equal(
    runPlugin(temporaryFolder(t), [CALL], { GIT_DIR: join(elsewhere, '.git'), GIT_WORK_TREE: elsewhere })
      .stdout,
    resultLine('The folder this plugin runs in is not in a Git repository.', {
      errorCode: 'not_git_repository',
    }),
  );
});

test('a program that the repository names as its file-system monitor is not run', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  const trap = join(fakeGit(folder, `touch "${folder}/trapped"`), 'git');
  git(folder, 'config', 'core.fsmonitor', trap);
  assert.equal(
    runPlugin(folder, [CALL]).stdout,
    resultLine(`Branch main at ${SHORT}: 1 changed or untracked path.`, {
      branch: 'main',
      head: FIRST_COMMIT,
      dirty: true,
      status: '?? bin/',
    }),
  );
  git(folder, 'status');
  assert.equal(statSync(join(folder, 'trapped')).size, 0, 'an ordinary status would have run it');
});

test('no git on the PATH', (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  assert.deepEqual(runPlugin(folder, [CALL], { PATH: folder }), {
    status: 0,
    stdout: resultLine('There is no git on the PATH of this plugin.', { errorCode: 'git_not_found' }),
    stderr: '',
  });
});

test('1,500 untracked files are too many to tell, and no part of them is told', { skip }, (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  repository(folder);
  for (let index = 0; index < 1_500; index += 1) {
    writeFileSync(join(folder, `an untracked file, ${String(index).padStart(4, '0')}`), '');
  }
  assert.equal(
    runPlugin(folder, [CALL]).stdout,
    resultLine('Git had more to say than is reported; no part of it is shown.', {
      errorCode: 'git_output_too_large',
    }),
  );
});

test('what Git prints in another form is not guessed at', (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const PATH = fakeGit(folder, 'echo hello');
  assert.equal(
    runPlugin(folder, [CALL], { PATH }).stdout,
    resultLine('Git could not tell the state of the repository.', { errorCode: 'git_failed' }),
  );
});

test('a branch name over 512 bytes is too long to tell', (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const script = (branch: string): string => `echo "# branch.oid abc"; echo "# branch.head ${branch}"`;
  const longest = 'b'.repeat(512);
  assert.equal(
    runPlugin(folder, [CALL], { PATH: fakeGit(folder, script(longest)) }).stdout,
    resultLine(`Branch ${longest} at abc: clean.`, { branch: longest, head: 'abc' }),
  );
  const other = temporaryFolder(t);
  assert.equal(
    runPlugin(other, [CALL], { PATH: fakeGit(other, script(`${longest}b`)) }).stdout,
    resultLine('Git had more to say than is reported; no part of it is shown.', {
      errorCode: 'git_output_too_large',
    }),
  );
});

test('a control character in a branch name does not reach the text', (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const PATH = fakeGit(folder, 'echo "# branch.oid abc"; echo "# branch.head a\u0085b"');
  assert.equal(
    runPlugin(folder, [CALL], { PATH }).stdout,
    resultLine('Branch a?b at abc: clean.', { branch: 'a\u0085b', head: 'abc' }),
  );
});
