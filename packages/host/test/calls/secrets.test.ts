import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { defineExtension, s, ToolFault } from '@fairlead/extension';
import { type CallRoom, callRoom } from './call-room.ts';

/** One that everybody knows by its form, and one that only this host knows. */
const KNOWN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const OWN = 'planted-marker-7';
const BOTH = `${KNOWN} and ${OWN}`;
const CLEAN = '[REDACTED:github_token] and [REDACTED:configured_secret]';

const leaky = defineExtension({
  name: 'leaky',
  version: '1.0.0',
  tools: {
    says: { about: 'Says.', run: () => ({ text: BOTH, data: { [OWN]: [KNOWN] } }) },
    reports: { about: 'Reports.', run: () => ({ text: BOTH, isError: true }) },
    throws: {
      about: 'Throws.',
      run() {
        throw new Error(`cannot open ${BOTH}`);
      },
    },
    knows: {
      about: 'Knows.',
      run() {
        throw new ToolFault('completed', OWN, { detail: { partial: BOTH, more: KNOWN } });
      },
    },
    takes: {
      about: 'Takes.',
      approval: 'always',
      args: { word: s.string(), token: s.string({ default: 'none' }) },
      sensitive: ['token'],
      run: ({ word }, { progress }) => {
        progress(`got ${word}`);
        return 'taken';
      },
    },
  },
});

/** Everything that stays of calls: entries, journal, approvals. */
async function kept(room: CallRoom): Promise<string> {
  const rows = await Promise.all(
    ['journal', 'approvals'].map((table) => room.store.read(`SELECT * FROM ${table}`)),
  );
  return JSON.stringify([await room.entries(), rows, room.events]);
}

test('a leak scan that skipped errors: no result, error, detail or key body leaves a secret behind', async (t) => {
  const room = await callRoom(t, { extensions: [leaky], secrets: [OWN] });
  const says = await room.call('says');
  assert.deepEqual(
    [says.text, says.structured],
    [CLEAN, { '[REDACTED:configured_secret]': ['[REDACTED:github_token]'] }],
  );
  assert.equal((await room.call('reports')).text, CLEAN);
  const throws = await room.call('throws');
  assert.equal(throws.text, `tool_failed: The tool threw instead of answering. (cannot open ${CLEAN})`);
  const knows = await room.call('knows');
  assert.equal(knows.text, `tool_failed: [REDACTED:configured_secret]\n${CLEAN}`);
  assert.deepEqual(knows.detail, { partial: CLEAN, more: '[REDACTED:github_token]' });
  const results = (await room.entries()).filter((entry) => entry.type === 'tool_result');
  assert.deepEqual(
    results.map(({ redacted }) => redacted),
    [1, 2, 3, 4].map(() => ['configured_secret', 'github_token']),
  );
  assert.doesNotMatch(await kept(room), /ghp_|planted/);
});

test('a result that is kept back whole is still the result of a call that ran', async (t) => {
  const room = await callRoom(t, { extensions: [leaky], secrets: [OWN], policy: { leak: 'block' } });
  const says = await room.call('says');
  assert.deepEqual(
    [says.certainty, says.code, says.detail],
    ['completed', 'leak_blocked', { categories: ['configured_secret', 'github_token'] }],
  );
  assert.equal((await room.call('throws')).certainty, 'outcome_unknown');
  assert.deepEqual(await room.journalled(), ['completed leak_blocked', 'outcome_unknown tool_failed']);
  assert.doesNotMatch(await kept(room), /ghp_|planted|REDACTED/);
});

test('the log of calls stored raw arguments with their secrets: sensitive ones are masked, others lose what looks like one', async (t) => {
  const room = await callRoom(t, { extensions: [leaky], secrets: [OWN] });
  const place = { preApproved: () => 'run --approve' };
  const end = await room.call('takes', { word: BOTH, token: 'hunter2' }, place);
  assert.equal(end.text, 'taken');
  const [asked, , call] = await room.entries();
  const shown: JsonObject = { word: CLEAN, token: { $masked: 7 } };
  assert.deepEqual(asked?.type === 'approval_request' && asked.arguments, shown);
  assert.deepEqual(call?.type === 'tool_call' && call.arguments, shown);
  assert.doesNotMatch(await kept(room), /ghp_|planted|hunter2/);
  // Masked alike, they are not the same call.
  await room.call('takes', { word: BOTH, token: 'hunter3' }, place);
  const digests = (await room.entries()).flatMap((entry) =>
    entry.type === 'tool_call' ? [entry.digest] : [],
  );
  assert.equal(new Set(digests).size, 2);
});

test('words of gates and of hooks that listen are screened like a tool’s', async (t) => {
  const gate = defineExtension({
    name: 'gate',
    version: '1.0.0',
    on: {
      toolCall: ({ tool }) => (tool === 'says' ? { block: `not with ${OWN}` } : undefined),
      toolResult: ({ tool, text }) => (tool === 'reports' ? `${text} and again ${KNOWN}` : undefined),
    },
  });
  const room = await callRoom(t, { extensions: [leaky, gate], secrets: [OWN] });
  assert.equal((await room.call('says')).text, 'blocked by gate: not with [REDACTED:configured_secret]');
  const reports = await room.call('reports');
  assert.equal(reports.text, `${CLEAN} and again [REDACTED:github_token]`);
  const result = (await room.entries()).at(-1);
  assert.deepEqual(result?.type === 'tool_result' && [result.hooks, result.error], [['gate'], true]);
  assert.doesNotMatch(await kept(room), /ghp_|planted/);
});

test('a long answer keeps its beginning and its end, whole characters, and says how much is left out', async (t) => {
  const long = defineExtension({
    name: 'long',
    version: '1.0.0',
    tools: {
      say: { about: 'Says.', run: () => ({ text: 'ä'.repeat(50_000), data: { all: 'x'.repeat(70_000) } }) },
    },
  });
  const room = await callRoom(t, { extensions: [long] });
  const end = await room.call('say');
  assert.deepEqual([end.cut, end.structured], [100_000 - 65_536, undefined]);
  assert.equal(end.text, 'ä'.repeat(32_768));
  const result = (await room.entries()).at(-1);
  assert.deepEqual(result?.type === 'tool_result' && [result.cut, result.bytes, result.text], [
    end.cut,
    100_000,
    end.text,
  ]);
});
