import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { hygiene, manualClock } from '@fairlead/testing';
import { builtinSource } from '../../src/index.ts';
import { testHub } from '../test-hub.ts';

const source = (name: string, version = '1.0.0') =>
  builtinSource(defineExtension({ name, version }), { version, clock: manualClock() });

test('who listens hears each install and each replacement once it has ended, until it no longer wants to', async (t) => {
  hygiene(t);
  const { hub } = await testHub(t, { extensions: [] });
  const heard: (readonly string[])[] = [];
  const off = hub.onInstalled(() => heard.push(hub.extensions().map(({ name }) => name)));
  await hub.install([source('one')]);
  await hub.replace('one', source('one', '2.0.0'));
  off();
  await hub.install([source('two')]);
  assert.deepEqual(heard, [['one'], ['one']]);
});
