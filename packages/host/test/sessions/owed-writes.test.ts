import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import { owedLimits } from '../../src/limits.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';

const full = () => new FairleadError('store_disk_full', 'No room.');

/** Writes of one session that the disk takes from its `n`th look on. */
function room() {
  const clock = manualClock();
  const owed = new OwedWrites(clock);
  const written: string[] = [];
  const disk = { fault: undefined as Error | undefined };
  const write = (name: string) => async () => {
    if (disk.fault !== undefined) throw disk.fault;
    written.push(name);
    return name;
  };
  const pass = async () => {
    await clock.advance(owedLimits.againMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, owed, written, disk, write, pass };
}

describe('an end that the disk did not take', () => {
  test('is written once the disk takes it, and its caller then hears what it answered', async () => {
    const { owed, written, disk, write, pass } = room();
    disk.fault = full();
    const first = owed.written('ses_1', write('first'));
    await pass();
    assert.deepEqual([written, owed.has('ses_1')], [[], true]);
    disk.fault = undefined;
    await pass();
    assert.equal(await first, 'first');
    assert.deepEqual([written, owed.has('ses_1')], [['first'], false]);
  });

  test('stands before what its session writes later, and no other session waits for it', async () => {
    const { owed, written, disk, write } = room();
    disk.fault = full();
    const first = owed.written('ses_1', write('first'));
    await new Promise((resolve) => setImmediate(resolve));
    disk.fault = undefined;
    await owed.written('ses_2', write('other'));
    await owed.written('ses_1', write('second'));
    await first;
    assert.deepEqual(written, ['other', 'first', 'second']);
  });

  test('is tried once more when the host stops, and then its caller hears of the disk', async () => {
    const { owed, written, disk, write, clock } = room();
    disk.fault = full();
    const lost = assert.rejects(owed.written('ses_1', write('lost')), { code: 'store_disk_full' });
    await new Promise((resolve) => setImmediate(resolve));
    await owed.close();
    await lost;
    assert.equal(clock.pendingTimers, 0);
    await assert.rejects(owed.written('ses_1', write('late')), { code: 'store_disk_full' });
    assert.deepEqual(written, []);
  });

  test('is given up where it was refused for good, and what waits behind it is written', async () => {
    const { owed, written, disk, write, pass } = room();
    disk.fault = full();
    let refused = false;
    const first = owed.written('ses_1', async () => {
      if (refused) throw new FairleadError('transaction_refused', 'Ended before.');
      throw full();
    });
    const second = owed.written('ses_1', write('second'));
    await new Promise((resolve) => setImmediate(resolve));
    disk.fault = undefined;
    refused = true;
    const told = assert.rejects(first, { code: 'transaction_refused' });
    await pass();
    await told;
    assert.equal(await second, 'second');
    assert.deepEqual(written, ['second']);
  });

  test('holds up the next one of its session, whose caller hears so before that was tried itself', async () => {
    const { owed, written, disk, write, pass } = room();
    disk.fault = full();
    const told: string[] = [];
    const waits = (name: string) => (fault: unknown) => {
      told.push(`${name} ${fault instanceof FairleadError ? fault.code : ''}`);
    };
    const both = Promise.all([
      owed.written('ses_1', write('first'), waits('first')),
      owed.written('ses_1', write('second'), waits('second')),
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    const third = owed.written('ses_1', write('third'), waits('third'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(told, ['first store_disk_full', 'second store_disk_full', 'third store_disk_full']);
    disk.fault = undefined;
    await pass();
    assert.deepEqual([...(await both), await third], ['first', 'second', 'third']);
    assert.deepEqual(written, ['first', 'second', 'third']);
    await owed.written('ses_1', write('fourth'), waits('fourth'));
    assert.equal(told.length, 3);
  });

  test('is written before anything begins in its session, which the fault of the disk refuses until then', async () => {
    const { owed, written, disk, write } = room();
    await owed.behind('ses_1');
    disk.fault = full();
    const first = owed.written('ses_1', write('first'));
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(owed.behind('ses_1'), { code: 'store_disk_full' });
    await owed.behind('ses_2');
    disk.fault = undefined;
    await owed.behind('ses_1');
    assert.deepEqual(written, ['first']);
    assert.equal(await first, 'first');
    await owed.behind('ses_1');
  });

  test('that the host stopped with lets nothing begin in its session any more', async () => {
    const { owed, written, disk, write } = room();
    disk.fault = full();
    const lost = assert.rejects(owed.written('ses_1', write('lost')), { code: 'store_disk_full' });
    await new Promise((resolve) => setImmediate(resolve));
    const closed = owed.close();
    const meanwhile = assert.rejects(owed.behind('ses_1'), { code: 'store_disk_full' });
    await closed;
    await meanwhile;
    await lost;
    disk.fault = undefined;
    await assert.rejects(owed.behind('ses_1'), { code: 'store_disk_full' });
    assert.deepEqual(written, []);
  });

  test('that a pass had gone by is tried once more when the host stops during that pass', async () => {
    const { owed, written, disk, write, clock } = room();
    disk.fault = full();
    const gone = owed.written('ses_1', write('gone by'));
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let tries = 0;
    const lost = owed.written('ses_2', async () => {
      tries += 1;
      if (tries === 2) {
        entered.resolve();
        await gate.promise;
      }
      throw full();
    });
    const told = assert.rejects(lost, { code: 'store_disk_full' });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(owedLimits.againMs);
    await entered.promise;
    const closed = owed.close();
    disk.fault = undefined;
    gate.resolve();
    await closed;
    await told;
    assert.deepEqual([written, tries], [['gone by'], 3]);
    assert.equal(await gone, 'gone by');
    assert.deepEqual([owed.has('ses_1'), owed.has('ses_2'), clock.pendingTimers], [false, false, 0]);
  });

  test('is told at once to who does not wait for it, and apart from what is not owed', async () => {
    const { owed, disk, write } = room();
    assert.equal(await owed.writtenNow('ses_1', write('stands')), undefined);
    disk.fault = new FairleadError('store_corrupt', 'Damaged.');
    await assert.rejects(owed.writtenNow('ses_1', write('refused')), { code: 'store_corrupt' });
    disk.fault = full();
    assert.equal(await owed.writtenNow('ses_1', write('owed')), disk.fault);
    assert.equal(owed.has('ses_1'), true);
    await owed.close();
  });

  test('a fault that no time mends is told at once', async () => {
    const { owed, disk, write } = room();
    disk.fault = new FairleadError('session_unknown', 'Gone.');
    await assert.rejects(owed.written('ses_1', write('gone')), { code: 'session_unknown' });
    assert.equal(owed.has('ses_1'), false);
  });

  test('beyond so many, an end is left to the next start', async () => {
    const { owed, disk, write } = room();
    disk.fault = full();
    const waiting = Array.from({ length: owedLimits.count }, (_none, index) =>
      owed.written(`ses_${index}`, write('one')).catch(() => 'left'),
    );
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(owed.written('ses_more', write('more')), { code: 'store_disk_full' });
    await assert.rejects(owed.written('ses_0', write('behind one')), { code: 'store_disk_full' });
    await owed.close();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['left']));
  });
});
