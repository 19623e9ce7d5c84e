// native-plugin-protocol §15: the frame `inventory`
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { LinkClient } from '../src/link/link-client.ts';
import type { LinkSocketEvents, LinkTarget } from '../src/link/link-socket.ts';
import { startRunner } from '../src/runner.ts';
import { notHanging, told } from './hostile-providers.ts';
import { LinkPeer } from './link-peer.ts';

const ONE = { id: 'p', name: 'P', kind: 'git' };
const TWO = { id: 'q', name: 'Q', kind: 'folder' };

function linked() {
  const clock = manualClock();
  const sockets: (LinkSocketEvents & { readonly sent: unknown[]; readonly target: LinkTarget })[] = [];
  const client = new LinkClient({
    connect: (target, events) => {
      const socket = { ...events, sent: [] as unknown[], target };
      sockets.push(socket);
      return {
        send: (text, written) => {
          socket.sent.push(JSON.parse(text));
          written();
        },
        pause: () => {},
        resume: () => {},
        close: () => events.onClose(),
        terminate: () => events.onClose(),
      };
    },
    target: { url: 'ws://gateway', token: 't', timeoutMs: 5000 },
    identity: { runner_id: 'r', instance_id: 'rin_1', name: 'One', capabilities: [], projects: [ONE] },
    clock,
    log: () => {},
    handler: () => assert.fail('a request'),
  });
  const last = () => {
    const socket = sockets.at(-1);
    assert.ok(socket !== undefined);
    return socket;
  };
  const registered = () => last().onFrame(Buffer.from('{"type":"registered"}'));
  return { clock, client, last, registered };
}

test('what has changed is told at once, on the same connection', () => {
  const { client, last, registered } = linked();
  last().onOpen();
  registered();
  client.show({ name: 'Two', projects: [ONE, TWO] });
  client.show({ projects: [] });
  assert.deepEqual(last().sent.slice(1), [
    { type: 'inventory', name: 'Two', projects: [ONE, TWO] },
    { type: 'inventory', projects: [] },
  ]);
});

test('what changes between dialling and registering is told when the Runner is registered', () => {
  const { client, last, registered } = linked();
  client.show({ name: 'Two', projects: [TWO] });
  last().onOpen();
  client.show({ name: 'Three', projects: [TWO] });
  assert.equal(last().sent.length, 1);
  registered();
  assert.deepEqual(last().sent.slice(1), [{ type: 'inventory', name: 'Three', projects: [TWO] }]);
});

test('the next connection registers with it, within the new limit of dialling', async () => {
  const { clock, client, last, registered } = linked();
  last().onOpen();
  registered();
  client.show({ projects: [TWO] });
  client.timeoutMs = 9000;
  last().onClose();
  await clock.advance(1000);
  assert.equal(last().target.timeoutMs, 9000);
  last().onOpen();
  registered();
  assert.deepEqual(last().sent, [
    {
      type: 'register',
      runner_id: 'r',
      instance_id: 'rin_1',
      capabilities: [],
      projects: [TWO],
      connection_epoch: 2,
    },
  ]);
});

test('a Runner tells its gateway of new projects and of its new name when the configuration is reloaded', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const folder = temporaryFolder(t);
  const configPath = join(folder, 'runner.toml');
  const write = (name: string, ...projects: readonly string[]) => {
    mkdirSync(join(folder, 'projects'), { recursive: true });
    for (const id of projects)
      writeFileSync(join(folder, 'projects', `${id}.toml`), `id = "${id}"\npath = "/nowhere/${id}"`);
    writeFileSync(configPath, `display_name = "${name}"\nproject_registry_dir = "projects"`);
  };
  write('One', 'a');
  const runner = await startRunner({
    configPath,
    runnerId: 'r1',
    gatewayUrl: peer.url,
    token: 'fairlead_runner_planted-token',
    stateDirectory: folder,
    env: process.env,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: () => {},
  });
  t.after(() => runner.close());
  await notHanging(Promise.all([runner.registered, runner.settled]));
  const register = await peer.frame('register');
  assert.ok(register.type === 'register');
  assert.deepEqual([register.name, register.projects], ['One', [{ id: 'a', name: 'a', kind: 'folder' }]]);
  write('Two', 'b');
  assert.equal(told(await peer.ask({ kind: 'config_reload' })), 'completed payload');
  assert.deepEqual(await peer.frame('inventory'), {
    type: 'inventory',
    name: 'Two',
    projects: [
      { id: 'a', name: 'a', kind: 'folder' },
      { id: 'b', name: 'b', kind: 'folder' },
    ],
  });
  assert.equal(told(await peer.ask({ kind: 'project_catalog', project: 'b' })), 'completed payload');
  assert.equal(told(await peer.ask({ kind: 'config_check' })), 'completed payload');
  assert.equal(
    told(await peer.ask({ kind: 'project_catalog', project: 'c' })),
    'not_started project_unavailable',
  );
  assert.equal(peer.received.join('').includes('/nowhere/'), false);
  assert.equal(peer.frames.filter(({ type }) => type === 'register').length, 1);
});
