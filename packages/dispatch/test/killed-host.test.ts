import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openStore } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { Journal } from '../src/index.ts';

test('a host killed in the middle of a call has left its intent, which the next start writes as outcome_unknown', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const program = join(import.meta.dirname, 'fixtures', 'die-in-a-call.ts');
  const child = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [call] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.kill('SIGKILL');
  await ended;
  const clock = manualClock();
  const store = await openStore({ path, clock });
  const journal = new Journal({ store, clock, boot: 'boot_next' });
  const row = async () =>
    Object.values(
      (
        await store.read<object>('SELECT action, tool, certainty, code FROM journal WHERE id = ?', [call])
      )[0] ?? {},
    );
  assert.deepEqual(await row(), ['call', 'say', null, null]);
  assert.equal(await journal.recoverAtStart(), 1);
  assert.deepEqual(await row(), ['call', 'say', 'outcome_unknown', 'invocation_interrupted']);
  await journal.close();
  await store.close();
});
