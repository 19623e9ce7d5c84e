import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { clearLedger, readLedger } from './ledger.ts';

test('an execution that comes while its round is judged is still there when the round is over', (t) => {
  const folder = temporaryFolder(t);
  const write = (file: string, name: string, answer: string) =>
    writeFileSync(join(folder, file), JSON.stringify({ name, answer }));
  write('r1-0', 'r1-0', 'yes');
  write('.draft', 'r1-0', 'none yet');
  write('r1-1', 'r1-1', 'of another call');
  const judged = readLedger(folder).get('r1-0') ?? [];
  assert.deepEqual(judged, [{ name: 'r1-0', answer: 'yes', file: 'r1-0' }]);
  write('r1-0+2', 'r1-0', 'again');
  clearLedger(folder, judged);
  const left = [...readLedger(folder)].map(([name, entries]) => [name, entries.map(({ answer }) => answer)]);
  assert.deepEqual(left.sort(), [
    ['r1-0', ['again']],
    ['r1-1', ['of another call']],
  ]);
});
