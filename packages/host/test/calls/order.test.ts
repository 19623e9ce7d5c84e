import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import type { Tx } from '@fairlead/store';
import { type CallRoom, callRoom, MAY } from './call-room.ts';

const KEY = 'sk-proj-abcdefghijklmnopqrstuvwx';

const oven = (steps: string[]) =>
  defineExtension({
    name: 'oven',
    version: '1.0.0',
    tools: {
      heat: {
        about: 'Heats.',
        approval: 'always',
        perMinute: 10,
        args: { to: s.integer({ default: 180, maximum: 300 }), dish: s.string({ default: 'pie' }) },
        run({ to, dish }) {
          steps.push(`run ${dish} ${to}`);
          return { text: `${to} degrees, ${KEY}` };
        },
      },
    },
  });

/** Every step of a call that the host takes itself, as it takes it. */
function watch(room: CallRoom, steps: string[], mock: import('node:test').MockTracker): CallRoom['place'] {
  const step = <T>(name: string, value: T): T => {
    steps.push(name);
    return value;
  };
  const { state, sessions, ledger, rates, approvals, peer, store, leaks } = room;
  mock.getter(state, 'pausedAtMs', () => step('pause', null));
  const meta = sessions.meta.bind(sessions);
  mock.method(sessions, 'meta', (id: string) => step('mode', meta(id)));
  const reached = ledger.reached.bind(ledger);
  mock.method(ledger, 'reached', (subject: never) => step('ceiling', reached(subject)));
  const take = rates.take.bind(rates);
  mock.method(rates, 'take', (...call: Parameters<typeof take>) => step('rate', take(...call)));
  const ask = approvals.ask.bind(approvals);
  mock.method(approvals, 'ask', async (request: Parameters<typeof ask>[0]) => {
    steps.push(`approval ${JSON.stringify(request.arguments)}`);
    const held = await ask(request);
    await approvals.decide(held.id, { decision: 'approve', by: MAY, via: 'test' });
    return held;
  });
  const text = leaks.text.bind(leaks);
  mock.method(leaks, 'text', (given: string) => step('redact', text(given)));
  const transaction = peer.transaction.bind(peer);
  mock.method(peer, 'transaction', (work: (tx: Tx) => unknown) => {
    const written: string[] = [];
    return transaction((tx) => {
      const seen: Tx = {
        create: (...given) => tx.create(...given),
        write(sql, parameters, expect) {
          written.push(wordOf(sql));
          tx.write(sql, parameters, expect);
        },
        on(database) {
          const on = tx.on(database);
          return Object.assign(Object.create(on) as typeof on, {
            append(table: string, value: JsonObject) {
              written.push(String(value['type']));
              return on.append(table, value);
            },
          });
        },
      };
      const made = work(seen);
      steps.push(written.join(' + '));
      return made;
    });
  });
  const write = store.write.bind(store);
  mock.method(store, 'write', (statements: Parameters<typeof write>[0]) =>
    step(statements.map(({ sql }) => wordOf(sql)).join(' + '), write(statements)),
  );
  return {
    ...room.place,
    allowed: () => step('look up', true),
    grants: async () => step('grants', { fs: { read: ['/'] } }),
  };
}

function wordOf(sql: string): string {
  if (sql.startsWith('INSERT INTO journal')) return 'row';
  if (sql.includes("SET state = 'used'")) return 'approval used';
  if (sql.startsWith('INSERT INTO approvals')) return 'asked';
  if (sql.startsWith('DELETE FROM approvals')) return 'old ones gone';
  if (sql.startsWith('UPDATE approvals')) return 'decided';
  if (sql.includes('result_owed = 1')) return sql.includes('text = NULL') ? 'nothing owed' : 'result owed';
  return sql.includes('text = ?') ? 'settled' : sql;
}

const gate = (steps: string[]) =>
  defineExtension({
    name: 'gate',
    version: '1.0.0',
    on: {
      toolCall({ args }) {
        steps.push(`gate ${JSON.stringify(args)}`);
        return { args: { ...args, to: 200 } };
      },
    },
  });

test('one call goes through its steps in this order and no other', async (t) => {
  const steps: string[] = [];
  let room: CallRoom;
  const ears = defineExtension({
    name: 'ears',
    version: '1.0.0',
    on: {
      async toolResult({ text }) {
        steps.push(`hook ${text}; ${(await room.journalled()).join()}`);
        return `${text} (heard)`;
      },
    },
  });
  room = await callRoom(t, {
    extensions: [oven(steps), gate(steps), ears],
    touches: { 'oven/heat': { reads: ['dish'] } },
  });
  const place = watch(room, steps, t.mock);
  const end = await room.call('heat', {}, place);
  assert.deepEqual(steps, [
    'look up',
    ...['pause', 'mode', 'ceiling'],
    'rate',
    'gate {"to":180,"dish":"pie"}',
    // What only narrows is asked again where time may have gone by.
    ...['pause', 'mode', 'ceiling'],
    'grants',
    'mode',
    // What the person is shown has the grants in force.
    'grants',
    'approval {"to":200,"dish":"pie"}',
    ...['approval_request + asked + old ones gone', 'approval_decision + decided'],
    ...['grants', 'pause', 'mode', 'ceiling'],
    'tool_call + row + result owed + approval used',
    'run pie 200',
    'redact',
    'settled',
    'hook 200 degrees, [REDACTED:openai_key]; completed owed text',
    // A hook may have put a secret back.
    'redact',
    'tool_result + nothing owed',
  ]);
  assert.deepEqual([end.certainty, end.text], ['completed', '200 degrees, [REDACTED:openai_key] (heard)']);
});

test('where no extension listens to results, the end of a call and its entry are one transaction', async (t) => {
  const steps: string[] = [];
  const room = await callRoom(t, { extensions: [oven(steps)] });
  const place = watch(room, steps, t.mock);
  await room.call('heat', { to: 90 }, place);
  assert.deepEqual(steps.slice(-4), [
    'tool_call + row + result owed + approval used',
    'run pie 90',
    'redact',
    'tool_result + settled + nothing owed',
  ]);
  assert.deepEqual(await room.journalled(), ['completed']);
});
