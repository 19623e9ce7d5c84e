// fairlead chat in a real terminal (tmux), with a real host and a scripted model: everything that somebody does there, on a small screen and on a large one.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, pidIsAlive, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { endHost, fairlead, launcher, startHost } from './fairlead-process.ts';
import { openTmux, type TmuxShell } from './tmux.ts';

const CONFIGURATION = '[[backends]]\nname = "demo"\ntype = "scripted"\nfile = "script.json"\n';
const HOSTILE = `evil\u001b[2J\u202egnp.exe\u0007${'x'.repeat(60)}`;
const write = (path: string) => ({
  tool: 'write_file',
  arguments: { path, content: '漢字\u202e\u001b[2J\n' },
});

/** The turns of a session, in their order. */
const TURNS = [
  {
    steps: [
      {
        text: 'It begins here, word by word, and it ends there.',
        // Two pieces, with time between them to see the first alone.
        chunk: 24,
        delay_ms: 3000,
        calls: [{ tool: 'calculate', arguments: { expression: '6*7' } }],
      },
      { calls: [{ tool: HOSTILE, arguments: {} }] },
      { text: `Wide: 漢字漢字 e\u0301 👍🏽 נמל.\nA word that is longer than any screen: ${'w'.repeat(220)}` },
    ],
  },
  { steps: [{ calls: [write('one.txt')] }, { calls: [write('two.txt')] }, { text: 'Both are written.' }] },
  { steps: [{ calls: [write('three.txt')] }, { text: 'It was not to be.' }] },
  { steps: [{ text: 'never said', faults: ['hang'] }] },
  { steps: [{ text: 'Back again.' }] },
  { steps: [{ text: 'And again.' }] },
];

async function setUp(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  mkdirSync(stateDirectory, { mode: 0o700 });
  mkdirSync(workspace);
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION);
  const script = { format: 'fairlead-script-v1', scripts: { default: TURNS } };
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(script));
  const host = () => startHost(t, { stateDirectory, command: 'serve' });
  const command = `${launcher} chat --state-dir ${stateDirectory} --workspace ${workspace}`;
  const exported = async (session: string) => {
    const { stdout } = await fairlead(t, ['session', 'export', session, '--state-dir', stateDirectory]);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
  };
  return { folder, stateDirectory, workspace, host, command, exported };
}

/** Begins a chat in a fresh terminal. */
async function begin(shell: TmuxShell, command: string): Promise<void> {
  await shell.until('shell>');
  await shell.type(`${command}; echo "exit=$?"`);
  await shell.press('Enter');
  await shell.until('F1 keys');
}

/** The shell has its terminal back: it echoes, edits lines, and says what the chat ended with. */
async function left(shell: TmuxShell, exit: number): Promise<void> {
  await shell.until(`exit=${exit}`);
  await shell.type('stty -a | grep -o -e " icanon" -e " echo " -e " isig" | tr -d "\\n"; echo " given back"');
  await shell.press('Enter');
  await shell.until(
    /^ isig icanon echo given back|^ icanon echo isig given back|( (isig|icanon|echo))+ +given back/m,
  );
}

for (const [columns, rows] of [
  [80, 24],
  [200, 60],
] as const) {
  test(`a conversation at ${columns}×${rows}: words as they come, certainty, approvals, an interrupt, and a host that was killed`, {
    skip: requires('tmux'),
  }, async (t) => {
    const { folder, workspace, host: start, command, exported } = await setUp(t);
    let host = await start();
    const shell = await openTmux(t, { folder, columns, rows });
    await begin(shell, `${command} --session main`);
    assert.match(await shell.screen(), /Fairlead · Session main\nfairlead answers · \/help, F1 for keys\n/);

    // Words as they come, wide ones among what is typed.
    await shell.type('看 it through, é!');
    await shell.until('› 看 it through, é!');
    const typed = (await shell.screen()).split('\n').indexOf('› 看 it through, é!');
    await shell.untilCursor(2 + 17, typed);
    await shell.press('Enter');
    const part = await shell.until('It begins here');
    assert.doesNotMatch(part, /it ends there/);
    await shell.until(/✓ calculate {2}completed · /);
    const seen = await shell.until('longer than any screen');
    // A hostile name is seen as what it is.
    assert.match(seen, /○ evil\\u001b\[2J\\u202egnp\.exe\\u000… {2}not_started · tool_not_found/);
    assert.match(seen, /Wide: 漢字漢字 e\u0301 👍🏽 נמל\./);
    assert.equal((await shell.everything()).replace(/\s/g, '').match(/w{220}/g)?.length, 1);
    for (const line of (await shell.everything()).split('\n')) assert.ok(line.length <= columns, line);

    // Approved for the turn: the second call is not asked about.
    await shell.type('write');
    await shell.press('Enter');
    const asked = await shell.until(/approve {4}deny {4}approve for the turn/);
    assert.match(asked, /"path": "one\.txt"/);
    assert.match(asked, /"content": "漢字\\u202e\\u001b\[2J\\n"/);
    assert.match(asked, new RegExp(`folder {6}${workspace.slice(0, 30)}`));
    await shell.press('Left', 'Enter');
    await shell.until('Both are written.');
    assert.equal(readFileSync(join(workspace, 'two.txt'), 'utf8'), '漢字\u202e\u001b[2J\n');

    // Who writes while a call waits decides nothing; a denial is told.
    await shell.type('deny');
    await shell.press('Enter');
    await shell.until(/"three\.txt"[\s\S]*approve {4}deny/);
    await shell.press('Right', 'Right', 'Enter');
    await shell.until('It was not to be.');
    assert.match(await shell.screen(), /○ write_file {2}not_started · approval_denied/);

    // A turn that hangs is cancelled.
    await shell.untilGone('the model is at work');
    await shell.type('hang');
    await shell.press('Enter');
    await shell.until('the model is at work');
    await shell.press('C-c');
    await shell.until('The turn ended: cancelled (turn_cancelled).');

    // The host is killed; what is said meanwhile arrives once when it is back.
    await endHost(host, 'SIGKILL');
    await shell.until('The host does not answer; waiting for it');
    await shell.type('are you there');
    await shell.press('Enter');
    await shell.until('› are you there  waits');
    host = await start();
    await shell.until('Back again.');
    await shell.untilGone('waits');
    const said = (await exported('main')).filter(({ text }) => text === 'are you there');
    assert.equal(said.length, 1);

    await shell.press('C-d');
    await left(shell, 0);
    assert.match((await shell.screen()).replaceAll('\n', ''), /The session stays: .* --session ses_/);
    await endHost(host);
  });

  test(`a screen of ${columns}×${rows}: menus, sessions, history, lines, reading back, another size`, {
    skip: requires('tmux'),
  }, async (t) => {
    const { folder, host: start, command } = await setUp(t);
    const host = await start();
    const shell = await openTmux(t, { folder, columns, rows });
    await begin(shell, `${command} --session main`);

    await shell.type('/co');
    await shell.until(/\/costs {5}What this session’s model calls cost/);
    await shell.type('s');
    await shell.press('Tab', 'Enter');
    await shell.until(/› \/costs\n {2}\S/);

    // Sessions: a new one, and back by a name that is completed.
    await shell.type('/new --name "漢字 two"');
    await shell.press('Enter');
    await shell.until('Fairlead · Session 漢字 two');
    await shell.type('/join ma');
    await shell.until(/\n {2}main {2}\/join/);
    await shell.press('Tab', 'Enter');
    await shell.until(/Session 漢字 two[\s\S]*Fairlead · Session main/);
    await shell.type('/nothing');
    await shell.press('Enter');
    await shell.until(/! There is no command .*nothing[\s\S]*\(unknown_command\)|\(unknown_command\)/);

    // Lines: Alt-Enter, a paste of several, the cursor where it should be.
    await shell.type('one');
    await shell.press('M-Enter');
    await shell.paste('漢字 two\nthree');
    await shell.until(/› one\n {2}漢字 two\n {2}three\n/);
    await shell.press('Up', 'Home', 'Right');
    const lines = (await shell.screen()).split('\n');
    const at = lines.indexOf('  漢字 two');
    await shell.untilCursor(4, at);
    await shell.press('Enter');
    await shell.until('longer than any screen');
    await shell.untilGone('the model is at work');

    // What was said is found again.
    await shell.press('C-r');
    await shell.type('字 t');
    await shell.until(/search: 字 t {2}one\\u000a漢字 two\\u000athree/);
    await shell.press('C-e');
    await shell.until(/› one\n {2}漢字 two\n {2}three\n/);

    // Another size: what is written stays whole, and the cursor is in its place.
    await shell.resize(50, 15);
    await shell.until(/› one\n {2}漢字 two\n {2}three\n {2}main · /);
    await shell.resize(columns, rows);
    await shell.until(/› one\n {2}漢字 two\n {2}three\n {2}main · /);
    assert.equal((await shell.screen()).match(/› one\n/g)?.length, 2);
    await shell.press('C-c');
    await shell.until('Ctrl-C again leaves');

    // Reading back: all of it, and what was there stays as it was.
    await shell.press('PPage');
    await shell.until('q: back');
    await shell.press('Home');
    const top = await shell.until(/ {2}(the beginning|all of it) · /);
    assert.match(top, /^› one\n {2}漢字 two/m);
    assert.match(top, /\{"expression":"6\*7"\}/);
    await shell.press('q');
    await shell.until(/\n›\n {2}main · /);
    const all = await shell.everything();
    assert.equal(all.match(/Wide: 漢字漢字/g)?.length, 1);
    assert.match(all, /Fairlead · Session main[\s\S]*Session 漢字 two/);

    await shell.press('F1');
    await shell.until('Ctrl-R searches it');
    await shell.press('Escape');
    await shell.untilGone('Ctrl-R searches it');
    await shell.press('C-c', 'C-c');
    await left(shell, 0);
    await endHost(host);
  });
}

test('a signal gives the terminal back, also while somebody reads back', {
  skip: requires('tmux'),
}, async (t) => {
  const { folder, host: start, command } = await setUp(t);
  const host = await start();
  const shell = await openTmux(t, { folder, columns: 80, rows: 24 });
  // The launcher becomes the chat, so it has the number of this shell.
  await begin(shell, `sh -c 'echo pid=$$; exec ${command} --new'`);
  const [, pid = ''] = /^pid=(\d+)$/m.exec(await shell.screen()) ?? [];
  await shell.type('half of a');
  await shell.press('PPage');
  await shell.until('q: back');
  process.kill(Number(pid), 'SIGTERM');
  await left(shell, 130);
  await endHost(host);
});

test('a terminal that goes away ends the chat, and the demo with it', {
  skip: requires('tmux'),
}, async (t) => {
  hygiene(t);
  const shell = await openTmux(t, { folder: temporaryFolder(t), columns: 80, rows: 24 });
  await begin(shell, `sh -c 'echo pid=$$; exec ${launcher} chat --demo'`);
  const [, pid = ''] = /^pid=(\d+)$/m.exec(await shell.screen()) ?? [];
  await shell.close();
  await waitFor(() => !pidIsAlive(Number(pid)), { what: 'the end of the chat', timeoutMs: 30_000 });
});

test('without a terminal lines are said one after the other, and the status says how it ended', async (t) => {
  const { host: start, stateDirectory, workspace } = await setUp(t);
  const none = await fairlead(t, ['chat', '--state-dir', stateDirectory], { input: 'hello\n' });
  assert.deepEqual([none.exit, none.stdout], [1, '']);
  assert.match(
    none.stderr,
    /chat --demo\nfairlead: No host runs on this state directory\. \(host_not_running\)/,
  );
  const host = await start();
  const flags = ['chat', '--session', 'piped', '--state-dir', stateDirectory, '--workspace', workspace];
  const { exit, stdout, stderr } = await fairlead(t, flags, { input: 'look\n/name renamed\nwrite\n' });
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^Wide: 漢字漢字 e\u0301 👍🏽 נמל\.\n[\s\S]*\n.*renamed.*\nBoth are written\.\n$/);
  assert.match(stderr, /fairlead: calculate: completed · /);
  assert.match(stderr, /fairlead: evil\\u001b\[2J\\u202egnp\.exe\\u0007x+: not_started · tool_not_found/);
  assert.match(stderr, /nobody is there to decide: write_file is denied/);
  assert.doesNotMatch(stdout + stderr, /[\u001b\u202e\u0007]/);
  await endHost(host);
});

test('without a model it says so and shows the demo: a call, a question, an answer, and nothing is left of it', {
  skip: requires('tmux'),
}, async (t) => {
  const { folder, host: start, stateDirectory, command } = await setUp(t);
  writeFileSync(join(stateDirectory, 'fairlead.toml'), '');
  const host = await start();
  const piped = await fairlead(t, ['chat', '--state-dir', stateDirectory], { input: 'hello\n' });
  assert.equal(piped.exit, 1);
  assert.match(piped.stderr, /chat --demo\nfairlead: This host has no model.*\(model_missing\)/);
  const shell = await openTmux(t, { folder, columns: 80, rows: 24 });
  await shell.until('shell>');
  await shell.type(`${command}; echo "exit=$?"`);
  await shell.press('Enter');
  await shell.until('Show the demo? Enter for yes, n for no');
  await shell.press('Enter');
  await shell.until('F1 keys');
  await shell.type('hello');
  await shell.press('Enter');
  await shell.until(/approve {4}deny/);
  await shell.press('Right', 'Enter');
  const seen = await shell.until('it comes');
  assert.match(seen, /✓ write_file {2}completed · /);
  assert.match(await shell.everything(), /✓ get_time {2}completed · /);
  await shell.type('/quit');
  await shell.press('Enter');
  await left(shell, 0);
  await endHost(host);
});
