import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completed, defineErrors, FairleadError, failed, hasValue, type Outcome } from '../src/index.ts';

describe('FairleadError', () => {
  it('carries its code, its safe message, its detail and a private cause', () => {
    const cause = new Error('secret');
    const error = new FairleadError('thing_broken', 'The thing broke.', { detail: { at: 3 }, cause });
    assert.ok(error instanceof Error);
    assert.equal(error.name, 'FairleadError');
    assert.equal(error.code, 'thing_broken');
    assert.equal(error.message, 'The thing broke.');
    assert.deepEqual(error.detail, { at: 3 });
    assert.equal(error.cause, cause);
  });

  it('has neither detail nor cause where none was given', () => {
    const error = new FairleadError('thing_broken', 'The thing broke.');
    assert.equal(error.detail, undefined);
    assert.equal('cause' in error, false);
  });
});

describe('defineErrors', () => {
  it('freezes the table and each of its rows', () => {
    const table = defineErrors({ thing_broken: { message: 'The thing broke.', next: 'Mend it.' } });
    assert.ok(Object.isFrozen(table) && Object.isFrozen(table.thing_broken));
    assert.equal(table.thing_broken.next, 'Mend it.');
  });
});

describe('Outcome', () => {
  it('has a value only when it is completed and nothing failed', () => {
    const good: Outcome<number> = completed(7);
    const bad: Outcome<number> = failed('completed', 'rpc', 'It said no.');
    assert.deepEqual(good, { certainty: 'completed', value: 7 });
    assert.equal(hasValue(good) && good.value, 7);
    assert.equal(hasValue(bad), false);
  });

  it('carries detail only where there is some', () => {
    assert.deepEqual(failed('not_started', 'a', 'b'), {
      certainty: 'not_started',
      fault: { code: 'a', message: 'b' },
    });
    assert.deepEqual(failed('outcome_unknown', 'a', 'b', null), {
      certainty: 'outcome_unknown',
      fault: { code: 'a', message: 'b', detail: null },
    });
  });
});
