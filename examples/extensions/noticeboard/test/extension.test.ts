import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import noticeboard from '../src/extension.ts';

const carriers = ['thread', 'json', 'worker'] as const;
const module = new URL('../src/extension.ts', import.meta.url);

for (const carrier of carriers) {
  test(`${carrier}: what is sent to a board is read from it, the newest first`, async () => {
    await using t = await harness(noticeboard, { carrier, module });
    await t.cap('messenger', 'send', { target: 'team', body: { text: 'First.' } });
    await t.cap('messenger', 'send', { target: 'team', body: { text: 'Second.' } });
    const { certainty, data } = await t.tools.read_board({ board: 'team' });
    assert.equal(certainty, 'completed');
    assert.deepEqual(
      (data as { text: string }[]).map(({ text }) => text),
      ['Second.', 'First.'],
    );
    assert.equal(await t.command('/board team'), '- First.\n- Second.');
    assert.equal(await t.command('board nowhere'), 'Nothing is on nowhere.');
    assert.deepEqual(await t.status(), { boards: '1' });
    assert.deepEqual(await t.check(), []);
    assert.deepEqual(await t.close(), { leftOpen: [] });
  });
}

test('a board keeps as many notices as the session’s setting says', async () => {
  await using t = await harness(noticeboard, { settings: { keep: 1 } });
  await t.cap('messenger', 'send', { target: 'team', body: { text: 'First.' } });
  await t.cap('messenger', 'send', { target: 'team', body: { text: 'Second.' } });
  assert.equal(await t.command('board team'), '- Second.');
});
