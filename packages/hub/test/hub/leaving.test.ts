import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import type { CallRequest } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { FakeExtension, held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

test('a reload during a call delivers each message once', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, source } = await testHub(t);
  const room = await newSession();
  const mail: string[] = [];
  const polls: string[] = [];
  const journal: string[] = [];
  const begun = held();
  const answer = held<string>();
  const delivered = held();
  const messenger = (version: string) =>
    defineExtension({
      name: 'messenger',
      version,
      access: ['session_write'],
      open(scope) {
        let seen = mail.length;
        scope.signal.addEventListener('abort', () => journal.push(`${version} is told to stop`));
        scope.every(1000, async () => {
          polls.push(version);
          const view = await scope.sessions.open(room);
          for (; seen < mail.length; seen += 1)
            await view.append({ type: 'message', text: mail[seen] ?? '' });
          delivered.settle();
        });
      },
      tools: {
        wait: {
          about: 'Waits.',
          run: () => {
            begun.settle();
            return answer.promise;
          },
        },
      },
      close: () => void journal.push(`${version} is closed`),
    });
  await hub.install([source(messenger('1.0.0'))]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const calling = callTool(set, { tool: 'wait', args: {}, call: 'call_1' });
  await begun.promise;
  const replaced = await hub.replace('messenger', source(messenger('2.0.0')));
  assert.ok(replaced.ok);
  mail.push('hello');
  await clock.advance(1000);
  await delivered.promise;
  assert.deepEqual(polls, ['2.0.0']);
  assert.deepEqual(journal, ['1.0.0 is told to stop']);
  answer.settle('it ended by itself');
  assert.equal((await calling).text, 'it ended by itself');
  await replaced.drained;
  assert.deepEqual(journal, ['1.0.0 is told to stop', '1.0.0 is closed']);
  assert.equal(await (await peer.open(room)).table('entries').count(), 1);
});

/** An extension with a call in flight that has opened a session, and what its code writes there: by itself, or as a call of that session. */
async function writer(t: TestContext) {
  hygiene(t);
  const { hub, peer, newSession } = await testHub(t);
  const extension = new FakeExtension('raw');
  await hub.install([extension.source()]);
  const { carrier } = extension;
  const room = await newSession();
  await carrier.host.ask({ op: 'session.open', id: room }, undefined);
  const write = async (caller?: CallRequest): Promise<string> => {
    try {
      await carrier.host.ask({ op: 'session.append', session: room, type: 'message', text: 'x' }, caller);
      return 'written';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  assert.equal(await write(), 'written');
  const call: CallRequest = {
    call: 1,
    instance: 'raw.global.1',
    endpoint: 'tool',
    name: 'x',
    input: {},
    context: { settings: {}, caps: {}, session: room },
  };
  return {
    ...{ hub, carrier, call, write },
    end: carrier.begin(),
    written: async () => await (await peer.open(room)).table('entries').count(),
  };
}

test('an unloaded extension writes by itself into no session, however long its call lasts', async (t) => {
  const { hub, end, write, written } = await writer(t);
  const { drained } = await hub.unload('raw');
  assert.equal(await write(), 'extension_unknown');
  end();
  await drained;
  assert.equal(await write(), 'extension_unknown');
  assert.equal(await written(), 1);
});

test('a call of a reloaded extension writes into its session until it ends, and nothing else of it does', async (t) => {
  const { hub, call, end, write, written } = await writer(t);
  const replaced = await hub.replace('raw', new FakeExtension('raw').source({ digest: 'd2' }));
  assert.ok(replaced.ok);
  assert.equal(await write(), 'extension_replaced');
  assert.equal(await write(call), 'written');
  end();
  await replaced.drained;
  assert.equal(await written(), 2);
});

test('an extension that was told dead writes into no session while its thread still runs', async (t) => {
  const { carrier, write, written } = await writer(t);
  carrier.die();
  assert.equal(await write(), 'extension_crashed');
  assert.equal(await written(), 1);
});
