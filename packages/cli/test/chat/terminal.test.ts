import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import type { Key } from '../../src/chat/terminal/key-decoder.ts';
import { Painter } from '../../src/chat/terminal/painter.ts';
import { takeTerminal } from '../../src/chat/terminal/terminal.ts';
import { terminalChat } from '../../src/chat/terminal-chat.ts';
import { row, span } from '../../src/chat/text/styled-line.ts';
import { entries } from './chat-screen.ts';
import { DoorInHand, ID, PATH, sessionRoutes } from './door-in-hand.ts';
import { playedProcess, playedTerminal } from './played-terminal.ts';

const GIVEN_BACK = '\u001b[?2004l\u001b[0m\u001b[?7h\u001b[?25h';

test('rows that are alive are drawn over, rows that are done scroll away', () => {
  const painter = new Painter({ withColours: false });
  const frame = {
    rows: [row('above'), row('> text'), row('below')],
    cursor: { row: 1, cells: 6 },
    isWhole: false,
  };
  assert.equal(
    painter.paint([row('done')], frame, 80),
    '\u001b[?25l\u001b[?7l\r\u001b[Jdone\r\n\r\n\r\n\u001b[2Aabove\u001b[K\r\n> text\u001b7\u001b[K\r\nbelow\u001b[K\u001b8\u001b[0m\u001b[?7h\u001b[?25h',
  );
  assert.match(painter.paint([], frame, 80), /^\u001b\[\?25l\u001b\[\?7l\r\u001b\[1A\u001b\[J/);
  // Five cells of a screen of four are two rows by now, and the cursor stands in the second row of its own.
  assert.match(painter.paint([], frame, 4), /\r\u001b\[3A\u001b\[J/);
  assert.equal(painter.leave(80), '\u001b[?25l\u001b[?7l\r\u001b[1A\u001b[J\u001b[0m\u001b[?7h\u001b[?25h');
});

test('the cursor stands before what is behind it, whatever width the terminal gives to what is before it', () => {
  const painter = new Painter({ withColours: true });
  const frame = {
    rows: [[span('> ', 'accent'), span('漢'), span('字')]],
    cursor: { row: 0, cells: 4 },
    isWhole: false,
  };
  assert.match(painter.paint([], frame, 80), /\u001b\[36m> \u001b\[0m漢\u001b7字\u001b\[K\u001b8/);
});

test('reading back has a screen of its own that is left again', () => {
  const painter = new Painter({ withColours: false });
  const whole = { rows: [row('a'), row('b')], cursor: { row: 1, cells: 0 }, isWhole: true };
  const end = { rows: [row('>')], cursor: { row: 0, cells: 1 }, isWhole: false };
  assert.match(painter.paint([], whole, 80), /\u001b\[\?1049h\u001b\[H/);
  assert.doesNotMatch(painter.paint([], whole, 80), /1049/);
  assert.match(painter.paint([], end, 80), /\u001b\[\?1049l/);
  painter.paint([], whole, 80);
  assert.match(painter.leave(80), /\u001b\[\?1049l/);
  assert.equal(painter.forget(), '\u001b[H\u001b[2J');
});

test('a terminal is raw until it is given back, by whoever is done or by the end of the process', async () => {
  const clock = manualClock();
  const terminal = playedTerminal();
  const process = playedProcess();
  const keys: Key[] = [];
  const heard: string[] = [];
  const take = () =>
    takeTerminal({
      ...{ input: terminal.input, output: terminal.output, clock, exit: process.source },
      lastWords: () => '<last words>',
      listener: {
        key: (key) => keys.push(key),
        resized: () => heard.push('resized'),
        gone: () => heard.push('gone'),
      },
    });
  const taken = take();
  assert.deepEqual(terminal.raw, [true]);
  assert.deepEqual([taken.columns, taken.rows], [80, 24]);
  terminal.type('é'.slice(0));
  terminal.type('\u001b');
  await clock.advance(50);
  assert.deepEqual(keys, [
    { kind: 'text', text: 'é' },
    { kind: 'key', key: 'escape' },
  ]);
  terminal.resize({ columns: 0, rows: 0 });
  assert.deepEqual([taken.columns, taken.rows, heard], [80, 24, ['resized']]);
  taken[Symbol.dispose]();
  taken[Symbol.dispose]();
  assert.deepEqual(terminal.raw, [true, false]);
  take();
  process.emit('exit');
  assert.deepEqual(terminal.raw, [true, false, true, false]);
  await clock.advance(0);
  assert.equal(terminal.written(), `\u001b[?2004h<last words>${GIVEN_BACK}`.repeat(2));
  assert.equal(process.listeners(), 0);
});

function begun(env: Record<string, string> = { LANG: 'C.UTF-8', NO_COLOR: '1' }) {
  const clock = manualClock();
  const terminal = playedTerminal();
  const machine = playedProcess();
  const door = new DoorInHand(sessionRoutes(() => [entries.said('1', 'hello')]));
  const { input, output } = terminal;
  const ended = terminalChat(
    { clock, random: systemRandom(), env },
    { door, session: ID, input, output, source: machine.source },
  );
  return { clock, terminal, machine, door, ended };
}

test('a chat draws what it hears, sends what is typed, changes sessions and leaves the terminal as it was', async () => {
  const { clock, terminal, machine, door, ended } = begun();
  await clock.advance(100);
  assert.match(terminal.written(), /Fairlead · Session work\r\n/);
  door.route(`POST ${PATH}/entries`, () => ({ id: '2', woken: ['agt_1'] }));
  terminal.type('hi\r');
  await clock.advance(100);
  assert.deepEqual((door.bodies(`POST ${PATH}/entries`)[0] as { text: string }).text, 'hi');
  door.streams[0]?.tell('state', { turn: 'trn_1', agent: 'agt_1', state: 'model' });
  await clock.advance(1_100);
  assert.match(terminal.written(), /the model is at work, 1 s/);
  terminal.resize({ columns: 40, rows: 10 });
  terminal.type('\u000c');
  await clock.advance(100);
  assert.match(terminal.written(), /\u001b\[H\u001b\[2J/);
  const other = '/api/sessions/ses_other';
  door.route(`GET ${other}`, () => ({ id: 'ses_other', name: 'second', agents: [], mode: 'normal' }));
  door.route(`GET ${other}/entries`, () => ({ entries: [], before: null }));
  door.route(`POST ${other}/command`, () => ({ quit: true }));
  door.route(`POST ${PATH}/command`, () => ({ text: 'Session second.', open: 'ses_other' }));
  terminal.type('/new\r');
  await clock.advance(100);
  assert.match(terminal.written(), /Fairlead · Session second\r\nnobody answers here/);
  assert.equal(door.streams[0]?.isClosed, true);
  terminal.type('/quit\r');
  await clock.advance(0);
  assert.deepEqual(await ended, { exit: 0, session: 'ses_other', unsent: 0 });
  await clock.advance(0);
  assert.ok(terminal.written().endsWith(GIVEN_BACK));
  assert.deepEqual([terminal.raw, machine.listeners(), clock.pendingTimers], [[true, false], 0, 0]);
});

test('a signal, a terminal that goes away and a crash give it back, too', async () => {
  const signalled = begun({ LANG: 'C' });
  await signalled.clock.advance(100);
  assert.match(signalled.terminal.written(), /Fairlead - Session work/);
  signalled.terminal.type('not sent\r');
  signalled.door.isAway = true;
  await signalled.clock.advance(0);
  signalled.machine.emit('SIGTERM');
  assert.deepEqual(await signalled.ended, { exit: 130, session: ID, unsent: 1 });
  assert.deepEqual(signalled.terminal.raw, [true, false]);

  const hungUp = begun();
  await hungUp.clock.advance(0);
  hungUp.terminal.input.setRawMode = () => {
    throw new Error('setRawMode EIO');
  };
  hungUp.terminal.hangUp();
  assert.equal((await hungUp.ended).exit, 130);
  assert.equal(hungUp.clock.pendingTimers, 0);

  const crashed = begun();
  await crashed.clock.advance(0);
  crashed.machine.emit('uncaughtExceptionMonitor');
  assert.deepEqual(crashed.terminal.raw, [true, false]);
  crashed.machine.emit('SIGINT');
  await crashed.ended;
});
