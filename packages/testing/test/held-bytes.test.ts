import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldBytes } from '../src/held-bytes.ts';

test('what is held counts, a buffer too, and what was let go of does not', async () => {
  const mebibytes = 8 * 1024 * 1024;
  const before = await heldBytes();
  let kept: unknown[] = [new Uint8Array(mebibytes), Array.from({ length: 1024 * 1024 }, (_, at) => at)];
  const held = (await heldBytes()) - before;
  assert.ok(held > 1.5 * mebibytes, `${held} bytes of ${kept.length} things`);
  kept = [];
  const left = (await heldBytes()) - before;
  assert.ok(left < mebibytes / 2, `${left} bytes of ${kept.length} things`);
});
