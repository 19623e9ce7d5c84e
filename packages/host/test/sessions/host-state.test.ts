import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { HostState } from '../../src/sessions/host-state.ts';
import { hostFloor } from '../host-floor.ts';

test('a pause is in force at once, survives a restart, and ends with resume alone', async (t) => {
  hygiene(t);
  const { store } = await hostFloor(t);
  const state = await HostState.open(store);
  assert.equal(state.pausedAtMs, null);
  assert.equal(await state.resume(), false);
  const pausing = state.pause(5.5);
  assert.equal(state.pausedAtMs, 5.5);
  assert.equal(await pausing, true);
  assert.equal(await state.pause(9), false);
  const next = await HostState.open(store);
  assert.equal(next.pausedAtMs, 5);
  assert.equal(await next.resume(), true);
  assert.equal((await HostState.open(store)).pausedAtMs, null);
});
