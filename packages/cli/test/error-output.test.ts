import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { temporaryFolder } from '@fairlead/testing';
import { nextStepOf } from '../src/error-tables.ts';
import { printError } from '../src/output/error-output.ts';
import { UsageError } from '../src/usage-error.ts';
import { testContext } from './test-context.ts';

test('an error is what happened, its code, its detail and the next step', async (t) => {
  const context = testContext(temporaryFolder(t));
  const error = new FairleadError('state_directory_in_use', 'Another process\nowns it.', {
    detail: { started_as: 'up', address: ['a', 'b'], nested: { not: 'shown' }, next: 'twice' },
  });
  assert.equal(await printError(context, error), 1);
  assert.deepEqual(context.printed, {
    stdout: '',
    stderr:
      'fairlead: Another process owns it. (state_directory_in_use)\n' +
      '  started as: up\n' +
      '  address: a, b\n' +
      '  next: Use the address above, stop that process with `fairlead stop`, or give another folder with --state-dir.\n',
  });
});

test('a usage error exits 2', async (t) => {
  const context = testContext(temporaryFolder(t));
  assert.equal(await printError(context, new UsageError('Not so.')), 2);
  assert.equal(
    context.printed.stderr,
    'fairlead: Not so. (usage)\n  next: Read `fairlead COMMAND --help`.\n',
  );
});

test('a code of no table has no next step but the one that it brings', async (t) => {
  const context = testContext(temporaryFolder(t));
  const error = new FairleadError('code_of_tomorrow', 'New.', { detail: { next: 'update' } });
  assert.equal(await printError(context, error), 1);
  assert.equal(context.printed.stderr, 'fairlead: New. (code_of_tomorrow)\n  next: update\n');
});

test('an error without a code prints neither its message nor its stack', async (t) => {
  const folder = temporaryFolder(t);
  for (const env of [{}, { FAIRLEAD_DEBUG: '' }]) {
    const context = testContext(folder, { env });
    assert.equal(await printError(context, new TypeError('secret /path')), 1);
    assert.equal(
      context.printed.stderr,
      'fairlead: Something went wrong inside Fairlead. (internal_error)\n' +
        '  next: Run it again with FAIRLEAD_DEBUG=1 and report what it prints.\n',
    );
  }
});

test('where FAIRLEAD_DEBUG is set its stack is shown', async (t) => {
  const context = testContext(temporaryFolder(t), { env: { FAIRLEAD_DEBUG: '1' } });
  await printError(context, new TypeError('what'));
  assert.match(context.printed.stderr, /\nTypeError: what\n {4}at /);
  await printError(context, 'a thrown text');
  assert.match(context.printed.stderr, /\na thrown text\n$/);
});

test('every package’s codes have their next step', async () => {
  for (const [code, start] of Object.entries({
    token_missing: 'Give --token-file',
    plugin_eof: 'Check its command',
    schema_newer: 'Start the newer',
    describe_required: 'Describe the tool',
    runner_unauthorized: 'Create a token',
    port_in_use: 'Give another one with --port',
  })) {
    assert.equal((await nextStepOf(code))?.startsWith(start), true, code);
  }
  assert.equal(await nextStepOf('constructor'), null);
});
