import assert from 'node:assert/strict';
import { systemRandom } from '@fairlead/base';
import { temporaryFolder, waitFor } from '@fairlead/testing';
import { WebSocket } from 'ws';
import { replicate, webSocketCarrier } from '../src/index.ts';
import { startProgram } from './child-program.ts';
import { peerTest, texts } from './peer-fixture.ts';

peerTest(
  'two processes on one machine replicate a session, also over the death of one of them',
  async (t, open) => {
    const here = await open();
    const folder = temporaryFolder(t);
    const start = async () => {
      const program = startProgram('serve-session.ts', [folder, here.peer.peerId]);
      const [port = '', peerId = '', root = ''] = (await program.line()).split(' ');
      const dial = (expect: string) =>
        replicate({
          peer: here.peer,
          carrier: webSocketCarrier(new WebSocket(`ws://127.0.0.1:${port}`)),
          side: 'dialer',
          clock: here.clock,
          random: systemRandom(),
          expect,
        });
      return { program, peerId, root, dial };
    };
    const there = await start();
    const ask = async (line: string) => {
      there.program.say(line);
      return await there.program.line();
    };
    await ask('append one, before anybody dials');
    const stranger = there.dial('A'.repeat(43));
    await assert.rejects(stranger.remote, { code: 'replication_peer_refused' });
    const session = there.dial(there.peerId);
    await session.follow(there.root);
    const copy = await here.peer.open(there.root);
    assert.deepEqual(await texts(copy), ['one, before anybody dials']);
    await ask('append two, from the other process');
    await waitFor(async () => (await texts(copy)).length === 2, { what: 'the second entry' });
    await copy.table('entries').append('three, from here');
    await waitFor(async () => (await ask('texts')).includes('three'), { what: 'the third entry' });
    await there.program.kill();
    await session.ended;
    await copy.table('entries').append('four, while nobody listened');
    const again = await start();
    assert.deepEqual([again.peerId, again.root], [there.peerId, there.root]);
    const second = again.dial(again.peerId);
    await second.follow(again.root);
    again.program.say('texts');
    assert.deepEqual(JSON.parse(await again.program.line()), await texts(copy));
    assert.equal((await texts(copy)).length, 4);
    await second.close();
    await again.program.kill();
  },
);
