import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';

const id = (number: number) => `call_${String(number).padStart(22, '0')}`;

type Entry = JsonObject & { readonly call: string };
type Page = { readonly entries: readonly Entry[]; readonly next: string | null };

/** A gateway whose journal has nine invocations, the last ones newest. */
async function withJournal(t: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(t);
  const { journal, port, token } = gateway;
  const entry = { principal: 'token:a', action: 'call', bindingPresent: true } as const;
  const far = { ...entry, runner: 'far', plugin: 'echo', tool: 'say', argumentsDigest: 'digest-1' };
  await journal.start({ id: id(1), ...far });
  await journal.settle(id(1), { certainty: 'completed', code: null });
  await journal.start({ id: id(2), ...far, runner: 'local' });
  await journal.settle(id(2), { certainty: 'outcome_unknown', code: 'plugin_eof' });
  await journal.start({ id: id(3), ...far });
  await journal.settle(id(3), { certainty: 'outcome_unknown', code: 'runner_unavailable' });
  await journal.settleUnknown(id(3), { certainty: 'completed', code: 'plugin_tool_error' });
  await journal.deny({ id: id(4), ...entry }, 'insufficient_scope');
  await journal.start({ id: id(5), ...far });
  const page = async (query = '', by = token) => {
    const { status, text } = await ask(port, { path: `/api/admin/journal${query}`, token: by });
    const { output, error } = JSON.parse(text) as { output: Page; error: JsonObject | null };
    return { status, output, error };
  };
  const calls = async (query?: string, by?: string) =>
    (await page(query, by)).output.entries.map(({ call }) => Number(call.slice(5)));
  return { gateway, page, calls };
}

test('the journal is given newest first, with settlements, and nothing of what was sent but its digest', async (t) => {
  hygiene(t);
  const { page } = await withJournal(t);
  const { output } = await page();
  assert.equal(output.next, null);
  const [running, denied, settled] = output.entries;
  const { atMs, ...rest } = running ?? { call: '' };
  assert.equal(typeof atMs, 'number');
  assert.deepEqual(rest, {
    call: id(5),
    principal: 'token:a',
    action: 'call',
    runner: 'far',
    plugin: 'echo',
    tool: 'say',
    bindingPresent: true,
    argumentsDigest: 'digest-1',
    certainty: null,
    code: null,
    finishedAtMs: null,
    settlement: null,
  });
  assert.deepEqual([denied?.['certainty'], denied?.['code']], ['not_started', 'insufficient_scope']);
  const { settlement, ...end } = settled ?? { call: '' };
  assert.deepEqual([end['certainty'], end['code']], ['outcome_unknown', 'runner_unavailable']);
  const { atMs: settledAtMs, ...known } = settlement as JsonObject;
  assert.equal(typeof settledAtMs, 'number');
  assert.deepEqual(known, { certainty: 'completed', code: 'plugin_tool_error' });
});

test('pages follow one another, and a certainty is what is known now', async (t) => {
  hygiene(t);
  const { page, calls } = await withJournal(t);
  const first = await page('?limit=2');
  assert.equal(first.output.next, id(4));
  assert.deepEqual(await calls(`?limit=2&before=${id(4)}`), [3, 2]);
  const last = await page(`?limit=2&before=${id(2)}`);
  assert.deepEqual([last.output.entries.length, last.output.next], [1, null]);
  assert.deepEqual(await calls('?certainty=outcome_unknown'), [2]);
  assert.deepEqual(await calls('?certainty=completed'), [3, 1]);
  assert.deepEqual(await calls('?certainty=not_started'), [4]);
});

test('a token that is limited to some Runners sees no call of another, and one without admin nothing', async (t) => {
  hygiene(t);
  const { gateway, page, calls } = await withJournal(t);
  assert.deepEqual(await calls('', await gateway.mint(['admin'], ['local'])), [4, 2]);
  const { status, error } = await page('', await gateway.mint(['plugin:inspect', 'plugin:invoke']));
  assert.deepEqual([status, error?.['code']], [403, 'insufficient_scope']);
});

test('what the address asks for beyond what there is, is refused by name and not repeated', async (t) => {
  hygiene(t);
  const { page } = await withJournal(t);
  for (const [query, member] of [
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ['?limit=07', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?before=call_x', 'before'],
    [`?before=${id(1)}&before=${id(2)}`, 'before'],
    ['?certainty=unknown', 'certainty'],
    ['?certainty=MARKER', 'certainty'],
    ['?MARKER=1', 'query'],
  ] as const) {
    const { status, error } = await page(query);
    assert.deepEqual([status, error?.['code']], [400, 'query_invalid'], query);
    assert.equal((error?.['detail'] as JsonObject | undefined)?.['member'], member);
    assert.doesNotMatch(JSON.stringify(error), /MARKER/);
  }
  const { error } = await page(`?before=${id(77)}`);
  assert.equal(error?.['code'], 'journal_entry_not_found');
});
