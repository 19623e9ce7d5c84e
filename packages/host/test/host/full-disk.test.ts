import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { hygiene, waitFor } from '@fairlead/testing';
import { owedLimits } from '../../src/limits.ts';
import { ALLOWED, gateTool, passTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

const full = () => Promise.reject(new FairleadError('store_disk_full', 'No room.'));

/** A turn that waits in a call. From `fill` on the disk takes `more` of what is written into sessions, until `free`. */
async function turnOnFullDisk(t: TestContext) {
  hygiene(t);
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const { host, floor } = room;
  const { peer, clock } = floor;
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const original = peer.transaction.bind(peer);
  const fill = (more: number) => {
    let taken = 0;
    const disk = t.mock.method(peer, 'transaction', (...given: Parameters<typeof original>) => {
      taken += 1;
      return taken <= more ? original(...given) : full();
    });
    /** The end of the turn is owed, and is written then. */
    return async () => {
      disk.mock.restore();
      await waitFor(
        async () => {
          await clock.advance(owedLimits.againMs);
          return host.running(session) === undefined;
        },
        { what: 'the end of the turn' },
      );
    };
  };
  /** What came of it, and after how many seconds. */
  const afterSeconds = async <T>(work: Promise<T>) => {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    over.catch(() => {});
    let seconds = 0;
    await waitFor(
      async () => {
        await clock.advance(1000);
        seconds += 1;
        return isOver;
      },
      { what: 'the answer' },
    );
    return { value: await over, seconds };
  };
  return { ...room, session, fill, afterSeconds };
}

test('a pause that a full disk refuses says so while the turn still waits for room', async (t) => {
  const { host, floor, told, session, fill } = await turnOnFullDisk(t);
  const free = fill(0);
  const rows = t.mock.method(floor.store, 'write', full);
  await assert.rejects(host.pause(), { code: 'store_disk_full' });
  assert.notEqual(host.running(session), undefined);
  assert.notEqual(host.state.pausedAtMs, null);
  rows.mock.restore();
  await free();
  assert.equal((await told(session)).at(-1), 'end cancelled host_paused');
  assert.equal(await host.pause(), true);
});

test('a pause answers after 15 s where the end of a turn waits for room on the disk', async (t) => {
  const { host, told, session, fill, afterSeconds } = await turnOnFullDisk(t);
  const free = fill(0);
  const { value, seconds } = await afterSeconds(host.pause());
  assert.deepEqual([value, seconds >= 15], [true, true]);
  assert.notEqual(host.running(session), undefined);
  await free();
  assert.equal((await told(session)).at(-1), 'end cancelled host_paused');
});

test('cancelling a session answers after 15 s where the end of its turn waits for room on the disk', async (t) => {
  const { host, told, session, fill, afterSeconds } = await turnOnFullDisk(t);
  const free = fill(0);
  const { value, seconds } = await afterSeconds(host.cancel(session));
  assert.deepEqual([value, seconds >= 15], [true, true]);
  assert.notEqual(host.running(session), undefined);
  await free();
  assert.equal((await told(session)).at(-1), 'end cancelled turn_cancelled');
  assert.equal(await host.cancel(session), false);
});

test('a session is closed after 15 s where the end of its turn waits for room on the disk', async (t) => {
  const { host, told, session, fill, afterSeconds } = await turnOnFullDisk(t);
  // That it is closed was the last thing that found room.
  const free = fill(1);
  const { seconds } = await afterSeconds(host.closeSession(session));
  assert.equal(seconds >= 15, true);
  assert.equal((await host.sessions.meta(session)).closed, true);
  await free();
  assert.equal((await told(session)).at(-1), 'end cancelled session_closed');
});
