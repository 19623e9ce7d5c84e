import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { callTool, FolderManifests, openHub } from '@fairlead/hub';
import { openPeer, openStore } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { PathExtensions } from '../src/extensions/path-extensions.ts';

/** A hub of its own, the door by which folders are loaded into it, what writes such a folder, and what starts both anew. */
async function opened(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = systemClock();
  const store = await openStore({ path: join(folder, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory: folder, clock, random: systemRandom() });
  const start = async () => {
    const hub = await openHub({
      ...{ peer, store, clock, sources: [], report: () => {} },
      agents: { resolve: async () => null, open: (id) => peer.open(id) },
    });
    const extensions = new PathExtensions({
      ...{ hub, clock, environmentOf: () => ({}), log: () => {} },
      manifests: new FolderManifests({ store, clock }),
    });
    return { hub, extensions };
  };
  const first = await start();
  let { hub } = first;
  t.after(async () => {
    await hub.close();
    await peer.close();
    await store.close();
  });
  const restarted = async (): Promise<PathExtensions> => {
    await hub.close();
    const next = await start();
    hub = next.hub;
    return next.extensions;
  };
  const folderOf = (name: string, tool: string): string => {
    const made = join(folder, name);
    mkdirSync(made);
    writeFileSync(join(made, 'extension.ts'), codeOf(name, tool));
    return made;
  };
  return { ...first, peer, restarted, folderOf };
}

function codeOf(name: string, tool: string): string {
  return `import { defineExtension } from '@fairlead/extension';
export default defineExtension({ name: '${name}', version: '1.0.0', tools: { ${tool} } });`;
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

for (const [files, change] of [
  ['the same files', () => {}],
  ['changed files', (folder: string) => writeFileSync(join(folder, 'extension.ts'), codeOf('notes', WAIT))],
] as const)
  test(`an extension whose old folder is gone runs from the folder that it was moved to, with ${files}`, async (t) => {
    const { extensions, restarted, folderOf } = await opened(t);
    const old = folderOf('notes', LOOK);
    await extensions.start([old]);
    assert.deepEqual(extensions.summary(), [{ name: 'notes', code: null }]);
    const moved = `${old}-moved`;
    renameSync(old, moved);
    change(moved);
    const later = await restarted();
    await later.start([old, moved]);
    assert.deepEqual(later.summary(), [
      { name: 'notes', code: null },
      { name: old, code: 'extension_folder_invalid' },
    ]);
    assert.equal((await later.reload('notes')).certainty, 'completed', 'it is looked for where it is now');
    assert.equal((await later.unload(old)).certainty, 'completed');
    assert.deepEqual(later.summary(), [{ name: 'notes', code: null }], 'what runs is not the one taken away');
  });

for (const [how, change] of [
  ['reloaded by its path', (extensions: PathExtensions, folder: string) => extensions.reload(folder)],
  ['reloaded by its old name', (extensions: PathExtensions) => extensions.reload('guard')],
  ['loaded', (extensions: PathExtensions, folder: string) => extensions.load(folder)],
] as const)
  test(`a folder that did not load at the start, and has another name since, is ${how} and leaves no gate of the old name`, async (t) => {
    const { extensions, restarted, folderOf } = await opened(t);
    const folder = folderOf('guard', LOOK);
    await extensions.start([folder]);
    const module = join(folder, 'extension.ts');
    writeFileSync(module, `mistake(;${codeOf('watch', LOOK)}`);
    const later = await restarted();
    await later.start([folder]);
    assert.deepEqual(later.summary(), [{ name: 'guard', code: 'extension_load_failed' }]);
    writeFileSync(module, codeOf('watch', LOOK));
    const outcome = await change(later, folder);
    assert.equal(outcome.certainty, 'completed', JSON.stringify(outcome));
    assert.deepEqual(later.summary(), [{ name: 'watch', code: null }]);
    assert.equal((await later.reload(folder)).certainty, 'completed', 'the new name is known by its folder');
    writeFileSync(module, 'mistake(');
    const last = await restarted();
    await last.start([folder]);
    assert.deepEqual(last.summary(), [{ name: 'watch', code: 'extension_load_failed' }]);
  });

test('an extension that was moved, and loads from neither folder, is known by the one where it was last', async (t) => {
  const { extensions, restarted, folderOf } = await opened(t);
  const old = folderOf('guard', LOOK);
  await extensions.start([old]);
  const moved = `${old}-moved`;
  renameSync(old, moved);
  writeFileSync(join(moved, 'extension.ts'), codeOf('guard', WAIT));
  await (await restarted()).start([old, moved]);
  writeFileSync(join(moved, 'extension.ts'), 'mistake(');
  const later = await restarted();
  await later.start([old, moved]);
  assert.deepEqual(later.summary(), [
    { name: 'guard', code: 'extension_load_failed' },
    { name: old, code: 'extension_folder_invalid' },
  ]);
  writeFileSync(join(moved, 'extension.ts'), codeOf('guard', WAIT));
  assert.equal((await later.reload('guard')).certainty, 'completed', 'it is looked for where it was last');
});

test('a folder that is loaded has its name, though another one stands in it that did not load at the start', async (t) => {
  const { extensions, restarted, folderOf } = await opened(t);
  const old = folderOf('guard', LOOK);
  await extensions.start([old]);
  const moved = `${old}-moved`;
  renameSync(old, moved);
  const later = await restarted();
  await later.start([old]);
  assert.deepEqual(later.summary(), [{ name: 'guard', code: 'extension_folder_invalid' }]);
  assert.equal((await later.load(moved)).certainty, 'completed');
  assert.deepEqual(later.summary(), [{ name: 'guard', code: null }]);
  assert.equal((await later.reload('guard')).certainty, 'completed', 'it is looked for where it is now');
});
