import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import { screenFault, screenOutput } from '../../src/leaks/screen-result.ts';

const detector = new LeakDetector();
const key = `sk-${'a1B2'.repeat(5)}`;

test('redact leaves out the secret in text and structure, and says what kind it was', () => {
  const output = { text: `is ${key}`, structured: { token: `ghp_${'a1B2c3'.repeat(6)}` } };
  assert.deepEqual(screenOutput(output, 'redact', detector), {
    kind: 'output',
    output: { text: 'is [REDACTED:openai_key]', structured: { token: '[REDACTED:github_token]' } },
    categories: ['github_token', 'openai_key'],
  });
  assert.deepEqual(screenOutput({ text: 'fine' }, 'block', detector), {
    kind: 'output',
    output: { text: 'fine' },
    categories: [],
  });
});

test('block keeps back the whole result and names the kinds alone', () => {
  assert.deepEqual(screenOutput({ text: 'fine', structured: [key] }, 'block', detector), {
    kind: 'blocked',
    fault: {
      code: 'leak_blocked',
      message: 'The result held what looks like a secret, and `leak = "block"` keeps it back whole.',
      detail: { categories: ['openai_key'] },
    },
    categories: ['openai_key'],
  });
});

test('a fault is screened as a result is, and keeps its code', () => {
  const fault = { code: 'tool_failed', message: `401 for ${key}`, detail: { header: key } };
  assert.deepEqual(screenFault(fault, 'redact', detector), {
    fault: {
      code: 'tool_failed',
      message: '401 for [REDACTED:openai_key]',
      detail: { header: '[REDACTED:openai_key]' },
    },
    categories: ['openai_key'],
  });
  assert.deepEqual(screenFault(fault, 'block', detector).fault, {
    code: 'tool_failed',
    message: 'The result held what looks like a secret, and `leak = "block"` keeps it back whole.',
    detail: { categories: ['openai_key'] },
  });
  const plain = { code: 'tool_failed', message: 'no' };
  assert.deepEqual(screenFault(plain, 'block', detector), { fault: plain, categories: [] });
});
