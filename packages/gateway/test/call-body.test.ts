import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { readCallBody } from '../src/calls/call-body.ts';

function params(body: Json): Json {
  const reading = readCallBody(body);
  assert.equal(reading.ok, true);
  return reading.ok ? reading.request.params : null;
}

test('the parameters stand in params', () => {
  assert.deepEqual(params({ tool: 'plugin_tool', params: { action: 'list' } }), { action: 'list' });
});

test('the parameters stand in arguments', () => {
  assert.deepEqual(params({ tool: 'plugin_tool', arguments: { action: 'list' } }), { action: 'list' });
});

test('the parameters stand beside the tool', () => {
  const body = {
    tool: 'plugin_tool',
    action: 'check',
    runner: 'r',
    plugin: 'p',
    recording_session_id: 's',
    context: [],
  };
  assert.deepEqual(params(body), { action: 'check', runner: 'r', plugin: 'p' });
});

test('params wins over arguments and over members beside the tool', () => {
  const body = {
    tool: 'plugin_tool',
    params: { action: 'list' },
    arguments: { action: 'reload' },
    action: 'check',
  };
  assert.deepEqual(params(body), { action: 'list' });
});

test('with action beside the tool, arguments belongs to the action', () => {
  const body = { tool: 'plugin_tool', action: 'call', binding: 'wc_pbind_x', arguments: { text: 'hi' } };
  assert.deepEqual(params(body), { action: 'call', binding: 'wc_pbind_x', arguments: { text: 'hi' } });
});

test('with action beside the tool, params that is not null still wins', () => {
  assert.deepEqual(params({ tool: 'plugin_tool', action: 'list', params: {} }), {});
});

test('a wrapper that is null counts as absent', () => {
  assert.deepEqual(params({ tool: 'plugin_tool', params: null, arguments: { action: 'list' } }), {
    action: 'list',
  });
  assert.deepEqual(params({ tool: 'plugin_tool', params: null, arguments: null, action: 'list' }), {
    action: 'list',
  });
  assert.deepEqual(params({ tool: 'plugin_tool', params: null, arguments: null }), {});
});

test('a wrapper that is not an object is handed on for the tool to refuse', () => {
  assert.equal(params({ tool: 'plugin_tool', params: 'x' }), 'x');
  assert.deepEqual(params({ tool: 'plugin_tool', params: [1] }), [1]);
  assert.equal(params({ tool: 'plugin_tool', params: false }), false);
});

test('a member called __proto__ stays data', () => {
  const body = JSON.parse('{"tool":"plugin_tool","action":"list","__proto__":{"runner":"x"}}') as Json;
  const read = params(body) as Record<string, unknown>;
  assert.deepEqual(Object.keys(read), ['action', '__proto__']);
  assert.equal(read['runner'], undefined);
});

test('a recording session id is kept, null is absent, anything else is refused', () => {
  const reading = readCallBody({ tool: 't', params: {}, recording_session_id: 'ses_1' });
  assert.equal(reading.ok && reading.request.recordingSessionId, 'ses_1');
  const absent = readCallBody({ tool: 't', params: {}, recording_session_id: null });
  assert.equal(absent.ok && 'recordingSessionId' in absent.request, false);
  for (const value of ['', 5, {}, 'x'.repeat(129), 'ä'.repeat(65)]) {
    assert.deepEqual(readCallBody({ tool: 't', params: {}, recording_session_id: value }), {
      ok: false,
      member: 'recording_session_id',
      problem: 'must be 1 to 128 bytes',
    });
  }
});

test('context is a list of names', () => {
  assert.equal(readCallBody({ tool: 't', context: ['plugins.catalog'] }).ok, true);
  assert.equal(readCallBody({ tool: 't', context: null }).ok, true);
  for (const context of ['plugins.catalog', [5], Array(17).fill('x'), {}, ['x'.repeat(641)]]) {
    const reading = readCallBody({ tool: 't', context });
    assert.equal(!reading.ok && reading.member, 'context');
  }
});

test('a body that is no object, or names no tool, is refused', () => {
  for (const body of [null, [], 'x', 5]) {
    const reading = readCallBody(body);
    assert.equal(!reading.ok && reading.member, 'body');
  }
  for (const body of [{}, { tool: '' }, { tool: 5 }, { tool: null }]) {
    const reading = readCallBody(body);
    assert.equal(!reading.ok && reading.member, 'tool');
  }
});
