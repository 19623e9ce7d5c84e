import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../../src/chat/model/block.ts';
import { questionsOf } from '../../src/chat/model/question-of.ts';
import { sessionShown } from '../../src/chat/model/session-shown.ts';
import { ChatScreen, entries, SESSION } from './chat-screen.ts';

const QUESTION: Question = {
  id: 'apr_1',
  tool: 'write_file',
  extension: 'fs',
  risk: 'medium, write',
  facts: [['folder', '/srv/work']],
  arguments: '{\n  "path": "a.txt"\n}',
  decisions: ['approve', 'deny', 'approve_turn'],
  untilMs: 1,
};
const asks = (...questions: Question[]) => ({ kind: 'questions', questions }) as const;

test('a session begins with who answers, and with what was said last', () => {
  const screen = new ChatScreen().open([entries.said('1', 'hello'), entries.answer('2', 'Good day.\n')]);
  assert.equal(
    screen.printed(),
    'Fairlead · Session work\nada answers, with bob · /help, F1 for keys\n\n› hello\n\nada\n  Good day.\n',
  );
  assert.equal(screen.seen(), '\n›\n  work · ada · demo/script · F1 keys');
});

test('only the newest of a long session are printed; Page Up reads back, and asks for older ones at the top', () => {
  const many = Array.from({ length: 30 }, (_, index) => entries.said(`m${index}`, `line ${index}`));
  const screen = new ChatScreen({ rows: 10 }).open(many, { before: 'm0' });
  assert.doesNotMatch(screen.printed(), /line 17\n/);
  assert.match(screen.printed(), /^\nFairlead · Session work\n.*; Page Up reads back\n\n› line 18\n/);
  screen.type('\u001b[5~');
  assert.match(screen.seen(), /\n {2}8 rows to the end · Page Up, Page Down, Home, q: back$/);
  screen.type('\u001b[H');
  assert.match(screen.seen(), /^› line 0\n\n› line 1\n/);
  assert.match(screen.seen(), /reading older …/);
  assert.deepEqual(screen.wanted(), [{ do: 'older', before: 'm0' }]);
  screen.type('g');
  assert.deepEqual(screen.wanted(), []);
  screen.hear({ kind: 'older', entries: [entries.said('old', 'the very first')], before: null });
  assert.match(screen.type('g').seen(), /^› the very first\n/);
  assert.match(screen.seen(), /the beginning/);
  screen.type('q');
  assert.equal(screen.seen(), '\n›\n  work · ada · demo/script · F1 keys');
  assert.doesNotMatch(screen.printed(), /the very first/);
});

test('what fits on one screen is all there is to read back, once older ones were asked for', () => {
  const screen = new ChatScreen().open([entries.said('2', 'second')], { before: '2' });
  assert.match(screen.type('\u001b[5~').seen(), /reading older …/);
  assert.deepEqual(screen.wanted(), [{ do: 'older', before: '2' }]);
  screen.hear({ kind: 'older', entries: [entries.said('1', 'first')], before: null });
  assert.match(screen.seen(), /^› first\n\n› second\n[\s\S]*all of it · /);
});

test('what is said is on its way until it stands in the session, and is not shown twice', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  assert.deepEqual(screen.type('hi there\r').wanted(), [{ do: 'post', message: 1, text: 'hi there' }]);
  assert.match(screen.seen(), /› hi there {2}sending\n/);
  screen.hear({ kind: 'posted', message: 1, entry: 'e1', isHeard: true });
  assert.match(screen.seen(), /› hi there {2}sending\n/);
  screen.entry(entries.said('e1', 'hi there'));
  assert.equal(screen.seen(), '\n›\n  work · ada · demo/script · F1 keys');
  screen.entry(entries.said('e1', 'hi there'));
  assert.equal(screen.printed().match(/hi there/g)?.length, 1);
  screen.type('again\r').entry(entries.said('e2', 'again'));
  screen.hear({ kind: 'posted', message: 2, entry: 'e2', isHeard: true });
  assert.equal(screen.chat.outgoing.length, 0);
});

test('a message that was refused says why, and can be changed and sent again', () => {
  const screen = new ChatScreen().open();
  screen.type('too much\r');
  const fault = { code: 'session_busy', message: '100 messages wait.', next: 'Wait.' };
  screen.hear({ kind: 'unposted', message: 1, fault });
  assert.match(screen.printed(), /! 100 messages wait\. \(session_busy\)\n {2}Wait\.\n$/);
  assert.match(screen.seen(), /\n› too much\n/);
});

test('words come as they are said, and give way to the entry that holds them', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  const turn = 'trn_1';
  screen.stream('state', { turn, agent: 'agt_1', state: 'model' });
  screen.nowMs = 2_500;
  assert.match(screen.seen(), /● the model is at work, 2 s\n/);
  screen.stream('delta', { turn, step: 1, kind: 'reasoning', at: 0, text: 'I wonder' });
  assert.match(screen.seen(), /\n {2}I wonder\n/);
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 0, text: 'It is ' });
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 6, text: 'noon.' });
  assert.match(screen.seen(), /\n {2}It is noon\.\n/);
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 0, text: 'It is late.' });
  assert.match(screen.seen(), /\n {2}It is late\.\n/);
  screen.stream('delta', {
    turn,
    step: 1,
    kind: 'text',
    at: 0,
    text: `${'a line of it\n'.repeat(900)}the end of it`,
  });
  assert.match(screen.seen(), /^( {2}a line of it\n){18} {2}the end of it\n● the model/);
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 0, text: 'late'.repeat(900) });
  assert.match(screen.seen(), /( {2}[late]+\n){18}/);
  screen.stream('step_reset', { turn, step: 1 });
  assert.doesNotMatch(screen.seen(), /late/);
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 0, text: 'Done.' });
  screen.entry(entries.answer('a', 'Done.')).entry(entries.end('b'));
  assert.equal(screen.seen(), '\n›\n  work · ada · demo/script · F1 keys');
  // What is told of a turn that is over counts for nothing.
  screen.stream('state', { turn, agent: 'agt_1', state: 'model' });
  screen.stream('delta', { turn, step: 1, kind: 'text', at: 0, text: 'late' });
  assert.equal(screen.seen(), '\n›\n  work · ada · demo/script · F1 keys');
  assert.match(screen.printed(), /\nada\n {2}Done\.\n$/);
});

test('a call shows how long it runs and how far it is, then its certainty, code and time', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  screen.stream('state', { turn: 'trn_1', agent: 'agt_1', state: 'tool', tool: 'shell' });
  assert.match(screen.seen(), /● runs shell, 0 s\n/);
  screen.entry(entries.call('1', 'call_1', 'shell', { command: 'ls' }));
  screen.nowMs = 3_000;
  assert.match(screen.seen(), /● shell {2}3 s {2}\{"command":"ls"\}\n/);
  screen.stream('progress', { call: 'call_1', done: 3, total: 10, text: 'files' });
  assert.match(screen.seen(), /● shell {2}3 s {2}━━━─────── 30 % files\n/);
  screen.stream('progress', { call: 'call_1', done: 3, text: 'files' });
  assert.match(screen.seen(), /● shell {2}3 s {2}files\n/);
  screen.entry(entries.result('2', 'call_1', { ms: 3_120, text: 'a\nb\nc\nd\n' }));
  screen.entry(entries.call('3', 'call_2', 'rm', { path: 'x' }));
  screen.entry(
    entries.result('4', 'call_2', { certainty: 'not_started', code: 'grant_denied', ms: 0, text: '' }),
  );
  screen.entry(entries.call('5', 'call_3', 'send', {}));
  screen.entry(
    entries.result('6', 'call_3', {
      certainty: 'outcome_unknown',
      code: 'tool_timeout',
      ms: 65_000,
      text: '',
    }),
  );
  screen.entry({ id: '7', type: 'tool_settled', call: 'call_3', certainty: 'completed' });
  assert.equal(
    screen.printed().split('F1 for keys\n')[1],
    '\n✓ shell  completed · 3.1 s  {"command":"ls"}\n  │ a\n  │ b\n  │ … 2 more lines (Page Up shows all)\n' +
      '○ rm  not_started · grant_denied · 0 ms  {"path":"x"}\n' +
      '! send  outcome_unknown · tool_timeout · 1 min 5 s\n' +
      '· Learnt of an earlier call: completed\n',
  );
  assert.match(
    screen.type('\u001b[5~').seen(),
    /✓ shell {2}completed · 3\.1 s\n {2}\{"command":"ls"\}\n {2}│ a\n {2}│ b\n {2}│ c\n {2}│ d\n/,
  );
});

test('a call that waits has no blank in its name, its folder and its arguments that passes for a space', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  screen.stream('approval', { approval: 'apr_1', state: 'open' });
  const question: Question = {
    ...QUESTION,
    tool: 'write\u00a0file',
    facts: [['folder', '/srv/my\u2800work']],
    arguments: '{\n  "path": "a\u3000b\u200d.txt"\n}',
  };
  screen.hear(asks(question));
  assert.equal(
    screen.printed().split('F1 for keys\n')[1],
    '\n? write\\u00a0file of fs wants to run\n  risk        medium, write\n  folder      /srv/my\\u2800work\n  arguments\n  │ {\n  │   "path": "a\\u3000b\\u200d.txt"\n  │ }\n',
  );
  assert.match(screen.seen(), /\? write\\u00a0file waits for your decision\n/);
});

test('a call that waits is told whole, and runs only where somebody chose and then pressed Enter', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  screen.stream('approval', { approval: 'apr_1', state: 'open' });
  assert.deepEqual(screen.wishes.splice(0).at(-1), { do: 'questions' });
  screen.hear(asks(QUESTION)).hear(asks(QUESTION));
  assert.equal(
    screen.printed().split('F1 for keys\n')[1],
    '\n? write_file of fs wants to run\n  risk        medium, write\n  folder      /srv/work\n  arguments\n  │ {\n  │   "path": "a.txt"\n  │ }\n',
  );
  assert.match(
    screen.seen(),
    /\? write_file waits for your decision\n {3}approve {4}deny {4}approve for the turn {4}a\/d\/t, then Enter; Tab: write\n›\n/,
  );
  screen.nowMs = 600;
  screen.type('\r');
  assert.deepEqual(screen.wanted(), []);
  assert.match(screen.seen(), /Choose with a letter or the arrows/);
  screen.type('t\r');
  assert.deepEqual(screen.wanted(), [{ do: 'decide', approval: 'apr_1', decision: 'approve_turn' }]);
  assert.match(screen.seen(), /telling the host/);
  // A second Enter decides nothing more.
  screen.type('\r');
  assert.deepEqual(screen.wanted(), []);
  screen.hear({
    kind: 'failed',
    line: null,
    fault: { code: 'approval_settled', message: 'Too late.', next: null },
  });
  assert.match(screen.printed(), /! Too late\. \(approval_settled\)\n$/);
  screen.stream('approval', { approval: 'apr_1', state: 'expired' });
  assert.doesNotMatch(screen.seen(), /waits for your decision/);
  // A list that was written before.
  screen.hear(asks(QUESTION));
  assert.doesNotMatch(screen.seen(), /waits for your decision/);
});

test('only what the authority offers can be chosen', () => {
  const screen = new ChatScreen().open();
  screen.hear(asks({ ...QUESTION, decisions: ['approve', 'deny'] }));
  screen.nowMs = 600;
  assert.doesNotMatch(screen.seen(), /for the turn/);
  screen.type('t\r');
  assert.deepEqual(screen.wanted(), [{ do: 'post', message: 1, text: 't' }]);
  screen.type('\t\u001b[C\u001b[C\r');
  assert.deepEqual(screen.wanted(), [{ do: 'decide', approval: 'apr_1', decision: 'deny' }]);
});

test('who is writing goes on writing: a question takes no key that was meant for the text', () => {
  const screen = new ChatScreen().open();
  screen.type('I am wri').hear(asks(QUESTION, { ...QUESTION, id: 'apr_2' }));
  screen.type('ting a').type('\r');
  assert.deepEqual(screen.wanted(), [{ do: 'post', message: 1, text: 'I am writing a' }]);
  assert.match(screen.seen(), /\(1 more\)/);
  // Right after it appeared, and a letter that is the beginning of a word.
  const next = new ChatScreen().open().hear(asks(QUESTION));
  next.type('a');
  assert.match(next.seen(), /\n› a\n/);
  const word = new ChatScreen().open().hear(asks(QUESTION));
  word.nowMs = 600;
  word.type('a').type('nother').type('\r');
  assert.deepEqual(word.wanted(), [{ do: 'post', message: 1, text: 'another' }]);
  const paste = new ChatScreen().open().hear(asks(QUESTION));
  paste.nowMs = 600;
  paste.type('\u001b[200~y\u001b[201~').type('\r');
  assert.deepEqual(paste.wanted(), [{ do: 'post', message: 1, text: 'y' }]);
  const shut = new ChatScreen().open().hear(asks(QUESTION));
  shut.nowMs = 600;
  shut.type('d\u007f\r').type('\u001b').type('/deny apr_1\r');
  assert.deepEqual(shut.wanted(), [{ do: 'command', line: '/deny apr_1' }]);
});

test('an approval of the host is a question, with what it is about and all its arguments', () => {
  const row = {
    ...{ id: 'apr_1', tool: 'shell', risk: 'high', decisions: ['approve', 'deny'], untilMs: 5 },
    shown: {
      ...{
        arguments: { command: 'rm -r x' },
        extension: 'core',
        agent: { name: 'ada' },
        speaker: 'reader',
        effect: 'write',
      },
      ...{ workspace: '/srv', grants: { fs: {} }, rewritten_by: ['norm'], ran_before: { at: 1 } },
    },
  };
  assert.deepEqual(questionsOf({ approvals: [row, { no: 'id' }] }), [
    {
      ...{ id: 'apr_1', tool: 'shell', extension: 'core', risk: 'high, write', untilMs: 5 },
      facts: [
        ['for', 'ada, reader'],
        ['folder', '/srv'],
        ['may touch', '{"fs":{}}'],
        ['changed by', 'norm'],
        ['ran before', '{"at":1}'],
      ],
      arguments: '{\n  "command": "rm -r x"\n}',
      decisions: ['approve', 'deny'],
    },
  ]);
  assert.deepEqual(questionsOf([{ id: 'x', shown: { arguments: 'not json' } }])[0]?.arguments, 'not json');
  assert.deepEqual(questionsOf(null), []);
});

test('Ctrl-C cancels the turn, and leaves when it comes again; without a turn it clears what is written', () => {
  const screen = new ChatScreen().open();
  screen.stream('state', { turn: 'trn_1', agent: 'agt_1', state: 'model' });
  screen.type('\u0003');
  assert.deepEqual(screen.wanted(), [{ do: 'cancel' }]);
  assert.match(screen.seen(), /Cancelling the turn … Ctrl-C again leaves/);
  screen.nowMs = 2_500;
  screen.type('\u0003');
  assert.deepEqual(screen.wanted(), [{ do: 'cancel' }]);
  screen.entry(entries.end('1', 'cancelled', { code: 'turn_cancelled' }));
  assert.match(screen.printed(), /· The turn ended: cancelled \(turn_cancelled\)\.\n$/);
  screen.nowMs = 9_000;
  screen.type('draft\u0003');
  assert.match(screen.seen(), /\n›\n {2}Ctrl-C again leaves/);
  assert.deepEqual(screen.wanted(), []);
  screen.type('\u0019');
  assert.match(screen.seen(), /\n› draft\n/);
  screen.type('\u0003\u0003');
  assert.deepEqual(screen.wanted(), [{ do: 'leave' }]);
  assert.equal(screen.chat.isLeaving, true);
  assert.deepEqual(new ChatScreen().open().type('a\u0004\u007f\u0004').wanted(), [{ do: 'leave' }]);
});

test('a line with a slash is a command; its answer is told with it, and what goes wrong says what to do', () => {
  const screen = new ChatScreen().open();
  screen.printed();
  screen.type('/costs\r');
  assert.deepEqual(screen.wanted(), [{ do: 'command', line: '/costs' }]);
  assert.match(screen.seen(), /› \/costs\n/);
  screen.hear({ kind: 'answered', line: '/costs', text: 'nothing\u001b[2J yet\n' });
  screen.type('/agent\r').hear({
    ...{ kind: 'failed', line: '/agent' },
    fault: { code: 'command_usage', message: 'A name is missing.', next: '/agent add <agent>' },
  });
  assert.equal(
    screen.printed().split('F1 for keys\n')[1],
    '\n› /costs\n  nothing\\u001b[2J yet\n\n› /agent\n\n! A name is missing. (command_usage)\n  /agent add <agent>\n',
  );
  screen.wanted();
  assert.deepEqual(screen.type('/clear\r').type('\u000c').wanted(), [{ do: 'clear' }, { do: 'clear' }]);
  assert.deepEqual(screen.type('/ is no command\r').wanted(), [
    { do: 'post', message: 1, text: '/ is no command' },
  ]);
});

test('Enter sends, Alt-Enter and a backslash begin a line, a paste keeps its lines, and nothing is not sent', () => {
  const screen = new ChatScreen().open();
  screen.type('one\u001b\rtwo\\\rthree\u001b[200~\nfour\u001b[201~\r');
  assert.deepEqual(screen.wanted(), [{ do: 'post', message: 1, text: 'one\ntwo\nthree\nfour' }]);
  assert.deepEqual(screen.type('  \r').wanted(), []);
});

test('Ctrl-R finds what was said, in this session too; arrows go through it', () => {
  const screen = new ChatScreen().open([entries.said('1', 'the first one'), entries.said('2', 'second')]);
  screen.type('\u0012').type('ON');
  assert.match(screen.seen(), /search: ON {2}second\n/);
  screen.type('\u0012');
  assert.match(screen.seen(), /search: ON {2}the first one\n/);
  screen.type('\u0012');
  assert.match(screen.seen(), /search: ON {2}the first one\n/);
  screen.type('x');
  assert.match(screen.seen(), /search: ONx {2}nothing\n/);
  screen.type('\u007f\u007f\u007fthe\r');
  assert.match(screen.seen(), /\n› the first one\n/);
  assert.deepEqual(screen.wanted(), []);
  screen.type('\u0015draft\u001b[A');
  assert.match(screen.seen(), /\n› second\n/);
  screen.type('\u001b[B');
  assert.match(screen.seen(), /\n› draft\n/);
  screen.type('\u0012second').type('\u001b');
  assert.match(screen.seen(), /\n› draft\n/);
});

test('the host going away is said, and what was sent waits for it', () => {
  const screen = new ChatScreen().open();
  screen.hear({ kind: 'link', isLive: false }).type('still there?\r');
  assert.match(screen.seen(), /› still there\? {2}waits\n/);
  assert.match(screen.seen(), /The host does not answer; waiting for it …/);
  assert.equal(screen.chat.isBusy, true);
  screen.wishes.splice(0);
  screen.hear({ kind: 'link', isLive: true });
  assert.deepEqual(screen.wishes, [{ do: 'session' }, { do: 'questions' }]);
});

test('after a reset what is known is not told again, and what ran is over', () => {
  const screen = new ChatScreen().open([entries.said('1', 'hello')]);
  screen.stream('state', { turn: 'trn_1', agent: 'agt_1', state: 'model' });
  screen.open([entries.said('1', 'hello'), entries.end('2', 'interrupted')], { isNew: false });
  assert.equal(screen.printed().match(/hello/g)?.length, 1);
  assert.match(screen.printed(), /The turn ended: interrupted\. \/continue goes on with it\.\n$/);
  assert.doesNotMatch(screen.seen(), /at work/);
  screen.hear({
    kind: 'session',
    session: { ...SESSION, mode: 'inspect', isClosed: true, running: { turn: 'trn_2', state: 'queued' } },
  });
  assert.match(screen.seen(), /inspect · closed/);
  assert.match(screen.seen(), /waits for the turn before it/);
});

test('a session of the host is shown with who answers first', () => {
  const view = {
    ...{ id: 'ses_1', name: null, host: 'b', model: null, mode: 'normal', closed: false, running: null },
    agents: [
      { id: 'a', name: 'ada' },
      { id: 'b', name: 'bob' },
    ],
  };
  assert.deepEqual(sessionShown(view), {
    ...{
      id: 'ses_1',
      name: '',
      agents: ['bob', 'ada'],
      model: '',
      mode: 'normal',
      isClosed: false,
      running: null,
    },
  });
});

test('whoever else speaks has a name, a task is one, and a summary is told', () => {
  const from = { kind: 'client', id: 'tok_2', name: 'ci' };
  const screen = new ChatScreen().open();
  screen.printed();
  screen.entry({ id: '1', type: 'message', from, text: 'from a client' });
  screen.entry({ id: '2', type: 'directive', from: { kind: 'schedule', id: 'sch_1' }, text: 'tidy up' });
  screen.entry({ id: '3', type: 'summary', from, text: 'short' });
  screen.entry({ id: '4', type: 'error', from, text: 'It broke.', code: 'model_timeout' });
  screen.entry({ id: '5', type: 'approval_decision', from, decision: 'approved', rule: 'turn', via: 'http' });
  screen.entry(entries.answer('6', '# Head\n```\n  code\n```', { final: false }));
  screen.entry(entries.end('7', 'silent'));
  screen
    .entry({ id: '8', type: 'ack', turn: 'trn_2' })
    .entry({ type: 'message' })
    .entry({ id: '9', type: 'message', text: 'x' });
  screen.entry(entries.result('10', 'call_of_before', { text: '' }));
  assert.equal(
    screen.printed().split('F1 for keys\n')[1],
    '\nci\n› from a client\n\nschedule sch_1 (task)\n› tidy up\n\n· What stands above was summed up for the model:\n  short\n' +
      '\n! It broke. (model_timeout)\n\n· approved, for the rest of the turn (http)\n\n  # Head\n  ```\n    code\n  ```\n' +
      '\n· The turn ended without words.\n\nsomebody\n› x\n\n✓ a call  completed · 12 ms\n',
  );
});

test('F1 shows the keys until Esc', () => {
  const screen = new ChatScreen().open();
  assert.match(screen.type('\u001bOP').seen(), /Ctrl-R searches it/);
  assert.doesNotMatch(screen.type('\u001b').seen(), /Ctrl-R searches it/);
});
