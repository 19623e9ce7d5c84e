import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import fc from 'fast-check';
import { hostFloor } from '../host-floor.ts';
import { sayTurn } from './gate-tool.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

type Act =
  | { readonly act: 'say'; readonly session: number; readonly to: 'ann' | 'bob' }
  | { readonly act: 'cancel' | 'continue'; readonly session: number }
  | { readonly act: 'pause' | 'resume' | 'restart' | 'wait' };

const act = (...acts: readonly ('cancel' | 'continue')[]) =>
  fc.record({ act: fc.constantFrom(...acts), session: fc.nat(1) });
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant('say' as const),
        session: fc.nat(1),
        to: fc.constantFrom('ann' as const, 'bob' as const),
      }),
    },
    { weight: 2, arbitrary: act('cancel', 'continue') },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constantFrom('pause' as const, 'resume' as const, 'restart' as const, 'wait' as const),
      }),
    },
  ),
  { minLength: 4, maxLength: 16 },
);

const turns = Array.from({ length: 40 }, (_, index) => sayTurn(`answer ${index}`));
const made = {
  scripts: { 'agent:ann': turns, 'agent:bob': turns },
  agents: [{ name: 'ann' }, { name: 'bob' }],
};

/** Refused for what is so at the moment: nothing to continue, something runs, paused. */
const refused = () => {};

test('whatever is said, cancelled, paused and started again in whatever order, each message is answered once, in order, one turn at a time', async (t) => {
  await fc.assert(
    fc.asyncProperty(acts, async (steps) => {
      const floor = await hostFloor(t);
      let boot = 1;
      let room: HostRoom = await hostRoom(t, { ...made, floor, boot: 'boot_1' });
      const sessions = [await room.session('ann', 'bob'), await room.session('ann', 'bob')];
      const id = (index: number) => sessions[index] ?? '';
      const under: Promise<unknown>[] = [];
      for (const step of steps) {
        const { host } = room;
        if (step.act === 'say') await room.say(id(step.session), `@${step.to} please`);
        else if (step.act === 'cancel') under.push(host.cancel(id(step.session)));
        else if (step.act === 'continue') under.push(host.continueTurn(id(step.session)).catch(refused));
        else if (step.act === 'pause') under.push(host.pause());
        else if (step.act === 'resume') under.push(host.resume());
        else if (step.act === 'restart') {
          await Promise.all(under.splice(0));
          await room.close();
          boot += 1;
          room = await hostRoom(t, { ...made, floor, boot: `boot_${boot}` });
          for (const session of sessions) await room.host.openSession(session);
        } else await soon();
      }
      await Promise.all(under);
      await room.host.resume();
      await room.host.idle();
      for (const session of sessions) await holds(room, session);
      await room.close();
      await floor.close();
    }),
    { numRuns: 60 },
  );
});

async function holds(room: HostRoom, session: string): Promise<void> {
  const entries = await room.entries(session);
  let running: string | undefined;
  const answered: string[] = [];
  for (const entry of entries) {
    if (entry.type === 'ack') {
      assert.equal(running, undefined, 'one turn at a time');
      running = entry.turn;
      answered.push(...entry.for);
    }
    if (entry.type !== 'turn_end') continue;
    assert.equal(entry.turn, running);
    running = undefined;
  }
  assert.equal(running, undefined, 'each turn ends');
  const asked = entries
    .filter((entry) => entry.type === 'message' && entry.from.kind === 'person')
    .map(({ id }) => id);
  const rows = await room.floor.store.read<{ entry: string; state: string; reason: string | null }>(
    'SELECT entry, state, reason FROM wakes WHERE session = ? ORDER BY seq LIMIT 100',
    [session],
  );
  assert.deepEqual(
    rows.map(({ entry }) => entry),
    asked,
    'each message woke one agent',
  );
  const done = rows.filter(({ state }) => state === 'done').map(({ entry }) => entry);
  assert.deepEqual(answered, done, 'what was answered, was answered once and in order');
  for (const { state, reason } of rows)
    assert.ok(state === 'done' || (state === 'ignored' && reason === 'cancelled'), `${state} ${reason}`);
}
