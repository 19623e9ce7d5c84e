import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, memory, messenger } from '@fairlead/extension';
import { harness } from '@fairlead/extension/testing';
import type { Json } from '../src/json/json.ts';

const asking = defineExtension({
  name: 'asking',
  version: '1.0.0',
  uses: { notes: memory, chat: messenger },
  tools: {
    search: {
      about: 'Searches twice.',
      async run(_args, ctx) {
        const own = await ctx.caps.notes.search({ query: 'tea', scope: { scope: 'agent' } });
        const bank = await ctx.caps.notes.search({ query: 'tea', scope: { scope: 'bank', name: 'kitchen' } });
        return { own, bank } as unknown as Json;
      },
    },
    send: {
      about: 'Sends twice.',
      async run(_args, ctx) {
        await ctx.caps.chat.send({ target: 'hall', body: { text: 'bare' } });
        await ctx.caps.chat.send({ target: 'hall', body: { text: 'laden', attachments: [{ page: 1 }] } });
        return 'sent';
      },
    },
  },
});

for (const carrier of ['thread', 'json'] as const) {
  test(`a memory scope is the agent's own or a bank by name, and a hit may be without a bank (${carrier})`, async () => {
    const asked: unknown[] = [];
    const search = async (input: unknown) => {
      asked.push(input);
      return asked.length === 1
        ? [{ key: 'a', value: 'green', score: 1 }]
        : [{ key: 'b', value: 'black', score: 0.5, bank: 'kitchen' }];
    };
    await using t = await harness(asking, { carrier, caps: { notes: { search }, chat: {} } });
    const { data } = await t.tools.search({});
    assert.deepEqual(asked, [
      { query: 'tea', scope: { scope: 'agent' } },
      { query: 'tea', scope: { scope: 'bank', name: 'kitchen' } },
    ]);
    assert.deepEqual(data, {
      own: [{ key: 'a', value: 'green', score: 1 }],
      bank: [{ key: 'b', value: 'black', score: 0.5, bank: 'kitchen' }],
    });
  });

  test(`attachments that a message does not have are left out of it (${carrier})`, async () => {
    const sent: unknown[] = [];
    const send = async (input: unknown) => {
      sent.push(input);
      return null;
    };
    await using t = await harness(asking, { carrier, caps: { chat: { send }, notes: {} } });
    assert.equal((await t.tools.send({})).text, 'sent');
    assert.deepEqual(sent, [
      { target: 'hall', body: { text: 'bare' } },
      { target: 'hall', body: { text: 'laden', attachments: [{ page: 1 }] } },
    ]);
  });
}
