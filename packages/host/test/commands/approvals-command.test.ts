import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { commandRoom } from './command-room.ts';

test('/approvals shows every argument whole, what cannot be seen as an escape, and until when it is open', async (t) => {
  const { done, approvals, approvalOf, session } = await commandRoom(t);
  assert.equal((await done('/approvals')).text, 'No call waits for a person.');
  const hidden = `rm -rf \u202e/ ${'x'.repeat(5000)}`;
  const shown = {
    agent: { id: 'agt_1', name: 'ann' },
    speaker: 'worker:x',
    tier: 'in_process',
    effect: 'write',
    workspace: '/w',
    grants: { fs: { read: ['/w'] } },
    rewritten_by: ['sly'],
    ran_before: { at: 1, certainty: 'completed' },
  };
  const args = { command: hidden, token: { $masked: 12 } };
  const held = await approvals.ask(approvalOf({ arguments: args, shown }));
  const { text, data } = await done('/approvals');
  assert.equal(
    text,
    [
      `${held.id}  shell of core  risk: high, in_process, write  until 2026-01-01 00:05:00 UTC`,
      'for ann, worker:x',
      'workspace "/w"',
      'may touch {"fs":{"read":["/w"]}}',
      'arguments changed by sly',
      'the same ran before: {"at":1,"certainty":"completed"}',
      'decide: approve, deny',
      '{',
      `  "command": "rm -rf \\u202e/ ${'x'.repeat(5000)}",`,
      '  "token": {',
      '    "$masked": 12',
      '  }',
      '}',
    ].join('\n'),
  );
  const [row] = (data as { approvals: JsonObject[] }).approvals;
  assert.deepEqual(
    [row?.['id'], row?.['session'], row?.['untilMs']],
    [held.id, session, Date.UTC(2026, 0, 1, 0, 5)],
  );
  assert.deepEqual((row?.['shown'] as JsonObject | undefined)?.['arguments'], {
    command: hidden,
    token: { $masked: 12 },
  });
});

test('calls of spawned sessions are listed at their root, those of others only with --all', async (t) => {
  const { done, approvals, approvalOf, sessions, session } = await commandRoom(t);
  const child = await sessions.create({ parent: { session, turn: 'trn_1', call: 'call_1' } });
  const grandchild = await sessions.create({ parent: { session: child, turn: 'trn_2', call: 'call_2' } });
  const other = await sessions.create();
  const below = await approvals.ask(approvalOf({ session: grandchild }));
  const beside = await approvals.ask(approvalOf({ session: other }));
  const nowhere = await approvals.ask(approvalOf({ session: null }));
  const ids = async (line: string) =>
    ((await done(line)).data as { approvals: JsonObject[] }).approvals.map(({ id }) => id);
  assert.deepEqual(await ids('/approvals list'), [below.id]);
  assert.deepEqual(await ids('/approvals --all'), [below.id, beside.id, nowhere.id]);
  const { text } = await done('/approvals list --all');
  assert.match(text, new RegExp(`, in ${grandchild}\n`));
  assert.match(text, /, in no session\n/);
});

test('who may only read is told neither the folder nor the grants of a call, and nothing of other sessions', async (t) => {
  const { run, refused, approvals, approvalOf } = await commandRoom(t);
  const shown = { tier: 'in_process', workspace: '/home/ada/w', grants: { fs: { read: ['/home/ada/w'] } } };
  await approvals.ask(approvalOf({ shown }));
  const reader = JSON.stringify(await run('/approvals', { scopes: ['session:read'] }));
  assert.match(reader, /"command":"ls"/);
  assert.doesNotMatch(reader, /home|workspace|may touch|grants/);
  for (const scope of ['session:approve', 'admin'])
    assert.match(JSON.stringify(await run('/approvals', { scopes: ['session:read', scope] })), /workspace/);
  for (const line of ['/approvals --all', '/approvals list --all'])
    assert.match(
      await refused(line, ['session:read', 'session:write']),
      /^command_scope_missing: .*\(session:approve\)$/,
    );
});

test('approve and deny decide once, by id or by a beginning that fits one call alone', async (t) => {
  const { done, run, approvals, approvalOf } = await commandRoom(t);
  const first = await approvals.ask(approvalOf());
  const second = await approvals.ask(approvalOf({ digest: 'd2' }));
  assert.deepEqual(await done(`/approvals approve ${first.id.slice(0, 8)}`), {
    text: 'The call is approved.',
    data: { approval: first.id, decision: 'approve', stands: true },
  });
  assert.equal(await first.decided, 'approved');
  assert.deepEqual(await done(`/deny ${second.id}`), {
    text: 'The call is denied.',
    data: { approval: second.id, decision: 'deny', stands: true },
  });
  assert.equal(await second.decided, 'denied');
  assert.deepEqual(await done(`/approve ${second.id}`), {
    text: 'It was decided, expired or cancelled before; that stands.',
    data: { approval: second.id, decision: 'approve', stands: false },
  });
  const third = await approvals.ask(approvalOf({ digest: 'd3' }));
  for (const wrong of ['apr_', third.id.slice(0, 7), 'apr_nothing'])
    assert.equal(codeOf(await run(`/approve ${wrong}`)), 'approval_unknown', wrong);
  assert.equal((await approvals.find(third.id))?.state, 'open');
});

test('a beginning that fits several calls decides none of them', async (t) => {
  const { run, approvals, approvalOf, ports } = await commandRoom(t);
  const held = await approvals.ask(approvalOf());
  const [row] = await approvals.open();
  assert.ok(row !== undefined);
  const twin = { ...row, id: `${held.id.slice(0, 8)}twin` };
  ports.approvals.open = async () => [row, twin];
  const answer = await run(`/approve ${held.id.slice(0, 8)}`);
  assert.deepEqual('error' in answer && answer.error.detail, { approvals: [held.id, twin.id] });
  assert.equal((await approvals.find(held.id))?.state, 'open');
});

test('approve_turn holds for the rest of the turn, and not where authority is restricted', async (t) => {
  const trusted = await commandRoom(t);
  const asked = trusted.approvalOf({ turn: 'trn_1' });
  const first = await trusted.approvals.ask(asked);
  await trusted.done(`/approvals approve_turn ${first.id}`);
  const later = await trusted.approvals.ask({ ...asked, digest: 'd2', call: 'call_2' });
  assert.equal(await later.decided, 'approved');
});

test('in restricted each call is decided by itself', async (t) => {
  const { refused, approvals, approvalOf } = await commandRoom(t, { authority: 'restricted' });
  const { id } = await approvals.ask(approvalOf({ turn: 'trn_1' }));
  assert.match(await refused(`/approvals approve_turn ${id}`), /^approval_rule_denied: /);
  assert.equal((await approvals.find(id))?.state, 'open');
});

test('more calls than one answer has are counted', async (t) => {
  const { done, approvals, approvalOf } = await commandRoom(t);
  for (let n = 0; n < 203; n += 1) await approvals.ask(approvalOf({ principal: `agent:${n}` }));
  const { text, data } = await done('/approvals');
  assert.match(text, /\n\nand 3 more$/);
  assert.equal((data as { more: number }).more, 3);
});

test('calls of other sessions, however many, hide none of this one', async (t) => {
  const { done, approvals, approvalOf, sessions } = await commandRoom(t);
  const other = await sessions.create();
  for (let n = 0; n < 203; n += 1)
    await approvals.ask(approvalOf({ principal: `agent:${n}`, session: other }));
  const held = await approvals.ask(approvalOf());
  const { data } = await done('/approvals');
  assert.partialDeepStrictEqual(data, { approvals: [{ id: held.id }], more: 0 });
  assert.match((await done('/info')).text, /^approvals +1$/m);
  assert.equal((await done(`/deny ${held.id.slice(0, 12)}`)).text, 'The call is denied.');
});

test('a decision without an approval says the usage', async (t) => {
  const { refused } = await commandRoom(t);
  assert.match(await refused('/approvals approve'), /^command_usage: .*\n\/approvals approve <approval>$/);
  assert.match(await refused('/approve'), /^command_usage: .*\n\/approve <approval>$/);
  assert.match(await refused('/deny a b'), /^command_usage: /);
});

function codeOf(answer: object): unknown {
  return 'error' in answer ? (answer.error as { code: string }).code : undefined;
}
