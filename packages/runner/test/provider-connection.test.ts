import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { manualClock } from '@fairlead/testing';
import fc from 'fast-check';
import { ProviderConnection, type RequestEnd } from '../src/provider/provider-connection.ts';
import { injectedTree } from './injected-tree.ts';

// Rows of docs/reference/native-plugin-protocol.md §9 that no child brings about by itself, or not at a known moment:
// plugin_stdout_failed (the operating system fails the read), plugin_request_too_large and plugin_request_invalid (a call's arguments
// are bounded far below a frame, so no caller reaches them), a frame that is only half written, and every budget to the millisecond.

function connection() {
  const tree = injectedTree();
  const clock = manualClock();
  const idleFaults: string[] = [];
  let idles = 0;
  const made = new ProviderConnection(tree, clock, {
    onIdleFault: (code) => idleFaults.push(code),
    onIdle: () => {
      idles += 1;
    },
  });
  const ends: RequestEnd[] = [];
  const request = (budgetMs = 30_000, params = {}) =>
    made.request('tools/call', params, clock.monotonicMs() + budgetMs, (end) => ends.push(end));
  return { tree, clock, made, ends, request, idleFaults, idles: () => idles };
}

const timedOut: RequestEnd = { kind: 'fault', code: 'plugin_timeout', handed: true, retired: true };
const fault = (code: string): RequestEnd => ({ kind: 'fault', code, handed: true, retired: true });

describe('one deadline spans write, flush and answer', () => {
  test('a plugin that never answers ends in plugin_timeout at its budget, not before', async () => {
    const { clock, request, ends } = connection();
    request(30_000);
    await clock.advance(29_999);
    assert.deepEqual(ends, []);
    await clock.advance(1);
    assert.deepEqual(ends, [timedOut]);
    assert.equal(clock.pendingTimers, 0);
  });

  test('a plugin that stops reading ends in plugin_timeout at the same budget', async () => {
    const { tree, clock, request, ends } = connection();
    tree.reads = false;
    request(30_000);
    await clock.advance(29_999);
    assert.deepEqual(ends, []);
    await clock.advance(1);
    assert.deepEqual(ends, [timedOut]);
  });

  test('an answer that came before the whole frame was read counts only once it is', async () => {
    const { tree, clock, request, ends } = connection();
    tree.reads = false;
    request(30_000);
    tree.answers('early');
    await clock.advance(10);
    assert.deepEqual(ends, []);
    tree.flush();
    await nextTurn();
    assert.deepEqual(ends, [{ kind: 'result', result: 'early', bytes: 41 }]);
    assert.equal(clock.pendingTimers, 0);
  });

  test('an early answer to a frame that is never read whole ends in plugin_timeout', async () => {
    const { tree, clock, request, ends } = connection();
    tree.reads = false;
    request(30_000);
    tree.answers('early');
    await clock.advance(30_000);
    assert.deepEqual(ends, [timedOut]);
  });

  test('a second answer before the frame was read completes the request and ends the connection', async () => {
    const { tree, request, ends, made } = connection();
    tree.reads = false;
    request();
    tree.answers('early');
    tree.answers('again');
    await nextTurn();
    tree.flush();
    await nextTurn();
    assert.equal(ends[0]?.kind, 'result');
    assert.equal(made.fault, 'plugin_unexpected_message');
  });

  test('an answer after the deadline is nobody’s', async () => {
    const { tree, clock, request, ends } = connection();
    request(100);
    await clock.advance(100);
    tree.answers('late');
    await nextTurn();
    assert.deepEqual(ends, [timedOut]);
  });
});

describe('before anything is written', () => {
  test('a deadline that has passed is plugin_timeout, not handed, and ends nothing', () => {
    const { tree, request, ends, made } = connection();
    request(0);
    assert.deepEqual(ends, [{ kind: 'fault', code: 'plugin_timeout', handed: false, retired: false }]);
    assert.deepEqual(tree.frames, []);
    assert.equal(made.fault, null);
  });

  test('a frame of more than 1 MiB is refused and the connection goes on, with the id unused', async () => {
    const { tree, request, ends, made } = connection();
    request(1000, { text: 'x'.repeat(1024 * 1024) });
    assert.deepEqual(ends, [
      { kind: 'fault', code: 'plugin_request_too_large', handed: false, retired: false },
    ]);
    assert.equal(made.fault, null);
    request(1000);
    assert.deepEqual(tree.frames, ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n']);
    tree.answers({});
    await nextTurn();
    assert.equal(ends[1]?.kind, 'result');
  });

  test('parameters that are no JSON are refused', () => {
    const { request, ends, tree } = connection();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    request(1000, circular as never);
    assert.deepEqual(ends, [
      { kind: 'fault', code: 'plugin_request_invalid', handed: false, retired: false },
    ]);
    assert.deepEqual(tree.frames, []);
  });

  test('a fault of the idle connection is told at once and refuses every request, without a byte', async () => {
    const { tree, request, ends, idleFaults } = connection();
    tree.says('{"jsonrpc":"2.0","method":"log"}\n');
    await nextTurn();
    assert.deepEqual(idleFaults, ['plugin_unexpected_message']);
    request();
    assert.deepEqual(ends, [
      { kind: 'fault', code: 'plugin_unexpected_message', handed: false, retired: true },
    ]);
    assert.deepEqual(tree.frames, []);
  });

  test('a process that has ended gets no request, although its output is still open', async () => {
    const { tree, request, ends, idleFaults } = connection();
    tree.exits();
    await nextTurn();
    request();
    assert.deepEqual(idleFaults, ['plugin_eof']);
    assert.deepEqual(ends, [{ kind: 'fault', code: 'plugin_eof', handed: false, retired: true }]);
    assert.deepEqual(tree.frames, []);
  });

  test('a stdin that has failed gets no request', async () => {
    const { tree, request, ends } = connection();
    tree.stdin.destroy(new Error('EPIPE'));
    await nextTurn();
    request();
    assert.deepEqual(ends, [{ kind: 'fault', code: 'plugin_stdin_failed', handed: false, retired: true }]);
  });
});

describe('once the frame was handed over', () => {
  test('a failing read of stdout is plugin_stdout_failed', async () => {
    const { tree, request, ends } = connection();
    request();
    tree.failsReading();
    await nextTurn();
    assert.deepEqual(ends, [fault('plugin_stdout_failed')]);
  });

  test('a failing write is plugin_stdin_failed where the process goes on', async () => {
    const { tree, clock, request, ends } = connection();
    tree.reads = false;
    request();
    tree.flush(new Error('EPIPE'));
    await clock.advance(19);
    assert.deepEqual(ends, []);
    await clock.advance(1);
    assert.deepEqual(ends, [fault('plugin_stdin_failed')]);
    assert.equal(clock.pendingTimers, 0);
  });

  test('a failing write of a process that dies is told by its end: plugin_eof', async () => {
    const { tree, clock, request, ends } = connection();
    tree.reads = false;
    request();
    tree.flush(new Error('EPIPE'));
    await nextTurn();
    tree.closesStdout();
    await clock.advance(20);
    assert.deepEqual(ends, [fault('plugin_eof')]);
  });

  test('a process that ends while something holds its output open is plugin_eof after 250 ms', async () => {
    const { tree, clock, request, ends } = connection();
    request();
    tree.exits();
    await clock.advance(249);
    assert.deepEqual(ends, []);
    await clock.advance(1);
    assert.deepEqual(ends, [fault('plugin_eof')]);
  });

  test('the answer that a process left behind when it ended still counts', async () => {
    const { tree, clock, request, ends } = connection();
    request();
    tree.exits();
    await clock.advance(100);
    tree.answers('last words');
    await nextTurn();
    assert.equal(ends[0]?.kind, 'result');
  });

  test('closing the connection ends the request with the code of who closed it', () => {
    const { made, request, ends, clock } = connection();
    request();
    made.close('plugin_manager_stopping');
    made.close('plugin_eof');
    assert.deepEqual(ends, [fault('plugin_manager_stopping')]);
    assert.equal(made.fault, 'plugin_manager_stopping');
    assert.equal(clock.pendingTimers, 0);
  });
});

test('the next request may go out only after the whole chunk was looked at', async () => {
  const { tree, request, idles, ends, made } = connection();
  request();
  tree.answers(1);
  await nextTurn();
  assert.equal(idles(), 1);
  assert.equal(ends.length, 1);
  assert.equal(made.busy, false);
});

test('however the output is cut into chunks, a request ends the same way', async () => {
  const answer = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"text":"ä€😀"}}\n`;
  const outputs: readonly (readonly [string, string])[] = [
    [answer(1), 'result'],
    [answer(1).replace('\n', '\r\n'), 'result'],
    [answer(2), 'plugin_unknown_response_id'],
    ['\n', 'plugin_malformed_json'],
    [answer(1).slice(1), 'plugin_malformed_json'],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...outputs),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
      async ([output, expected], cuts) => {
        const { tree, request, ends, made } = connection();
        request();
        const bytes = Buffer.from(output);
        let at = 0;
        for (const cut of cuts) {
          if (at < bytes.length) tree.says(bytes.subarray(at, at + cut));
          at += cut;
        }
        if (at < bytes.length) tree.says(bytes.subarray(at));
        await nextTurn();
        const [end] = ends;
        assert.equal(end?.kind === 'fault' ? end.code : end?.kind, expected);
        assert.equal(made.fault === null, expected === 'result');
      },
    ),
  );
});
