import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostedMachine } from './hosted-machine.ts';
import { failure, routedServer, success } from './loopback-server.ts';

const APPROVAL = {
  id: 'apr_1',
  principal: 'agent:agt_1',
  session: 'ses_1',
  tool: 'shell',
  extension: 'core',
  risk: 'high',
  arguments: {
    command: `echo ${'x'.repeat(5_000)}end`,
    note: 'a\u202eb\u200b\u2800\u3164\u00a0\ufe0f\u{e0041}',
  },
  shown: { workspace: '/srv/work', tier: 'in_process' },
  state: 'open',
  openedAtMs: 1,
  untilMs: Date.UTC(2026, 0, 2, 3, 4, 5),
};

test('what waits is shown with every argument whole, and nothing hidden in it', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'GET /api/approvals': () =>
      success({ approvals: [APPROVAL, { ...APPROVAL, id: 'apr_2', arguments: 'not\nJSON' }] }),
  });
  await host(server.url);
  const { exit, stdout } = await run('approvals', 'list');
  assert.equal(exit, 0);
  const lines = stdout.split('\n').map((line) => line.replaceAll(/: +/g, ': '));
  assert.deepEqual(lines.slice(0, 11), [
    'approval: apr_1',
    'tool: shell of core',
    'risk: high',
    'for: agent:agt_1',
    'session: ses_1',
    'workspace: /srv/work',
    'tier: in_process',
    'until: 2026-01-02T03:04:05Z',
    'arguments:',
    '  {',
    `    "command": "echo ${'x'.repeat(5_000)}end",`,
  ]);
  assert.equal(lines[11], '    "note": "a\\u202eb\\u200b\\u2800\\u3164\\u00a0\\ufe0f\\udb40\\udc41"');
  assert.match(stdout, /approval: +apr_2\n(.*\n)*arguments:\n {2}not\n {2}JSON\n$/);
  assert.deepEqual(JSON.parse((await run('approvals', 'list', '--json')).stdout).approvals.length, 2);
});

test('all that waits is listed, though one answer holds only some of it', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'GET /api/approvals': () => success({ approvals: [APPROVAL], more: true }),
    'GET /api/approvals?after=apr_1': () =>
      success({ approvals: [{ ...APPROVAL, id: 'apr_2' }], more: false }),
  });
  await host(server.url);
  const { stdout } = await run('approvals', 'list');
  assert.match(stdout, /approval: +apr_1\n[\s\S]*approval: +apr_2\n/);
  const { approvals } = JSON.parse((await run('approvals', 'list', '--json')).stdout);
  assert.deepEqual(
    approvals.map(({ id }: { readonly id: string }) => id),
    ['apr_1', 'apr_2'],
  );
});

test('a decision is sent once and told; one that came too late is refused with its code', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'GET /api/approvals': () => success({ approvals: [] }),
    'POST /api/approvals/apr_1': () => success({ ...APPROVAL, state: 'approved' }),
    'POST /api/approvals/apr_2': (_, response) => {
      response.writeHead(400);
      return failure('approval_settled', 'not_started');
    },
  });
  await host(server.url);
  assert.equal((await run('approvals', 'list')).stdout, 'nothing waits for an approval\n');
  assert.equal((await run('approvals', 'approve', 'apr_1')).stdout, 'approved apr_1\n');
  assert.equal((await run('approvals', 'approve', 'apr_1', '--turn')).stdout, 'approved apr_1\n');
  assert.equal((await run('approvals', 'deny', 'apr_1')).stdout, 'denied apr_1\n');
  assert.equal(JSON.parse((await run('approvals', 'deny', 'apr_1', '--json')).stdout).state, 'approved');
  assert.deepEqual(
    server.requests.slice(1).map(({ body }) => body),
    [{ decision: 'approve' }, { decision: 'approve_turn' }, { decision: 'deny' }, { decision: 'deny' }],
  );
  const late = await run('approvals', 'approve', 'apr_2');
  assert.equal(late.exit, 1);
  assert.match(late.stderr, /\(approval_settled\)/);
});
