import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeLink, say } from './fixture/fake-link.ts';

const PROJECT = { id: 'site', name: 'The site', kind: 'git' };

function registered(projects: readonly object[], name?: string) {
  const link = new FakeLink();
  const { socket, connection } = link.attach('a');
  const frame = {
    type: 'register',
    runner_id: 'a',
    instance_id: 'i1',
    connection_epoch: 1,
    capabilities: [],
    projects,
  };
  say(connection, name === undefined ? frame : { ...frame, name });
  return { link, socket, connection };
}

test('the projects that a Runner registers are visible, each id once', () => {
  const again = { ...PROJECT, name: 'Another of this id' };
  const other = { id: 'Site', name: 'x', kind: 'folder' };
  const { link } = registered([PROJECT, other, again]);
  assert.deepEqual(link.hub.runners(), [
    { runner: 'a', instanceId: 'i1', capabilities: [], projects: [PROJECT, other] },
  ]);
});

test('a changed inventory takes the place of the whole one before', () => {
  const { link, socket, connection } = registered([PROJECT], 'Desk');
  const before = link.hub.runners();
  say(connection, { type: 'inventory', name: 'Table', projects: [] });
  assert.deepEqual(link.hub.runners(), [
    { runner: 'a', name: 'Table', instanceId: 'i1', capabilities: [], projects: [] },
  ]);
  say(connection, { type: 'inventory', projects: [PROJECT] });
  assert.deepEqual(link.hub.runners(), [
    { runner: 'a', instanceId: 'i1', capabilities: [], projects: [PROJECT] },
  ]);
  assert.deepEqual(before[0]?.projects, [PROJECT]);
  assert.deepEqual(socket.frames, [{ type: 'registered' }]);
});

test('it changes nothing about who the Runner is, and moves no request', () => {
  const { link, connection, socket } = registered([PROJECT]);
  const { state } = link.request('a', { kind: 'providers_list' });
  say(connection, { type: 'inventory', projects: [] });
  assert.equal(state.outcome, null);
  assert.equal(socket.ofType('request').length, 1);
  say(connection, { type: 'inventory', runner_id: 'b', projects: [] });
  assert.equal(socket.ofType('error')[0]?.['code'], 'link_frame_invalid');
  assert.deepEqual(link.hub.runners(), []);
});

test('it is no register: before one it ends the connection', () => {
  const link = new FakeLink();
  const { socket, connection } = link.attach('a');
  say(connection, { type: 'inventory', projects: [PROJECT] });
  assert.equal(socket.ofType('error')[0]?.['code'], 'expected_register');
  assert.deepEqual(link.hub.runners(), []);
});
