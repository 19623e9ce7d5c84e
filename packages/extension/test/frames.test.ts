import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeExtension } from '../src/authoring/extension.ts';
import type { Ask } from '../src/carrier/ask.ts';
import type { CallRequest } from '../src/carrier/carrier.ts';
import { FrameCarrier } from '../src/carrier/frame-carrier.ts';
import { frameText, type HostFrame, readFrame } from '../src/carrier/frames.ts';
import { jsonCarrier } from '../src/carrier/json-carrier.ts';
import { readGuestFrame } from '../src/carrier/read-guest-frame.ts';
import type { Json, JsonObject } from '../src/json/json.ts';
import { RecordingHost } from './contract/recording-host.ts';

const manifest = makeExtension({ name: 'far', version: '1', access: ['session_read'] }, false).manifest;

/** The host's half over a port that a test reads. */
function far() {
  const host = new RecordingHost();
  const posted: HostFrame[] = [];
  const carrier = new FrameCarrier(
    { post: (text) => void posted.push(JSON.parse(text)) },
    { manifest, host: host as never, now: () => 1000, stop: async () => {} },
  );
  const request = (call: string): CallRequest => ({
    call,
    instance: 'g',
    endpoint: 'tool',
    name: 't',
    input: {},
    context: { settings: {}, caps: {} },
  });
  const said = (frame: object): void => {
    const read = readGuestFrame(JSON.stringify(frame));
    assert.ok(read !== undefined, JSON.stringify(frame));
    carrier.receive(read as never);
  };
  return { carrier, host, posted, request, said };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a call is one frame, with the host’s time; its answer is matched by its id', async () => {
  const { carrier, posted, request, said } = far();
  const first = carrier.call(request('call_a'));
  const second = carrier.call({ ...request('call_b'), endpoint: 'cap', name: 'memory', method: 'search' });
  assert.deepEqual(posted, [
    {
      frame: 'call',
      id: 1,
      call: 'call_a',
      instance: 'g',
      endpoint: 'tool',
      name: 't',
      input: {},
      context: { settings: {}, caps: {}, now_ms: 1000 },
    },
    {
      frame: 'call',
      id: 2,
      call: 'call_b',
      instance: 'g',
      endpoint: 'cap',
      name: 'memory',
      method: 'search',
      input: {},
      context: { settings: {}, caps: {}, now_ms: 1000 },
    },
  ]);
  said({ frame: 'result', id: 2, value: 'two' });
  said({ frame: 'fault', id: 1, code: 'tool_failed', message: 'no', certainty: 'completed' });
  said({ frame: 'result', id: 1, value: 'late' });
  said({ frame: 'result', id: 99, value: 'nobody' });
  assert.equal(await second, 'two');
  await assert.rejects(first, { code: 'tool_failed', message: 'no', certainty: 'completed' });
});

test('an abort is one frame; the end of a call that was not answered is two more', () => {
  const { carrier, posted, request } = far();
  const asked = request('call_a');
  void carrier.call(asked);
  asked.running?.['~abort']();
  asked.running?.['~end']();
  asked.running?.['~end']();
  asked.running?.['~abort']();
  assert.deepEqual(posted.slice(1), Array(3).fill({ frame: 'abort', id: 1 }));
});

test('that it leaves is one frame, and calls are answered as before', async () => {
  const { carrier, posted, request, said } = far();
  const answer = carrier.call({ ...request('call_a'), endpoint: 'cap', name: 'memory', method: 'search' });
  carrier.quiet();
  assert.deepEqual(posted.slice(1), [{ frame: 'quiet' }]);
  said({ frame: 'result', id: 1, value: 'found' });
  assert.equal(await answer, 'found');
  carrier.died({ code: 'extension_crashed', reason: 'it fell over' });
  carrier.quiet();
  assert.equal(posted.length, 2);
});

test('an ask is answered by the host, with the request of its caller', async () => {
  const { carrier, host, posted, request, said } = far();
  const asked = request('call_a');
  void carrier.call(asked);
  const op = { op: 'progress', call: 'call_a', text: 'half' };
  said({ frame: 'ask', id: 7, op });
  await settled();
  assert.deepEqual(host.asks, [{ ask: op, caller: asked }]);
  assert.deepEqual(posted.at(-1), { frame: 'answer', id: 7, value: null });
});

test('an ask of a call that has ended, or that the manifest does not allow, is refused', async () => {
  const { host, posted, said } = far();
  const ask = async (op: JsonObject): Promise<unknown> => {
    said({ frame: 'ask', id: 1, op });
    await settled();
    const frame = posted.at(-1);
    return frame?.frame === 'answer' && 'fault' in frame ? frame.fault.code : frame;
  };
  assert.equal(await ask({ op: 'progress', call: 'call_gone', text: 'x' }), 'context_expired');
  assert.equal(
    await ask({ op: 'session.append', session: 's', type: 'message', text: 'x' }),
    'capability_not_declared',
  );
  host.answer = () => 'x'.repeat(1024 * 1024);
  assert.equal(await ask({ op: 'session.read', session: 's', last: 1 }), 'frame_too_large');
  host.answer = () => {
    throw new Error('a secret of the host');
  };
  assert.equal(await ask({ op: 'session.read', session: 's', last: 1 }), 'cap_failed');
  assert.equal(JSON.stringify(posted).includes('secret'), false);
  host.answer = () => Promise.reject(Object.assign(new Error('away'), { code: 'session_busy' }));
  assert.equal(await ask({ op: 'session.read', session: 's', last: 1 }), 'session_busy');
});

test('the host answers 256 asks at a time, whatever the other side counts', async () => {
  const { host, posted, said } = far();
  let answerAll = (): void => {};
  const later = new Promise<Json>((resolve) => {
    answerAll = () => resolve(null);
  });
  host.answer = () => later;
  for (let id = 1; id <= 257; id += 1)
    said({ frame: 'ask', id, op: { op: 'session.read', session: 's', last: 1 } });
  await settled();
  assert.equal(host.asks.length, 256);
  assert.equal(posted.length, 1);
  answerAll();
  await settled();
  assert.equal(posted.length, 257);
});

test('a death settles everything that waits, once', async () => {
  const { carrier, host, posted, request, said } = far();
  const called = assert.rejects(Promise.resolve(carrier.call(request('a'))), {
    code: 'extension_crashed',
    certainty: 'outcome_unknown',
  });
  const opened = assert.rejects(carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} }), {
    code: 'extension_crashed',
  });
  const closed = carrier.close('g');
  const idle = carrier.idle();
  let answer = (_value: Json): void => {};
  host.answer = () =>
    new Promise<Json>((resolve) => {
      answer = resolve;
    });
  said({ frame: 'ask', id: 1, op: { op: 'session.read', session: 's', last: 1 } });
  carrier.died({ code: 'extension_crashed', reason: 'it fell' });
  carrier.died({ code: 'extension_ended', reason: 'again' });
  await Promise.all([called, opened, closed, idle]);
  const before = posted.length;
  answer(null);
  await settled();
  assert.equal(posted.length, before);
  assert.deepEqual(carrier.dead, { code: 'extension_crashed', reason: 'it fell' });
  assert.throws(() => carrier.call(request('b')), { code: 'extension_crashed', certainty: 'not_started' });
});

test('logs and changes are passed on', () => {
  const { host, said } = far();
  said({ frame: 'log', level: 'warn', message: 'x' });
  said({ frame: 'log', level: 'info', message: 'y', data: [1] });
  said({ frame: 'changed', instance: 'g' });
  assert.deepEqual(host.lines, [
    { level: 'warn', message: 'x' },
    { level: 'info', message: 'y', data: [1] },
  ]);
  assert.deepEqual(host.changes, ['g']);
});

test('what is no frame is none', () => {
  const frames: readonly unknown[] = [
    5,
    '',
    '{',
    '[]',
    '{}',
    '{"frame":1}',
    { frame: 'nonsense' },
    { frame: 'ready', manifest: 5 },
    { frame: 'failed', code: 5, message: 'x' },
    { frame: 'failed', code: 'x' },
    { frame: 'result', id: 'x', value: 1 },
    { frame: 'result', id: 1 },
    { frame: 'fault', id: 1, code: 'x', message: 'y', certainty: 'perhaps' },
    { frame: 'fault', id: 1, code: 'x' },
    { frame: 'fault', id: 1, code: 'x', message: 'y', detail: 'z' },
    { frame: 'changed' },
    { frame: 'log', level: 'loud', message: 'x' },
    { frame: 'log', level: 'info' },
    { frame: 'ask', op: { op: 'session.open', id: 'x' } },
    ...badAsks.map((op) => ({ frame: 'ask', id: 1, op })),
  ];
  for (const frame of frames) {
    const text = typeof frame === 'object' ? JSON.stringify(frame) : frame;
    assert.equal(readGuestFrame(text), undefined, String(text));
  }
  assert.equal(readFrame('x'.repeat(1024 * 1024)), undefined);
});

const badAsks: readonly unknown[] = [
  5,
  { op: 'nonsense' },
  { op: 'session.read', session: 's', last: 201 },
  { op: 'session.read', session: 's', last: 1.5 },
  { op: 'session.read', session: 's', last: 1, before: 5 },
  { op: 'session.append', session: 's', type: 'summary', text: 'x' },
  { op: 'session.append', session: 's', type: 'message', text: 'x', from: 'ann' },
  { op: 'session.append', session: 's', type: 'message', text: 'x', from: { id: 'ann', name: 5 } },
  { op: 'session.open' },
  { op: 'settings.save', session: 's', patch: [] },
  { op: 'cap.call', call: null, alias: 'a', method: 'm', input: 1 },
  { op: 'cap.call', call: 1, alias: 'a', method: 'm' },
  { op: 'progress', call: 1 },
  { op: 'agent_state.resolve' },
  { op: 'agent_state.read', agent: 'a' },
  { op: 'agent_state.write', agent: 'a', place: 'x' },
];

test('a good ask of each kind is one', () => {
  const asks: readonly Ask[] = [
    { op: 'session.read', session: 's', last: 200, before: 'e' },
    { op: 'session.append', session: 's', type: 'directive', text: 'x', from: { id: 'ann', name: 'Ann' } },
    { op: 'session.open', id: 'x' },
    { op: 'settings.save', session: 's', patch: {} },
    { op: 'cap.call', call: 'call_1', alias: 'a', method: 'm', input: null },
    { op: 'progress', call: 1, text: 'x' },
    { op: 'agent_state.resolve', agent: 'a' },
    { op: 'agent_state.read', agent: 'a', place: { doc: 'd' } },
    { op: 'agent_state.write', agent: 'a', place: {} },
  ];
  for (const op of asks)
    assert.deepEqual(readGuestFrame(frameText({ frame: 'ask', id: 1, op })), { frame: 'ask', id: 1, op });
});

test('a frame of 1 MiB has no text', () => {
  const frame = (text: string) => frameText({ frame: 'log', level: 'info', message: text });
  assert.equal(frame('x'.repeat(1024 * 1024)), undefined);
  assert.equal(frame('é'.repeat(512 * 1024)), undefined);
  assert.equal(typeof frame('é'.repeat(400 * 1024)), 'string');
});

test('a question or an answer that does not fit a frame is refused on the side that made it', async () => {
  const host = new RecordingHost();
  const extension = makeExtension(
    {
      name: 'large',
      version: '1',
      access: ['session_write'],
      uses: { store: { kind: 'memory', methods: ['remember'], isOptional: false } },
      tools: {
        asks: {
          about: 'x',
          run: async (
            _args: unknown,
            { caps }: { caps: { store: { remember(i: unknown): Promise<unknown> } } },
          ) => {
            try {
              return await caps.store.remember({ text: 'x'.repeat(1024 * 1024 - 100) });
            } catch (error) {
              return (error as { code: string }).code;
            }
          },
        },
        answers: {
          about: 'x',
          run: () => ({ text: 'y'.repeat(512 * 1024), data: 'z'.repeat(512 * 1024 - 30) }),
        },
      },
      tail: () => 'w'.repeat(1024 * 1024 - 20),
    },
    false,
  );
  const carrier = jsonCarrier(extension, { host: host as never });
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  const request = (name: string, endpoint: 'tool' | 'tail'): CallRequest => ({
    call: name,
    instance: 'g',
    endpoint,
    name,
    input: {},
    context: { settings: {}, caps: { store: ['remember'] } },
  });
  assert.deepEqual(await carrier.call(request('asks', 'tool')), { text: 'frame_too_large', isError: false });
  await assert.rejects(Promise.resolve(carrier.call(request('answers', 'tool'))), {
    code: 'tool_output_invalid',
    certainty: 'completed',
  });
  await assert.rejects(Promise.resolve(carrier.call(request('', 'tail'))), { code: 'frame_too_large' });
  await carrier.end();
});

test('a question about a session comes with a call of that session, or with none', async () => {
  const { carrier, host, request, said } = far();
  void carrier.call(request('c1'));
  const asking = { ...request('c2'), context: { settings: {}, caps: {}, session: 'ses_2' } };
  void carrier.call(asking);
  for (const [id, session] of ['ses_2', 'ses_3'].entries())
    said({ frame: 'ask', id, op: { op: 'session.read', session, last: 1 } });
  assert.deepEqual(
    host.asks.map(({ caller }) => caller),
    [asking, undefined],
  );
});
