import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddedText, beyondShare, beyondText } from '../../src/context/beyond-share.ts';

const text = (owner: string, tokens: number, kind: AddedText['kind'] = 'tail'): AddedText => ({
  owner,
  kind,
  tokens,
});

test('what fits is left as it is', () => {
  assert.deepEqual(beyondShare([], 0), []);
  assert.deepEqual(beyondShare([text('a', 60), text('b', 40)], 100), []);
});

test('the largest text of whoever adds most goes first, and no more than has to', () => {
  const texts = [
    text('catalog', 290, 'block'),
    ...[100, 120, 110, 90].map((tokens) => text('hoard', tokens, 'message')),
    text('note', 20),
  ];
  const [largest, next] = [text('hoard', 120, 'message'), text('hoard', 110, 'message')];
  assert.deepEqual(beyondShare(texts, 730), []);
  assert.deepEqual(beyondShare(texts, 729), [largest]);
  // No text of it is the largest of all, and still it is what makes it too much.
  assert.deepEqual(beyondShare(texts, 500), [largest, next]);
  assert.deepEqual(beyondShare(texts, 499), [largest, next, text('catalog', 290, 'block')]);
});

test('where there is no room at all, nothing stays', () => {
  const texts = [text('a', 10), text('b', 20)];
  assert.deepEqual(beyondShare(texts, -5), [text('b', 20), text('a', 10)]);
  assert.deepEqual(beyondShare([], -5), []);
});

test('the log names whose text it was, and what it costs', () => {
  assert.equal(
    beyondText(text('hoard', 10_257)),
    'The tail of hoard, about 10257 tokens, was left out of what reaches the model.',
  );
  assert.match(beyondText(text('skills', 5000, 'block')), /^A block of skills, about 5000 tokens/);
});
