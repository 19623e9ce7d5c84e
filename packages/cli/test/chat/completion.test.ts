import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesAt, type Names, noNames } from '../../src/chat/model/completion.ts';
import { ChatScreen } from './chat-screen.ts';

const command = (name: string, aliases: string[], ...usages: string[]) => ({
  name,
  aliases,
  about: `About ${name}.`,
  usages,
});

const NAMES: Names = {
  commands: [
    command('help', ['?', 'h'], '/help [command]'),
    command('new', [], '/new [group] [--name <name>] [--agents <agent>]…'),
    command('sessions', ['s'], '/sessions [--closed] [--all]'),
    command('join', ['open', 'switch'], '/join <session>'),
    command('mode', [], '/mode [normal|read_only|inspect]'),
    command(
      'agent',
      ['agents'],
      '/agent',
      '/agent list',
      '/agent add <agent>',
      '/agent model <agent> <model>|clear',
    ),
    command('model', [], '/model [<model>|clear]', '/model <agent> <model>|clear'),
    command('extensions', ['ext'], '/extensions add <name> [session|agent]'),
    command('approve', [], '/approve <approval>'),
  ],
  sessions: ['work', 'two words', 'say "it"'],
  agents: ['ada', 'bob'],
  models: ['demo/script', 'local/qwen'],
  extensions: ['fs', 'core'],
  approvals: ['apr_1'],
  groups: ['review'],
};

/** The words that fit behind a text. */
const after = (text: string) => choicesAt(text, text.length, NAMES).map((choice) => choice.text);

test('a slash brings the commands, and their other words where none of them fits', () => {
  assert.deepEqual(
    after('/'),
    NAMES.commands.map(({ name }) => `/${name}`),
  );
  assert.deepEqual(after('/S'), ['/sessions']);
  assert.deepEqual(after('/sw'), ['/switch']);
  assert.deepEqual(after('/nothing'), []);
  assert.deepEqual(after('no /command'), []);
  assert.deepEqual(after('/x\n/ne'), []);
});

test('a command brings the names that its usage takes', () => {
  assert.deepEqual(after('/join '), ['work', '"two words"', '"say \\"it\\""']);
  assert.deepEqual(after('/switch w'), ['work']);
  assert.deepEqual(after('/mode r'), ['read_only']);
  assert.deepEqual(after('/agent '), ['list', 'add', 'model']);
  assert.deepEqual(after('/agent add '), ['ada', 'bob']);
  assert.deepEqual(after('/agents model ada '), ['demo/script', 'local/qwen', 'clear']);
  assert.deepEqual(after('/agent add ada '), []);
  assert.deepEqual(after('/model '), ['demo/script', 'local/qwen', 'clear', 'ada', 'bob']);
  assert.deepEqual(after('/ext add '), ['fs', 'core']);
  assert.deepEqual(after('/ext add fs '), ['session', 'agent']);
  assert.deepEqual(after('/approve '), ['apr_1']);
  assert.deepEqual(after('/help se'), ['sessions']);
  assert.deepEqual(after('/unknown '), []);
});

test('options are words of their own, and bring their values', () => {
  assert.deepEqual(after('/new '), ['review', '--name', '--agents']);
  assert.deepEqual(after('/new --agents '), ['ada', 'bob']);
  assert.deepEqual(after('/new --agents ada r'), ['review']);
  assert.deepEqual(after('/sessions --a'), ['--all']);
});

test('an agent is named behind @', () => {
  assert.deepEqual(after('ask @a'), ['@ada']);
  assert.deepEqual(after('ask@a'), []);
  assert.deepEqual(choicesAt('@b now', 2, NAMES), [{ text: '@bob', about: 'agent', start: 0, end: 2 }]);
  assert.deepEqual(choicesAt('/', 1, noNames), []);
});

test('Tab takes what all have in common, then one after the other; Enter takes the one that is marked', () => {
  const screen = new ChatScreen().open().hear({ kind: 'names', names: NAMES });
  screen.type('/m');
  assert.match(screen.seen(), /\n› \/m\n {2}\/mode {3}About mode\.\n {2}\/model {2}About model\.\n/);
  screen.type('\t');
  assert.match(screen.seen(), /\n› \/mode\n/);
  screen.type('\t\t\r');
  assert.match(screen.seen(), /\n› \/model\n {2}demo\/script/);
  screen.type('\u001b[Z\u001b[Z\u001b[A\u001b[B\r');
  assert.deepEqual(screen.wanted(), []);
  assert.match(screen.seen(), /\n› \/model ada\n/);
  screen.type('\u0015/join w\t');
  assert.match(screen.seen(), /\n› \/join work\n {2}work · ada/);
  assert.deepEqual(screen.type('\r').wanted(), [{ do: 'command', line: '/join work' }]);
  screen.type('/').type('\u001b');
  assert.match(screen.seen(), /\n› \/\n {2}work · ada/);
  screen.type('\u0015/join work');
  assert.match(screen.seen(), /\n› \/join work\n {2}work · ada/);
});

test('a long menu shows a part of itself, with the one that is marked', () => {
  const screen = new ChatScreen().open().hear({ kind: 'names', names: NAMES });
  screen.type('/');
  assert.match(screen.seen(), /\/agent .*\n {2}3 more\n/);
  screen.type('\u001b[Z');
  assert.match(screen.seen(), /\/approve {5}About approve\.\n {2}3 more\n/);
});
