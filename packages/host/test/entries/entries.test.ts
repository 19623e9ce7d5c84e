import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, manualClock } from '@fairlead/testing';
import fc from 'fast-check';
import type { EntryBody } from '../../src/entries/entry.ts';
import { entryPage, exportSession, lastEntry } from '../../src/entries/entry-log.ts';
import { fitResult, fitText } from '../../src/entries/fit-result.ts';
import { readEntry } from '../../src/entries/read-entry.ts';
import { entryValue, HOST } from '../../src/entries/write-entry.ts';
import { hostFloor } from '../host-floor.ts';

const clock = manualClock();
const AT = 1_767_225_600_000;
const ADA = { kind: 'person', id: 'tok_1', name: 'Ada' } as const;
const USAGE = { input: 1, output: 2, cached: 0, written: 0, reasoning: 0 };

const EVERY: readonly EntryBody[] = [
  { type: 'message', text: 'hello', mentions: ['agt_1'], final: false, turn: 'trn_1', step: 0 },
  { type: 'directive', text: 'do it', agent: 'agt_1', parent: 'trn_1', slot: 'slot' },
  { type: 'ack', turn: 'trn_1', for: ['a:1:0'], agent: 'agt_1', model: 'local/m', resumes: 'trn_0' },
  { type: 'turn_end', turn: 'trn_1', status: 'completed', usage: USAGE, nanousd: null, steps: 1 },
  { type: 'error', code: 'model_timeout', text: 'silent', turn: 'trn_1' },
  { type: 'summary', text: 'so far', upto: 'a:1:0' },
  {
    ...{
      type: 'tool_call',
      call: 'call_1',
      turn: 'trn_1',
      step: 0,
      index: 1,
      tool: 'shell',
      extension: 'core',
    },
    ...{ tier: 'in_process', target: 'ext:core/shell#d', arguments: { key: { $masked: 4 } }, digest: 'd' },
  } as EntryBody,
  {
    ...{
      type: 'tool_result',
      call: 'call_1',
      certainty: 'completed',
      error: false,
      text: 'x',
      structured: [1],
    },
    ...{ ms: 3, bytes: 1, cut: 0, redacted: ['key'], hooks: ['wrap'] },
  } as EntryBody,
  { type: 'tool_settled', call: 'call_1', certainty: 'not_started', code: 'late', text: 'no' },
  {
    ...{ type: 'approval_request', approval: 'apr_1', call: 'call_1', tool: 'shell', extension: 'core' },
    ...{ risk: 'high', arguments: {}, digest: 'd', until: 5 },
  } as EntryBody,
  { type: 'approval_decision', approval: 'apr_1', decision: 'denied', by: 'person:1', via: 'http' },
];

test('an entry of every type is read as it was written', () => {
  for (const body of EVERY) {
    const value = entryValue(body, ADA, clock);
    assert.deepEqual(readEntry('r:1:0', JSON.parse(JSON.stringify(value)) as Json), {
      ...body,
      id: 'r:1:0',
      at: AT,
      from: ADA,
    });
  }
});

test('members are single words, and stand flat beside type, time and speaker', () => {
  for (const body of EVERY)
    for (const member of Object.keys(entryValue(body, HOST, clock))) assert.match(member, /^[a-z]+$/);
});

test('an entry that lacks a member, or has a wrong one, is shown and never counted', () => {
  const faults: readonly JsonObject[] = [
    { type: 'message', text: 5, mentions: [] },
    { type: 'message', text: '\ud800', mentions: [] },
    { type: 'message', text: 'x', mentions: 'agt' },
    { type: 'ack', turn: 'trn_1', for: [], agent: 'agt_1' },
    { type: 'turn_end', turn: 'trn_1', status: 'great', usage: USAGE, nanousd: 0, steps: 0 },
    { type: 'turn_end', turn: 'trn_1', status: 'failed', usage: {}, nanousd: 0, steps: 0 },
    {
      type: 'tool_result',
      call: 'c',
      certainty: 'maybe',
      error: false,
      text: '',
      ms: 0,
      bytes: 0,
      redacted: [],
      hooks: [],
    },
    { type: 'reaction', emoji: 'tada' },
    { type: 'toString' },
  ];
  for (const fault of faults) {
    const value = { at: AT, from: { ...ADA }, ...fault };
    assert.deepEqual(readEntry('r:1:0', value), {
      ...{ type: 'unknown', of: fault['type'], id: 'r:1:0', at: AT, from: ADA, value },
    });
  }
});

test('a speaker of a kind that there is not counts for nobody', () => {
  for (const from of [
    { kind: 'root', id: 'x' },
    { kind: 'person', id: '' },
    { kind: 'person', id: 'x', name: 1 },
  ]) {
    const entry = readEntry('r:1:0', { type: 'message', at: AT, from, text: 'x', mentions: [] });
    assert.equal(entry?.type, 'unknown');
    assert.equal(entry.from, null);
  }
});

test('what is no entry is passed over, and one that is too large is shown without its value', () => {
  for (const value of [null, 'x', [], { type: 'message' }, { type: 'message', at: 1, from: {} }])
    assert.equal(readEntry('r:1:0', value), undefined);
  const large = { type: 'note', at: AT, from: { ...ADA }, text: 'x'.repeat(262_144) };
  assert.deepEqual(readEntry('r:1:0', large), {
    ...{ type: 'unknown', of: 'note', id: 'r:1:0', at: AT, from: ADA, value: null },
  });
});

test('what an extension delivered has no list of mentions and is a message all the same', () => {
  const entry = readEntry('r:1:0', {
    type: 'message',
    at: AT,
    from: { kind: 'client', id: 'ext:irc/ada' },
    text: 'hi',
  });
  assert.equal(entry?.type === 'message' && entry.mentions.length, 0);
});

test('no JSON whatever makes the reader throw, and what it calls a message has bounded text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...EVERY), fc.jsonValue(), (whole, body, member) => {
      readEntry('r:1:0', whole as Json);
      for (const name of Object.keys(body))
        readEntry('r:1:0', { ...entryValue(body, ADA, clock), [name]: member as Json });
    }),
    { numRuns: 200 },
  );
});

test('an entry with a text over 64 KiB or 256 KiB in all is refused before it is written', () => {
  const text = (bytes: number) => ({ type: 'message', text: 'x'.repeat(bytes), mentions: [] }) as const;
  assert.doesNotThrow(() => entryValue(text(65_536), ADA, clock));
  assert.throws(() => entryValue(text(65_537), ADA, clock), { code: 'entry_invalid', message: /\(text\)/ });
  const call = { ...EVERY[6], arguments: { big: 'x'.repeat(262_144) } } as EntryBody;
  assert.throws(() => entryValue(call, ADA, clock), { code: 'entry_invalid', message: /\(size\)/ });
});

test('a long text of a tool keeps its first 48 and its last 16 KiB', () => {
  const text = `${'a'.repeat(49_152)}${'b'.repeat(1000)}${'c'.repeat(16_384)}`;
  assert.deepEqual(fitResult({ text }), {
    text: 'a'.repeat(49_152) + 'c'.repeat(16_384),
    bytes: 66_536,
    cut: 1000,
  });
  assert.deepEqual(fitResult({ text: 'short', structured: { a: 1 } }), {
    text: 'short',
    structured: { a: 1 },
    bytes: 5,
  });
  assert.deepEqual(fitResult({ text: '', structured: 'x'.repeat(65_536) }), { text: '', bytes: 0 });
  assert.equal(fitText('ä'.repeat(40_000)).length, 32_768);
});

test('a cut never goes through a character, and never loses more than it says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.nat(40_000), (piece, pad) => {
      const text = 'x'.repeat(pad % 7) + piece.repeat(Math.ceil((60_000 + pad) / piece.length));
      const fitted = fitResult({ text });
      const bytes = Buffer.byteLength(text);
      assert.equal(fitted.bytes, bytes);
      assert.equal(Buffer.byteLength(fitted.text) + (fitted.cut ?? 0), bytes);
      assert.ok(Buffer.byteLength(fitted.text) <= 65_536);
      assert.ok(fitted.text.isWellFormed());
    }),
    { numRuns: 60 },
  );
});

test('entries are read newest first, page by page, and the last of a type is found', async (t) => {
  hygiene(t);
  const { peer } = await hostFloor(t);
  const session = await peer.create('session');
  const ids: string[] = [];
  for (const text of ['one', 'two', 'three'])
    ids.push(
      await session.table('entries').append(entryValue({ type: 'message', text, mentions: [] }, ADA, clock)),
    );
  await session.table('entries').append('no entry');
  for (const turn of ['trn_1', 'trn_2'])
    await session
      .table('entries')
      .append(entryValue({ type: 'ack', turn, for: ids, agent: 'agt_1', model: 'm' }, HOST, clock));
  const first = await entryPage(session, { limit: 4 });
  assert.deepEqual(
    first.entries.map((entry) => entry.id.split(':')[1] ?? ''),
    ['7', '6', '4'],
  );
  const rest = await entryPage(session, { before: first.before ?? '', limit: 1000 });
  assert.deepEqual(
    rest.entries.map(({ id }) => id),
    [ids[1], ids[0]],
  );
  assert.equal(rest.before, null);
  assert.equal((await lastEntry(session, 'ack'))?.turn, 'trn_2');
  assert.equal((await lastEntry(session, 'ack', ({ turn }) => turn === 'trn_1'))?.turn, 'trn_1');
  assert.equal(await lastEntry(session, 'turn_end'), undefined);
});

test('an export says what it is first, then every entry in order as it was written', async (t) => {
  hygiene(t);
  const { peer } = await hostFloor(t);
  const session = await peer.create('session', (tx) => tx.set('meta', ['name'], 'Work'));
  const foreign = { type: 'reaction', at: 5, from: { kind: 'person', id: 'x' }, emoji: 'tada' };
  const message = entryValue({ type: 'message', text: 'hi', mentions: [] }, ADA, clock);
  const ids = [
    await session.table('entries').append(message),
    await session.table('entries').append(foreign),
  ];
  const lines: JsonObject[] = [];
  for await (const line of exportSession(session)) lines.push(line);
  assert.deepEqual(lines, [
    {
      format: 'fairlead-session-v1',
      session: session.root,
      meta: { name: 'Work' },
      version: { [peer.author]: 3 },
    },
    { ...message, id: ids[0] },
    { ...foreign, id: ids[1] },
  ]);
});
