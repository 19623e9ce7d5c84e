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

test('a pause that comes while a resume is being written stands, in memory and on disk', async (t) => {
  hygiene(t);
  const { store } = await hostFloor(t);
  const state = await HostState.open(store);
  await state.pause(5);
  const resuming = state.resume();
  const pausing = state.pause(7);
  assert.equal(state.pausedAtMs, 5);
  assert.deepEqual([await resuming, await pausing], [true, true]);
  assert.equal(state.pausedAtMs, 7);
  assert.equal((await HostState.open(store)).pausedAtMs, 7);
});

test('a resume that comes while a pause is being written ends it', async (t) => {
  hygiene(t);
  const { store } = await hostFloor(t);
  const state = await HostState.open(store);
  const pausing = state.pause(5);
  assert.deepEqual([await state.resume(), await pausing], [true, true]);
  assert.equal(state.pausedAtMs, null);
  assert.equal((await HostState.open(store)).pausedAtMs, null);
});

test('a pause that could not be written holds, and the next one is written', async (t) => {
  hygiene(t);
  const { store } = await hostFloor(t);
  const state = await HostState.open(store);
  const full = async () => {
    throw new Error('disk full');
  };
  t.mock.method(store, 'write', full, { times: 1 });
  await assert.rejects(state.pause(5), /disk full/);
  assert.equal(state.pausedAtMs, 5);
  assert.equal(await state.pause(6), true);
  assert.equal((await HostState.open(store)).pausedAtMs, 6);
  assert.equal(await state.resume(), true);
  t.mock.method(store, 'write', full, { times: 1 });
  await assert.rejects(state.pause(8), /disk full/);
  assert.equal(await state.resume(), true);
  assert.equal(state.pausedAtMs, null);
});
