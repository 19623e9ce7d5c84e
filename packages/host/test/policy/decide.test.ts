import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, decideForClient, modeAllows } from '../../src/policy/decide.ts';
import type { Approval, Effect } from '../../src/policy/tool-policy.ts';

const base = { mode: 'normal', autoApprove: false, attended: true, grantsOk: true };

function table(authority: string, autoApprove: boolean): string[] {
  const rows: string[] = [];
  for (const approval of ['never', 'unless_auto_approved', 'always'] satisfies Approval[])
    for (const effect of ['read', 'records', 'write'] satisfies Effect[]) {
      const verdict = decide({ ...base, authority, autoApprove, policy: { approval, effect } });
      rows.push(`${approval} ${effect}: ${typeof verdict === 'string' ? verdict : verdict.refuse}`);
    }
  return rows;
}

test('in trusted_agent the policy decides, and auto_approve answers for what may be answered', () => {
  assert.deepEqual(table('trusted_agent', false), [
    'never read: run',
    'never records: run',
    'never write: run',
    'unless_auto_approved read: ask',
    'unless_auto_approved records: ask',
    'unless_auto_approved write: ask',
    'always read: ask',
    'always records: ask',
    'always write: ask',
  ]);
  assert.deepEqual(table('trusted_agent', true), [
    'never read: run',
    'never records: run',
    'never write: run',
    'unless_auto_approved read: run',
    'unless_auto_approved records: run',
    'unless_auto_approved write: run',
    'always read: ask',
    'always records: ask',
    'always write: ask',
  ]);
});

test('in restricted every write is asked, whatever the lists say', () => {
  assert.deepEqual(table('restricted', true), [
    'never read: run',
    'never records: run',
    'never write: ask',
    'unless_auto_approved read: run',
    'unless_auto_approved records: run',
    'unless_auto_approved write: ask',
    'always read: ask',
    'always records: ask',
    'always write: ask',
  ]);
  assert.deepEqual(table('restricted', false), [
    'never read: run',
    'never records: run',
    'never write: ask',
    'unless_auto_approved read: ask',
    'unless_auto_approved records: ask',
    'unless_auto_approved write: ask',
    'always read: ask',
    'always records: ask',
    'always write: ask',
  ]);
});

test('an unknown authority denies everything', () => {
  for (const authority of ['', 'Trusted_Agent', 'trusted', 'admin'])
    assert.deepEqual(
      [...new Set(table(authority, true).map((row) => row.split(': ')[1]))],
      ['permission_denied'],
    );
});

test('inspect and every unknown mode run nothing, read_only runs what reads', () => {
  const policy = { approval: 'never', effect: 'read' } as const;
  const guarded = { refuse: 'session_guard_denied' };
  for (const mode of ['inspect', '', 'Normal', 'readonly'])
    for (const effect of ['read', 'records', 'write'] satisfies Effect[]) {
      assert.deepEqual(
        decide({ ...base, authority: 'trusted_agent', mode, policy: { ...policy, effect } }),
        guarded,
      );
      assert.equal(modeAllows(mode, effect), false);
    }
  const readOnly = { ...base, authority: 'trusted_agent', mode: 'read_only' };
  assert.equal(decide({ ...readOnly, policy }), 'run');
  assert.deepEqual(decide({ ...readOnly, policy: { ...policy, effect: 'records' } }), guarded);
  assert.deepEqual(decide({ ...readOnly, policy: { ...policy, effect: 'write' } }), guarded);
  assert.equal(decide({ ...readOnly, policy: { approval: 'always', effect: 'read' } }), 'ask');
});

test('nobody is asked for what is then refused: mode, authority, grants, approval, in this order', () => {
  const worst = {
    authority: 'other',
    mode: 'inspect',
    policy: { approval: 'always', effect: 'write' } as const,
    autoApprove: false,
    attended: false,
    grantsOk: false,
  };
  assert.deepEqual(decide(worst), { refuse: 'session_guard_denied' });
  assert.deepEqual(decide({ ...worst, mode: 'normal' }), { refuse: 'permission_denied' });
  const known = { ...worst, mode: 'normal', authority: 'restricted' };
  assert.deepEqual(decide(known), { refuse: 'grant_denied' });
  assert.deepEqual(decide({ ...known, grantsOk: true }), { refuse: 'approval_unattended' });
  assert.equal(decide({ ...known, grantsOk: true, attended: true }), 'ask');
});

test('unattended refuses what would be asked, and nothing else', () => {
  const unattended = { ...base, authority: 'trusted_agent', attended: false };
  assert.equal(decide({ ...unattended, policy: { approval: 'never', effect: 'write' } }), 'run');
  const asked = { approval: 'unless_auto_approved', effect: 'write' } as const;
  assert.deepEqual(decide({ ...unattended, policy: asked }), { refuse: 'approval_unattended' });
  assert.equal(decide({ ...unattended, policy: asked, autoApprove: true }), 'run');
});

test('what grants refuse runs nowhere', () => {
  for (const authority of ['trusted_agent', 'restricted'])
    for (const effect of ['read', 'records', 'write'] satisfies Effect[])
      assert.deepEqual(
        decide({
          ...base,
          authority,
          policy: { approval: 'never', effect },
          autoApprove: true,
          grantsOk: false,
        }),
        { refuse: 'grant_denied' },
      );
});

test('a client’s call, check and reload of plugins are asked in restricted only, and need a normal session or none', () => {
  assert.equal(decideForClient('trusted_agent', undefined), 'run');
  assert.equal(decideForClient('trusted_agent', 'normal'), 'run');
  assert.equal(decideForClient('restricted', 'normal'), 'ask');
  assert.deepEqual(decideForClient('other', undefined), { refuse: 'permission_denied' });
  for (const mode of ['read_only', 'inspect', 'other'])
    assert.deepEqual(decideForClient('trusted_agent', mode), { refuse: 'session_guard_denied' });
});
