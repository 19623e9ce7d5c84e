import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { autoApproves, policyKeys, readPolicy } from '../../src/policy/read-policy.ts';

const read = (toml: string) => readPolicy(parse(toml));

test('without a word about it secrets are redacted and nothing is approved by itself', () => {
  assert.deepEqual(read('[policy]\nauthority = "restricted"'), {
    ok: true,
    value: { leak: 'redact', autoApprove: [], tools: new Map(), grants: {} },
    notices: [],
  });
});

test('everything that can be said is read', () => {
  const reading = read(`
[policy]
leak = "block"
auto_approve = ["write_file", "memory_*"]
agent_state = { notes = [] }
[policy.tools.shell]
risk = "high"
approval = "always"
effect = "write"
timeout_secs = 30
rate_per_minute = 0
sensitive = ["token"]
grants = { shell = { allow = ["git"] } }
[policy.tools.__proto__]
risk = "low"
[policy.grants.fs]
read = ["/"]
`);
  assert.ok(reading.ok);
  assert.deepEqual(reading.value, {
    leak: 'block',
    autoApprove: ['write_file', 'memory_*'],
    tools: new Map<string, unknown>([
      [
        'shell',
        {
          risk: 'high',
          approval: 'always',
          effect: 'write',
          timeoutMs: 30_000,
          perMinute: 0,
          sensitive: ['token'],
          grants: { shell: { allow: [['git']] } },
        },
      ],
      ['__proto__', { risk: 'low' }],
    ]),
    grants: { fs: { read: ['/'] } },
  });
});

test('what cannot be meant refuses the file with its place', () => {
  const cases: [toml: string, at: string, problem: string][] = [
    ['policy = 3', 'policy', 'must be a table'],
    ['policy.leak = "blok"', 'policy.leak', 'must be one of redact, block (did you mean block?)'],
    ['policy.auto_approve = "all"', 'policy.auto_approve', 'must be a list'],
    ['policy.auto_approve = ["a b"]', 'policy.auto_approve', 'must be a list of names'],
    ['policy.auto_approve = ["a*b"]', 'policy.auto_approve', 'must be a list of names'],
    ['policy.tools."a b" = {}', 'policy.tools.a b', 'must be the name of a tool'],
    [
      'policy.tools.a.aproval = "always"',
      'policy.tools.a.aproval',
      'is not known here (did you mean approval?)',
    ],
    ['policy.tools.a.timeout_secs = 0', 'policy.tools.a.timeout_secs', 'must be a whole number, 1 to 3600'],
    [
      'policy.tools.a.rate_per_minute = -1',
      'policy.tools.a.rate_per_minute',
      'must be a whole number, 0 to 6000',
    ],
    ['policy.tools.a.sensitive = [1]', 'policy.tools.a.sensitive', 'must be a list of names'],
    ['policy.tools.a.grants.fs.read = 1', 'policy.tools.a.grants.fs.read', 'must be a list'],
    ['policy.grants.netwrk = {}', 'policy.grants.netwrk', 'is not known here (did you mean network?)'],
  ];
  for (const [toml, at, problem] of cases) {
    const reading = read(toml);
    assert.ok(!reading.ok, toml);
    assert.deepEqual([reading.at.join('.'), reading.problem], [at, problem]);
  }
});

test('tools are bounded', () => {
  const tools = Object.fromEntries(Array.from({ length: 1025 }, (_, at) => [`t${at}`, {}]));
  const reading = readPolicy({ policy: { tools } });
  assert.deepEqual(reading, { ok: false, at: ['policy', 'tools'], problem: 'must not have more than 1024' });
});

test('auto_approve takes names, and beginnings of names', () => {
  assert.equal(autoApproves([], 'a'), false);
  assert.equal(autoApproves(['a'], 'a'), true);
  assert.equal(autoApproves(['a'], 'ab'), false);
  assert.equal(autoApproves(['a*'], 'ab'), true);
  assert.equal(autoApproves(['*'], 'ab'), true);
});

test('the keys that are read here are told', () => {
  assert.deepEqual(policyKeys, ['policy.leak', 'policy.auto_approve', 'policy.tools', 'policy.grants']);
});
