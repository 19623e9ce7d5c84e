import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyOf } from '../../src/policy/tool-policy.ts';

const own = { timeoutMs: 60_000, isBuiltin: false };

test('a tool that says nothing is a write of low risk that is never asked', () => {
  assert.deepEqual(policyOf({ own }), {
    risk: 'low',
    approval: 'never',
    effect: 'write',
    timeoutMs: 60_000,
    sensitive: [],
    grants: [],
  });
});

test('key by key the operator comes before the server, the server before hints, hints before the tool', () => {
  const said = { ...own, risk: 'low', approval: 'never', perMinute: 9 } as const;
  const source = { approval: 'never', timeoutMs: 5000, effect: 'records' } as const;
  const hints = { destructiveHint: true };
  assert.deepEqual(policyOf({ own: said, hints }), {
    risk: 'high',
    approval: 'always',
    effect: 'write',
    timeoutMs: 60_000,
    perMinute: 9,
    sensitive: [],
    grants: [],
  });
  assert.deepEqual(policyOf({ own: said, hints, source }), {
    risk: 'high',
    approval: 'never',
    effect: 'records',
    timeoutMs: 5000,
    perMinute: 9,
    sensitive: [],
    grants: [],
  });
  const operator = { risk: 'medium', effect: 'read', perMinute: 0 } as const;
  assert.deepEqual(policyOf({ own: said, hints, source, operator }), {
    risk: 'medium',
    approval: 'never',
    effect: 'read',
    timeoutMs: 5000,
    perMinute: 0,
    sensitive: [],
    grants: [],
  });
});

test('hints decide how often a person is asked, and the worse one counts', () => {
  const asked = (hints: { destructiveHint?: boolean; readOnlyHint?: boolean }) => {
    const { risk, approval, effect } = policyOf({ own, hints });
    return [risk, approval, effect];
  };
  assert.deepEqual(asked({}), ['medium', 'unless_auto_approved', 'write']);
  assert.deepEqual(asked({ readOnlyHint: false, destructiveHint: false }), [
    'medium',
    'unless_auto_approved',
    'write',
  ]);
  assert.deepEqual(asked({ readOnlyHint: true }), ['low', 'never', 'write']);
  assert.deepEqual(asked({ destructiveHint: true }), ['high', 'always', 'write']);
  assert.deepEqual(asked({ destructiveHint: true, readOnlyHint: true }), ['high', 'always', 'write']);
});

test('only a built-in and the operator are believed about what a tool touches', () => {
  const reads = { ...own, effect: 'read' } as const;
  assert.equal(policyOf({ own: reads }).effect, 'write');
  assert.equal(policyOf({ own: { ...reads, isBuiltin: true } }).effect, 'read');
  assert.equal(policyOf({ own: reads, operator: { effect: 'read' } }).effect, 'read');
  assert.equal(
    policyOf({ own: { ...reads, isBuiltin: true }, operator: { effect: 'write' } }).effect,
    'write',
  );
});

test('nobody unmasks what another masks, and nobody’s grants widen another’s', () => {
  const { sensitive, grants } = policyOf({
    own: { ...own, sensitive: ['a'] },
    source: { sensitive: ['b', 'a'], grants: { fs: { read: [] } } },
    operator: { sensitive: [], grants: { shell: { allow: [] } } },
  });
  assert.deepEqual(sensitive, ['b', 'a']);
  assert.deepEqual(grants, [{ shell: { allow: [] } }, { fs: { read: [] } }]);
});
