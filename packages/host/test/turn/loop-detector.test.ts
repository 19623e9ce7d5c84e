import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallPart } from '../../src/models/model.ts';
import { LoopDetector } from '../../src/turn/loop-detector.ts';

const call = (name: string, given: Record<string, string> = {}): CallPart => ({
  ...{ type: 'call', id: 'c', name, arguments: given },
});

test('the same calls in three replies in a row are a loop', () => {
  const loops = new LoopDetector();
  assert.equal(loops.repeats([call('look', { at: 'a' })]), false);
  assert.equal(loops.repeats([call('look', { at: 'a' })]), false);
  assert.equal(loops.repeats([call('look', { at: 'a' })]), true);
});

test('the order of calls and of their arguments makes no difference', () => {
  const loops = new LoopDetector();
  assert.equal(loops.repeats([call('a', { x: '1', y: '2' }), call('b')]), false);
  assert.equal(loops.repeats([call('b'), call('a', { y: '2', x: '1' })]), false);
  assert.equal(loops.repeats([call('a', { x: '1', y: '2' }), call('b')]), true);
});

test('other arguments, another tool or something between is no loop', () => {
  const loops = new LoopDetector();
  for (const at of ['a', 'b', 'a', 'b', 'a', 'b']) assert.equal(loops.repeats([call('look', { at })]), false);
  assert.equal(loops.repeats([call('see', { at: 'b' })]), false);
});

test('arguments that do not parse are compared as they came', () => {
  const loops = new LoopDetector();
  const broken = (unparsable: string): CallPart => ({ type: 'call', id: 'c', name: 'look', unparsable });
  assert.equal(loops.repeats([broken('{')]), false);
  assert.equal(loops.repeats([broken('{"')]), false);
  assert.equal(loops.repeats([broken('{"')]), false);
  assert.equal(loops.repeats([broken('{"')]), true);
});
