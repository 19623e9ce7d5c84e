import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError, type JsonObject } from '@fairlead/base';
import { hygiene, waitFor } from '@fairlead/testing';
import type { ApprovalRequest, Decision } from '../../src/approvals/approval-request.ts';
import { Approvals } from '../../src/approvals/approvals.ts';
import { owedLimits } from '../../src/limits.ts';
import { room } from '../sessions/session-room.ts';

type Context = Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void };

const MAY = { id: 'person:1', scopes: ['session:approve'] };
const YES: Decision = { decision: 'approve', by: MAY, via: 'http' };
const NO: Decision = { decision: 'deny', by: MAY, via: 'http' };

const full = () => Promise.reject(new FairleadError('store_disk_full', 'No room.'));

async function setUp(t: Context, authority = 'trusted_agent') {
  hygiene(t);
  const told: string[] = [];
  const made = await room(t);
  const session = await made.sessions.create();
  const approvals = new Approvals(made, made.host.random, {
    authority,
    told: (_session, approval, state) => void told.push(`${approval} ${state}`),
  });
  t.after(() => approvals.close());
  const request = (over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
    ...{
      principal: 'agent:a',
      session,
      target: 'ext:core/shell#d',
      digest: 'd1',
      call: 'call_1',
      tool: 'shell',
    },
    ...{ extension: 'core', risk: 'high', arguments: { command: 'ls' }, shown: { workspace: '/w' } },
    ...over,
  });
  const types = async () =>
    ((await made.entries(session)) as readonly JsonObject[]).map(
      (entry) => entry['decision'] ?? entry['type'],
    );
  return { ...made, clock: made.host.clock, approvals, request, types, session, told };
}

test('the first answer stands, is told in the session, and what was approved is used once', async (t) => {
  const { approvals, request, types, peer } = await setUp(t);
  const held = await approvals.ask(request());
  const open = await approvals.open();
  assert.deepEqual(
    open.map(({ id, state, until }) => [id, state, until]),
    [[held.id, 'open', held.until]],
  );
  const answers = await Promise.all([approvals.decide(held.id, YES), approvals.decide(held.id, NO)]);
  assert.deepEqual(answers, [true, false]);
  assert.equal(await held.decided, 'approved');
  assert.deepEqual(await types(), ['approval_request', 'approved']);
  const found = await approvals.find(held.id);
  assert.deepEqual([found?.state, found?.decided_by, found?.until], ['approved', YES.by.id, held.until]);
  assert.equal(await approvals.find('apr_none'), undefined);
  const use = (call: string) =>
    peer.transaction((tx) => {
      const { sql, parameters = [] } = approvals.use(held.id, call);
      tx.write(sql, parameters, 1);
    });
  await use('call_1');
  await assert.rejects(use('call_2'), { code: 'transaction_refused' });
});

test('only who has the right decides, and only about what there is', async (t) => {
  const { approvals, request } = await setUp(t);
  const { id } = await approvals.ask(request());
  const write = { ...YES, by: { id: 'x', scopes: ['session:write', 'admin'] } };
  await assert.rejects(approvals.decide(id, write), { code: 'approval_scope_missing' });
  await assert.rejects(approvals.decide('apr_none', YES), { code: 'approval_unknown' });
});

test('nobody answers: it expires after 300 s, and a late answer is ignored', async (t) => {
  const { approvals, request, clock, types } = await setUp(t);
  const held = await approvals.ask(request());
  await clock.advance(300_000);
  assert.equal(await held.decided, 'expired');
  assert.equal(await approvals.decide(held.id, YES), false);
  assert.deepEqual(await types(), ['approval_request', 'expired']);
});

test('an approval that ended while the clock jumped, as when the machine slept, cannot be given', async (t) => {
  const { approvals, request, clock, types } = await setUp(t);
  const held = await approvals.ask(request());
  clock.jumpWall(300_000);
  assert.equal(await approvals.decide(held.id, YES), false);
  assert.equal(await held.decided, 'expired');
  assert.deepEqual(await types(), ['approval_request', 'expired']);
});

test('a question whose expiry the disk did not take cannot be approved later', async (t) => {
  const { approvals, request, clock, peer, types } = await setUp(t);
  const held = await approvals.ask(request());
  const disk = t.mock.method(peer, 'transaction', full);
  await clock.advance(300_000);
  assert.equal(await held.decided, 'expired');
  await assert.rejects(approvals.decide(held.id, YES), { code: 'store_disk_full' });
  disk.mock.restore();
  assert.equal(await approvals.decide(held.id, YES), false);
  assert.deepEqual(await types(), ['approval_request', 'expired']);
});

test('a question whose expiry the disk did not take ends once there is room', async (t) => {
  const { approvals, request, clock, peer, told } = await setUp(t);
  const held = await approvals.ask(request());
  held.release();
  const disk = t.mock.method(peer, 'transaction', full);
  await clock.advance(300_000);
  await waitFor(() => disk.mock.callCount() > 0, { what: 'the expiry that the disk refuses' });
  disk.mock.restore();
  const isOver = async () => {
    await clock.advance(owedLimits.againMs);
    return (await approvals.find(held.id))?.state === 'expired';
  };
  await waitFor(isOver, { what: 'the end of the question' });
  assert.deepEqual(told, [`${held.id} open`, `${held.id} expired`]);
});

test('the same call later takes the oldest row that nobody holds; another digest never does', async (t) => {
  const { approvals, request } = await setUp(t);
  const first = await approvals.ask(request());
  const second = await approvals.ask(request());
  assert.notEqual(first.id, second.id);
  first.release();
  assert.equal((await approvals.ask(request())).id, first.id);
  assert.notEqual((await approvals.ask(request({ digest: 'd2' }))).id, first.id);
  assert.notEqual((await approvals.ask(request({ session: null }))).id, first.id);
});

test('what was decided while its caller was away is decided at once, a denial once, an approval within 300 s', async (t) => {
  const { approvals, request, clock } = await setUp(t);
  const denied = await approvals.ask(request());
  denied.release();
  await approvals.decide(denied.id, NO);
  const again = await approvals.ask(request());
  assert.deepEqual([again.id, await again.decided], [denied.id, 'denied']);
  await approvals.told(again.id, 'call_2');
  again.release();
  const approved = await approvals.ask(request());
  assert.notEqual(approved.id, denied.id);
  approved.release();
  await approvals.decide(approved.id, YES);
  clock.jumpWall(299_999);
  const taken = await approvals.ask(request());
  assert.deepEqual([taken.id, await taken.decided], [approved.id, 'approved']);
  taken.release();
  clock.jumpWall(1);
  assert.notEqual((await approvals.ask(request())).id, approved.id);
});

test('a rule for the rest of a turn makes a row of its own for each later call of the same target', async (t) => {
  const { approvals, request, types } = await setUp(t);
  const first = await approvals.ask(request({ turn: 'trn_1' }));
  await approvals.decide(first.id, { ...YES, decision: 'approve_turn' });
  const later = await approvals.ask(request({ turn: 'trn_1', digest: 'd2' }));
  assert.notEqual(later.id, first.id);
  assert.equal(await later.decided, 'approved');
  const last = ['approval_request', 'approved', 'approval_request', 'approved'];
  assert.deepEqual(await types(), last);
  await approvals.endTurn('trn_1');
  await approvals.ask(request({ turn: 'trn_1', digest: 'd3' }));
  assert.deepEqual(await types(), [...last, 'approval_request']);
});

test('what was approved in one turn is not taken by the same call in another, and is cancelled with its turn', async (t) => {
  const { approvals, request, types, told } = await setUp(t);
  const first = await approvals.ask(request({ turn: 'trn_1' }));
  await approvals.decide(first.id, YES);
  first.release();
  const second = await approvals.ask(request({ turn: 'trn_2' }));
  assert.notEqual(second.id, first.id);
  await approvals.endTurn('trn_1');
  assert.equal((await approvals.find(first.id))?.state, 'cancelled');
  assert.equal((await approvals.find(second.id))?.state, 'open');
  await approvals.endTurn('trn_2');
  assert.equal(await second.decided, 'cancelled');
  assert.deepEqual(await types(), ['approval_request', 'approved', 'approval_request', 'cancelled']);
  assert.equal(told.length, 5);
});

test('what is approved beforehand leaves no timer behind', async (t) => {
  const { approvals, request, clock } = await setUp(t);
  const timers = t.mock.method(clock, 'setTimer');
  const held = await approvals.ask(request({ given: { by: 'beforehand', via: 'run' } }));
  assert.equal(await held.decided, 'approved');
  assert.equal(timers.mock.callCount(), 0);
  (await approvals.ask(request({ digest: 'd2' }))).release();
  assert.equal(timers.mock.callCount(), 1);
});

test('arguments that cannot be shown whole are refused, and one that nobody waits for is cancelled', async (t) => {
  const { approvals, request, types } = await setUp(t);
  const large = approvals.ask(request({ arguments: { text: 'x'.repeat(65_536) } }));
  await assert.rejects(large, { code: 'arguments_too_large' });
  const held = await approvals.ask(request());
  assert.equal(await approvals.cancel(held.id), true);
  assert.equal(await approvals.cancel(held.id), false);
  assert.equal(await held.decided, 'cancelled');
  assert.deepEqual(await types(), ['approval_request', 'cancelled']);
});

test('`restricted`, or a word that is none, lets nobody approve the rest of a turn, and the list says so', async (t) => {
  for (const authority of ['restricted', 'whatever']) {
    const { approvals, request, types } = await setUp(t, authority);
    const held = await approvals.ask(request({ turn: 'trn_1' }));
    assert.deepEqual((await approvals.open())[0]?.decisions, ['approve', 'deny']);
    await assert.rejects(approvals.decide(held.id, { ...YES, decision: 'approve_turn' }), {
      code: 'approval_rule_denied',
    });
    assert.deepEqual(await types(), ['approval_request']);
    assert.equal(await approvals.decide(held.id, YES), true);
  }
});

test('the rest of a turn can be approved where there is a turn', async (t) => {
  const { approvals, request } = await setUp(t);
  const inTurn = await approvals.ask(request({ turn: 'trn_1' }));
  const alone = await approvals.ask(request({ digest: 'd2' }));
  assert.deepEqual(
    (await approvals.open()).map(({ decisions }) => decisions),
    [
      ['approve', 'deny', 'approve_turn'],
      ['approve', 'deny'],
    ],
  );
  await assert.rejects(approvals.decide(alone.id, { ...YES, decision: 'approve_turn' }), {
    code: 'approval_rule_denied',
  });
  assert.equal(await approvals.decide(inTurn.id, { ...YES, decision: 'approve_turn' }), true);
});

test('what was decided beforehand is written as decided, and takes no row of an earlier call', async (t) => {
  const { approvals, request, entries, session, told } = await setUp(t);
  const earlier = await approvals.ask(request());
  earlier.release();
  await approvals.decide(earlier.id, NO);
  const given = { by: 'person:1', via: 'run --approve' };
  const held = await approvals.ask(request({ call: 'call_2', given }));
  assert.notEqual(held.id, earlier.id);
  assert.equal(await held.decided, 'approved');
  const found = await approvals.find(held.id);
  assert.deepEqual([found?.state, found?.decided_by, found?.rule], ['approved', 'person:1', null]);
  const decisions = ((await entries(session)) as readonly JsonObject[]).filter(
    ({ type }) => type === 'approval_decision',
  );
  assert.deepEqual(
    decisions.map(({ approval, decision, by, via }) => [approval, decision, by, via]),
    [
      [earlier.id, 'denied', 'person:1', 'http'],
      [held.id, 'approved', 'person:1', 'run --approve'],
    ],
  );
  assert.deepEqual(told, [
    `${earlier.id} open`,
    `${earlier.id} denied`,
    `${held.id} open`,
    `${held.id} approved`,
  ]);
});

test('a client that asks without end hides nobody else’s question', async (t) => {
  const { approvals, request } = await setUp(t);
  const flood = (n: number) =>
    approvals.ask(request({ principal: 'token:flood', session: null, digest: `d${n}` }));
  const asked = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => flood(n)));
  const refused = asked.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 8);
  await assert.rejects(flood(40), { code: 'approval_limit_reached' });
  const other = await approvals.ask(request({ principal: 'token:other', session: null }));
  assert.equal((await approvals.open()).at(-1)?.id, other.id);
  const [first] = await approvals.open();
  await approvals.decide(first?.id ?? '', NO);
  const next = await flood(40);
  await assert.rejects(flood(41), { code: 'approval_limit_reached' });
  // What nobody has to decide does not count.
  const given = { by: 'person:1', via: 'run' };
  await approvals.ask(request({ principal: 'token:flood', session: null, digest: 'd42', given }));
  assert.equal(await approvals.openCount(), 33);
  assert.equal((await approvals.open()).at(-1)?.id, next.id);
});

test('what waits is looked through by session, by the beginning of an id, and a page after the other', async (t) => {
  const { approvals, request, sessions, session } = await setUp(t);
  const other = await sessions.create();
  const here = await approvals.ask(request());
  const there = await approvals.ask(request({ session: other }));
  const nowhere = await approvals.ask(request({ session: null }));
  const ids = async (wanted: Parameters<typeof approvals.open>[0]) =>
    (await approvals.open(wanted)).map(({ id }) => id);
  assert.deepEqual(await ids({}), [here.id, there.id, nowhere.id]);
  assert.deepEqual(await ids({ sessions: [session] }), [here.id]);
  assert.deepEqual(await ids({ sessions: [] }), []);
  assert.deepEqual(await ids({ beginning: there.id.slice(0, 12) }), [there.id]);
  assert.deepEqual(await ids({ limit: 2 }), [here.id, there.id]);
  await approvals.decide(there.id, NO);
  assert.deepEqual(await ids({ limit: 2, after: there.id }), [nowhere.id]);
  await assert.rejects(approvals.open({ after: 'apr_none' }), { code: 'approval_unknown' });
  assert.deepEqual([await approvals.openCount(), await approvals.openCount([session, other])], [2, 1]);
  assert.deepEqual(await approvals.openSessions(), [session]);
});

test('what was decided is removed after 30 days, what is open is not', async (t) => {
  const { approvals, request, clock } = await setUp(t);
  const open = await approvals.ask(request({ digest: 'open' }));
  const denied = await approvals.ask(request());
  await approvals.decide(denied.id, NO);
  const DAY_MS = 86_400_000;
  clock.jumpWall(29 * DAY_MS);
  await approvals.ask(request({ digest: 'd2' }));
  assert.equal((await approvals.find(denied.id))?.state, 'denied');
  clock.jumpWall(2 * DAY_MS);
  await approvals.ask(request({ digest: 'd3' }));
  assert.equal(await approvals.find(denied.id), undefined);
  assert.equal((await approvals.find(open.id))?.state, 'open');
});

test('no more than 10,000 of what was decided is kept, and it is removed a few rows at a time', async (t) => {
  const { approvals, request, store, clock } = await setUp(t);
  await store.write([
    {
      sql: `INSERT INTO approvals (id, principal, target, digest, call, tool, risk, shown, state, opened_at, boot)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 10012)
        SELECT 'apr_' || n, 'token:a', 't', 'd', 'c', 't', 'low', '{}', 'expired', ?, 'boot_1' FROM numbers`,
      parameters: [clock.wallMs()],
    },
  ]);
  const kept = async () => {
    const rows = await store.read<object>('SELECT min(seq), count(*) FROM approvals');
    return rows.map((row) => Object.values(row));
  };
  await approvals.ask(request());
  assert.deepEqual(await kept(), [[9, 10_005]]);
  await approvals.ask(request({ digest: 'd2' }));
  assert.deepEqual(await kept(), [[15, 10_000]]);
});
