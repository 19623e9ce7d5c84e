import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from '@fairlead/dispatch';
import { Agents } from '../../src/agents/agents.ts';
import { entryValue } from '../../src/entries/write-entry.ts';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import { postMessage } from '../../src/sessions/post-entry.ts';
import { Sessions } from '../../src/sessions/sessions.ts';
import { beginTurn, speakerOf } from '../../src/sessions/turns.ts';
import { nextTurn, pendingWakes } from '../../src/sessions/wakes.ts';
import { hostFloor } from '../host-floor.ts';
import { ADA } from '../sessions/session-room.ts';
import { ALLOWED, gateTool, sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

/** What a host leaves that was killed in the middle of a call: a message taken by a turn, the intent of the call. */
async function killedHost(t: Parameters<typeof hostFloor>[0], behind: readonly string[]) {
  const floor = await hostFloor(t);
  const { peer, store, clock } = floor;
  const isModel = () => true;
  const agents = new Agents({ peer, clock, isModel });
  const sessions = new Sessions({ peer, store, clock, agents, isModel, leaks: new LeakDetector() });
  const killed = { peer, store, clock, agents, sessions, boot: 'boot_0' };
  const agent = await agents.create('ann');
  const session = await sessions.create({ agents: ['ann'] });
  await postMessage(killed, { session, text: 'go', from: ADA });
  const wakes = nextTurn(await pendingWakes(store, session))?.wakes ?? [];
  await beginTurn(killed, { turn: 'trn_killed', session, agent, model: 'local/script', wakes });
  const journal = new Journal({ store, clock, boot: 'boot_0' });
  const where = {
    turn: 'trn_killed',
    extension: 'gate',
    tier: 'in_process',
    target: 'ext:gate/pass#1',
  } as const;
  const said = { tool: 'pass', arguments: {}, digest: 'd', step: 0 };
  const intent = { type: 'tool_call', call: 'call_killed', ...where, ...said } as const;
  const row = {
    id: 'call_killed',
    principal: 'agent:ann',
    action: 'call',
    tool: 'pass',
    bindingPresent: false,
  };
  await peer.transaction((tx) => {
    tx.on({ root: session }).append('entries', entryValue(intent, speakerOf(agent), clock));
    for (const { sql, parameters } of journal.sessionIntent(row, { session, ...where }))
      tx.write(sql, parameters);
  });
  for (const text of behind) await postMessage(killed, { session, text, from: ADA });
  await journal.close();
  return { floor, session };
}

const found = ['Ada: go', 'ack ann 1', 'call pass'];
const unknown = 'result outcome_unknown invocation_interrupted';
const short = (lines: readonly string[]) => lines.map((line) => line.replace(/: The host ended.*/, ''));

test('a host that was killed in the middle of a call says so at its next start, and answers what waits', async (t) => {
  const { floor, session } = await killedHost(t, ['are you there?']);
  const { extension, calls } = gateTool();
  const room = await hostRoom(t, {
    ...{ floor, boot: 'boot_1', extensions: () => [extension], policy: ALLOWED },
    scripts: { default: [sayTurn('not this'), { when: 'are you there?', steps: [{ text: 'Here.' }] }] },
  });
  const { turns, results, waiting } = room.host.recovered;
  assert.deepEqual([turns.length, results, waiting], [1, 1, [session]]);
  await room.host.idle();
  assert.deepEqual(short(await room.told(session)), [
    ...[...found, 'Ada: are you there?', unknown, 'end interrupted'],
    ...['ack ann 1', 'ann: Here.', 'end completed'],
  ]);
  assert.equal(calls, 0, 'nothing ran twice');
});

test('a turn that was cut short goes on when it is told to, and knows what is unknown', async (t) => {
  const { floor, session } = await killedHost(t, []);
  const { extension } = gateTool();
  const last = 'a call whose outcome is unknown may have had its effect';
  const room = await hostRoom(t, {
    ...{ floor, boot: 'boot_1', extensions: () => [extension], policy: ALLOWED },
    scripts: { default: [sayTurn('not this'), { steps: [{ text: 'I shall look.', expect: { last } }] }] },
  });
  await room.host.idle();
  assert.deepEqual(short(await room.told(session)), [...found, unknown, 'end interrupted']);
  const by = { id: 'tok_1', scopes: ['session:write'] };
  const answer = await room.host.command({ session, line: '/continue', by });
  assert.ok('text' in answer, JSON.stringify(answer));
  await room.host.idle();
  assert.deepEqual(short(await room.told(session)).slice(5), [
    ...['ack ann 0 resumes', 'ann: I shall look.', 'end completed'],
  ]);
});
