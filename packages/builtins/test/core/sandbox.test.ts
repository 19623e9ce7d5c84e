import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, requires, spawnAsNobody, temporaryFolder, waitFor } from '@fairlead/testing';
import { BUBBLEWRAP, coreOver, sandboxFloor } from './core-floor.ts';

const skip = requires('bubblewrap');

/** Some machines let root make namespaces and nobody else. */
function nobodyMay(): boolean {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const proof = ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true'];
  return spawnSync(BUBBLEWRAP, proof, user).status === 0;
}

const NO_NETWORK =
  '[sandbox: commands have no network, because nothing could hold them to what the grants allow of it]';

test('in a sandbox the workspace is read and written, and the world outside is not there', {
  skip,
}, async (t) => {
  const { shell, workspace } = await sandboxFloor(t);
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, 'secret'), 'planted');
  writeFileSync(join(workspace, 'a'), 'mine\n');
  assert.equal((await shell('cat a; echo made > b')).text, `${NO_NETWORK}\nmine`);
  assert.equal(readFileSync(join(workspace, 'b'), 'utf8'), 'made\n');
  assert.match((await shell(`cat ${outside}/secret`)).text, /No such file or directory\n\[exit code 1\]$/);
  assert.match((await shell(`echo x > ${outside}/new`)).text, /\[exit code [12]\]$/);
  assert.equal(existsSync(join(outside, 'new')), false);
  assert.match((await shell('touch /usr/new')).text, /Read-only file system/);
  assert.equal((await shell('ls /home /root /run /etc/shadow /sys 2>/dev/null | wc -l')).text, '0');
});

test('a link that leads out of the workspace leads nowhere', { skip }, async (t) => {
  const { shell, workspace } = await sandboxFloor(t);
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, 'secret'), 'planted');
  symlinkSync(outside, join(workspace, 'out'));
  assert.doesNotMatch((await shell('cat out/secret; ls -la out/')).text, /planted/);
});

test('what may only be read is not written, and what may be written in it is', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  mkdirSync(join(workspace, 'out'));
  const grants = { fs: { read: [workspace], write: [join(workspace, 'out')] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
  assert.match((await shell('echo x > a')).text, /Read-only file system/);
  assert.equal((await shell('echo x > out/a; cat out/a')).text, 'x');
});

test('a folder that may be written and not read is not seen at all', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const other = temporaryFolder(t);
  const grants = { fs: { read: [workspace], write: [workspace, other] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
  assert.match((await shell(`ls ${other}`)).text, /No such file or directory/);
});

test('with reading unlimited everything is seen and only the grants are written', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const grants = { fs: { write: [workspace] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
  assert.equal((await shell('echo x > a; cat a; ls -d /etc /var')).text, 'x\n/etc\n/var');
  assert.match((await shell('echo x > /etc/new-by-test')).text, /Read-only file system/);
  assert.equal((await shell('echo x > /tmp/t; cat /tmp/t')).text, 'x');
  assert.equal(existsSync('/tmp/t'), false);
});

test('without a network grant there is no network, not even to this machine', { skip }, async (t) => {
  hygiene(t);
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { port: number };
  const dial = `${process.execPath} -e "require('net').connect(${port}, '127.0.0.1').on('error', (e) => console.log(e.code)).on('connect', () => console.log('reached'))"`;
  const node = join(process.execPath, '..');
  const workspace = temporaryFolder(t);
  const fs = { read: [workspace, node], write: [workspace] };
  const at = async (network: { endpoints?: object[]; allowPrivate: boolean }) => {
    const { shell } = await coreOver(t, { workspace, grants: { fs, network }, bubblewrap: BUBBLEWRAP });
    return (await shell(dial)).text;
  };
  assert.equal(await at({ endpoints: [], allowPrivate: false }), 'ECONNREFUSED');
  assert.equal(await at({ allowPrivate: false }), `${NO_NETWORK}\nECONNREFUSED`);
  assert.equal(await at({ endpoints: [{ host: '*' }], allowPrivate: true }), `${NO_NETWORK}\nECONNREFUSED`);
  assert.equal(reached, 0);
  assert.equal(await at({ allowPrivate: true }), 'reached');
  assert.equal(reached, 1);
});

test('a workspace around the state directory does not show the keys in it', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const folder = join(workspace, '.fairlead');
  const but = join(folder, 'workspaces/ses_1');
  mkdirSync(but, { recursive: true });
  writeFileSync(join(folder, 'operator.token'), 'planted');
  writeFileSync(join(but, 'mine'), 'mine');
  const network = { allowPrivate: true };
  const list = 'ls -A .fairlead; cat .fairlead/operator.token; echo x > .fairlead/new';
  for (const fs of [
    { read: [workspace], write: [workspace] },
    { write: [workspace] },
    { read: [workspace, folder] },
  ]) {
    const grants = { fs, network, withheld: { folder } };
    const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
    const { text } = await shell(list);
    assert.match(text, /^\[stderr\] cat: \.fairlead\/operator\.token: No such file or directory/);
  }
  // A session whose own folder lies in it sees that one.
  for (const fs of [{ read: [workspace], write: [but] }, { write: [but] }]) {
    const grants = { fs, network, withheld: { folder, but } };
    const inside = await coreOver(t, { workspace: but, grants, bubblewrap: BUBBLEWRAP });
    const { text } = await inside.shell('cat mine; echo x > new; ls -A ../..; cat ../../operator.token');
    assert.match(text, /^mineworkspaces\n\[stderr\] cat: .*: No such file or directory/);
  }
  assert.equal(existsSync(join(folder, 'new')), false);
  assert.equal(readFileSync(join(but, 'new'), 'utf8'), 'x\n');
});

test('the keys do not come to light when the folder above them is renamed', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const folder = join(workspace, 'local/share/state');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'peer.key'), 'planted');
  for (const fs of [{ read: [workspace], write: [workspace] }, { write: [workspace] }]) {
    const grants = { fs, network: { allowPrivate: true }, withheld: { folder } };
    const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
    await shell('mv local away; mv local/share local/away; mkdir -p x && mv local/share x/');
    assert.equal(existsSync(join(folder, 'peer.key')), true);
    assert.doesNotMatch((await shell('find . -name peer.key | xargs -r cat')).text, /planted|peer/);
  }
});

test('root in the sandbox writes no knob of the kernel that is the machine’s own', { skip }, async (t) => {
  const { shell } = await sandboxFloor(t);
  const tried =
    'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger; do test -w $f && echo $f; done; true';
  assert.doesNotMatch((await shell(tried)).text, /proc/);
  assert.match((await shell('touch /proc/sys/kernel/core_pattern')).text, /Read-only file system/);
});

test('what could not be held is said once in a session', { skip }, async (t) => {
  const { shell } = await sandboxFloor(t);
  assert.equal((await shell('true')).text, `${NO_NETWORK}\n[no output]`);
  assert.equal((await shell('true')).text, '[no output]');
});

test('a program that the sandbox does not show was never started, a granted one is', { skip }, async (t) => {
  const hidden = await sandboxFloor(t);
  const tools = temporaryFolder(t);
  writeFileSync(join(tools, 'greet'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  const answer = await hidden.shell(`${tools}/greet`);
  assert.deepEqual([answer.certainty, answer.text.split(':')[0]], ['not_started', 'command_not_found']);
  const { workspace } = hidden;
  const grants = { fs: { read: [workspace, tools], write: [workspace] } };
  const shown = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
  assert.equal((await shown.shell(`${tools}/greet`)).text, 'hello');
});

test('exit codes and signals of a command come out of the sandbox as they are', { skip }, async (t) => {
  const { shell } = await sandboxFloor(t);
  assert.match((await shell('(exit 3)')).text, /\n\[exit code 3\]$/);
  assert.equal((await shell('kill -9 $$')).text, '[no output]\n[exit code 137]');
});

test('a sandbox that cannot be made says so, and nothing was started', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const broken = join(temporaryFolder(t), 'bwrap');
  writeFileSync(broken, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const grants = { fs: { read: [workspace], write: [workspace] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: broken });
  const answer = await shell('touch made');
  assert.equal(answer.certainty, 'not_started');
  assert.match(answer.text, /^sandbox_failed: .*\(bwrap: No permissions to create new namespace\)$/);
  const gone = await coreOver(t, { workspace, grants, bubblewrap: '/nowhere/bwrap' });
  assert.deepEqual(
    [(await gone.shell('true')).certainty, (await gone.shell('true')).text.split(':')[0]],
    ['not_started', 'command_not_started'],
  );
});

test('a command that speaks like the sandbox is not taken for it', { skip }, async (t) => {
  const { shell } = await sandboxFloor(t);
  const forged = await shell(
    'echo "bwrap: it failed" >&2; (echo "{ \\"exit-code\\": 0 }" >&3) 2>/dev/null; exit 1',
  );
  assert.deepEqual([forged.certainty, forged.isError], ['completed', false]);
  assert.match(forged.text, /\[exit code 1\]$/);
});

test('a sandbox that somebody kills leaves an unknown outcome', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const killed = join(temporaryFolder(t), 'bwrap');
  writeFileSync(killed, '#!/bin/sh\necho partly\nkill -9 $$\n', { mode: 0o755 });
  const grants = { fs: { read: [workspace], write: [workspace] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: killed });
  assert.deepEqual(await shell('true'), {
    certainty: 'outcome_unknown',
    text: 'command_killed: The command was killed before it had ended. (its sandbox was ended by SIGKILL)\npartly',
    isError: true,
    detail: { partial: 'partly' },
  });
});

test('nothing in a sandbox outlives it, and a late command is killed with all it started', {
  skip,
}, async (t) => {
  const { shell, workspace, running } = await sandboxFloor(t);
  const answer = shell('echo so far; sleep 600 & setsid sleep 601 & touch began; wait');
  await waitFor(() => existsSync(join(workspace, 'began')), { what: 'the command' });
  await running.advance(30_000);
  assert.deepEqual(
    [(await answer).certainty, (await answer).text],
    ['outcome_unknown', 'tool_timeout: The tool did not answer within its time.\nso far'],
  );
});

test('the sandbox holds for a user without rights as it does for root, or nothing runs', {
  skip,
}, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t, { mode: 0o777 });
  const program = join(import.meta.dirname, '../fixtures/shell-as-nobody.ts');
  const commands = ['echo x > a; cat a', 'touch /usr/new', 'cat /etc/shadow', '(exit 4)'];
  const child = spawnAsNobody(process.execPath, [program, workspace, BUBBLEWRAP, ...commands], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  const answers = JSON.parse(said) as string[];
  if (!nobodyMay()) {
    for (const answer of answers) assert.match(answer, /^sandbox_failed: /);
    assert.equal(existsSync(join(workspace, 'a')), false);
    return;
  }
  const [written, system, shadow, failed] = answers;
  assert.equal(written, 'x');
  assert.match(system ?? '', /Read-only file system/);
  assert.match(shadow ?? '', /No such file or directory/);
  assert.equal(failed, '[no output]\n[exit code 4]');
});

test('a granted folder that has become a link is not brought into the sandbox', { skip }, async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const outside = temporaryFolder(t);
  const granted = join(workspace, 'data');
  mkdirSync(granted);
  const grants = { fs: { read: [workspace, granted, join(workspace, 'not-there')], write: [workspace] } };
  const { shell } = await coreOver(t, { workspace, grants, bubblewrap: BUBBLEWRAP });
  assert.equal((await shell('ls')).text, 'data');
  renameSync(granted, join(workspace, 'moved'));
  symlinkSync(outside, granted);
  const answer = await shell('ls data');
  assert.deepEqual([answer.certainty, answer.text.split(':')[0]], ['not_started', 'sandbox_failed']);
});

test('without bubblewrap a command under the usual ceiling runs, and the answer says once that nothing holds it', async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const grants = { fs: { read: [workspace], write: [workspace] }, network: { allowPrivate: false } };
  const { shell, running } = await coreOver(t, { workspace, grants });
  assert.equal(
    (await shell('echo hello')).text,
    '[no sandbox: bubblewrap is missing here, so commands may read, write and reach whatever the user of Fairlead may]\nhello',
  );
  assert.equal((await shell('echo hello')).text, 'hello');
  assert.deepEqual(await running.status(), { shell: 'no sandbox' });
});

test('the status line says how many MCP servers have failed, and nothing where none has', async (t) => {
  hygiene(t);
  let failed = 2;
  const { running } = await coreOver(t, {
    workspace: temporaryFolder(t),
    bubblewrap: '/usr/bin/bwrap',
    failedServers: () => failed,
  });
  assert.deepEqual(await running.status(), { mcp: '2 failed' });
  failed = 0;
  assert.deepEqual(await running.status(), {});
});

test('without bubblewrap a limit that somebody declared is not dropped: the command is refused', async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  const usual = { read: [workspace], write: [workspace] };
  for (const grants of [
    { fs: { read: [workspace], write: [] } },
    { fs: { read: [workspace, '/usr/share/dict'], write: [workspace] } },
    { fs: usual, network: { endpoints: [], allowPrivate: false } },
    { fs: usual, network: { endpoints: [{ host: 'example.org' }], allowPrivate: false } },
  ]) {
    const { shell } = await coreOver(t, { workspace, grants });
    const answer = await shell('touch made');
    assert.deepEqual([answer.certainty, answer.text.split(':')[0]], ['not_started', 'sandbox_unavailable']);
  }
  assert.equal(existsSync(join(workspace, 'made')), false);
});

test('without any limit nothing has to be held, with bubblewrap or without it', async (t) => {
  hygiene(t);
  const workspace = temporaryFolder(t);
  for (const grants of [{}, { fs: { read: ['/'], write: ['/'] }, network: { allowPrivate: true } }])
    for (const bubblewrap of ['/nowhere/bwrap', undefined]) {
      const { shell } = await coreOver(t, {
        workspace,
        grants,
        ...(bubblewrap === undefined ? {} : { bubblewrap }),
      });
      assert.equal((await shell('echo hello')).text, 'hello');
    }
});
