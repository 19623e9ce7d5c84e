import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, type TestLike } from '@fairlead/testing';
import type { ApprovalRowShown } from '../src/sessions/session-port.ts';
import { approval, FakeSessions, FOX, OWL, ses } from './fixture/fake-sessions.ts';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';

type Context = Parameters<typeof hygiene>[0] & TestLike;

async function setUp(t: Context, rows: readonly ApprovalRowShown[]) {
  hygiene(t);
  const host = new FakeSessions();
  host.add('a');
  for (const row of rows) host.approvalRows.set(row.id, row);
  const gateway = await startGateway(t, { sessions: host });
  const list = async (query = '', token = gateway.token) =>
    (await ask(gateway.port, { path: `/api/approvals${query}`, token })).envelope.output as unknown as {
      readonly approvals: readonly JsonObject[];
      readonly more: boolean;
    };
  const decide = (id: string, body: Json, token = gateway.token) =>
    ask(gateway.port, { path: `/api/approvals/${id}`, token, body });
  return { host, gateway, list, decide };
}

const ids = ({ approvals }: { readonly approvals: readonly JsonObject[] }) => approvals.map(({ id }) => id);

test('what waits for a person is listed with every argument, whole', async (t) => {
  const { list } = await setUp(t, [approval('a'), approval('b', { state: 'approved' })]);
  assert.deepEqual(await list(), {
    approvals: [
      {
        id: `apr_${'a'.repeat(22)}`,
        principal: `agent:${FOX.id}`,
        session: ses('a'),
        turn: 'trn_1',
        call: 'call_1',
        tool: 'shell',
        extension: 'core',
        target: 'ext:core/shell#x',
        risk: 'high',
        arguments: { command: 'ls' },
        shown: { workspace: '/srv/a' },
        state: 'open',
        openedAtMs: 1_000,
        untilMs: 301_000,
      },
    ],
    more: false,
  });
});

test('what cannot be read of an approval is shown as it stands, not left out', async (t) => {
  const { list } = await setUp(t, [approval('a', { shown: '{"arguments": {"x": "\\ud800"}}' })]);
  const [first] = (await list()).approvals;
  assert.equal(first?.['arguments'], '{"arguments": {"x": "\\ud800"}}');
});

test('approvals are listed by their session, and one answer holds 4 MiB of them', async (t) => {
  const shown = JSON.stringify({ arguments: { text: 'x'.repeat(60_000) }, extension: 'core' });
  const rows = Array.from({ length: 80 }, (_, n) => approval('a', { id: `apr_${n}`, shown, session: null }));
  const { list } = await setUp(t, [...rows, approval('b')]);
  assert.deepEqual(ids(await list(`?session=${ses('a')}`)), [`apr_${'b'.repeat(22)}`]);
  const { approvals, more } = await list();
  assert.deepEqual([approvals.length, more], [69, true]);
  const rest = await list('?after=apr_68');
  assert.deepEqual([rest.approvals.length, rest.more], [12, false]);
  assert.deepEqual([ids(rest)[0], ids(rest).at(-1)], ['apr_69', `apr_${'b'.repeat(22)}`]);
});

test('a list behind an approval that is none is refused', async (t) => {
  const { gateway } = await setUp(t, [approval('a')]);
  const { port, token } = gateway;
  const none = await ask(port, { path: '/api/approvals?after=apr_none', token });
  assert.equal(none.envelope.error?.code, 'approval_unknown');
  const wrong = await ask(port, { path: '/api/approvals?after=a/b', token });
  assert.deepEqual(
    [wrong.envelope.error?.code, wrong.envelope.error?.detail],
    ['query_invalid', { member: 'after', problem: 'must be the id of an approval' }],
  );
});

test('the first answer stands: the same once more is the lost answer, another is refused', async (t) => {
  const { host, gateway, decide } = await setUp(t, [approval('a'), approval('b')]);
  const [first, second] = [`apr_${'a'.repeat(22)}`, `apr_${'b'.repeat(22)}`];
  const approved = await decide(first, { decision: 'approve' });
  assert.deepEqual(approved.envelope.output, { approval: first, state: 'approved', again: false });
  const again = await decide(first, { decision: 'approve_turn' });
  assert.deepEqual(again.envelope.output, { approval: first, state: 'approved', again: true });
  host.approvalRows.set(first, { ...(host.approvalRows.get(first) ?? approval('a')), state: 'used' });
  assert.equal(((await decide(first, { decision: 'approve' })).envelope.output as JsonObject)['again'], true);
  const other = await decide(first, { decision: 'deny' });
  const by = `person:${gateway.tokens.list()[0]?.id}`;
  assert.deepEqual([other.status, other.envelope.error?.code], [400, 'approval_settled']);
  assert.deepEqual(other.envelope.error?.detail, { state: 'used', decidedBy: by });
  const late = await decide(first, { decision: 'approve' }, await gateway.mint(['session:approve']));
  assert.equal(late.envelope.error?.code, 'approval_settled');
  const denied = await decide(second, { decision: 'deny' });
  assert.deepEqual(denied.envelope.output, { approval: second, state: 'denied', again: false });
  assert.deepEqual(host.asked, [
    ['decide', first, 'approve', by, 'http'],
    ['decide', second, 'deny', by, 'http'],
  ]);
  assert.equal(gateway.lines.filter((line) => line.includes('"approval.decided"')).length, 4);
});

test('an approval that is none is unknown, and a decision that is none is no decision', async (t) => {
  const { host, decide } = await setUp(t, [approval('a')]);
  const none = await decide('apr_none', { decision: 'approve' });
  assert.deepEqual([none.status, none.envelope.error?.code], [400, 'approval_unknown']);
  for (const body of [
    {},
    { decision: 'yes' },
    { decision: null },
    { decision: 'approve', arguments: {} },
    [],
  ]) {
    const { envelope } = await decide(`apr_${'a'.repeat(22)}`, body);
    assert.equal(envelope.error?.code, 'invalid_body', JSON.stringify(body));
  }
  assert.deepEqual(host.asked, []);
});

test('a token that is limited to Runners is asked about what lies within them alone', async (t) => {
  const none = { session: null };
  const { host, gateway, list, decide } = await setUp(t, [
    approval('a'),
    approval('b', { session: ses('b') }),
    approval('c', { ...none, target: 'plugin:near/echo/say#x' }),
    approval('d', { ...none, target: 'plugin:other/echo/say#x' }),
    approval('e', { ...none, target: 'ext:core/shell#x' }),
    approval('g', { ...none, target: 'runner:near/plugins#x' }),
    approval('h', { ...none, target: 'runner:other/config#x' }),
    approval('f', { session: ses('z') }),
  ]);
  host.runners.set(OWL.id, ['near']);
  host.add('b', { agents: [OWL] });
  const token = await gateway.mint(['session:approve'], ['near']);
  assert.deepEqual(
    ids(await list('', token)),
    ['b', 'c', 'g'].map((letter) => `apr_${letter.repeat(22)}`),
  );
  for (const letter of ['a', 'd', 'e', 'f', 'h']) {
    const refused = await decide(`apr_${letter.repeat(22)}`, { decision: 'approve' }, token);
    assert.deepEqual([refused.status, refused.envelope.error?.code], [400, 'token_limited'], letter);
  }
  assert.equal((await decide(`apr_${'c'.repeat(22)}`, { decision: 'approve' }, token)).status, 200);
});

test('a Runner’s id with a slash is not taken for the one before the slash', async (t) => {
  const none = { session: null };
  const { gateway, list, decide } = await setUp(t, [
    approval('a', { ...none, target: 'plugin:near%2Fother/echo/say#x' }),
    approval('b', { ...none, target: 'runner:near%2Fother/plugins#x' }),
    approval('c', { ...none, target: 'plugin:near/echo/say#x' }),
  ]);
  const short = await gateway.mint(['session:approve'], ['near']);
  assert.deepEqual(ids(await list('', short)), [`apr_${'c'.repeat(22)}`]);
  for (const letter of ['a', 'b']) {
    const refused = await decide(`apr_${letter.repeat(22)}`, { decision: 'approve' }, short);
    assert.equal(refused.envelope.error?.code, 'token_limited');
  }
  const long = await gateway.mint(['session:approve'], ['near/other']);
  assert.deepEqual(
    ids(await list('', long)),
    ['a', 'b'].map((letter) => `apr_${letter.repeat(22)}`),
  );
});
