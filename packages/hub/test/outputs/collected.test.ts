import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { testHub } from '../test-hub.ts';

let unread = 3;
const mail = defineExtension({
  name: 'mail',
  version: '1.0.0',
  status: () => ({ unread: `${unread}` }),
});

test('outputs are collected from a global instance, and go with the extension (framework test 14)', async (t) => {
  hygiene(t);
  unread = 3;
  const { hub, newSession, peer, clock } = await testHub(t, { extensions: [mail] });
  const session = await newSession();
  await hub.openSession(session);
  assert.deepEqual(await hub.outputs(session), new Map([['mail', { unread: '3' }]]));
  assert.equal(await hub.publish({ session }), 0);
  unread = 4;
  assert.equal(await hub.publish({ session }), 1);
  assert.deepEqual(await hub.outputs(session), new Map([['mail', { unread: '4' }]]));
  // One that is off says nothing (set ignored in status).
  await deactivate(await peer.open(session), 'mail', clock);
  assert.equal(await hub.publish({ session }), 1);
  assert.deepEqual(await hub.outputs(session), new Map());
});
