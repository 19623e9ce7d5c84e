// Whatever a host tells and whatever somebody types, on a screen of whatever size: a chat never throws, no row is wider than the screen, there are fewer rows than
// it has, the cursor stands in one of them, and nothing that drives a terminal is among what is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import type { ChatEvent } from '../../src/chat/model/chat-events.ts';
import { doneRows, frameOf } from '../../src/chat/model/chat-frame.ts';
import { ChatModel } from '../../src/chat/model/chat-model.ts';
import { questionsOf } from '../../src/chat/model/question-of.ts';
import { sessionShown } from '../../src/chat/model/session-shown.ts';
import { KeyDecoder } from '../../src/chat/terminal/key-decoder.ts';
import { Painter } from '../../src/chat/terminal/painter.ts';
import { asciiMarks, unicodeMarks } from '../../src/chat/text/marks.ts';
import { rowCells, rowText, type StyledLine } from '../../src/chat/text/styled-line.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.constantFrom(
    'a\n\nb',
    '\u001b]0;x\u0007\u001b[2J',
    '\u202eevil',
    '漢字'.repeat(60),
    '```\n  x\n```',
    'word '.repeat(80),
  ),
);
const json = fc.jsonValue({ maxDepth: 2 });
const typeOfEntry = fc.constantFrom(
  ...[
    'message',
    'directive',
    'ack',
    'turn_end',
    'error',
    'summary',
    'tool_call',
    'tool_result',
    'tool_settled',
  ],
  ...['approval_request', 'approval_decision', 'of_tomorrow'],
);
const id = fc.constantFrom('1', '2', '3', '4', 'call_1', 'trn_1', 'apr_1', '');
const entry = fc.record({
  ...{ id: fc.oneof(id, text), type: typeOfEntry, text, tool: text, call: id, turn: id, extension: text },
  ...{
    arguments: json,
    code: fc.oneof(text, json),
    certainty: fc.oneof(text, fc.constant('completed')),
    ms: json,
  },
  ...{
    status: fc.oneof(text, fc.constantFrom('completed', 'cancelled')),
    final: fc.boolean(),
    decision: text,
    via: text,
  },
  from: fc.oneof(
    json,
    fc.record({ kind: fc.constantFrom('person', 'agent', 'client'), id: text, name: text }),
  ),
});
const streamed = fc.record({
  ...{
    turn: id,
    step: fc.nat(3),
    kind: fc.constantFrom('text', 'reasoning', 'arguments'),
    at: fc.nat(20),
    text,
    tool: text,
  },
  ...{
    state: fc.oneof(text, fc.constantFrom('model', 'tool', 'approval', 'queued')),
    call: id,
    done: json,
    total: json,
  },
});
const view = fc.record({
  id: text,
  name: text,
  agents: fc.array(fc.record({ id: text, name: text }), { maxLength: 3 }),
  model: text,
  mode: text,
});
const approval = fc.record({
  ...{
    id: text,
    tool: text,
    risk: text,
    decisions: fc.subarray(['approve', 'deny', 'approve_turn', 'of tomorrow']),
  },
  shown: fc.record({ arguments: json, extension: text, workspace: text, grants: json }),
});
const fault = fc.record({ code: text, message: text, next: fc.option(text) });
const names = fc.array(text, { maxLength: 12 });
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    ...[
      '\r',
      '\t',
      '\u001b',
      '\u001b[5~',
      '\u001b[6~',
      '\u001b[H',
      '\u001b[A',
      '\u001b[B',
      '\u001b[C',
      '\u001b[Z',
      '\u0012',
      '\u0003',
    ],
    ...[
      '\u007f',
      '/',
      '@',
      'a',
      'd',
      'q',
      '\u001b\r',
      '\u001bOP',
      '\u001b[200~x\ny\u001b[201~',
      '/agent ',
      'g',
    ],
  ),
);

const told = (value: unknown) => value as JsonObject;
const event: fc.Arbitrary<ChatEvent | string> = fc.oneof(
  { weight: 6, arbitrary: key },
  {
    weight: 4,
    arbitrary: entry.map((data): ChatEvent => ({ kind: 'stream', event: 'entry', data: told(data) })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('delta', 'state', 'progress', 'approval', 'step_reset', 'tomorrow'), streamed)
      .map(([name, data]): ChatEvent => ({ kind: 'stream', event: name, data: told(data) })),
  },
  fc
    .record({ columns: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 70 }) })
    .map((size): ChatEvent => ({ kind: 'resized', ...size })),
  fc
    .record({ view, entries: fc.array(entry, { maxLength: 6 }), isNew: fc.boolean(), before: fc.option(id) })
    .map(
      ({ view: shown, entries, ...more }): ChatEvent => ({
        ...{ kind: 'opened', session: sessionShown(told(shown)), entries: entries.map(told) },
        ...more,
      }),
    ),
  fc.boolean().map((isLive): ChatEvent => ({ kind: 'link', isLive })),
  fc
    .array(approval, { maxLength: 2 })
    .map((rows): ChatEvent => ({ kind: 'questions', questions: questionsOf(rows as never) })),
  fc
    .record({
      agents: names,
      models: names,
      sessions: names,
      extensions: names,
      approvals: names,
      groups: names,
    })
    .map(
      (found): ChatEvent => ({
        kind: 'names',
        names: {
          ...found,
          commands: found.groups.map((name) => ({
            name,
            aliases: [],
            about: name,
            usages: [`/${name} <agent> [--x <model>]`],
          })),
        },
      }),
    ),
  fault.map((found): ChatEvent => ({ kind: 'failed', line: found.next, fault: found })),
  fault.map((found): ChatEvent => ({ kind: 'unposted', message: 1, fault: found })),
  fc.tuple(text, text).map(([line, answer]): ChatEvent => ({ kind: 'answered', line, text: answer })),
  fc
    .array(entry, { maxLength: 4 })
    .map((entries): ChatEvent => ({ kind: 'older', entries: entries.map(told), before: null })),
  fc.constant<ChatEvent>({ kind: 'posted', message: 1, entry: '2', isHeard: true }),
  fc.constant<ChatEvent>({ kind: 'tick' }),
);

test('a screen of any size holds whatever is told and typed', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 40 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      (events, columns, rows, isPlain) => {
        const chat = new ChatModel({ columns, rows, marks: isPlain ? asciiMarks : unicodeMarks });
        const keys = new KeyDecoder();
        const painter = new Painter({ withColours: !isPlain });
        let nowMs = 0;
        for (const each of events) {
          nowMs += 300;
          if (typeof each !== 'string') chat.take(each, nowMs);
          else
            for (const found of [...keys.feed(each), ...keys.flush()])
              chat.take({ kind: 'key', key: found }, nowMs);
          const frame = frameOf(chat, nowMs);
          const done = frame.isWhole ? [] : doneRows(chat);
          holds(done, chat.columns);
          holds(frame.rows, chat.columns);
          assert.ok(
            frame.rows.length >= 1 &&
              frame.rows.length <= Math.max(1, frame.isWhole ? chat.rows : chat.rows - 1),
          );
          assert.ok(frame.cursor.row >= 0 && frame.cursor.row < frame.rows.length);
          assert.ok(frame.cursor.cells >= 0 && frame.cursor.cells < Math.max(1, chat.columns));
          drivesNothing(painter.paint(done, frame, chat.columns));
        }
        drivesNothing(painter.leave(chat.columns));
      },
    ),
    { numRuns: 200 },
  );
});

function holds(rows: readonly StyledLine[], columns: number): void {
  for (const line of rows) {
    assert.ok(
      rowCells(line) <= columns,
      `${rowCells(line)} cells of ${columns}: ${JSON.stringify(rowText(line))}`,
    );
    assert.doesNotMatch(rowText(line), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
}

/** Beside what the painter itself writes there is no control. */
function drivesNothing(out: string): void {
  const rest = out.replace(/\u001b(?:\[(?:\d{1,2}m|\d+A|H|J|K|2J|\?(?:25|7|1049)[hl])|[78])|\r\n|\r/g, '');
  assert.doesNotMatch(rest, /[\u0000-\u001f\u007f-\u009f]/);
}
