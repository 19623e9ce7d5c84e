import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCode } from '../src/describe-code.ts';

test('a code has the words of its table; one of no table is its own words', () => {
  assert.equal(
    describeCode('plugin_eof'),
    'The plugin’s output ended; the process may have ended or closed its stdout.',
  );
  assert.equal(describeCode('runner_not_running'), 'No Runner with this id runs on this machine.');
  assert.equal(describeCode('of_a_newer_version'), 'of_a_newer_version');
  assert.equal(describeCode('constructor'), 'constructor');
});
