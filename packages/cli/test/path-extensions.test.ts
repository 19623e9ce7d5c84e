import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { callTool, FolderManifests, openHub } from '@fairlead/hub';
import { openPeer, openStore } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { PathExtensions } from '../src/extensions/path-extensions.ts';

/** A hub of its own, the door by which folders are loaded into it, and what writes such a folder. */
async function opened(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = systemClock();
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory: folder, clock, random: systemRandom() });
  const hub = await openHub({
    ...{ peer, store, clock, sources: [], report: () => {} },
    agents: { resolve: async () => null, open: (id) => peer.open(id) },
  });
  t.after(async () => {
    await hub.close();
    await peer.close();
    await store.close();
  });
  const extensions = new PathExtensions({
    ...{ hub, clock, environmentOf: () => ({}), log: () => {} },
    manifests: new FolderManifests({ store, clock }),
  });
  const folderOf = (name: string, tool: string): string => {
    const made = join(folder, name);
    mkdirSync(made);
    writeFileSync(
      join(made, 'extension.ts'),
      `import { defineExtension } from '@fairlead/extension';
export default defineExtension({ name: '${name}', version: '1.0.0', tools: { ${tool} } });`,
    );
    return made;
  };
  return { hub, peer, extensions, folderOf };
}

const LOOK = `look: { about: 'Looks.', run: () => 'seen' }`;

const WAIT = `wait: {
  about: 'Waits.',
  timeoutMs: 3_600_000,
  run: (_args, { signal, progress }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('stopped'));
      progress('begun');
    }),
}`;

test('unloading an extension whose call lasts an hour does not hold up the reload of another', async (t) => {
  const { hub, peer, extensions, folderOf } = await opened(t);
  const notes = folderOf('notes', WAIT);
  for (const folder of [notes, folderOf('guard', LOOK)])
    assert.equal((await extensions.load(folder)).certainty, 'completed');
  const session = (await peer.create('session')).root;
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const calling = callTool(set, {
    ...{ tool: 'wait', args: {}, call: 'call_1', signal: cancel.signal },
    onProgress: () => begun.resolve(),
  });
  await begun.promise;
  const ended: string[] = [];
  const unloading = extensions.unload('notes').finally(() => ended.push('unload'));
  assert.equal((await extensions.reload('guard')).certainty, 'completed');
  assert.equal((await extensions.load(notes)).certainty, 'completed', 'and it is loaded again itself');
  assert.deepEqual(ended, [], 'its call runs');
  cancel.abort();
  await calling;
  assert.equal((await unloading).certainty, 'completed');
});
