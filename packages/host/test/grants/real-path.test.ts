import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { grantsInForce, judgePath, sessionGrants } from '../../src/grants/in-place.ts';
import { type LinkReader, machineLinks, realPath } from '../../src/grants/real-path.ts';

/** A file system of links alone: what is not named exists and is no link. */
function links(of: Readonly<Record<string, string | undefined>>): LinkReader {
  return { linkAt: async (path) => (path in of ? of[path] : null) };
}

test('links are followed one by one, wherever they lead', async () => {
  const there = links({
    '/a': '/b',
    '/b': 'c/d',
    '/c/d/up': '../..',
    '/c/new': undefined,
    '/gone': '/not/here',
  });
  const cases: [string, string][] = [
    ['/x/./y//z/', '/x/y/z'],
    ['/x/../y', '/y'],
    ['/a/file', '/c/d/file'],
    ['/a/up/e', '/e'],
    ['/c/new/f', '/c/new/f'],
    ['/gone/f', '/not/here/f'],
    ['/', '/'],
    ['/../..', '/'],
  ];
  for (const [path, real] of cases) assert.equal(await realPath(path, there), real, path);
});

test('what cannot be resolved has no real path', async () => {
  assert.equal(await realPath('relative', links({})), undefined);
  assert.equal(await realPath('/a\0b', links({})), undefined);
  assert.equal(await realPath('/a', links({ '/a': '/b', '/b': '/a' })), undefined);
  const closed: LinkReader = { linkAt: () => Promise.reject(new Error('EACCES')) };
  assert.equal(await realPath('/a', closed), undefined);
  assert.equal(await realPath(`/${'a'.repeat(300)}`, machineLinks), undefined);
});

test('a link out of the workspace is refused, also where nothing stands at its end yet', async (context) => {
  const folder = temporaryFolder(context);
  const outside = join(folder, 'outside');
  const workspace = join(folder, 'desk');
  mkdirSync(outside);
  mkdirSync(join(folder, 'deskother'));
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(join(workspace, 'file'), '');
  symlinkSync(outside, join(workspace, 'out'));
  symlinkSync(join(outside, 'new'), join(workspace, 'dangling'));
  symlinkSync('sub', join(workspace, 'in'));
  symlinkSync(workspace, join(folder, 'alias'));
  const place = { workspace: join(folder, 'alias'), links: machineLinks };
  const inForce = await grantsInForce(sessionGrants({}, undefined), place);
  const real = await realPath(workspace, machineLinks);
  assert.deepEqual(inForce, { fs: { read: [real], write: [real] }, network: { allowPrivate: false } });
  const judge = async (path: string) => {
    const verdict = await judgePath(inForce, 'write', path, workspace, machineLinks);
    return verdict.isGranted && verdict.path.slice((real ?? '').length);
  };
  assert.equal(await judge('file'), '/file');
  assert.equal(await judge('file/below-a-file'), '/file/below-a-file');
  assert.equal(await judge('sub/new/file'), '/sub/new/file');
  assert.equal(await judge('in/new'), '/sub/new');
  assert.equal(await judge(join(folder, 'alias', 'file')), '/file');
  assert.equal(await judge('sub/../file'), '/file');
  assert.equal(await judge('.'), '');
  for (const path of [
    'out/file',
    'dangling',
    '../deskother/file',
    '../outside',
    '/etc/passwd',
    'out/../../x',
  ])
    assert.equal(await judge(path), false, path);
});

test('a path that cannot be resolved is not granted, whatever is', async () => {
  const verdict = await judgePath({}, 'read', 'a', '/', links({ '/a': '/a' }));
  assert.deepEqual(verdict, { isGranted: false, path: undefined });
  const open = await judgePath({}, 'read', 'b', '/', links({}));
  assert.deepEqual(open, { isGranted: true, path: '/b' });
});

test('two names of one folder are one folder at every level', async () => {
  const place = { workspace: '/data', links: links({ '/desk': '/data' }) };
  const inForce = await grantsInForce(
    [{ fs: { read: ['/desk', '/data'] } }, undefined, { fs: { read: ['$workspace/a'] } }],
    place,
  );
  assert.deepEqual(inForce, { fs: { read: ['/data/a'] } });
});

test('a path that leads nowhere that can be said is left out, and so is the workspace of a session without one', async () => {
  const place = { workspace: undefined, links: links({ '/loop': '/loop' }) };
  const inForce = await grantsInForce(
    [{ fs: { read: ['$workspace', '/loop', '/a'], write: ['$workspace/x'] } }],
    place,
  );
  assert.deepEqual(inForce, { fs: { read: ['/a'], write: [] } });
  const escaping = await grantsInForce([{ fs: { read: ['$workspace/../x'] } }], {
    workspace: '/w',
    links: links({}),
  });
  assert.deepEqual(escaping, { fs: { read: [] } });
});

test('a session’s ceiling is its workspace and the public network, unless the configuration widens it', () => {
  assert.deepEqual(sessionGrants({}, undefined), [
    { fs: { read: ['$workspace'], write: ['$workspace'] }, network: { allowPrivate: false } },
    undefined,
  ]);
  assert.deepEqual(
    sessionGrants({ fs: { read: ['/'] }, network: { allowPrivate: true }, shell: { allow: [] } }, {}),
    [
      { fs: { read: ['/'], write: ['$workspace'] }, network: { allowPrivate: true }, shell: { allow: [] } },
      {},
    ],
  );
});

test('a session’s record never widens, and one that cannot be read allows nothing', async () => {
  const place = { workspace: '/w', links: links({}) };
  const wide = { fs: { read: ['/'], write: ['/'] }, network: { allowPrivate: true } };
  assert.deepEqual(await grantsInForce(sessionGrants({}, wide), place), {
    fs: { read: ['/w'], write: ['/w'] },
    network: { allowPrivate: false },
  });
  const nothing = {
    shell: { allow: [] },
    network: { endpoints: [], allowPrivate: false },
    fs: { read: [], write: [] },
  };
  assert.deepEqual(await grantsInForce(sessionGrants({}, 'unreadable'), place), nothing);
});
