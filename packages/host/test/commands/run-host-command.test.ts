import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension, ExtensionError, s } from '@fairlead/extension';
import { deactivate } from '@fairlead/hub';
import { runHostCommand } from '../../src/commands/run-host-command.ts';
import { commandRoom } from './command-room.ts';

const greeter = defineExtension({
  name: 'greeter',
  version: '1.0.0',
  commands: {
    greet: {
      about: 'Greets somebody.',
      args: { name: s.string(), loud: s.boolean({ default: false }) },
      run: ({ name, loud }, ctx) => ({
        text: loud ? `${name}!` : name,
        data: { agent: ctx.agent?.name ?? null, session: ctx.session.id },
      }),
    },
    plain: { about: 'Answers text.', run: () => 'done' },
    help: { about: 'Takes the name of the host’s.', run: () => 'not the host' },
  },
});

test('a line of an extension runs in the session, for its host agent, with text and data', async (t) => {
  const { done, session } = await commandRoom(t, { extensions: [greeter] });
  assert.deepEqual(await done('/greet "Ann Lee" --loud'), {
    text: 'Ann Lee!',
    data: { agent: 'ann', session },
  });
  assert.deepEqual(await done('  /plain '), { text: 'done', data: undefined });
});

test('a line that fits no command says the usage, the host’s and an extension’s alike', async (t) => {
  const { refused } = await commandRoom(t, { extensions: [greeter] });
  assert.equal(
    await refused('/greet'),
    'command_usage: The command line does not fit the command. (name must be present)\n/greet <name> [--loud]',
  );
  assert.equal(
    await refused('/agent add'),
    'command_usage: The command line does not fit the command. (agent must be present)\n/agent add <agent>',
  );
  assert.match(
    await refused('/agent add ann bob'),
    /^command_usage: .*agent is one word.*\n\/agent add <agent>$/,
  );
  assert.match(await refused('/agent add "ann'), /^command_usage: .*a " is not closed/);
  assert.match(await refused('/sessions extra'), /^command_usage: .*there is a word too many.*\n\/sessions /);
  assert.match(await refused('/sessions --sideways'), /^command_usage: .*there is no option --sideways/);
});

test('a name that nobody has is told with the nearest one, whoever owns that', async (t) => {
  const { refused } = await commandRoom(t, { extensions: [greeter] });
  const none = 'unknown_command: There is no command of this name.';
  assert.equal(await refused('/sesions'), `${none} (/sesions; did you mean /sessions?)`);
  assert.equal(await refused('/gret Bob'), `${none} (/gret; did you mean /greet?)`);
  assert.equal(await refused('/xyzzyxyzzy'), `${none} (/xyzzyxyzzy)`);
  assert.equal(await refused('//etc/passwd'), `${none} (//etc/passwd)`);
  assert.equal(await refused(`/\u202e${'n'.repeat(100)}`), `${none} (/ ${'n'.repeat(47)})`);
  assert.match(await refused('/help gret'), /did you mean \/greet\?/);
});

test('an unknown sub-command is told with the nearest one and all usages', async (t) => {
  const { refused } = await commandRoom(t);
  const answer = await refused('/agent ad ann');
  assert.match(answer, /^command_usage: .*there is no such sub-command; did you mean add\?/);
  assert.match(answer, /\n\/agent add <agent>\n/);
  assert.match(await refused('/approvals frobnicate'), /there is no such sub-command\)/);
});

test('`/extensions add` without a name went on to the extensions: it says its own usage', async (t) => {
  const { refused } = await commandRoom(t, { extensions: [greeter] });
  assert.match(
    await refused('/extensions add'),
    /^command_usage: .*\n\/extensions add <name> \[session\|agent\]$/,
  );
  assert.match(await refused('/extensions ad x'), /^command_usage: .*did you mean add\?/);
});

test('what does not begin with a slash and a name, or is too long, is no command', async (t) => {
  const { refused, run } = await commandRoom(t);
  for (const line of ['', ' ', 'help', '/', '/ help', 'say /help'])
    assert.match(
      await refused(line),
      /^command_usage: .*a command begins with \/ and a name.*\n\/help$/,
      line,
    );
  assert.match(await refused(`/name ${'x'.repeat(8192)}`), /a line has 8192 characters at most/);
  assert.match(await refused(`/${'x'.repeat(8191)}`), /^unknown_command: /);
  const elsewhere = await run('/info', { session: 'ses_none' });
  assert.deepEqual('error' in elsewhere && elsewhere.error.code, 'session_unknown');
});

test('the command of an extension that is off in the session says whose it is and how to turn it on', async (t) => {
  const { refused, done, sessions, session, hub, clock } = await commandRoom(t, { extensions: [greeter] });
  await hub.openSession(session);
  await deactivate(await sessions.open(session), 'greeter', clock);
  assert.equal(
    await refused('/greet Bob'),
    'unknown_command: /greet belongs to greeter, which is off in this session; /extensions add greeter turns it on',
  );
  const { data } = await done('/help');
  assert.deepEqual((data as { extensions: unknown[] }).extensions, []);
});

test('an agent that opted out of an extension hides no command from a person', async (t) => {
  const { done, agents, ann, clock } = await commandRoom(t, { extensions: [greeter] });
  await deactivate(await agents.open(ann), 'greeter', clock);
  assert.equal((await done('/greet Bob')).text, 'Bob');
});

test('the host’s own commands run whatever is off, and no extension takes their names', async (t) => {
  const { done, hub } = await commandRoom(t, { extensions: [greeter] });
  assert.deepEqual(
    hub.failures().map(({ code, reason }) => [code, reason]),
    [],
  );
  await done('/extensions remove greeter');
  assert.match((await done('/help')).text, /^\/help .*\n/);
  assert.match((await done('/extensions')).text, /✗ off {2}greeter/);
  await done('/extensions add greeter');
  assert.equal((await done('/plain')).text, 'done');
});

test('/help lists the host’s commands and the session’s with their owner, and shows one with its usage', async (t) => {
  const { done } = await commandRoom(t, { extensions: [greeter] });
  const { text, data } = await done('/?');
  assert.match(text, /^\/sessions {2,}The sessions here/m);
  assert.match(text, /^\/greet {2,}Greets somebody\. \(greeter\)$/m);
  const { host, extensions } = data as { host: { name: string }[]; extensions: unknown[] };
  assert.equal(host[0]?.name, 'help');
  assert.deepEqual(extensions, [
    { name: 'greet', owner: 'greeter', about: 'Greets somebody.', usage: '/greet <name> [--loud]' },
    { name: 'plain', owner: 'greeter', about: 'Answers text.', usage: '/plain' },
  ]);
  assert.equal((await done('/help greet')).text, 'Greets somebody. (greeter)\n/greet <name> [--loud]');
  assert.match((await done('/help /approvals')).text, /\n\/approvals approve <approval>\n/);
  assert.match((await done('/help rename')).text, /\n\/name \[name…\]$/);
});

test('words that are kept for elsewhere say where, and what comes with replication says so', async (t) => {
  const { refused } = await commandRoom(t);
  const not = 'command_elsewhere: This is no command of a session here.';
  const later = 'sharing between peers comes with replication, which this version does not have';
  assert.equal(await refused('/share'), `${not} (/share: ${later})`);
  for (const sub of ['share', 'unshare', 'import', 'invite', 'revoke-peer', 'rehost'])
    assert.equal(await refused(`/agent ${sub} ann`), `${not} (/agent ${sub}: ${later})`);
  assert.match(await refused('/backend local http://127.0.0.1 sk-key'), /fairlead model add/);
  assert.match(await refused('/help role'), /system_prompt/);
});

test('each command needs its right, and none implies another', async (t) => {
  const { refused, asked } = await commandRoom(t, { extensions: [greeter] });
  const table: readonly (readonly [string, string])[] = [
    ['/help', 'session:read'],
    ['/info', 'session:read'],
    ['/new', 'session:write'],
    ['/compact', 'session:write'],
    ['/close', 'session:write'],
    ['/model local/large', 'session:write'],
    ['/greet Bob', 'session:write'],
    ['/extensions remove greeter', 'session:write'],
    ['/extensions "remove" greeter', 'session:write'],
    ['/approvals approve apr_none', 'session:approve'],
    ['/deny apr_none', 'session:approve'],
    ['/pause', 'admin'],
    ['/resume', 'admin'],
    ['/agent new eve', 'admin'],
    ['/agent set ann tools a', 'admin'],
    ['/agent delete bob', 'admin'],
    ['/agent reload', 'admin'],
    ['/extensions remove greeter agent', 'admin'],
    [`/extensions remove greeter 'agent'`, 'admin'],
  ];
  const all = ['session:read', 'session:write', 'session:approve', 'admin'];
  for (const [line, scope] of table)
    assert.equal(
      await refused(
        line,
        all.filter((one) => one !== scope),
      ),
      `command_scope_missing: The command needs a right that the token behind it does not have; nothing was changed. (${scope})`,
      line,
    );
  assert.deepEqual(asked, []);
});

test('what the host refuses is an answer with its code; what has no code is a fault and rejects', async (t) => {
  const { refused, run, facade } = await commandRoom(t);
  facade.throws = new FairleadError('turn_running', 'A turn\u001b[2J runs.', { detail: { turn: 'trn_1' } });
  assert.equal(await refused('/compact'), 'turn_running: A turn [2J runs.');
  assert.deepEqual(await run('/compact'), {
    error: { code: 'turn_running', message: 'A turn [2J runs.', detail: { turn: 'trn_1' } },
  });
  facade.throws = new ExtensionError('context_expired', 'x'.repeat(2000));
  assert.equal(await refused('/continue'), `context_expired: ${'x'.repeat(1000)}…`);
  facade.throws = new TypeError('a mistake of ours');
  await assert.rejects(run('/cancel'), /a mistake of ours/);
});

test('what an extension says, and what it throws, is told without the secrets in it; with `block` not at all', async (t) => {
  const secret = 'planted-0123456789';
  const spilling = defineExtension({
    name: 'spilling',
    version: '1.0.0',
    commands: {
      tell: {
        about: 'Tells.',
        run: (_input, ctx) => {
          ctx.progress(`with ${secret}`);
          return { text: `it is ${secret}`, data: { key: secret } };
        },
      },
      fail: {
        about: 'Fails.',
        run: () => {
          throw new Error(`no ${secret}`);
        },
      },
      say: { about: 'Says.', run: () => 'nothing' },
    },
  });
  const made = { extensions: [spilling], secrets: [secret] };
  const { ports, session, run, refused } = await commandRoom(t, made);
  const heard: string[] = [];
  const by = { id: 'person:1', scopes: ['session:write'] };
  const line = { session, line: '/tell', by, onProgress: (text: string) => heard.push(text) };
  assert.deepEqual(await runHostCommand(ports, line), {
    text: 'it is [REDACTED:configured_secret]',
    data: { key: '[REDACTED:configured_secret]' },
  });
  assert.deepEqual(heard, ['with [REDACTED:configured_secret]']);
  assert.match(await refused('/fail'), /^command_failed: .*no \[REDACTED:configured_secret\]/);
  assert.match(await refused(`/xx${secret}`), /^unknown_command: .*\/xx\[REDACTED:configured_secret\]/);
  assert.deepEqual(await run('/say'), { text: 'nothing' });
  const blocked = { ...ports, policy: { leak: 'block' } as const };
  const answer = await runHostCommand(blocked, line);
  assert.ok('error' in answer && answer.error.code === 'leak_blocked');
  assert.deepEqual(answer.error.detail, { categories: ['configured_secret'] });
  assert.equal(answer.error.certainty, 'completed');
  const failed = await runHostCommand(blocked, { ...line, line: '/fail' });
  assert.ok('error' in failed && failed.error.code === 'command_failed');
  assert.equal(failed.error.certainty, 'outcome_unknown');
  assert.doesNotMatch(failed.error.message, /no /);
});
