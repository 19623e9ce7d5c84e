import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import type { HeardEvent } from '../../src/events/session-event.ts';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

const TURN = 'trn_0000000000000000000001';

function inFewWords(event: HeardEvent): string {
  switch (event.kind) {
    case 'delta':
      return `${event.what} ${event.step}@${event.at} ${event.text}`;
    case 'state':
      return event.tool === undefined ? event.state : `${event.state} ${event.tool}`;
    case 'step_reset':
      return `reset ${event.step}`;
    default:
      return event.kind;
  }
}

const looking = defineExtension({
  name: 'looking',
  version: '1.0.0',
  tools: {
    look: { about: 'Looks.', args: { at: s.string() }, effect: 'read', run: ({ at }) => `saw ${at}` },
  },
});

test('who listens hears each piece with its place, what the turn does, and when an attempt is void', async (t) => {
  const room = await turnRoom(t, {
    extensions: [looking],
    turns: [
      {
        steps: [
          { text: 'Wait.', chunk: 3, calls: [{ tool: 'look', arguments: { at: 'a' } }] },
          { text: 'Here', faults: ['cut'] },
        ],
      },
    ],
  });
  const turn = room.ask('Go');
  await waitFor(() => room.heard.some(({ kind }) => kind === 'step_reset'), { what: 'the broken attempt' });
  await room.host.clock.advance(1000);
  await turn;
  assert.deepEqual(room.heard.filter(({ kind }) => kind !== 'entry').map(inFewWords), [
    'model',
    'text 0@0 Wai',
    'text 0@3 t.',
    'tool look',
    'model',
    'text 1@0 He',
    'reset 1',
    'model',
    'text 1@0 Here',
  ]);
});

test('who comes when the turn is over hears nothing of it any more', async (t) => {
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }) });
  await room.ask('Hello');
  const late: HeardEvent[] = [];
  await room.events.subscribe(room.session, {}, (event) => late.push(event) > 0);
  assert.deepEqual(late, []);
});

test('a turn is on the list of running ones between its ack and its end', async (t) => {
  const seen: unknown[] = [];
  const room = await turnRoom(t, {
    model: {
      async *stream(request) {
        const running = room.turns.of(room.session);
        seen.push(
          running?.turn,
          running?.depth,
          running?.model,
          running?.budget.root,
          room.turns.all().length,
        );
        yield* saidModel({ text: 'Hi' }).stream(request);
      },
    },
  });
  const begun: number[] = [];
  await room.ask('Hello', { begun: () => begun.push(room.turns.all().length) });
  assert.deepEqual(seen, [TURN, 0, 'local/script', TURN, 1]);
  assert.deepEqual(begun, [0]);
  assert.equal(room.turns.of(room.session), undefined);
});

test('blocks, tails and added messages of extensions reach the model in their places, once a turn', async (t) => {
  const fired: string[] = [];
  const speaking = defineExtension({
    name: 'speaking',
    version: '1.0.0',
    on: {
      beforeAgentStart() {
        fired.push('beforeAgentStart');
        return 'It is Monday.';
      },
    },
    prompt: () => {
      fired.push('prompt');
      return 'Be brief.';
    },
    tail: ({ recent }) => {
      fired.push('tail');
      return `You heard: ${recent.join(' | ')}`;
    },
    tools: { look: { about: 'Looks.', args: {}, effect: 'read', run: () => 'seen' } },
  });
  const model = saidModel({ calls: [{ name: 'look' }] }, { text: 'ok' });
  const config = { system_prompt: 'You are Ann.' };
  const room = await turnRoom(t, { model, config, extensions: [speaking] });
  await room.ask('Hello');
  assert.deepEqual(fired, ['beforeAgentStart', 'prompt', 'tail']);
  for (const { messages } of model.requests) {
    const text = JSON.stringify(messages);
    for (const part of ['You are Ann.', 'Be brief.', 'It is Monday.', 'You heard: Hello'])
      assert.ok(text.includes(part), part);
  }
  assert.ok(!JSON.stringify(await room.entries()).includes('You heard'));
});

test('status that an extension shows is asked for again when a turn is over', async (t) => {
  let turns = 0;
  const counting = defineExtension({
    name: 'counting',
    version: '1.0.0',
    on: {
      agentEnd() {
        turns += 1;
      },
    },
    status: () => ({ turns: `${turns} turns` }),
  });
  const room = await turnRoom(t, { model: saidModel({ text: 'Hi' }), extensions: [counting] });
  await room.ask('Hello');
  assert.deepEqual([...(await room.hub.outputs(room.session))], [['counting', { turns: '1 turns' }]]);
});
