import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { FairleadError, type Json, type JsonObject, systemRandom } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import { plainChat } from '../../src/chat/plain/plain-chat.ts';
import { questionLines } from '../../src/chat/plain/plain-lines.ts';
import { entries } from './chat-screen.ts';
import { DoorInHand, ID, PATH, sessionRoutes } from './door-in-hand.ts';
import { playedProcess } from './played-terminal.ts';

const APPROVAL: JsonObject = {
  ...{ id: 'apr_1', tool: 'write_file', risk: 'medium', decisions: ['approve', 'deny'] },
  shown: { extension: 'fs', arguments: { path: 'a.txt' } },
};

function begun(_: TestContext, posted: (text: string, door: DoorInHand) => Json | FairleadError) {
  const clock = manualClock();
  const machine = playedProcess();
  const input = new PassThrough();
  const door = new DoorInHand(
    sessionRoutes(() => [entries.said('0', 'of before'), entries.end('00', 'failed')]),
  );
  door.route(`POST ${PATH}/entries`, ({ body }) => posted((body as { text: string }).text, door));
  const printed = { stdout: '', stderr: '' };
  const stdout = (text: string) => {
    printed.stdout += text;
  };
  const stderr = (text: string) => {
    printed.stderr += text;
  };
  const ended = plainChat(
    { clock, random: systemRandom(), stdout, stderr },
    { door, session: ID, input, source: machine.source },
  );
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await clock.advance(0);
  };
  return { clock, machine, input, door, printed, ended, settle };
}

test('each line is said once the one before is answered; answers go to stdout, all else to stderr', async (t) => {
  const said: string[] = [];
  const { input, door, printed, ended, settle } = begun(t, (text) => {
    said.push(text);
    return { id: `m${said.length}`, woken: ['agt_1'] };
  });
  input.write('first\n\n/costs\nsecond\n');
  door.route(`POST ${PATH}/command`, () => ({ text: 'It cost \u001bnothing.' }));
  await settle();
  assert.deepEqual(said, ['first']);
  const tell = (entry: JsonObject) => door.streams[0]?.tell('entry', entry);
  tell(entries.answer('1', 'Let me see.', { final: false }));
  tell(entries.call('2', 'call_1', 'rm'));
  tell(entries.result('3', 'call_1', { certainty: 'not_started', code: 'grant_denied' }));
  tell({ id: '4', type: 'error', text: 'Hm.', code: 'x' });
  tell(entries.answer('5', 'Done.\n'));
  tell(entries.end('6'));
  await settle();
  assert.deepEqual(said, ['first', 'second']);
  input.end();
  tell(entries.answer('7', 'Again.'));
  tell(entries.end('8', 'cancelled', { code: 'turn_cancelled' }));
  assert.deepEqual(await ended, { exit: 1, session: ID });
  assert.equal(printed.stdout, 'Done.\nIt cost \\u001bnothing.\nAgain.\n');
  assert.equal(
    printed.stderr,
    'fairlead: Let me see.\nfairlead: rm: not_started · grant_denied · 12 ms\nfairlead: Hm. (x)\n' +
      'fairlead: The turn ended: cancelled (turn_cancelled).\n',
  );
});

test('a call that waits is told without a blank that passes for a space', () => {
  const question = {
    id: 'apr_1',
    tool: 'write_file',
    extension: 'f\u00a0s',
    risk: 'medium',
    facts: [['folder', '/srv/my\u2800work']],
    arguments: '{\n  "path": "a\u3000b.txt"\n}',
    decisions: ['deny'],
    untilMs: 1,
  } as const;
  assert.equal(
    questionLines(question),
    'fairlead: write_file of f\\u00a0s wants to run\n  risk: medium\n  folder: /srv/my\\u2800work\n' +
      '  {\n    "path": "a\\u3000b.txt"\n  }\n  decide: /approvals deny apr_1\n',
  );
});

test('a call that waits is told whole; a command decides it, and an end of input denies it', async (t) => {
  const { input, door, printed, ended, settle } = begun(t, () => ({ id: 'm', woken: ['agt_1'] }));
  let open: JsonObject[] = [APPROVAL];
  const lines: string[] = [];
  door.route(`POST ${PATH}/command`, ({ body }) => {
    const { line } = body as { line: string };
    if (line === '/approvals') return { data: { approvals: open } };
    lines.push(line);
    open = [];
    return { text: 'It runs.' };
  });
  door.route('POST /api/approvals/apr_2', () => {
    open = [];
    return {};
  });
  input.write('go\n');
  await settle();
  door.streams[0]?.tell('state', { turn: 'trn_1', agent: 'agt_1', state: 'approval', tool: 'write_file' });
  await settle();
  assert.equal(
    printed.stderr,
    'fairlead: write_file of fs wants to run\n  risk: medium\n  {\n    "path": "a.txt"\n  }\n' +
      '  decide: /approvals approve apr_1 | /approvals deny apr_1\n',
  );
  input.write('/approvals approve apr_1\n');
  await settle();
  assert.deepEqual(lines, ['/approvals approve apr_1']);
  open = [{ ...APPROVAL, id: 'apr_2' }];
  door.streams[0]?.tell('approval', { approval: 'apr_2', state: 'open' });
  input.end();
  await settle();
  assert.match(printed.stderr, /nobody is there to decide: write_file is denied\n/);
  assert.deepEqual(door.bodies('POST /api/approvals/apr_2'), [{ decision: 'deny' }]);
  door.streams[0]?.tell('entry', entries.result('r', 'call_9', { certainty: 'outcome_unknown' }));
  door.streams[0]?.tell('entry', entries.end('e'));
  assert.equal((await ended).exit, 3);
});

test('what was written before anybody was asked is no decision, and what is said while a call waits comes after it', async (t) => {
  const said: string[] = [];
  const { input, door, printed, ended, settle } = begun(t, (text) => {
    said.push(text);
    return { id: `m${said.length}`, woken: ['agt_1'] };
  });
  let open: JsonObject[] = [APPROVAL];
  const settled = () => {
    open = [];
    return { text: '' };
  };
  door.route(`POST ${PATH}/command`, ({ body }) =>
    (body as { line: string }).line === '/approvals' ? { data: { approvals: open } } : settled(),
  );
  door.route('POST /api/approvals/apr_1', settled);
  input.write('one\ntwo\n');
  await settle();
  door.streams[0]?.tell('approval', { approval: 'apr_1', state: 'open' });
  await settle();
  assert.deepEqual(door.bodies('POST /api/approvals/apr_1'), [{ decision: 'deny' }]);
  door.streams[0]?.tell('entry', entries.end('1'));
  await settle();
  assert.deepEqual(said, ['one', 'two']);
  open = [{ ...APPROVAL, id: 'apr_2' }];
  door.streams[0]?.tell('approval', { approval: 'apr_2', state: 'open' });
  await settle();
  input.write('three\n');
  await settle();
  assert.match(printed.stderr, /a call waits for a decision; this is said afterwards\n/);
  input.write('/approve apr_2\n');
  await settle();
  door.streams[0]?.tell('entry', entries.end('2'));
  await settle();
  assert.deepEqual(said, ['one', 'two', 'three']);
  input.end();
  door.streams[0]?.tell('entry', entries.end('3'));
  assert.equal((await ended).exit, 0);
});

test('what is refused is 1, /quit leaves, /new goes on elsewhere, and a message that wakes nobody is not waited for', async (t) => {
  const answers: (Json | FairleadError)[] = [
    { id: 'm', woken: [] },
    new FairleadError('session_busy', '100 wait.'),
  ];
  const { input, door, printed, ended, settle } = begun(t, () => answers.shift() ?? null);
  door.route(`POST ${PATH}/command`, ({ body }) =>
    (body as { line: string }).line === '/new'
      ? { text: '', open: 'ses_other' }
      : new FairleadError('unknown_command', 'No.'),
  );
  const other = '/api/sessions/ses_other';
  door.route(`GET ${other}`, () => ({ id: 'ses_other' }));
  door.route(`GET ${other}/entries`, () => ({ entries: [], before: null }));
  door.route(`POST ${other}/command`, () => ({ quit: true }));
  input.write('nobody\nrefused\n/nothing\n/new\n/quit\nnever said\n');
  await settle();
  assert.deepEqual(await ended, { exit: 1, session: 'ses_other' });
  assert.match(printed.stderr, /fairlead: 100 wait\. \(session_busy\)\n {2}next: /);
  assert.match(printed.stderr, /fairlead: No\. \(unknown_command\)\n/);
});

test('Ctrl-C cancels the turn and ends with 130; a host that goes away is said and waited for', async (t) => {
  const { input, door, printed, machine, ended, settle, clock } = begun(t, () => ({
    id: 'm',
    woken: ['agt_1'],
  }));
  door.route(`POST ${PATH}/cancel`, () => ({ cancelled: true }));
  input.write('go\nnever said\n');
  await settle();
  door.streams[0]?.end();
  await settle();
  assert.equal(printed.stderr, 'fairlead: the host does not answer; waiting for it\n');
  await clock.advance(300);
  door.streams[1]?.tell('reset');
  await settle();
  machine.emit('SIGINT');
  await settle();
  assert.equal(door.bodies(`POST ${PATH}/cancel`).length, 1);
  door.streams[1]?.tell('entry', entries.end('e', 'cancelled'));
  assert.equal((await ended).exit, 130);
  assert.equal(machine.listeners(), 0);

  const idle = begun(t, () => null);
  await idle.settle();
  idle.machine.emit('SIGTERM');
  assert.equal((await idle.ended).exit, 130);
});

test('on a paused host it says so and how it goes on, lets commands through, and ends on the first signal', async (t) => {
  const said: string[] = [];
  const { input, door, printed, machine, ended, settle } = begun(t, (text) => {
    said.push(text);
    return { id: 'm', woken: ['agt_1'] };
  });
  const lines: string[] = [];
  door.route('GET /api/admin/status', () => ({ agents: { pausedAtMs: 1 } }));
  door.route(`POST ${PATH}/cancel`, () => ({ cancelled: false }));
  door.route(`POST ${PATH}/command`, ({ body }) => {
    const { line } = body as { line: string };
    if (line === '/approvals') return { data: { approvals: [] } };
    lines.push(line);
    return { text: 'paused' };
  });
  input.write('hello\nmore\n/info\n');
  input.end();
  await settle();
  assert.deepEqual([said, lines, printed.stdout], [['hello'], ['/info'], 'paused\n']);
  assert.equal(
    printed.stderr,
    'fairlead: The host is paused: no turn and no call starts. (host_paused)\n' +
      '  next: Use `fairlead resume` or `/resume` when it may go on.\n' +
      'fairlead: the host is paused; this is said afterwards\n',
  );
  machine.emit('SIGTERM');
  assert.equal((await ended).exit, 130);
  assert.deepEqual(said, ['hello']);
});

test('after /resume on a paused host what comes next waits for the turn again', async (t) => {
  const said: string[] = [];
  const { input, door, ended, settle } = begun(t, (text) => {
    said.push(text);
    return { id: `m${said.length}`, woken: ['agt_1'] };
  });
  const lines: string[] = [];
  let pausedAtMs: number | null = 1;
  door.route('GET /api/admin/status', () => ({ agents: { pausedAtMs } }));
  door.route(`POST ${PATH}/command`, ({ body }) => {
    const { line } = body as { line: string };
    if (line === '/approvals') return { data: { approvals: [] } };
    lines.push(line);
    if (line === '/resume') pausedAtMs = null;
    return { text: '' };
  });
  input.write('hello\n/resume\n/costs\nmore\n');
  input.end();
  await settle();
  assert.deepEqual([said, lines], [['hello'], ['/resume']]);
  door.streams[0]?.tell('state', { turn: 'trn_1', agent: 'agt_1', state: 'model' });
  door.streams[0]?.tell('entry', entries.end('1'));
  await settle();
  assert.deepEqual(
    [said, lines],
    [
      ['hello', 'more'],
      ['/resume', '/costs'],
    ],
  );
  door.streams[0]?.tell('entry', entries.end('2'));
  assert.equal((await ended).exit, 0);
});

test('a turn that was broken off and never says how it ended is not waited for without end', async (t) => {
  for (const answer of [{ cancelled: true }, new FairleadError('server_unreachable', 'Gone.')]) {
    const { input, door, machine, ended, settle, clock } = begun(t, () => ({ id: 'm', woken: ['agt_1'] }));
    door.route(`POST ${PATH}/cancel`, () => answer);
    input.write('go\n');
    await settle();
    machine.emit('SIGTERM');
    await settle();
    await clock.advance(20_000);
    assert.equal((await ended).exit, 130);
  }
});
