import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError, isJsonObject, type Json } from '@fairlead/base';
import fc from 'fast-check';
import {
  readDecision,
  readLine,
  readMessage,
  readNewSession,
  readRun,
  readSessionChange,
} from '../src/sessions/session-bodies.ts';
import {
  readAfter,
  readApprovalQuery,
  readEntryQuery,
  readSessionQuery,
} from '../src/sessions/session-queries.ts';

const members = [
  ...['name', 'agents', 'workspace', 'mode', 'model', 'closed', 'text', 'key', 'agent', 'approve'],
  ...['timeoutSecs', 'line', 'decision', 'before', 'limit', 'after', 'session', '__proto__'],
];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('normal', 'all', 'approve', '/srv', 'ses_', 'x'.repeat(70_000), '5', 5, true, null),
);
const body = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(fc.constantFrom(...members), value, { maxKeys: 4, noNullPrototype: true }),
);
const query = fc.dictionary(
  fc.constantFrom(...members),
  fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 2 }), fc.constantFrom('1', 'true')),
  { maxKeys: 3, noNullPrototype: true },
);

/** What is read holds its bounds; what is not, is refused by a code of ours that names a member. */
function readsOrRefuses(read: () => unknown, code: string): void {
  try {
    const found = read();
    for (const [name, member] of Object.entries(isJsonObject(found as Json) ? (found as object) : {})) {
      assert.notEqual(member, undefined, name);
      if (typeof member === 'string') assert.ok(Buffer.byteLength(member) <= 65_536, name);
    }
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    assert.equal(error.code, code);
    const { member, problem, ...others } = error.detail as Record<string, unknown>;
    assert.deepEqual([typeof member, typeof problem, others], ['string', 'string', {}]);
    assert.ok([...members, 'body', 'query', 'Last-Event-ID'].includes(String(member)), String(member));
    assert.ok(String(problem).length < 200);
  }
}

test('no body makes a reader of sessions do anything but read it or refuse it by a member', () => {
  const readers = [readNewSession, readSessionChange, readMessage, readRun, readLine, readDecision];
  fc.assert(
    fc.property(body, (given) => {
      for (const read of readers) readsOrRefuses(() => read(given as Json), 'invalid_body');
    }),
    { numRuns: 300 },
  );
});

test('no address does either', () => {
  fc.assert(
    fc.property(query, fc.option(fc.string(), { nil: undefined }), (given, header) => {
      for (const read of [readSessionQuery, readEntryQuery, readApprovalQuery])
        readsOrRefuses(() => read(given), 'query_invalid');
      readsOrRefuses(() => readAfter(given, header), 'query_invalid');
    }),
    { numRuns: 300 },
  );
});
